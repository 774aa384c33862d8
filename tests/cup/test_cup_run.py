"""Cups on the command line: played to the end, interrupted, killed, resumed."""

from __future__ import annotations

import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from botequim.cli import main
from botequim.cup.live import LiveGames
from botequim.cup.paths import CupPaths
from botequim.cup.stages import commitment
from tests import ROOT
from tests.support.cup_commands import Captured, cup, run, standings, stored_series
from tests.support.cup_runs import cup_runs
from tests.support.pace import PATIENCE, until

EXAMPLES = ROOT / "examples"


PATIENT = "[limits]\nmove = 120\n"
DIGEST_OF_ROCK_BEFORE_VERSION_2 = "9e805df625786a450ea013b1c55be042"
"""As cups were stored that began before there was another."""
EIGHT = {f"p{at}": ("greedy" if at % 2 else "random") for at in range(8)}


# --- templates with real bots ------------------------------------------------------------------------

FIELDS = {
    "cubos": ["greedy", "cubos", "arena-lines", "arena-http", "arena-once"],
    "havana": ["greedy", "random", "dummy", "havana", "arena-lines"],
    "rps": ["greedy", "random", "rps", "arena-lines", "arena-once"],
    "uno": ["greedy", "random", "uno", "arena-lines"],
    "fives": ["greedy", "random", "arena-lines", "arena-lines", "greedy"],
}


@pytest.mark.parametrize("template", FIELDS)
def test_a_template_with_a_mixed_field_runs_to_its_final_table(
    template: str, tmp_path: Path, capsys: Captured
) -> None:
    path = tmp_path / "copa.toml"
    assert run(capsys, "new", template, str(path))[0] == 0
    text = re.sub(r"\[\[entrants\]\](?s:.*)", "", path.read_text(encoding="utf-8"))
    text = re.sub(r"games = \d+\b", "games = 1", text)
    text = re.sub(r"\brounds = \d+\b", "rounds = 3", text)
    for at, bot in enumerate(FIELDS[template]):
        folder = EXAMPLES / bot
        named = str(folder) if folder.is_dir() else bot
        text += f'\n[[entrants]]\nname = "e{at}"\nbot = "{named}"\n'
    path.write_text(text, encoding="utf-8")
    code, out, err = run(capsys, "run", str(path))
    assert code == 0, err
    result = standings(path, capsys)
    assert result["over"]
    assert {row["entrant"] for row in result["stages"][0]["standings"]} == {
        f"e{at}" for at in range(len(FIELDS[template]))
    }
    assert re.search(r"^1\. (e\d|Keepers)", out, re.MULTILINE), "a pair is shown by its own name"


# --- never losing a game -----------------------------------------------------------------------------


@pytest.mark.parametrize(("entrants", "kills"), [(6, 3), pytest.param(16, 20, marks=pytest.mark.slow)])
def test_killed_at_any_moment_it_goes_on_where_it_was(
    entrants: int, kills: int, tmp_path: Path, capsys: Captured
) -> None:
    stages = '[[stages]]\nname = "league"\nformat = "round_robin"\ngames = 40\n'
    stages += '[[stages]]\nname = "finals"\nfrom = "league"\ntop = 4\nformat = "knockout"\ngames = 40\n'
    many = {f"p{at}": ("greedy" if at % 2 else "random") for at in range(entrants)}
    calm = cup(tmp_path / "calm.toml", many, stages=stages)
    assert run(capsys, "run", str(calm), "--workers", "1")[0] == 0
    stormy = cup(tmp_path / "stormy.toml", many, stages=stages)
    rng = random.Random(7)
    seen = [0]
    with cup_runs() as begin:
        for number in range(kills):
            process = begin(stormy, "--workers", "2")
            if number % 2:  # else while it starts, or a little later
                until(lambda: stored_series(stormy) > seen[-1] or process.poll() is not None)  # noqa: B023
            time.sleep(rng.uniform(0, 0.1))
            process.kill()
            process.wait()
            seen.append(stored_series(stormy))
        assert begin(stormy, "--workers", "2").wait(PATIENCE) == 0
    assert seen == sorted(seen), "nothing that was stored is lost"
    assert seen[-1] > 0
    assert standings(stormy, capsys) == standings(calm, capsys)
    assert _results(stormy) == _results(calm)


