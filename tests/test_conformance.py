"""The command that replays games of other systems reports what it cannot replay, and goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from botequim.games.dominoes.tiles import tile_set
from tests.conformance.__main__ import main

ROUND: dict[str, Any] = {
    "history": "",
    "p1": "ROCK",
    "p2": "PAPER",
    "winner": 2,
    "decided_by": "natural",
}


def cubos_game() -> dict[str, Any]:
    """The opening of a game, and a reply without a tile."""
    tiles = [str(tile) for tile in reversed(tile_set(6))]
    return {
        "hands": {str(seat + 1): tiles[7 * seat : 7 * seat + 7] for seat in range(4)},
        "moves": [
            {"jogador": 1, "kind": "open", "pedra": "6-6", "lado": None},
            {"jogador": 2, "kind": "play", "pedra": None, "lado": "esquerda"},
        ],
        "outcome": {"kind": "domino", "by": 1},
        "winner_team": "1/3",
    }


def write(folder: Path, name: str, *entries: object) -> None:
    (folder / name).write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")


def test_what_cannot_be_expressed_is_reported_and_the_rest_is_replayed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, "cubos_games.jsonl", cubos_game())
    write(tmp_path, "rps_rounds.jsonl", ROUND, ROUND | {"p1": None}, ROUND)
    write(tmp_path, "fives_games.jsonl")
    write(tmp_path, "havana_games.jsonl")
    assert main(tmp_path) == 0
    said = capsys.readouterr().out.splitlines()
    assert "cubos_games.jsonl:1: cannot be expressed: move 2: pedra is None" in said
    assert "rps_rounds.jsonl:2: cannot be expressed: p1 is None" in said
    assert "cubos: 1 replayed, 0 mismatches, 1 cannot be expressed" in said
    assert said[-1] == "conformance: 2 passed, 0 failed, 2 cannot be expressed"


def test_mismatches_and_broken_lines_fail_without_ending_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, "rps_rounds.jsonl", ROUND | {"winner": 1}, [], ROUND)
    for name in ("cubos_games", "fives_games", "havana_games"):
        write(tmp_path, f"{name}.jsonl")
    assert main(tmp_path) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "conformance: 1 passed, 2 failed"


def test_missing_files_are_counted_apart_from_games(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, "rps_rounds.jsonl", ROUND, ROUND)
    assert main(tmp_path) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "conformance: 2 passed, 0 failed, 3 files missing"


def test_a_folder_in_which_nothing_passes_fails(tmp_path: Path) -> None:
    assert main(tmp_path) == 1
    assert main(tmp_path / "nowhere") == 2
