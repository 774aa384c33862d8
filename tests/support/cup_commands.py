"""Cup files and the command that plays them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from botequim.cli import main
from botequim.core.errors import InputError
from botequim.cup.paths import CupPaths

Captured = pytest.CaptureFixture[str]

SMALL_CUP = """\
name = "Copa"
game = "rps"
seed = "7"

[options]
rounds = 2

[[entrants]]
name = "ana"
bot = "random"

[[entrants]]
name = "bia"
bot = "greedy"

[[stages]]
name = "league"
format = "round_robin"
games = 2
"""


def run(capsys: Captured, *words: str) -> tuple[int, str, str]:
    code = main(["cup", *words])
    said = capsys.readouterr()
    return code, said.out, said.err


def cup(
    path: Path, entrants: dict[str, str], *, game: str = "cubos", seed: str = "7", stages: str = ""
) -> Path:
    text = f'name = "Copa"\ngame = "{game}"\nseed = "{seed}"\n'
    text += stages or '[[stages]]\nname = "league"\nformat = "round_robin"\ngames = 6\n'
    for name, bot in entrants.items():
        text += f'[[entrants]]\nname = "{name}"\nbot = "{bot}"\n'
    path.write_text(text, encoding="utf-8")
    return path


def standings(path: Path, capsys: Captured) -> Any:
    code, out, _ = run(capsys, "status", str(path), "--json")
    assert code == 0
    return json.loads(out)


def stored_series(path: Path) -> int:
    """Return the number of series in the store; 0 if it does not exist yet."""
    try:
        with CupPaths.of(path).storage.open_results() as store:
            return sum(len(series) for series in store.results().values())
    except InputError:
        return 0
