"""The questions to bots in a game, stored as files so that no change of a wire goes unnoticed.

Run as a module it writes those that are missing: `python -m tests.support.golden_wires`.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from botequim import registry
from tests import ROOT
from tests.support.wire_tables import context, views

FOLDER = ROOT / "tests" / "wires"
OPTIONS: dict[str, dict[str, object]] = {
    "fives": {"target": 5},
    "rps": {"rounds": 4},
    "uno": {"players": 3, "hand_size": 3},
}
FIRST = 9
NAMES = ("Ana", "Zé Carioca", "Ana", "um nome comprido")


def path(game: str, wire: str) -> Path:
    return FOLDER / f"{game}-{wire}.txt"


def questions_text(game_name: str, wire_name: str) -> str:
    """Return the first questions of a game between random players and the last, each below its seat."""
    game, codec = registry.game(game_name), registry.wire(game_name, wire_name).codec
    given = OPTIONS.get(game_name, {})
    count = len(context(game, **given).names)
    table = context(game, *NAMES[:count], **given)
    seen = [0] * count
    lines = []
    for seat, view in views(game, "golden", **given):
        question = codec.encode_question(view, seen[seat], table)
        seen[seat] = question.seen
        lines.append(f"# seat {seat}\n{replace(question, words=None).text()}\n")
    return "".join([*lines[:FIRST], *lines[-1:]])


def all_wires() -> list[tuple[str, str]]:
    return [(game, wire) for game in registry.game_names() for wire in registry.wire_names(game)]


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for game, wire in all_wires():
        if not path(game, wire).exists():
            path(game, wire).write_text(questions_text(game, wire), encoding="utf-8")
            print(path(game, wire).name)
