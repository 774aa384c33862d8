"""Matchings in graphs: pairs of neighbours, such that nobody is in two pairs.

`cheapest_matching` decides a round; it needs networkx (the extra `swiss`).
`largest_matching_size` checks one and needs no library: it grows trees of alternating paths, and contracts
cycles of odd length to their base (Edmonds' algorithm).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Final

from botequim.core.errors import InputError
from botequim.core.extras import extra_error
from botequim.core.messages import msg

NOBODY: Final = -1


def require_networkx() -> None:
    """Raise an InputError with the command that installs networkx, if it is missing."""
    if find_spec("networkx") is None:
        raise _networkx_error()


def _networkx_error() -> InputError:
    return extra_error(msg("a Swiss stage needs networkx, the extra `swiss`, to pair entrants"), "swiss")


def cheapest_matching(count: int, cost: Callable[[int, int], int]) -> list[tuple[int, int]]:
    """Return the pairs of all numbers below `count`, an even number, that have the smallest sum of costs."""
    try:
        import networkx
    except ImportError as error:
        raise _networkx_error() from error
    costs = {(one, other): cost(one, other) for other in range(count) for one in range(other)}
    most = max(costs.values(), default=0) + 1
    graph = networkx.Graph()
    graph.add_weighted_edges_from((*pair, most - value) for pair, value in costs.items())
    matching = networkx.max_weight_matching(graph, maxcardinality=True)
    return sorted((min(pair), max(pair)) for pair in matching)


def largest_matching_size(neighbours: Sequence[Sequence[int]]) -> int:
    """Return how many pairs the largest matching of a graph has; `neighbours` are given by vertex."""
    partner = [NOBODY] * len(neighbours)
    for vertex in range(len(neighbours)):
        if partner[vertex] == NOBODY:
            _augment(vertex, neighbours, partner)
    return sum(other != NOBODY for other in partner) // 2


def _augment(root: int, neighbours: Sequence[Sequence[int]], partner: list[int]) -> None:
    """Match one more vertex if a path from `root` allows that; `partner` is changed."""
    count = len(neighbours)
    parent = [NOBODY] * count
    """The vertex before one on the path from the root, for vertices at odd distance from it."""
    base = list(range(count))
    """The base of the contracted cycle that a vertex belongs to."""
    even = {root}
    """The vertices at even distance."""
    queue = deque([root])
    while queue:
        vertex = queue.popleft()
        for other in neighbours[vertex]:
            if base[vertex] == base[other] or partner[vertex] == other:
                continue
            if other == root or (partner[other] != NOBODY and parent[partner[other]] != NOBODY):
                common = _common_base(vertex, other, base, parent, partner)
                inside = _cycle(vertex, other, common, base, parent, partner)
                inside |= _cycle(other, vertex, common, base, parent, partner)
                for at in range(count):
                    if base[at] in inside:
                        base[at] = common
                        if at not in even:
                            even.add(at)
                            queue.append(at)
            elif parent[other] == NOBODY:
                parent[other] = vertex
                if partner[other] == NOBODY:
                    _flip(other, parent, partner)
                    return
                even.add(partner[other])
                queue.append(partner[other])


def _common_base(
    one: int, other: int, base: Sequence[int], parent: Sequence[int], partner: Sequence[int]
) -> int:
    """Return the first base that the paths from both vertices to the root share."""
    bases = set()
    at = one
    while True:
        at = base[at]
        bases.add(at)
        if partner[at] == NOBODY:
            break
        at = parent[partner[at]]
    at = base[other]
    while at not in bases:
        at = base[parent[partner[at]]]
    return at


def _cycle(
    vertex: int,
    child: int,
    common: int,
    base: Sequence[int],
    parent: list[int],
    partner: Sequence[int],
) -> set[int]:
    """Return the bases on the path from a vertex to the common base, and reverse the path."""
    inside = set()
    while base[vertex] != common:
        inside |= {base[vertex], base[partner[vertex]]}
        parent[vertex] = child
        child = partner[vertex]
        vertex = parent[child]
    return inside


def _flip(end: int, parent: Sequence[int], partner: list[int]) -> None:
    """Exchange the matched and the other edges of the path from the root to its end."""
    while end != NOBODY:
        before = parent[end]
        following = partner[before]
        partner[end], partner[before] = before, end
        end = following