def _results(path: Path) -> Any:
    with CupPaths.of(path).storage.open_results() as store:
        return {
            stage: {key: result.games for key, result in sorted(series.items())}
            for stage, series in store.results().items()
        }


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_says_how_to_go_on(tmp_path: Path, sent: signal.Signals, code: int) -> None:
    path = cup(
        tmp_path / "c.toml",
        EIGHT,
        stages='[[stages]]\nname = "league"\nformat = "round_robin"\ngames = 30000\n',
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "botequim", "cup", "run", str(path), "--stage", "league"],
        stderr=subprocess.PIPE,
        text=True,
    )
    with process, LiveGames(CupPaths.of(path).storage.open_live()) as live:
        try:
            until(live.games)
            process.send_signal(sent)
            _, err = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
    assert process.returncode == code
    assert f"botequim cup run {path} --stage league" in err
    assert "resource_tracker" not in err
    assert "Traceback" not in err


def test_stages_are_played_one_at_a_time_with_pinned_bots(tmp_path: Path, capsys: Captured) -> None:
    bot = tmp_path / "rock"
    bot.mkdir()
    (bot / "bot.py").write_text("""print('{"move": "ROCK"}')""")
    stages = (
        '[[stages]]\nname = "groups"\nformat = "round_robin"\ngames = 1\n'
        '[[stages]]\nname = "finals"\nfrom = "groups"\ntop = 2\nformat = "knockout"\ngames = 1\n'
    )
    entrants = {"rock": str(bot), "greedy": "greedy", "random": "random"}
    path = cup(tmp_path / "c.toml", entrants, game="rps", stages=PATIENT + "[options]\nrounds = 2\n" + stages)
    assert "cannot be played yet" in run(capsys, "run", str(path), "--stage", "finals")[2]
    assert run(capsys, "run", str(path), "--stage", "groups")[0] == 0
    assert not standings(path, capsys)["over"]
    (bot / "bot.py").write_text("raise SystemExit('changed')")
    with CupPaths.of(path).storage.open_results() as store:
        as_before = store.entrants()["rock"]
        assert as_before["digest"].startswith("v2-")
        del as_before["program"]["alias"]
        store.pin_entrant("rock", {**as_before, "digest": DIGEST_OF_ROCK_BEFORE_VERSION_2})
    assert run(capsys, "run", str(path), "--stage", "finals")[0] == 0
    with CupPaths.of(path).storage.open_results() as store:
        assert store.faults() == [], "the bot as it was when the cup began"
    (pinned,) = CupPaths.of(path).bots.rglob("bot.py")
    pinned.chmod(0o644)
    pinned.write_text("raise SystemExit('tampered')")
    code, _, err = run(capsys, "run", str(path))
    assert code == 2
    assert "have changed since the cup began" in err


def test_the_sources_of_a_bot_stay_with_the_cup(tmp_path: Path, capsys: Captured) -> None:
    bot = tmp_path / "rock"
    bot.mkdir()
    (bot / "rock.txt").write_text("""print('{"move": "ROCK"}')""")
    (bot / "botequim.toml").write_text('build = "mv rock.txt bot.py"\ncommand = "python3 bot.py"\n')
    stage = '[[stages]]\nname = "{}"\nformat = "round_robin"\ngames = 1\n'
    stages = PATIENT + "[options]\nrounds = 2\n" + stage.format("first") + stage.format("second")
    path = cup(tmp_path / "c.toml", {"rock": str(bot), "greedy": "greedy"}, game="rps", stages=stages)
    assert run(capsys, "run", str(path), "--stage", "first")[0] == 0
    (source,) = CupPaths.of(path).bots.rglob("rock.txt")
    source.write_text("changed")
    code, _, err = run(capsys, "run", str(path), "--stage", "second")
    assert code == 2
    assert "have changed since the cup began" in err
    assert str(source.parent) in err
    with CupPaths.of(path).storage.open_results() as store:
        pin = store.entrants()["rock"]
        assert pin.pop("sources")["build"] == "mv rock.txt bot.py"
        store.pin_entrant("rock", pin)  # as cups were stored before
    assert run(capsys, "run", str(path), "--stage", "second")[0] == 0


# --- what can be wrong -------------------------------------------------------------------------------


def test_a_cup_that_was_changed_is_not_gone_on_with(tmp_path: Path, capsys: Captured) -> None:
    path = cup(tmp_path / "c.toml", {"a": "greedy", "b": "random"})
    assert run(capsys, "run", str(path))[0] == 0
    cup(path, {"a": "greedy", "b": "greedy"})
    code, _, err = run(capsys, "run", str(path))
    assert code == 2
    assert "has changed since the cup began" in err


