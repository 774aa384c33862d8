"""Rules that set entrants apart, one after another; who is equal by all of them shares a place.

Each rule is asked about a group of equals. When it splits the group, each part begins again with the first
rule: so "the games between them" are always the games between those who are still equal.
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
    """More is better."""

    value: Callable[[Sequence[str]], Mapping[str, Number]]
    """The figures of a group of equals, which may depend on who is in it."""
    why: Message | None = None
    """What is said of those it sets apart; the first rule of a table needs no words."""


Ranked: TypeAlias = list[tuple[list[str], Message | None]]
"""Groups of equals, best first, and which rule set each apart."""


def ranked(group: Sequence[str], rules: Sequence[Rule], why: Message | None = None) -> Ranked:
    """The group in order."""
    if len(group) > 1:
        for rule in rules:
            values = rule.value(group)
            if len({values[name] for name in group}) == 1:
                continue
            order = sorted(group, key=lambda name: -values[name])
            parts = [list(part) for _, part in groupby(order, key=lambda name: values[name])]
            return [one for part in parts for one in ranked(part, rules, rule.why or why)]
    return [(list(group), why)]


def rows(order: Ranked, figures: Callable[[str], Mapping[str, Number]], shared: Message) -> tuple[Row, ...]:
    """As a table; `shared` is said of those who share a place, where a rule for equals was needed."""
    made: list[Row] = []
    for group, why in order:
        place = len(made) + 1
        said = shared if len(group) > 1 else why
        made += [Row(place, name, figures(name), said) for name in group]
    return tuple(made)


# --- figures ---------------------------------------------------------------------------------------


def by_value(figure: Callable[[str], Number], why: Message | None = None) -> Rule:
    """A rule that looks at each entrant by itself."""
    return Rule(lambda group: {name: figure(name) for name in group}, why)


def totals(names: Iterable[str], results: Iterable[SeriesResult]) -> dict[str, Total]:
    """Everybody's games, added up."""
    added = dict.fromkeys(names, Total())
    for result in results:
        for name, total in result.totals().items():
            added[name] = added[name] + total
    return added


def between(group: Sequence[str], results: Iterable[SeriesResult]) -> list[SeriesResult]:
    """Those in which all who played are of the group."""
    inside = set(group)
    return [result for result in results if inside.issuperset(result.entrants)]


def rate(total: Total) -> Fraction:
    """The mean share of a win."""
    return total.share / total.games if total.games else Fraction()
