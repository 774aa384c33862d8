"""The commands of the guide that change a cup that has begun, typed one after another."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from botequim.cli import main
from tests import ROOT
from tests.support.cup_commands import Captured, cup, run

SECTIONS = {
    "cups.md": "## Change a cup that has begun",
    "cups.pt-BR.md": "## Mudar uma copa que já começou",
}
STAGES = """
[options]
rounds = 2
[limits]
move = 60
start = 60
[[stages]]
name = "league"
format = "round_robin"
games = 1
[[stages]]
name = "finals"
format = "knockout"
from = "league"
top = 2
"""


def commands(name: str) -> list[list[str]]:
    text = (ROOT / "docs" / "how-to" / name).read_text(encoding="utf-8")
    section = text.partition(SECTIONS[name])[2].partition("\n## ")[0]
    lines = re.findall(r"^botequim (.*)$", section, re.MULTILINE)
    return [shlex.split(line, comments=True) for line in lines]


def test_every_command_of_the_guide_changes_the_cup(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names = {"Ana": "random", "Bia": "greedy", "Leo": "random", "Eva": "markov"}
    path = cup(tmp_path / "rinha.toml", names, game="rps", stages=STAGES)
    for folder in ("rui", "leo-2"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "bot.py").write_text("""print('{"move": "ROCK"}')""", encoding="utf-8")
    assert run(capsys, "run", str(path), "--stage", "league", "--quiet")[0] == 0
    typed = commands("cups.md")
    assert len(typed) == 8
    for words in typed:
        trust = ["--trust"] if {"add", "fix"} & {*words} else []
        assert main([*words, *trust]) == 0, (words, capsys.readouterr())
    capsys.readouterr()
    assert run(capsys, "run", str(path), "--quiet", "--trust")[0] == 0
    told = json.loads(run(capsys, "change", str(path), "list", "--json")[1])
    kinds = ["late_entrant", "disqualification", "withdrawal", "new_files", "replay", "revocation"]
    assert [one["change"]["kind"] for one in told["changes"]] == kinds
    assert {one["state"] for one in told["requests"]} == {"applied"}


def test_both_languages_have_the_same_commands() -> None:
    english, portuguese = (
        [
            [word for at, word in enumerate(words) if at == 0 or words[at - 1] != "--why"]
            for words in commands(name)
        ]
        for name in SECTIONS
    )
    assert english == portuguese
