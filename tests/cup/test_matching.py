"""Matchings, compared with trying everything."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from botequim.core.rng import Rng
from botequim.cup.matching import cheapest_matching, largest_matching_size


def perfect_matchings(left: tuple[int, ...]) -> Iterator[list[tuple[int, int]]]:
    if not left:
        yield []
        return
    first, *others = left
    for other in others:
        rest = tuple(one for one in others if one != other)
        for found in perfect_matchings(rest):
            yield [(first, other), *found]


def largest(edges: list[tuple[int, int]]) -> int:
    if not edges:
        return 0
    (one, other), *rest = edges
    apart = [edge for edge in rest if not {one, other} & set(edge)]
    return max(largest(rest), 1 + largest(apart))


@given(st.integers(1, 9), st.integers(0, 100), st.integers(0, 10**9))
def test_the_size_of_the_largest_matching(count: int, percent: int, seed: int) -> None:
    rng = Rng(str(seed))
    pairs = [(one, other) for other in range(count) for one in range(other)]
    edges = [pair for pair in pairs if rng.below(100) < percent][:14]
    neighbours = [[sum(edge) - at for edge in edges if at in edge] for at in range(count)]
    assert largest_matching_size(neighbours) == largest(edges)


def test_a_pair_that_only_a_contracted_cycle_leads_to() -> None:
    edges = [(0, 1), (1, 2), (2, 3), (3, 1), (3, 4), (0, 5), (4, 6), (6, 7), (7, 4), (7, 8), (2, 9)]
    neighbours = [[sum(edge) - at for edge in edges if at in edge] for at in range(10)]
    assert largest_matching_size(neighbours) == largest(edges)


@pytest.mark.parametrize("count", [2, 4, 6, 8, 10])
@pytest.mark.parametrize("most", [2, 10, 10**25])
def test_the_cheapest_matching(count: int, most: int) -> None:
    rng = Rng(f"{count} {most}")
    costs = {(one, other): rng.below(most) for other in range(count) for one in range(other)}
    found = cheapest_matching(count, lambda one, other: costs[min(one, other), max(one, other)])
    best = min(sum(costs[pair] for pair in pairs) for pairs in perfect_matchings(tuple(range(count))))
    assert sorted(at for pair in found for at in pair) == list(range(count))
    assert sum(costs[pair] for pair in found) == best
