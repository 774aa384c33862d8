"""The command line, as a person or a script uses it."""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from botequim import registry
from botequim.cli import demo, main
from tests.support.golden import FOLDER, GOLDEN
from tests.support.pace import PATIENCE, until
from tests.support.terminal import running

DOMINO = FOLDER / "cubos-domino.jsonl"
RPS = FOLDER / "rps-faults-and-art.jsonl"

Captured = pytest.CaptureFixture[str]


def run(capsys: Captured, *words: str) -> tuple[int, str, str]:
    code = main(words)
    said = capsys.readouterr()
    return code, said.out, said.err


def test_alone_it_explains_itself(capsys: Captured) -> None:
    code, out, _ = run(capsys)
    assert code == 0
    assert "botequim match cubos random greedy" in out


def test_one_game_is_told_as_it_goes(capsys: Captured) -> None:
    code, out, _ = run(capsys, "match", "cubos", "random", "greedy", "--seed", "1")
    assert code == 0
    assert "opens with it." in out
    assert " 6-6 " in out
    assert "Winner: " in out


def test_many_games_give_a_table_with_intervals(capsys: Captured) -> None:
    code, out, _ = run(capsys, "match", "cubos", "random", "greedy", "--games", "20", "--workers", "1")
    assert code == 0
    assert "95 % interval" in out
    assert "10 deals were played from every side" in out
    assert "lays" not in out


def test_verbose_tells_every_game_and_quiet_only_the_result(capsys: Captured) -> None:
    words = ("match", "rps", "random", "greedy", "--games", "2", "--option", "rounds=2")
    assert run(capsys, *words, "--verbose")[1].count("All rounds are played") == 2
    quiet = run(capsys, *words, "--quiet")
    assert "round" not in quiet[1].replace("rounds=2", "")
    assert quiet[2] == ""


def test_json_is_for_programs(capsys: Captured) -> None:
    code, out, err = run(capsys, "match", "rps", "random", "greedy", "--games", "6", "--seed", "x", "--json")
    result = json.loads(out)
    assert (code, err) == (0, "")
    assert (result["game"], result["seed"], result["games"], result["deals"]) == ("rps", "x", 6, 3)
    assert [entrant["name"] for entrant in result["entrants"]] == ["random", "greedy"]
    assert sum(entrant["rate"] for entrant in result["entrants"]) == pytest.approx(1)


def test_the_same_seed_gives_the_same_result(capsys: Captured) -> None:
    words = ("match", "cubos", "random", "random", "--games", "8", "--json", "--seed", "s")
    first, second = (json.loads(run(capsys, *words)[1]) for _ in range(2))
    assert first["entrants"] == second["entrants"]
    other = json.loads(run(capsys, *words[:-1], "t")[1])
    assert other["turns"] != first["turns"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("match", "chess", "random", "random"), 'unknown game "chess"; known: '),
        (
            ("match", "cubos", "random", "nobody"),
            "neither a player of cubos (known: champion, greedy, pimc, pimc-js, random)",
        ),
        (("match", "cubo", "random", "random"), "; did you mean cubos?"),
        (("match", "cubos", "random", "gredy"), "; did you mean greedy?"),
        (("match", "cubos", "random", "arena-line:bot"), "; did you mean arena-lines?"),
        (("match", "rps", "random", "random", "--option", "round=9"), "; did you mean rounds?"),
        (("cup", "new", "havanna", "cup.toml"), "; did you mean havana?"),
        (("export", "cubo", "out"), "; did you mean cubos?"),
        (("match", "cubos", "random"), "cubos is played by 2 entrants, not 1"),
        (("match", "rps", "random", "random", "--option", "rounds"), "NAME=VALUE"),
        (("match", "rps", "random", "random", "--option", "rounds=0"), "allowed: 1 to 1000"),
        (("match", "rps", "random", "random", "--option", "speed=1"), "known: rounds, forfeit_history"),
        (("show", "nowhere.jsonl"), "nowhere.jsonl cannot be read: there is no such file or folder"),
        (("--lang", "klingon", "games"), 'unknown language "klingon"; known: en, pt_BR'),
    ],
)
def test_bad_input_is_answered_with_the_remedy(
    words: tuple[str, ...], message: str, capsys: Captured
) -> None:
    code, out, err = run(capsys, *words)
    assert code == 2
    assert out == ""
    assert message in err
    assert "Traceback" not in err


@pytest.mark.parametrize("games", ["0", "-1", "x", "1e3"])
def test_a_number_of_games_that_is_none(games: str, capsys: Captured) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["match", "cubos", "random", "greedy", "--games", games])
    assert caught.value.code == 2
    assert "is not a whole number from 1" in capsys.readouterr().err


