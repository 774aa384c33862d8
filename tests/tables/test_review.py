"""What the champion says of a person's moves."""

from __future__ import annotations

from typing import Any

import pytest

from botequim.search.champion import Advice
from botequim.tables.review import compare_with_best


@pytest.mark.parametrize(
    ("advice", "move", "verdict"),
    [
        (Advice("a", {"a": 0.6, "b": 0.6}), "a", "same"),
        (Advice("a", {"a": 0.6, "b": 0.6}), "b", "equal"),
        (Advice("a", {"a": 0.6, "b": 0.5}), "b", "other"),
        (Advice("a", {"a": 0.60, "b": 0.58}, spread={"a": 0.01, "b": 0.01}), "b", "equal"),
        (Advice("a", {"a": 0.60, "b": 0.55}, spread={"a": 0.01, "b": 0.01}), "b", "other"),
        (Advice("a", {"a": 0.60}), "b", "other"),
        ("a", "a", "same"),
        ("a", "b", "other"),
    ],
)
def test_a_move_is_compared_with_the_champions(advice: Any, move: str, verdict: str) -> None:
    assert compare_with_best(advice, "a", move) == verdict
