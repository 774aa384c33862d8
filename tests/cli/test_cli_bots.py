"""Bots on the command line: matches with them, and questions asked again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from botequim.cli import main
from botequim.core.limits import EnforcedLimit
from botequim.records.reader import read_records
from botequim.sandbox import probe
from tests import ROOT
from tests.support.golden import FOLDER
from tests.support.pace import PATIENCE, until

EXAMPLES = ROOT / "examples"
Captured = pytest.CaptureFixture[str]


def run(capsys: Captured, *words: str) -> tuple[int, str, str]:
    """Run a command; bots have time to move, unless the test says how much."""
    if words[0] == "match" and not any(word.startswith("move=") for word in words):
        words = (*words, "--limit", "move=120")
    code = main(words)
    said = capsys.readouterr()
    return code, said.out, said.err


def bot(folder: Path, source: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "bot.py").write_text(source, encoding="utf-8")
    return folder


ROCK = """print('{"move": "ROCK"}')"""


def test_bots_of_several_kinds_in_one_match(capsys: Captured, tmp_path: Path) -> None:
    code, out, _ = run(
        capsys, "match", "uno", str(EXAMPLES / "uno"), str(EXAMPLES / "arena-lines"), "greedy",
        "--games", "6", "--json", "--records", str(tmp_path / "games"),
    )  # fmt: skip
    assert code == 0
    result = json.loads(out)
    assert [entrant["name"] for entrant in result["entrants"]] == ["uno", "arena-lines", "greedy"]
    assert [entrant["faults"] for entrant in result["entrants"]] == [0, 0, 0]
    assert main(["verify", str(tmp_path / "games")]) == 0


def test_a_fault_is_told_in_plain_words(capsys: Captured, tmp_path: Path) -> None:
    shy = bot(tmp_path / "shy", "import sys; sys.exit('I would rather not')")
    code, out, _ = run(capsys, "match", "rps", str(shy), "greedy", "--option", "rounds=1")
    assert code == 0
    assert "the player ended with exit code 1" in out


def test_without_isolation_a_line_says_so(capsys: Captured, tmp_path: Path) -> None:
    rock = bot(tmp_path / "rock", ROCK)
    code, _, err = run(capsys, "match", "rps", str(rock), "greedy", "--option", "rounds=2", "--trust")
    assert code == 0
    assert err.splitlines() == ["Bots run without isolation: they can do everything that your user can do."]


def test_with_isolation_nothing_needs_to_be_said(capsys: Captured, tmp_path: Path) -> None:
    rock = bot(tmp_path / "rock", ROCK)
    assert run(capsys, "match", "rps", str(rock), "greedy", "--option", "rounds=2")[2] == ""


def test_limits_can_be_changed_and_are_in_the_record(capsys: Captured, tmp_path: Path) -> None:
    slow = bot(tmp_path / "slow", "import time; time.sleep(60)")
    code, out, _ = run(
        capsys, "match", "rps", str(slow), "greedy", "--option", "rounds=1",
        "--limit", "move=0.5", "--limit", "memory=200", "--records", str(tmp_path / "games"),
    )  # fmt: skip
    assert code == 0
    assert "no answer within 0.5 s" in out
    (found,) = read_records(tmp_path / "games" / "rps-000001.jsonl")
    limits = found.header.content["seats"][0]["limits"]
    assert (limits["move"], limits["memory"]) == (0.5, 200 << 20)


HANGS = "import time\ntime.sleep(1000)\n"


@pytest.mark.parametrize(
    ("game", "file", "told"),
    [
        (
            "cubos",
            "bot.py",
            {
                "en": "the player does not listen on port 8000 after 1 s. To find out why: botequim check",
                "pt_BR": "o jogador não escuta na porta 8000 depois de 1 s. Para descobrir o motivo: "
                "botequim check",
            },
        ),
        (
            "havana",
            "student_players.py",
            {
                "en": "the player was not ready within 1 s. To find out why: botequim check",
                "pt_BR": "o jogador não ficou pronto em 1 s. Para descobrir o motivo: botequim check",
            },
        ),
    ],
)
@pytest.mark.parametrize("language", ["en", "pt_BR"])
def test_a_bot_that_hangs_at_its_start(
    game: str, file: str, told: dict[str, str], language: str, capsys: Captured, tmp_path: Path
) -> None:
    (tmp_path / file).write_text(HANGS, encoding="utf-8")
    words = ["--lang", language, "match", game, str(tmp_path), "greedy", "--games", "9", "--workers", "1"]
    assert main([*words, "--limit", "start=1"]) == 2
    said = capsys.readouterr().err
    assert told[language] in said
    assert len(said.splitlines()) == 1, "a sentence"


@pytest.mark.parametrize("limit", ["move", "move=", "move=-1", "move=x", "memory=1e3"])
def test_bad_limits(limit: str, capsys: Captured) -> None:
    code, _, err = run(capsys, "match", "rps", "random", "greedy", "--limit", limit)
    assert code == 2
    assert "write a limit as NAME=NUMBER" in err


@pytest.mark.parametrize(
    ("file", "lines"),
    [
        ("bot.pl", 'command = "perl bot.pl"'),
        ("Bot.java", 'build = "javac Bot.java" and command = "java Bot"'),
        ("notes.txt", 'command = "./my-bot"'),
    ],
)
def test_a_bot_of_another_language_is_told_what_to_write(
    file: str, lines: str, capsys: Captured, tmp_path: Path
) -> None:
    (tmp_path / file).touch()
    assert (
        f"write a file botequim.toml there: {lines}"
        in run(capsys, "match", "uno", str(tmp_path), "greedy")[2]
    )


def test_a_build_that_calls_a_program_of_a_home_folder(capsys: Captured, tmp_path: Path) -> None:
    (tmp_path / "botequim.toml").write_text('build = "no-such-compiler bot.x"\ncommand = "./bot"\n')
    code, _, err = run(capsys, "match", "uno", str(tmp_path), "greedy")
    assert code == 2
    assert "A build sees only the programs of the system (/usr/bin)" in err


def test_a_bot_that_cannot_be_found_or_built(capsys: Captured, tmp_path: Path) -> None:
    assert "neither a player of uno" in run(capsys, "match", "uno", "nobody", "greedy")[2]
    (tmp_path / "broken.c").write_text("int main(void) { return x; }")
    code, _, err = run(capsys, "match", "uno", str(tmp_path / "broken.c"), "greedy")
    assert code == 2
    assert "cannot be built" in err
    assert "error:" in err, "what the compiler said"


@pytest.mark.parametrize("trust", [[], ["--trust"]], ids=["isolated", "trusted"])
def test_an_interrupt_leaves_no_bot_behind(trust: list[str], tmp_path: Path) -> None:
    sign = f"left-behind-{os.getpid()}-{len(trust)}"
    sleepy = bot(tmp_path / "sleepy", f"import time; time.sleep(600)  # {sign}")
    words = ["match", "uno", str(sleepy), str(sleepy), "--games", "40", "--workers", "2", *trust]
    process = subprocess.Popen([sys.executable, "-m", "botequim", *words, "--limit", "move=600"])
    try:
        until(lambda: _running(sign))
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130
        until(lambda: not _running(sign))
    finally:
        process.kill()
        process.wait()


def _running(sign: str) -> list[str]:
    """Processes whose program bears the sign: a copy lies somewhere else, but reads the same."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            words = (path / "cmdline").read_bytes().decode().split("\0")
            if any(word.endswith("bot.py") and sign in Path(word).read_text() for word in words):
                found.append(path.name)
        except OSError:
            continue
    return found