def test_records_are_kept_and_verify(tmp_path: Path, capsys: Captured) -> None:
    folder = tmp_path / "new" / "records"
    words = ("match", "cubos", "random", "greedy", "--games", "5", "--seed", "1", "--records", str(folder))
    assert run(capsys, *words)[0] == 0
    assert len(list(folder.iterdir())) == 5
    code, out, _ = run(capsys, "verify", str(folder))
    assert code == 0
    assert out.count("OK ") == 5
    assert "5 correct, 0 not" in out
    code, _, err = run(capsys, *words)
    assert code == 2
    assert "already contains records" in err


def test_verify_says_what_a_record_claims(tmp_path: Path, capsys: Captured) -> None:
    lines = [json.loads(line) for line in DOMINO.read_text().splitlines()]
    for line in lines:
        del line["digest"]
    del lines[0]["seed"]
    plain = tmp_path / "by-hand.jsonl"
    plain.write_text("\n".join(map(json.dumps, lines)))
    code, out, _ = run(capsys, "verify", str(DOMINO), str(plain))
    assert code == 0
    assert "follows the rules; the deals match the seed; the digests match" in out
    assert "follows the rules; no seed, so the deals were not checked; no digests, so only the rules" in out


def test_verify_goes_on_after_a_bad_file(tmp_path: Path, capsys: Captured) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_bytes(DOMINO.read_bytes()[:1000])
    edited = tmp_path / "edited.jsonl"
    edited.write_text(DOMINO.read_text().replace('"name":"p0"', '"name":"me"'))
    code, out, err = run(capsys, "verify", str(bad), str(edited), str(DOMINO), str(tmp_path / "none"))
    assert code == 1
    assert err == ""
    assert "bad.jsonl:9: not complete JSON" in out
    assert "edited.jsonl: line 1: expected the digest" in out
    assert f"OK     {DOMINO}" in out
    assert "1 correct, 3 not" in out
    code, out, _ = run(capsys, "verify", str(edited), "--json")
    assert json.loads(out)["departures"][0]["line"] == 1
    assert run(capsys, "verify", str(DOMINO), "--quiet")[1] == "1 correct, 0 not\n"


def test_verify_of_a_folder_without_records(tmp_path: Path, capsys: Captured) -> None:
    code, out, _ = run(capsys, "verify", str(tmp_path), str(DOMINO))
    assert code == 1
    assert "there are no *.jsonl files" in out
    assert "1 correct, 1 not" in out


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden.path.stem)
def test_show_tells_every_golden_game(golden: object, capsys: Captured) -> None:
    path = golden.path  # type: ignore[attr-defined]
    code, out, err = run(capsys, "show", str(path))
    assert (code, err) == (0, "")
    turns = sum('"moves"' in line for line in path.read_text().splitlines())
    assert f"{turns:4}. " in out
    assert "\x1b" not in out
    assert run(capsys, "show", str(path), "--plain")[0] == 0