def test_a_missing_bot_is_named_and_nothing_is_lost(tmp_path: Path, capsys: Captured) -> None:
    path = cup(tmp_path / "c.toml", {"a": "greedy", "b": "./nowhere"})
    code, _, err = run(capsys, "run", str(path))
    assert code == 2
    assert "these entrants cannot play: b" in err
    code, out, _ = run(capsys, "check", str(path))
    assert code == 1
    assert "✔ a" in out
    assert "✘ b" in out


def test_a_bot_that_never_starts_loses_and_the_cup_goes_on(tmp_path: Path, capsys: Captured) -> None:
    bot = tmp_path / "dead"
    bot.mkdir()
    (bot / "bot.py").write_text("raise SystemExit('no')")
    path = cup(tmp_path / "c.toml", {"a": "greedy", "dead": str(bot)}, game="uno")
    assert run(capsys, "run", str(path))[0] == 0
    rows = {row["entrant"]: row for row in standings(path, capsys)["stages"][0]["standings"]}
    assert (rows["a"]["figures"]["won"], rows["dead"]["figures"]["faults"]) == (6, 6)


def test_new_never_writes_over_a_file(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "c.toml").write_text("precious")
    assert run(capsys, "new", "rps", str(tmp_path / "c.toml"))[0] == 2
    assert (tmp_path / "c.toml").read_text() == "precious"


def test_participants_are_imported(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "PARTICIPANTS.md").write_text(
        "| Nome | Repositório |\n|---|---|\n| Ana | https://example.org/ana |\n| Rui | |\n"
        "| Eva | https://example.org/eva |\n"
    )
    path = tmp_path / "c.toml"
    code, out, _ = run(capsys, "import", str(tmp_path / "PARTICIPANTS.md"), str(path))
    assert code == 0
    assert "2 submissions: 2 new" in out
    assert "PARTICIPANTS.md:4: Rui: its repository is missing" in out


def test_a_rehearsal_needs_no_bots_and_leaves_nothing(tmp_path: Path, capsys: Captured) -> None:
    path = cup(tmp_path / "c.toml", {"a": "./nowhere", "b": "./nowhere", "c": "random"})
    code, out, _ = run(capsys, "rehearse", str(path))
    assert code == 0
    assert "A rehearsal" in out
    assert [entry.name for entry in tmp_path.iterdir()] == ["c.toml"]


@pytest.mark.parametrize("line", ["", f'commitment = "{commitment("a promised sentence")}"'])
def test_a_rehearsal_has_no_digest_to_publish(line: str, tmp_path: Path, capsys: Captured) -> None:
    path = cup(tmp_path / "c.toml", {"a": "./nowhere", "b": "random"})
    path.write_text(path.read_text().replace('seed = "7"', line))
    code, out, err = run(capsys, "rehearse", str(path))
    assert code == 0
    assert "ublish" not in out + err
    assert "sha256" not in out + err


def test_an_unknown_stage_lists_the_known(tmp_path: Path, capsys: Captured) -> None:
    path = cup(tmp_path / "c.toml", {"a": "greedy", "b": "random"})
    assert 'unknown stage "x"; known: league' in run(capsys, "run", str(path), "--stage", "x")[2]


def test_the_second_self_is_the_same_pinned_bot(tmp_path: Path, capsys: Captured) -> None:
    bot = tmp_path / "rock"
    bot.mkdir()
    (bot / "bot.py").write_text("""print('{"move": "ROCK"}')""")
    stages = 'null = "rock"\n[options]\nrounds = 2\n' + PATIENT
    stages += '[[stages]]\nname = "groups"\nformat = "round_robin"\ngames = 1\n'
    path = cup(tmp_path / "c.toml", {"rock": str(bot), "greedy": "greedy"}, game="rps", stages=stages)
    assert run(capsys, "run", str(path), "--stage", "groups")[0] == 0
    (bot / "bot.py").write_text("raise SystemExit('changed')")
    assert run(capsys, "run", str(path))[0] == 0
    with CupPaths.of(path).storage.open_results() as store:
        assert store.faults() == []
        pinned = store.entrants()
        assert pinned["rock"] == pinned["rock (null)"]


def test_a_drawn_seed_is_promised_at_once(tmp_path: Path, capsys: Captured) -> None:
    path = cup(tmp_path / "c.toml", {"a": "greedy", "b": "random"})
    path.write_text(path.read_text().replace('seed = "7"\n', ""))
    (digest,) = re.findall(r"sha256:[0-9a-f]{64}", run(capsys, "run", str(path))[1])
    assert digest in run(capsys, "status", str(path))[1]


