"""Help can be read and believed: it fits the terminal, and its examples run as they are printed."""

from __future__ import annotations

import re
import shlex
from itertools import pairwise
from pathlib import Path

import pytest

from botequim.cli import main, parser
from botequim.cli.index import COMMANDS

ACTIONS = {
    "cup": (
        "new",
        "import",
        "check",
        "run",
        "rehearse",
        "status",
        "hold",
        "reveal",
        "open",
        "report",
        "repair",
        "change",
    ),
    "cluster": ("create",),
    "contest": ("new", "list", "codes", "open", "close", "results", "delete"),
}
HELPFUL = [
    (),
    *((name,) for name in COMMANDS),
    *((name, action) for name, actions in ACTIONS.items() for action in actions),
]
Captured = pytest.CaptureFixture[str]


def help_text(words: tuple[str, ...], language: str, capsys: Captured) -> str:
    with pytest.raises(SystemExit) as left:
        main([*words, "--lang", language, "--help"])
    assert left.value.code == 0
    return capsys.readouterr().out


def examples(text: str) -> list[str]:
    """The commands that help shows, as they would be typed."""
    return re.findall(r"^ +(botequim .*)$", text.replace("\\\n", ""), re.MULTILINE)


@pytest.mark.parametrize("language", ["en", "pt_BR"])
@pytest.mark.parametrize("words", HELPFUL, ids=" ".join)
def test_help_fits_the_terminal(
    words: tuple[str, ...], language: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    for width in (80, 160):
        monkeypatch.setenv("COLUMNS", str(width))
        text = help_text(words, language, capsys)
        assert max(map(len, text.splitlines())) <= width, text
        for one, other in pairwise(text.splitlines()):
            if one and other[:1].islower():  # a sentence goes on: because there was no room for its next word
                assert len(f"{one} {other.split()[0]}") > width - 2, text


@pytest.mark.parametrize("language", ["en", "pt_BR"])
def test_the_first_ten_lines_fit_too(language: str, capsys: Captured) -> None:
    assert main(["--lang", language]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 10
    assert max(map(len, lines)) <= 80
    for line in examples("\n".join(lines)):
        assert callable(parser().read(shlex.split(line, comments=True)[1:]).run)


@pytest.mark.parametrize("language", ["en", "pt_BR"])
@pytest.mark.parametrize("words", HELPFUL[1:], ids=" ".join)
def test_examples_are_understood(words: tuple[str, ...], language: str, capsys: Captured) -> None:
    lines = examples(help_text(words, language, capsys))
    assert lines, "every command has examples"
    for line in lines:
        typed = shlex.split(re.sub(r" [<>]+ \S+", "", line), comments=True)
        assert typed[1] == words[0]
        assert callable(parser().read(typed[1:]).run), line


def test_examples_of_cups_and_contests_run_one_after_the_other(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a shell runs them, comments and all, in a folder where nothing is yet."""
    monkeypatch.chdir(tmp_path)
    lines = [line for words in (("cup",), ("contest",)) for line in examples(help_text(words, "en", capsys))]
    lines += examples(help_text(("contest", "codes"), "en", capsys))
    lines += examples(help_text(("contest", "delete"), "en", capsys))
    lines = [line for line in lines if " import " not in line]  # it needs participants
    for line in lines:
        if " codes " in line and line.endswith("codes.csv") and (tmp_path / "codes.csv").exists():
            continue  # the contest is closed by now
        if "codes.html" in line:
            line = line.replace("codes rinha.toml 1", "codes rinha.toml 2")
            assert main(["contest", "new", "rinha.toml", "Again"]) == 0
        assert main(shlex.split(line, comments=True)[1:]) == 0, (line, capsys.readouterr())
    assert {"rinha.toml", "rinha.zip", "codes.csv", "codes.html"} <= {one.name for one in tmp_path.iterdir()}


def test_errors_say_what_would_be_right(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "cup.toml"
    assert main(["cup", "new", "rps", str(path)]) == 0
    assert main(["contest", "new", str(path), "Art"]) == 0
    for words, remedy in (
        (("check", "random", "--game", "uno"), "write ./random"),
        (("contest", "open", str(path), "9"), "there is no contest 9 in this cup; known: 1"),
    ):
        capsys.readouterr()
        assert main([*words]) == 2
        assert remedy in capsys.readouterr().err