# --- asking again ----------------------------------------------------------------------------------


def test_the_question_of_a_fault_is_asked_again(capsys: Captured, tmp_path: Path) -> None:
    wrong = bot(tmp_path / "wrong", """print('{"move": "rock"}')""")
    games = tmp_path / "games"
    run(capsys, "match", "rps", str(wrong), "greedy", "--option", "rounds=3", "--records", str(games))
    record = str(games / "rps-000001.jsonl")
    (found,) = read_records(Path(record))
    evidence = found.turns[2].content["moves"][0]["fault"]["evidence"]
    turn = str(found.turns[2].content["turn"])

    code, out, _ = run(capsys, "ask", record, "--turn", turn, str(wrong))
    assert code == 1
    assert evidence["question"] in out
    assert '{"move": "rock"}' in out
    assert "MALFORMED" in out
    code, out, _ = run(capsys, "ask", record, "--turn", turn, str(wrong), "--json")
    asked = json.loads(out)
    assert code == 1
    assert asked["question"] == evidence["question"]
    assert asked["fault"]["kind"] == "malformed"
    assert asked["move"] is None

    mended = bot(tmp_path / "mended", ROCK)
    code, out, _ = run(capsys, "ask", record, "--turn", turn, str(mended))
    assert code == 0
    assert evidence["question"] in out
    assert "move: rock" in out
    assert 'in the game: "rock" is not how a move is written' in out
    code, out, _ = run(capsys, "ask", record, "--turn", turn, str(mended), "--json")
    assert code == 0
    assert json.loads(out)["move"] == "rock"


