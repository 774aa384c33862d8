"""What an organiser meets on the day of a cup: broken entrants, slips in the file, promises, long names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from botequim.cli import main
from botequim.cup.config_parser import read
from botequim.cup.paths import CupPaths
from botequim.cup.stages import commitment
from tests.support.cup_commands import SMALL_CUP, Captured, cup, run, standings, stored_series
from tests.support.students import TWO_GREEDY, submit

PATIENT = "[limits]\nmove = 120\n"
LEAGUE_OF_ONE = '[[stages]]\nname = "league"\nformat = "round_robin"\ngames = 1\n'


def broken_field(folder: Path) -> dict[str, str]:
    """Two who can play, one that cannot be unpacked, one that cannot be built."""
    (folder / "half.zip").write_bytes(b"PK\x03\x04 half a file")
    made = folder / "unbuilt"
    made.mkdir()
    (made / "Makefile").write_text("all:\n\t@echo no such wood; exit 3\n")
    return {"a": "greedy", "half": "./half.zip", "b": "random", "unbuilt": "./unbuilt"}


def test_all_who_cannot_play_are_named_at_once(tmp_path: Path, capsys: Captured) -> None:
    path = cup(tmp_path / "c.toml", broken_field(tmp_path))
    code, _, err = run(capsys, "run", str(path))
    assert code == 2
    assert "these entrants cannot play: half, unbuilt." in err
    assert f"botequim cup run {path} --without-broken" in err
    assert "no such wood" in err, "what the build said"
    assert stored_series(path) == 0
    code, out, _ = run(capsys, "check", str(path))
    assert code == 1
    assert all(said in out for said in ("✔ a", "✔ b", "✘ half", "✘ unbuilt", "no such wood"))
    assert "Cannot play: half, unbuilt." in out


def test_a_cup_is_held_without_the_broken_and_says_so_ever_after(tmp_path: Path, capsys: Captured) -> None:
    stages = (
        'null = "half"\n[[stages]]\nname = "groups"\nformat = "round_robin"\ngames = 2\n'
        '[[stages]]\nname = "finals"\nfrom = "groups"\ntop = 4\nformat = "knockout"\ngames = 1\n'
    )
    path = cup(tmp_path / "c.toml", broken_field(tmp_path), stages=stages)
    code, _, err = run(capsys, "run", str(path), "--without-broken", "--stage", "groups")
    assert code == 0
    assert "half did not start" in err
    assert "finals: only 2 entrants remain for 4 places" in err
    assert run(capsys, "run", str(path))[0] == 0, "it need not be said again"
    result = standings(path, capsys)
    assert result["over"]
    assert set(result["absent"]) == {"half", "unbuilt"}
    assert {row["entrant"] for row in result["stages"][0]["standings"]} == {"a", "b"}
    assert "unbuilt did not start" in run(capsys, "status", str(path))[1]
    assert run(capsys, "report", str(path), "--to", str(tmp_path / "out"))[0] == 0
    page = (tmp_path / "out" / "public" / "index.html").read_text()
    assert "Did not start" in page
    assert "unbuilt" in page
    assert "no such wood" not in page, "a log is for its authors"
    assert "no such wood" in (tmp_path / "out" / "private" / "feedback" / "en" / "unbuilt.md").read_text()
    assert str(tmp_path) not in page


def test_a_bundle_tells_who_did_not_start(tmp_path: Path, capsys: Captured) -> None:
    path = cup(tmp_path / "c.toml", broken_field(tmp_path))
    assert run(capsys, "run", str(path), "--without-broken")[0] == 0
    run(capsys, "report", str(path), "--bundle", str(tmp_path / "b.zip"))
    assert main(["verify", str(tmp_path / "b.zip")]) == 0
    assert "half did not start" in capsys.readouterr().out


def test_what_was_mended_before_the_first_game_plays(tmp_path: Path, capsys: Captured) -> None:
    field = broken_field(tmp_path)
    path = cup(tmp_path / "c.toml", field)
    path.write_text(path.read_text().replace('seed = "7"\n', ""))
    (digest,) = re.findall(r"sha256:[0-9a-f]{64}", run(capsys, "run", str(path))[1])
    del field["half"], field["unbuilt"]
    cup(path, field)
    path.write_text(path.read_text().replace('seed = "7"\n', ""))
    assert run(capsys, "run", str(path))[0] == 0, "a cup in which nothing was played may be changed"
    assert digest in run(capsys, "status", str(path))[1], "but for a seed that was promised"
    assert list(CupPaths.of(path).folder.rglob("unpacked-*")) == []


def test_a_bot_that_is_mended_before_the_first_game_plays_as_it_is_then(
    tmp_path: Path, capsys: Captured
) -> None:
    bot = tmp_path / "rock"
    bot.mkdir()
    (bot / "bot.py").write_text("raise SystemExit('not yet')")
    field = {"rock": str(bot), "greedy": "greedy", "half": "./half.zip"}
    (tmp_path / "half.zip").write_bytes(b"no archive")
    path = cup(
        tmp_path / "c.toml", field, game="rps", stages=f"{PATIENT}[options]\nrounds = 2\n{LEAGUE_OF_ONE}"
    )
    assert run(capsys, "run", str(path))[0] == 2
    (bot / "bot.py").write_text("""print('{"move": "ROCK"}')""")
    assert run(capsys, "run", str(path), "--without-broken")[0] == 0
    with CupPaths.of(path).storage.open_results() as store:
        assert store.faults() == []


def test_too_few_left_is_said(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "half.zip").write_bytes(b"no archive")
    path = cup(tmp_path / "c.toml", {"a": "greedy", "half": "./half.zip"})
    code, _, err = run(capsys, "run", str(path), "--without-broken")
    assert code == 2
    assert 'the stage "league" is not possible' in err


# --- what an organiser overlooks ---------------------------------------------------------------------


def test_a_portrait_that_is_not_there_is_told_with_its_line(tmp_path: Path, capsys: Captured) -> None:
    path = cup(tmp_path / "c.toml", {"a": "greedy", "b": "random"})
    path.write_text(path.read_text() + 'portrait = "b.png"\n')
    code, out, _ = run(capsys, "check", str(path))
    assert code == 1
    line = path.read_text().splitlines().index('portrait = "b.png"') + 1
    assert f'{path}:{line}: the portrait "b.png" cannot be shown: there is no such file' in out
    (tmp_path / "b.png").write_bytes(b"<svg/>")
    assert "it is not in one of these formats: png, jpeg, gif, webp" in run(capsys, "check", str(path))[1]
    (tmp_path / "b.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    assert run(capsys, "check", str(path))[0] == 0


@pytest.mark.parametrize("short", ["7", "a secret", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"])
def test_a_promise_that_can_be_guessed_is_refused(tmp_path: Path, capsys: Captured, short: str) -> None:
    path = tmp_path / "c.toml"
    code, _, err = run(capsys, "new", "rps", str(path), "--promise", short)
    assert code == 2
    assert "at least 16 characters" in err
    assert not path.exists()
    (fresh,) = re.findall(r"[0-9a-f]{32}", err)
    assert run(capsys, "new", "rps", str(path), "--promise", fresh)[0] == 0


def test_a_short_promised_seed_is_warned_of_when_it_is_played(tmp_path: Path, capsys: Captured) -> None:
    path = cup(tmp_path / "c.toml", {"a": "greedy", "b": "random"})
    path.write_text(path.read_text().replace('seed = "7"', f'commitment = "{commitment("7")}"'))
    code, _, err = run(capsys, "run", str(path), "--seed", "7")
    assert code == 0
    assert "The promised seed is too short" in err


def test_an_action_takes_the_language_too(tmp_path: Path, capsys: Captured) -> None:
    path = cup(tmp_path / "c.toml", {"a": "greedy", "b": "random"})
    code, out, _ = run(capsys, "check", str(path), "--lang", "pt_BR")
    assert code == 0
    assert "prontos" in out


def test_a_check_shows_how_far_it_is(tmp_path: Path, capsys: Captured) -> None:
    path = cup(tmp_path / "c.toml", {"a": "greedy", "b": "random"})
    err = run(capsys, "check", str(path))[2]
    assert "checking a, 1 of 2" in err
    assert "checking b, 2 of 2" in err


def test_a_long_verification_shows_how_far_it_is(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("botequim.cli.progress.SILENT_SECONDS", 0.0)
    path = cup(tmp_path / "c.toml", {"a": "greedy", "b": "random"})
    assert run(capsys, "run", str(path))[0] == 0
    assert "1 record" in run(capsys, "report", str(path), "--bundle", str(tmp_path / "b.zip"))[2]
    assert main(["verify", str(tmp_path / "b.zip")]) == 0
    assert "1 record" in capsys.readouterr().err


def test_figures_for_programs_are_exact(tmp_path: Path, capsys: Captured) -> None:
    stages = '[[stages]]\nname = "tables"\nformat = "combinations"\nsize = 3\ngames = 7\n'
    path = cup(tmp_path / "c.toml", {"a": "greedy", "b": "random", "c": "greedy"}, game="uno", stages=stages)
    assert run(capsys, "run", str(path))[0] == 0
    out = run(capsys, "status", str(path), "--json")[1]
    assert not re.search(r"\d\.0\b|\d\.\d{7}", out)
    assert '"games": 7' in out


def test_who_has_too_many_authors_is_left_out_or_allowed(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "PARTICIPANTS.md").write_text(
        "| Bot | Autores | Repositório |\n|---|---|---|\n"
        "| Quatro | Ana, Bia, Caio, Davi | https://example.org/4 |\n"
        "| Um | Eva | https://example.org/1 |\n| Dois | Fé, Gil | https://example.org/2 |\n"
    )
    path = tmp_path / "c.toml"
    words = ("import", str(tmp_path / "PARTICIPANTS.md"), str(path), "--template", "cubos")
    code, out, _ = run(capsys, *words)
    assert code == 0
    assert "Quatro: there are 4 authors (Ana, Bia, Caio, Davi), but at most 3 are allowed" in out
    path.write_text(path.read_text().replace("top = 4", "top = 2"))
    assert [entry.name for entry in read(path).entrants] == ["Um", "Dois"]
    path.unlink()
    assert run(capsys, *words, "--most-authors", "4")[0] == 0
    path.write_text(path.read_text().replace("top = 4", "top = 2"))
    assert len(read(path).entrants) == 3


def test_whole_names_are_shown_where_there_is_room(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    stages = '[[stages]]\nname = "league"\nformat = "confrontos"\ngames = 5\n'
    name = "Os Gananciosos Irmãos de Vila Velha e Cia"[:40]
    path = cup(tmp_path / "c.toml", {name: "greedy", "Tolos": "dummy"}, game="havana", stages=stages)
    assert f"│ {name} │" in run(capsys, "run", str(path))[1]
    monkeypatch.setenv("COLUMNS", "60")
    out = run(capsys, "status", str(path))[1]
    assert "…" not in out, "what a narrow terminal has no room for goes on below"


def test_the_name_a_pair_gives_itself_is_shown(tmp_path: Path, capsys: Captured) -> None:
    folder = submit(tmp_path / "pair", TWO_GREEDY)
    stages = '[[stages]]\nname = "league"\nformat = "confrontos"\ngames = 1\n'
    path = cup(tmp_path / "c.toml", {"a": str(folder), "b": "dummy"}, game="havana", stages=stages)
    assert run(capsys, "run", str(path))[0] == 0
    assert run(capsys, "report", str(path), "--to", str(tmp_path / "out"))[0] == 0
    assert "Os Gananciosos" in (tmp_path / "out" / "public" / "index.html").read_text()
    (record,) = (tmp_path / "out" / "public" / "records").rglob("*.jsonl")
    assert "123456" not in record.read_text(), "student numbers are not for everybody"
    assert main(["show", str(record)]) == 0
    assert "“Os Gananciosos”" in capsys.readouterr().out
    assert main(["verify", str(record)]) == 0


@pytest.mark.parametrize(
    ("rounds", "advice"),
    [(3, "--without-broken"), (4, "4 rounds are too many for 4 entrants")],
)
def test_check_recommends_only_a_cup_that_is_possible(
    tmp_path: Path, capsys: Captured, rounds: int, advice: str
) -> None:
    entrants = dict.fromkeys(("A", "B", "C", "D"), "greedy") | {"E": "missing"}
    stages = f'[[stages]]\nname = "s"\nformat = "swiss"\nrounds = {rounds}\n'
    path = cup(tmp_path / "copa.toml", entrants, game="rps", stages=stages)
    code, out, _ = run(capsys, "check", str(path), "--trust")
    assert code != 0
    assert "Cannot play: E." in out
    assert advice in out
    assert ("--without-broken" in out) is (rounds == 3)


@pytest.mark.parametrize(
    ("promise", "line"),
    [
        ('seed = "7"', "the seed is the one in the cup file"),
        ('commitment = "{commitment}"', "the seed matches the commitment in the cup file"),
    ],
)
def test_verify_names_a_commitment_only_if_there_was_one(
    tmp_path: Path, capsys: Captured, promise: str, line: str
) -> None:
    path = tmp_path / "copa.toml"
    promise = promise.format(commitment=commitment("a seed that nobody guesses"))
    path.write_text(SMALL_CUP.replace('seed = "7"', promise))
    seed = () if promise.startswith("seed") else ("--seed", "a seed that nobody guesses")
    assert run(capsys, "run", str(path), "--quiet", *seed)[0] == 0
    assert run(capsys, "report", str(path), "--bundle", str(tmp_path / "copa.zip"))[0] == 0
    assert main(["verify", str(tmp_path / "copa.zip")]) == 0
    assert line in capsys.readouterr().out