def test_what_comes_next_is_said(tmp_path: Path, capsys: Captured) -> None:
    stages = (
        '[[stages]]\nname = "groups"\nformat = "round_robin"\ngames = 1\n'
        '[[stages]]\nname = "finals"\nfrom = "groups"\ntop = 2\nformat = "knockout"\ngames = 1\n'
    )
    path = cup(tmp_path / "c.toml", {"a": "greedy", "b": "random", "c": "greedy"}, stages=stages)
    assert (
        f"Next: botequim cup run {path} --stage finals"
        in run(capsys, "run", str(path), "--stage", "groups")[1]
    )
    assert "Next:" not in run(capsys, "run", str(path))[1]


def test_names_are_never_squeezed_out(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    stages = '[[stages]]\nname = "league"\nformat = "confrontos"\ngames = 5\n'
    names = {"Gananciosos": "greedy", "Tolos da Vila": "dummy"}
    path = cup(tmp_path / "c.toml", names, game="havana", stages=stages)
    out = run(capsys, "run", str(path))[1]
    assert all(name in out for name in names)


@pytest.mark.parametrize("name", ["b.zip", "b"])
def test_a_bundle_does_not_make_its_folder(tmp_path: Path, capsys: Captured, name: str) -> None:
    path = cup(tmp_path / "c.toml", {"a": "greedy", "b": "random"})
    assert run(capsys, "run", str(path))[0] == 0
    missing, out = tmp_path / "missing", tmp_path / "out"
    words = ("report", str(path), "--replays", "0", "--to", str(out), "--bundle")
    code, _, err = run(capsys, *words, str(missing / name))
    assert code == 2
    assert f'cannot be written: there is no folder "{missing}"' in " ".join(err.split())
    assert not missing.exists()
    assert not out.exists(), "the mistake is found before the report is written"
    assert run(capsys, *words, str(out / name))[0] == 0


def test_a_report_in_both_languages_and_a_bundle_that_verifies(tmp_path: Path, capsys: Captured) -> None:
    path = cup(tmp_path / "c.toml", {"a": "greedy", "b": "random"})
    assert run(capsys, "run", str(path))[0] == 0
    code, out, _ = run(
        capsys, "report", str(path), "--to", str(tmp_path / "out"), "--bundle", str(tmp_path / "b.zip")
    )
    assert code == 0
    assert "sha256:" in out
    public, private = tmp_path / "out" / "public", tmp_path / "out" / "private"
    assert f"upload this folder: {public}" in out
    for tag in ("en", "pt-BR"):
        assert (public / f"index.{tag}.html").is_file()
        assert list((private / "feedback" / tag).glob("*.md"))
    for bundle in (tmp_path / "b.zip", public / "bundle.zip"):
        assert main(["verify", str(bundle)]) == 0
    old = tmp_path / "out" / "pt_BR" / "private"
    old.mkdir(parents=True)
    assert (
        f"{old.parent} was written by an earlier version"
        in run(capsys, "report", str(path), "--to", str(tmp_path / "out"), "--replays", "0")[1]
    )


def test_bots_known_by_their_repositories_are_fetched(tmp_path: Path, capsys: Captured) -> None:
    text = 'name = "c"\ngame = "rps"\noptions = { rounds = 2 }\n'
    text += PATIENT + '[[stages]]\nname = "s"\nformat = "round_robin"\n'
    for name in ("ana", "eva"):
        repository = tmp_path / "elsewhere" / name
        repository.mkdir(parents=True)
        (repository / "bot.py").write_text('print(\'{"move": "ROCK"}\')\n')
        git = ["git", "-C", str(repository), "-c", "user.name=A", "-c", "user.email=a@example.org"]
        for words in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "-m", "one"]):
            subprocess.run([*git, *words], check=True, capture_output=True)
        text += f'\n[[entrants]]\nname = "{name}"\nbot = "bots/{name}"\nrepository = "file://{repository}"\n'
    path = tmp_path / "c.toml"
    path.write_text(text)
    code, _, err = run(capsys, "run", str(path))
    assert code == 0, err
    with CupPaths.of(path).storage.open_results() as store:
        assert all(len(pinned["commit"]) == 40 for pinned in store.entrants().values())
        assert store.faults() == []