@pytest.mark.parametrize("language", ["en", "pt_BR"])
@pytest.mark.parametrize(
    "words", [("games",), ("doctor",), ("match", "rps", "random", "rock", "--games", "4", "--seed", "7")]
)
def test_what_is_for_people_fits_the_terminal(
    words: tuple[str, ...], language: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    _, out, _ = run(capsys, "--lang", language, *words)
    assert max(map(len, out.splitlines())) <= 80


def test_of_two_languages_the_last_is_spoken(capsys: Captured) -> None:
    assert "equipes:" in run(capsys, "--lang", "en", "games", "rps", "--lang=pt_BR")[1]
    assert "teams:" in run(capsys, "--lang", "pt_BR", "games", "rps", "--lang", "en")[1]


WIDTHS = [40, 80, pytest.param(160, marks=pytest.mark.slow)]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("language", ["en", "pt_BR"])
@pytest.mark.parametrize("game", ["cubos", "fives", "havana", "rps", "uno"])
def test_show_into_a_pipe_can_be_read(
    game: str, language: str, width: int, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As wide as COLUMNS says, 80 where nothing does; broken between words and tiles, and nothing is lost."""
    records, told = tmp_path / "r", []
    words = ("match", game, "random", "greedy", "--seed", "7", "--quiet", "--records", str(records))
    assert run(capsys, *words)[0] == 0
    for columns in (str(width) if width != 80 else None, "100000"):
        if columns is None:
            monkeypatch.delenv("COLUMNS", raising=False)
        else:
            monkeypatch.setenv("COLUMNS", columns)
        ran = run(capsys, "show", str(records / f"{game}-000001.jsonl"), "--lang", language)
        assert ran[0] == 0
        told.append(ran[1])
    narrow, wide = told
    assert max(map(len, narrow.splitlines())) <= width
    assert narrow.split() == wide.split() or game in ("cubos", "havana")  # there tiles touch each other
    assert "".join(narrow.split()) == "".join(wide.split())
    for line in narrow.splitlines():
        assert line.count("[") == line.count("]")


def test_art_is_not_broken(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    wide = run(capsys, "show", str(RPS))[1]
    monkeypatch.setenv("COLUMNS", "40")
    narrow = run(capsys, "show", str(RPS))[1]
    art = [line for line in wide.splitlines() if line.startswith(" " * 8)]
    assert art
    assert set(art) <= set(narrow.splitlines())


def test_show_tells_faults_in_plain_words_and_remarks_harmlessly(capsys: Captured) -> None:
    out = run(capsys, "show", str(RPS))[1]
    assert "crashed: the player crashed" in out
    assert "says: Olá! ♥ <b>·" in out
    assert "shows art:" in out
    assert "made no move in this round." in out
    assert "warning: art dropped" in out


def test_show_of_an_edited_record_tells_up_to_where_it_departs(tmp_path: Path, capsys: Captured) -> None:
    lines = DOMINO.read_text().splitlines()
    at = next(number for number, line in enumerate(lines) if '"turn":8,' in line)
    edited = tmp_path / "edited.jsonl"
    edited.write_text(
        "\n".join([*lines[:at], re.sub('"move":"[^"]*"', '"move":"6-6 left"', lines[at]), *lines[at + 1 :]])
    )
    code, out, err = run(capsys, "show", str(edited))
    assert code == 2
    assert "   7. " in out
    assert "   8. " not in out
    assert f"line {at + 1}, turn 8: expected a fault (6-6 is not in the hand)" in err


def test_show_of_a_table_with_too_few_seats(tmp_path: Path, capsys: Captured) -> None:
    edited = tmp_path / "edited.jsonl"
    edited.write_text(DOMINO.read_text().replace(',{"name":"p2"},{"name":"p3"}', ""))
    code, out, err = run(capsys, "show", str(edited))
    assert (code, out) == (2, "")
    assert "expected 4 seats; found 2 seats" in err


def test_what_strangers_wrote_cannot_steer_the_terminal(tmp_path: Path, capsys: Captured) -> None:
    evil = "\\u001b]0;owned\\u0007"
    edited = tmp_path / "evil.jsonl"
    text = (FOLDER / "cubos-forfeit.jsonl").read_text()
    edited.write_text(
        re.sub('"text":"[^"]*"', lambda _: f'"text":"{evil}"', text).replace('"p0"', f'"{evil}"')
    )
    for words in (("show", str(edited)), ("verify", str(edited))):
        _, out, err = run(capsys, *words)
        assert "\x1b" not in out + err
        assert "\x07" not in out + err
    edited.write_text(text.replace('"move":"open 6-6"', f'"move":"{evil}"'))
    _, out, err = run(capsys, "verify", str(edited))
    assert "\x1b" not in out + err


def test_progress_of_a_long_match_goes_to_the_error_stream(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("botequim.cli.match_run.PLAIN_PROGRESS_SECONDS", 0)
    _, out, err = run(capsys, "match", "cubos", "random", "greedy", "--games", "20", "--workers", "1")
    assert "of 20 games" in err
    assert "of 20 games" not in out
    assert run(capsys, "match", "cubos", "random", "greedy", "--games", "20", "--quiet")[2] == ""


def test_games_lists_options_and_players(capsys: Captured) -> None:
    code, out, _ = run(capsys, "games")
    assert code == 0
    assert "--option blocked=draw  (draw, points)" in out
    listing = json.loads(run(capsys, "games", "--json")[1])
    assert listing["rps"]["options"]["rounds"] == {"default": 50, "known": "1..1000"}
    assert list(listing) == registry.game_names()


def test_doctor_says_what_works_and_what_to_do(capsys: Captured) -> None:
    code, out, _ = run(capsys, "doctor")
    assert code == 0
    assert "✓ Python: " in out
    assert "Games can be played here." in out
    findings = json.loads(run(capsys, "doctor", "--json")[1])
    assert all(finding["remedy"] for finding in findings if finding["state"] != "works")


@pytest.mark.parametrize("games", [2, pytest.param(demo.GAMES, marks=pytest.mark.slow)])
def test_demo_shows_every_game(
    games: int, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "GAMES", games)
    monkeypatch.setattr("botequim.engine.executors.cores", lambda: 1)
    code, out, _ = run(capsys, "demo", "--records", str(tmp_path / "demo"))
    assert code == 0
    for name in registry.game_names():
        assert f"━━━ {name} " in out
    total = games * len(registry.game_names())
    assert f"{total} of {total} records were verified and are correct." in out


@pytest.mark.parametrize("command", ["", "match", "show", "verify", "games", "demo", "doctor"])
def test_help_is_in_both_languages_with_examples(command: str, capsys: Captured) -> None:
    spoken = {}
    for language in ("en", "pt_BR"):
        with pytest.raises(SystemExit):
            main(["--lang", language, *([command] if command else []), "--help"])
        spoken[language] = capsys.readouterr().out
    assert "usage: " in spoken["en"]
    assert "uso: " in spoken["pt_BR"]
    assert "opções:" in spoken["pt_BR"]
    if command:
        assert "Examples:" in spoken["en"]
        assert "Exemplos:" in spoken["pt_BR"]


def test_numbers_are_written_as_the_language_does(capsys: Captured) -> None:
    words = ("match", "cubos", "greedy", "greedy", "--games", "2", "--quiet", "--seed", "1")
    assert "50.0%" in run(capsys, *words)[1]
    assert "50,0%" in run(capsys, *words, "--lang", "pt_BR")[1]


def test_a_game_is_told_in_portuguese(capsys: Captured) -> None:
    out = run(capsys, "match", "cubos", "random", "greedy", "--seed", "1", "--lang", "pt")[1]
    assert "As pedras são distribuídas." in out
    assert "Vencedor: " in out


def start(*words: str, home: Path | None = None) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "botequim", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ
        | {"BOTEQUIM_LANG": "en", "PYTHONUNBUFFERED": "1"}
        | ({} if home is None else {"HOME": str(home)}),
        start_new_session=True,
    )


def test_a_terminal_without_our_signs_is_no_reason_to_fail() -> None:
    # -S: in this locale Python 3.11 does not start at all if a .pth file names a folder that is not in ASCII
    environment = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    for words in (("show", str(RPS)), ("--lang", "pt_BR", "match", "cubos", "random", "greedy")):
        ran = subprocess.run(
            [sys.executable, "-S", "-m", "botequim", *words],
            capture_output=True,
            env=os.environ | environment,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr


def test_a_full_disk_under_the_output_is_said() -> None:
    with open("/dev/full", "w") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "botequim", "--lang", "en", "games"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert ran.returncode == 3
    assert ran.stderr == "botequim: the output cannot be written: the disk is full\n"


@pytest.mark.parametrize("number", [errno.EAGAIN, errno.ENOMEM])
def test_a_machine_that_cannot_start_a_process_is_not_a_full_disk(
    number: int, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(demo, "run", fail)
    code, _, err = run(capsys, "demo")
    assert code == 3
    assert "this machine cannot start another process" in err


def test_a_reader_that_leaves_early_gets_no_traceback() -> None:
    with start("match", "rps", "random", "random", "--games", "200", "--verbose") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait() == 141


def test_interrupting_is_clean_and_leaves_no_process(tmp_path: Path) -> None:
    folder = tmp_path / "records"
    words = ("--games", "1000000", "--records", str(folder), "--workers", "2")
    with start("match", "cubos", "random", "greedy", *words, home=tmp_path) as process:
        assert process.stdout is not None
        while not list(folder.glob("*.jsonl")):
            time.sleep(0.05)
            assert process.poll() is None
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 130
        assert "interrupted" in err
        assert "Traceback" not in err
    until(lambda: not running(tmp_path), "that no worker is left")


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (("pley",), 'argument COMMAND: "pley" is not one of play, watch, '),
        (("pley",), "; did you mean play?\nHelp: botequim --help\n"),
        (
            ("play", "fives", "--nam", "x"),
            "botequim play: error: unrecognized arguments: --nam x; did you mean ",
        ),
        (("cup", "run", "x", "--jason"), "did you mean --json?\nHelp: botequim cup run --help\n"),
        (("show", "x", "--zzz"), "unrecognized arguments: --zzz\nHelp: botequim show --help\n"),
    ],
)
def test_mistyped_lines_are_answered_with_what_would_be_right(
    words: tuple[str, ...], answer: str, capsys: Captured
) -> None:
    with pytest.raises(SystemExit) as caught:
        run(capsys, *words)
    assert caught.value.code == 2
    assert answer in capsys.readouterr().err
