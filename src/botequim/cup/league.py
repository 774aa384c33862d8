"""All against all, and further series between those who are equal where that matters.

What the formats that are leagues have in common: they differ in what they count, in which ties they play
on for, and how. Further rounds are asked for only when everything before is finished, so they depend on
nothing that can still change; each adds its rules behind those before, so it parts equals and moves nobody
else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

from botequim.core.messages import Message, msg
from botequim.core.results import SeriesResult
from botequim.cup.format import Stage
from botequim.cup.pairing import SEPARATOR, Pairing, SeriesRules
from botequim.cup.ranking import Ranked, Rule, ranked


@dataclass(frozen=True, slots=True)
class League:
    """What sets one league apart from another."""

    rules: Callable[[Sequence[SeriesResult]], Sequence[Rule]]
    """What the ordinary series count."""
    further: Callable[[Sequence[SeriesResult]], Sequence[Rule]]
    """What a round of further series counts, between equals."""
    terms: SeriesRules
    """Of the further series."""
    most: int
    """Rounds of further series, before the lot is drawn."""
    matters: Callable[[Ranked], list[list[str]]]
    """Which groups of equals may not stay so."""
    label: Message
    """What a further series is called."""
    lot: Message
    """What is said of those whom the lot has parted."""


def unfold(stage: Stage, pairings: Sequence[Pairing], league: League) -> tuple[list[Pairing], Ranked]:
    """What is to be played now, and the order so far."""
    still_open = stage.open(pairings)
    rules = list(league.rules(stage.finished(pairings)))
    order = ranked(stage.entrants, rules)
    for number in range(1, league.most + 1):
        if still_open:
            return still_open, order
        extra = [one for group in league.matters(order) for one in _further(group, number, league)]
        still_open = stage.open(extra)
        if extra and not still_open:
            rules += league.further(stage.finished(extra))
            order = ranked(stage.entrants, rules)
    if still_open:
        return still_open, order
    return [], ranked(stage.entrants, [*rules, _lot(stage, league.matters(order), league.lot)])


def _further(group: Sequence[str], number: int, league: League) -> list[Pairing]:
    label = league.label if number == 1 else msg("{match} {number}", match=league.label, number=number)
    return [
        Pairing(f"{number} || {SEPARATOR.join(sorted(pair))}", pair, league.terms, label, number + 1)
        for pair in combinations(group, 2)
    ]


def _lot(stage: Stage, groups: Sequence[Sequence[str]], why: Message) -> Rule:
    drawn = stage.lot("equals")
    parted = {frozenset(group) for group in groups}
    return Rule(lambda group: drawn if frozenset(group) in parted else dict.fromkeys(group, 0), why)


# --- which equals may not stay so ------------------------------------------------------------------


def all_equals(order: Ranked) -> list[list[str]]:
    return [group for group, _ in order if len(group) > 1]


def across(cuts: Sequence[int]) -> Callable[[Ranked], list[list[str]]]:
    """Those of whom some would advance and some would not."""

    def matters(order: Ranked) -> list[list[str]]:
        found, before = [], 0
        for group, _ in order:
            if any(before < cut < before + len(group) for cut in cuts):
                found.append(group)
            before += len(group)
        return found

    return matters


def no_equals(order: Ranked) -> list[list[str]]:
    return []


# --- all against all -------------------------------------------------------------------------------


def all_against_all(stage: Stage, *, meetings: int = 1) -> list[Pairing]:
    """Everybody meets everybody, in rounds in which all play at most once."""
    made = []
    for meeting in range(meetings):
        for number, pairs in enumerate(rounds(len(stage.entrants)), start=1):
            for one, other in pairs:
                names = (stage.entrants[one], stage.entrants[other])
                key = SEPARATOR.join(sorted(names)) + (f" || {meeting + 1}" if meeting else "")
                label = msg("round {number}", number=number + meeting * (len(stage.entrants) - 1))
                made.append(Pairing(key, names if meeting % 2 == 0 else names[::-1], stage.terms, label))
    return made


def rounds(count: int) -> list[list[tuple[int, int]]]:
    """The circle: the first stays, the others move one place on each round; who meets nobody rests."""
    around: list[int | None] = list(range(count))
    if count % 2:
        around.append(None)
    half = len(around) // 2
    made = []
    for number in range(len(around) - 1):
        pairs = []
        for one, other in zip(around[:half], reversed(around[half:]), strict=True):
            if one is not None and other is not None:
                pairs.append((one, other) if number % 2 == 0 else (other, one))
        made.append(pairs)
        around = [around[0], around[-1], *around[1:-1]]
    return made
