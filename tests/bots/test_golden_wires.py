"""Every wire of every game still asks what it always did."""

from __future__ import annotations

import pytest

from tests.support.golden_wires import FOLDER, all_wires, path, questions_text


@pytest.mark.parametrize(("game", "wire"), all_wires())
def test_a_wire_asks_what_it_asked(game: str, wire: str) -> None:
    assert path(game, wire).exists(), "write it with: python -m tests.support.golden_wires"
    assert questions_text(game, wire) == path(game, wire).read_text(encoding="utf-8")


def test_no_file_is_left_over() -> None:
    assert {file.name for file in FOLDER.iterdir()} == {path(*pair).name for pair in all_wires()}
