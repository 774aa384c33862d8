"""Entrants that are refused: each by name, with nothing left of it, while a cup goes on."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from botequim.bots.prepare import prepare
from botequim.bots.tree_files import temporary_folder
from botequim.core.errors import InputError
from botequim.sandbox.probe import isolating_sandbox
from tests.zoo.refused import REFUSED, Refused

FILLS = "fills the disk while it is built"


@pytest.mark.parametrize("entrant", REFUSED, ids=[entrant.name for entrant in REFUSED])
def test_an_entrant_is_refused_by_name(entrant: Refused, tmp_path: Path) -> None:
    given = entrant.make(tmp_path)
    with temporary_folder() as workshop:
        with pytest.raises(InputError) as caught:
            asyncio.run(prepare(str(given), "uno", isolating_sandbox(), workshop=workshop, isolated=True))
        left = [entry for bot in workshop.glob("bot-*") for entry in bot.iterdir()]
    assert not workshop.exists()
    assert str(given) in str(caught.value)
    assert entrant.says in str(caught.value)
    assert "password" not in f"{caught.value}{caught.value.details}"
    assert "built" not in {path.name for path in left}, "nothing of it was written to the disk"
    if entrant.name == FILLS:
        assert "No space left" in caught.value.details


def test_a_cup_goes_on_without_them(tmp_path: Path) -> None:
    text = 'name = "Copa"\ngame = "uno"\nseed = "7"\n'
    text += '[[stages]]\nname = "league"\nformat = "round_robin"\ngames = 1\n'
    for name in ("greedy", "random"):
        text += f'[[entrants]]\nname = "{name}"\nbot = "{name}"\n'
    chosen = [entrant for entrant in REFUSED if entrant.name != FILLS]
    for number, entrant in enumerate(chosen):
        folder = tmp_path / str(number)
        folder.mkdir()
        text += f'[[entrants]]\nname = "e{number}"\nbot = "{entrant.make(folder)}"\n'
    path = tmp_path / "copa.toml"
    path.write_text(text, encoding="utf-8")

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "botequim", "cup", *words]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    ran = run("run", str(path), "--without-broken", "--workers", "1")
    assert ran.returncode == 0, ran.stderr
    assert "Traceback" not in ran.stderr
    said = " ".join((ran.stdout + ran.stderr).split())
    for number, entrant in enumerate(chosen):
        assert f"e{number}" in said
        assert entrant.says in said
    status = json.loads(run("status", str(path), "--json").stdout)
    assert status["over"]
    assert {row["entrant"] for row in status["stages"][0]["standings"]} == {"greedy", "random"}
    assert not list(tmp_path.glob("copa.cup/bots/*"))
