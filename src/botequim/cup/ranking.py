"""Ranking rules, which are applied one after another. Entrants that are equal by all rules share a place.

Each rule is applied to a group of tied entrants. When it splits the group, each part starts again with the
first rule, so "the games between them" are always the games between those who are still tied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import TypeAlias

from botequim.core.messages import Message
from botequim.core.results import SeriesResult, Total
from botequim.cup.format import Number, Row


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule by which a higher figure is better."""

    value: Callable[[Sequence[str]], Mapping[str, Number]]
    """Returns the figures of a group of tied entrants. They may depend on the members of the group."""
    why: Message | None = None
    """The reason to show if this rule broke a tie; the first rule of the standings needs none."""


Ranked: TypeAlias = list[tuple[list[str], Message | None]]
"""Groups of tied entrants, best first, each with the reason for its place."""


def ranked_groups(group: Sequence[str], rules: Sequence[Rule], why: Message | None = None) -> Ranked:
    """Return the group split into groups of tied entrants, best first."""
    if len(group) > 1:
        for rule in rules:
            values = rule.value(group)
            if len({values[name] for name in group}) == 1:
                continue
            order = sorted(group, key=lambda name: -values[name])
            parts = [list(part) for _, part in groupby(order, key=lambda name: values[name])]
            return [one for part in parts for one in ranked_groups(part, rules, rule.why or why)]
    return [(list(group), why)]


def rows(order: Ranked, figures: Callable[[str], Mapping[str, Number]], shared: Message) -> tuple[Row, ...]:
    """Return the rows of the standings; `shared` is the reason to show for a place that is still shared."""
    result: list[Row] = []
    for group, why in order:
        place = len(result) + 1
        reason = shared if len(group) > 1 else why
        result += [Row(place, name, figures(name), reason) for name in group]
    return tuple(result)


# --- figures ---------------------------------------------------------------------------------------


def by_value(figure: Callable[[str], Number], why: Message | None = None) -> Rule:
    """Return a rule with a figure of each entrant that does not depend on the group."""
    return Rule(lambda group: {name: figure(name) for name in group}, why)


def totals(names: Iterable[str], results: Iterable[SeriesResult]) -> dict[str, Total]:
    sums = dict.fromkeys(names, Total())
    for result in results:
        for name, total in result.totals().items():
            sums[name] = sums[name] + total
    return sums


def between(group: Sequence[str], results: Iterable[SeriesResult]) -> list[SeriesResult]:
    """Return the results in which all players are members of the group."""
    inside = set(group)
    return [result for result in results if inside.issuperset(result.entrants)]


def rate(total: Total) -> Fraction:
    """Return the mean share of a win."""
    return total.share / total.games if total.games else Fraction()