def test_a_bot_that_lives_through_a_game_is_led_there(capsys: Captured, tmp_path: Path) -> None:
    games = tmp_path / "games"
    run(capsys, "match", "uno", str(EXAMPLES / "uno"), "greedy", "--seed", "3", "--records", str(games))
    record = games / "uno-000001.jsonl"
    (found,) = read_records(record)
    last = [turn for turn in found.turns if turn.content["moves"][0]["by"] == 0][-1]
    code, out, _ = run(capsys, "ask", str(record), "--turn", str(last.content["turn"]), str(EXAMPLES / "uno"))
    move = last.content["moves"][0]["move"]
    assert code == 0
    assert f"move: {move}" in out
    assert f"in the game: {move}" in out
    assert "now" not in out, "it plays the same again"


def test_what_cannot_be_asked(capsys: Captured, tmp_path: Path) -> None:
    games = tmp_path / "games"
    run(capsys, "match", "cubos", "greedy", "random", "--records", str(games))
    record = str(games / "cubos-000001.jsonl")
    assert "is a move of chance" in run(capsys, "ask", record, "--turn", "1", str(EXAMPLES / "cubos"))[2]
    assert "there is no turn 999" in run(capsys, "ask", record, "--turn", "999", str(EXAMPLES / "cubos"))[2]
    assert "there is no game 2 in" in run(capsys, "ask", record, "--turn", "3", "--game", "2", "greedy")[2]


@pytest.mark.parametrize("game", ["cubos", "fives", "havana", "rps", "uno"])
def test_a_champion_is_asked_about_a_recorded_position(game: str, capsys: Captured, tmp_path: Path) -> None:
    games = tmp_path / "games"
    run(capsys, "match", game, "greedy", "random", "--seed", "5", "--records", str(games))
    record = games / f"{game}-000001.jsonl"
    (found,) = read_records(record)
    point = next(turn.content for turn in found.turns[3:] if turn.content["moves"][0]["by"] != "chance")
    line = ("ask", str(record), "--turn", str(point["turn"]), "champion@easy")

    code, out, _ = run(capsys, *line, "--json")
    assert code == 0
    asked = json.loads(out)
    assert asked["recorded"] == point["moves"][0]["move"]
    assert asked["seat"] == point["moves"][0]["by"]
    chances = {one["move"]: one["chance"] for one in asked["chances"]}
    assert asked["move"] in chances
    assert all(0 <= chance <= 1 for chance in chances.values())

    code, out, _ = run(capsys, *line)
    assert code == 0
    assert f"champion@easy would play: {asked['move']}, " in out
    assert f"in the game: {asked['recorded']}" in out


def test_a_player_without_reasons_tells_its_move(capsys: Captured, tmp_path: Path) -> None:
    games = tmp_path / "games"
    run(capsys, "match", "cubos", "greedy", "random", "--seed", "5", "--records", str(games))
    record = str(games / "cubos-000001.jsonl")
    (found,) = read_records(Path(record))
    point = next(turn.content for turn in found.turns if turn.content["moves"][0]["by"] == 0)
    move = point["moves"][0]["move"]
    code, out, _ = run(capsys, "ask", record, "--turn", str(point["turn"]), "greedy")
    assert code == 0
    assert out == f"turn {point['turn']}, seat 0\ngreedy would play: {move}\nin the game: {move}\n"
    assert "is a move of chance" in run(capsys, "ask", record, "--turn", "1", "champion")[2]
    code, _, err = run(capsys, "ask", record, "--turn", "3", "champion@strong")
    assert code == 2
    assert 'unknown level "strong"' in err


# --- bots that never sit down ------------------------------------------------------------------------

NEVER = {
    "exits": ("cubos", "bot.py", "import sys; sys.exit(4)"),
    "wrong port": (
        "cubos",
        "bot.py",
        "import http.server as h; h.HTTPServer(('', 8080), None).serve_forever()",
    ),
    "missing module": ("havana", "student_players.py", "import nosuchmodule"),
    "syntax": ("havana", "student_players.py", "def create_pair(:"),
    "sleeps": ("havana", "student_players.py", "import time; time.sleep(60)"),
    "hungry": ("cubos", "bot.py", "x = bytearray(1 << 30); x[::4096] = bytes(len(x) // 4096)"),
}


WAITING = ("wrong port", "sleeps")
"""These run until the time for starting is over."""


