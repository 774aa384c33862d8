"""The results of games and series."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from botequim.core.results import GameResult, SeriesResult

RESULTS = (GameResult((1, 2), "won"), GameResult((2, 1), "won", (3, 0)), GameResult((1, 1), "tie"))


def result(key: str = "a | b") -> SeriesResult:
    return SeriesResult(key, ("a", "b"), RESULTS * 4)


def test_a_series_is_the_same_after_it_was_stored() -> None:
    assert SeriesResult.from_json(result().as_json()) == result()


def test_equal_games_of_different_series_are_one_object() -> None:
    read = [SeriesResult.from_json(result(key).as_json()) for key in ("a | b", "a | b || 2")]
    from_worker = [game.canonical() for game in pickle.loads(pickle.dumps(RESULTS))]
    assert tuple(from_worker) == RESULTS
    assert len({id(game) for series in read for game in series.games} | set(map(id, from_worker))) == 3


@pytest.mark.parametrize("first", [1.0, True])
def test_what_only_looks_equal_is_not_shared(first: Any) -> None:
    """A damaged store must neither look sound nor spoil the results of others."""
    sound = {"key": "a", "entrants": ["a", "b"], "hows": ["won"], "games": [[0, [1, 2], []]]}
    damaged = sound | {"games": [[0, [first, 2], []]]}
    for value, expected in ((sound, int), (damaged, type(first)), (sound, int)):
        (game,) = SeriesResult.from_json(value).games
        assert type(game.places[0]) is expected
