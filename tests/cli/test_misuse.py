"""Wrong inputs of a new user are answered in one sentence that says what is wrong."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest

from botequim.cli import main

Captured = pytest.CaptureFixture[str]

NOISE = bytes(reversed(range(256))) * 20
CUP = """name = "x"
game = "cubos"
[[stages]]
name = "league"
format = "round_robin"
[[entrants]]
name = "a"
bot = "random"
[[entrants]]
name = "b"
bot = "greedy"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with all kinds of useless files."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    for name in ("noise", "noise.zip", "noise.toml", "noise.jsonl"):
        (tmp_path / name).write_bytes(NOISE)
    for name in ("empty", "number", "key"):
        (tmp_path / name).mkdir()
    (tmp_path / "number" / "botequim.toml").write_text("command = 3\n")
    (tmp_path / "key" / "botequim.toml").write_text('comand = "./bot"\n')
    (tmp_path / "cup.cup").mkdir()
    with zipfile.ZipFile(tmp_path / "bundle.zip", "w") as bundle:
        bundle.writestr("bundle.json", "{}")
    (tmp_path / "half.jsonl").write_text('{"botequim":1')
    (tmp_path / "link").symlink_to("nowhere")
    (tmp_path / "cup.toml").write_text(CUP)
    (tmp_path / "broken.toml").write_text(CUP.replace("[[stages]]", "[[stages]"))
    (tmp_path / "format.toml").write_text(CUP.replace("round_robin", "swis"))
    (tmp_path / "first.toml").write_text(CUP.replace('"round_robin"', '"knockout"\nfrom = "groups"'))
    (tmp_path / "bot.toml").write_text(CUP.replace('"greedy"', '"gredy"'))
    return tmp_path


MISTAKES = {
    "match cubos noise greedy": '"noise" is a file that cannot be started: it is not executable',
    "match cubos noise.zip greedy": '"noise.zip" cannot be unpacked',
    "match cubos empty greedy": 'the folder "empty" has nothing that can be started',
    "match cubos number greedy": 'number/botequim.toml: "command" must be a text in quotes',
    "match cubos key greedy": 'key/botequim.toml: unknown key "comand"; known: build, command, name, wire',
    "match cubos link greedy": '"link" is a link to "nowhere", which does not exist',
    "match cubos missing greedy": '"missing" is neither a player of cubos (known: ',
    "match chess random greedy": 'unknown game "chess"; known: cubos, ',
    "match cubos random": "cubos is played by 2 entrants, not 1",
    "match cubos random greedy --gmaes 3": "unrecognized arguments: --gmaes 3; did you mean --games?",
    "match cubos random greedy --games many": '"many" is not a whole number from 1 to',
    "match cubos random greedy --option blocked=no": 'option "blocked" of cubos cannot be',
    "match cubos random greedy --limit speed=3": 'unknown limit "speed"; known: move, start, ',
    "match cubos random greedy --limit move=fast": 'write a limit as NAME=NUMBER, not "move=fast"',
    "match cubos random greedy --records noise": "the folder noise cannot be used: it is not a folder",
    "match cubos random greedy --transcript new/x": 'new/x cannot be written: there is no folder "new"',
    "match cubos random greedy --lang tlh": 'unknown language "tlh"; known: en, pt_BR',
    "cup run noise.toml": "noise.toml:1: not UTF-8",
    "cup run broken.toml": "broken.toml:3: not TOML",
    "cup run format.toml": 'format.toml:5: unknown format "swis"; did you mean "swiss"? Known: best_of, ',
    "cup run first.toml": 'first.toml:6: the first stage has no stage before it: remove "from"',
    "cup run bot.toml --trust": 'b: "gredy" is ',
    "cup run missing.toml": "missing.toml cannot be read: there is no such file or folder",
    "cup new cubos new/cup.toml": 'new/cup.toml cannot be written: there is no folder "new"',
    "serve cup.toml --port http": '"http" is not a whole number',
    "serve cup.toml --port 99999": "there is no port 99999",
    "check noise --game cubos --seconds soon": '"soon" is not a positive number of seconds',
    "check noise --game cubos --seconds=-1": '"-1" is not a positive number of seconds',
    "show noise.jsonl": "noise.jsonl:1: not UTF-8 at byte",
    "replay bundle.zip -o x.html": "bundle.zip: this is a zip file; give a record, such as game.jsonl",
    "replay cup.toml -o x.html": "cup.toml: this is a cup file; give a record, such as game.jsonl",
    "show cup.cup": "cup.cup/cup.sqlite: no games have been played yet; start with: botequim cup run",
    "serve cup.cup": "cup.cup is the folder of a cup, not its cup file; did you mean cup.toml?",
    "cup run empty": "empty is a folder; give a cup file, such as rinha.toml",
    "cup status bundle.zip": "bundle.zip: this is a zip file; give a cup file, such as rinha.toml",
    "cup status half.jsonl": "half.jsonl: this is a record; give a cup file, such as rinha.toml",
    "replay half.jsonl -o x.html": "half.jsonl:1: not complete JSON at column 14 (truncated?)",
}


@pytest.mark.parametrize("line", MISTAKES)
def test_a_mistake_is_answered_with_what_is_wrong(folder: Path, line: str, capsys: Captured) -> None:
    try:
        code = main(["--lang", "en", *line.split()])
    except SystemExit as left:
        code = int(left.code or 0)
    said = capsys.readouterr()
    assert code == 2
    assert MISTAKES[line] in re.sub(r"\s+", " ", said.err)
    assert "Traceback" not in said.err


def test_a_file_that_is_no_program_is_explained(folder: Path, capsys: Captured) -> None:
    bot = folder / "empty" / "bot"
    bot.write_bytes(bytes(4) + NOISE)
    bot.chmod(0o755)
    assert main(["--lang", "en", "check", "empty", "--game", "cubos", "--quick"]) == 1
    said = re.sub(r"\s+", " ", capsys.readouterr().out)
    assert "its file is neither a program for this machine nor a script" in said
    assert "begin with a line such as #!/usr/bin/env python3" in said