@pytest.mark.parametrize("name", NEVER)
def test_a_bot_that_does_not_start_loses_properly(name: str, tmp_path: Path) -> None:
    """In a process of its own, as a person would: nothing less notices if the referee itself falls over."""
    game, file, source = NEVER[name]
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / file).write_text(source)
    words = [
        "match",
        game,
        str(folder),
        "greedy",
        "--seed",
        "7",  # with some deals a pair that never plays wins a closed game
        "--games",
        "2",
        "--json",
        "--records",
        str(tmp_path / "games"),
    ]
    words += ["--limit", f"start={0.5 if name in WAITING else 60}", "--limit", "memory=200"]
    done = subprocess.run(
        [sys.executable, "-m", "botequim", *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    loser = json.loads(done.stdout)["entrants"][0]
    assert (loser["won"], loser["games"]) == (0, 2)
    assert loser["faults"] >= 2


def test_a_refused_move_has_its_evidence(capsys: Captured, tmp_path: Path) -> None:
    source = (EXAMPLES / "cubos" / "index.mjs").read_text()
    folder = tmp_path / "flipped"
    folder.mkdir()
    swapped = (
        source.replace('"esquerda"', '"X"').replace('"direita"', '"esquerda"').replace('"X"', '"direita"')
    )
    (folder / "index.mjs").write_text(swapped)
    run(capsys, "match", "cubos", str(folder), "random", "--records", str(tmp_path / "games"), "--seed", "1")
    (found,) = read_records(tmp_path / "games" / "cubos-000001.jsonl")
    fault = found.turns[-1].content["moves"][0]["fault"]
    assert fault["kind"] == "illegal"
    assert json.loads(fault["evidence"]["question"])["mao"]
    assert "pedra" in fault["evidence"]["answer"]
    assert {"seconds", "allowed"} <= set(fault["evidence"])


def test_a_students_evidence_is_what_the_student_wrote(capsys: Captured, tmp_path: Path) -> None:
    folder = tmp_path / "pair"
    folder.mkdir()
    (folder / "student_players.py").write_text(
        "from basic_players import Player\nclass P(Player):\n    def play(self, ends, hist):\n"
        "        return 'left', [3, 6]\n"
        "def pair_name(): return 'x'\ndef create_pair(): return P(1, 'a'), P(2, 'b')\n"
    )
    run(capsys, "match", "havana", str(folder), "greedy", "--records", str(tmp_path / "games"), "--seed", "1")
    (found,) = read_records(tmp_path / "games" / "havana-000001.jsonl")
    faults = [move["fault"] for turn in found.turns for move in turn.content["moves"] if "fault" in move]
    assert faults[0]["evidence"]["question"].startswith("play((")
    assert "self.tiles == [(" in faults[0]["evidence"]["question"]
    assert faults[0]["evidence"]["answer"] == '("left", [3, 6])'


@pytest.mark.parametrize("address", ["http://127.0.0.1:99999/", "http://127.0.0.1:abc/", "http://"])
def test_bad_addresses(address: str, capsys: Captured) -> None:
    code, _, err = run(capsys, "match", "cubos", address, "greedy")
    assert code == 2
    assert "is not an address such as" in err


def test_a_bot_may_write_beside_itself_and_nothing_stays(capsys: Captured, tmp_path: Path) -> None:
    writes = bot(tmp_path / "writes", f"open('log.txt', 'a').write('x')\n{ROCK}")
    words = ("match", "rps", str(writes), "greedy", "--games", "2", "--option", "rounds=2", "--json")
    code, out, _ = run(capsys, *words)
    assert code == 0
    assert json.loads(out)["entrants"][0]["faults"] == 0
    assert [path.name for path in writes.iterdir()] == ["bot.py"]


def test_too_many_processes_are_a_limit(capsys: Captured, tmp_path: Path) -> None:
    forks = "import os, time\nfor _ in range(100):\n    if os.fork() == 0: time.sleep(20); os._exit(0)\n"
    crowd = bot(tmp_path / "crowd", forks + ROCK)
    words = ("match", "rps", str(crowd), "greedy", "--option", "rounds=1", "--limit", "processes=20")
    said = " ".join(run(capsys, *words)[1].split())
    if EnforcedLimit.PROCESSES in probe.probe_result().by_groups:
        assert "more processes than the limit" in said
    else:  # the system refuses a process, but does not say so to us: the bot dies of it
        assert "the player ended with exit code 1" in said


def test_a_forced_move_is_called_forced(capsys: Captured) -> None:
    record = FOLDER / "cubos-domino.jsonl"
    (found,) = read_records(record)
    point = next(turn.content for turn in found.turns if turn.content["moves"][0].get("move") == "pass")
    code, out, _ = run(capsys, "ask", str(record), "--turn", str(point["turn"]), "greedy")
    assert code == 0
    assert "pass is forced: no other move is possible." in out
