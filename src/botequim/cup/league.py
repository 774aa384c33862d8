"""All against all, with further series between tied entrants.

Formats that are leagues share this code. They differ in what they count, and in which ties they break by
further series. A further round starts only after all earlier series are finished, so no later result can
change its pairings. Its rules come after all earlier rules, so it only changes the order of tied entrants.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

from botequim.core.messages import Message, msg
from botequim.core.results import SeriesResult
from botequim.cup.format import Stage
from botequim.cup.pairing import SEPARATOR, Pairing, SeriesRules
from botequim.cup.ranking import Ranked, Rule, ranked_groups


@dataclass(frozen=True, slots=True)
class League:
    """The rules of a league."""

    rules: Callable[[Sequence[SeriesResult]], Sequence[Rule]]
    """Returns the ranking rules for the results of the ordinary series."""
    further: Callable[[Sequence[SeriesResult]], Sequence[Rule]]
    """Returns the ranking rules for the results of a round of further series."""
    terms: SeriesRules
    """The rules of the further series."""
    most: int
    """The number of rounds of further series before a lot decides."""
    matters: Callable[[Ranked], list[list[str]]]
    """Returns the groups of tied entrants whose tie must be broken."""
    label: Message
    """The label of a further series."""
    lot: Message
    """The reason to show if a lot broke the tie."""


def unfold(stage: Stage, pairings: Sequence[Pairing], league: League) -> tuple[list[Pairing], Ranked]:
    """Return the series that can be played now, and the current ranking."""
    matters = _among_staying(stage, league)
    still_open = stage.open(pairings)
    rules = list(league.rules(stage.results_of(pairings)))
    order = ranked_groups(stage.entrants, rules)
    for number in range(1, league.most + 1):
        if still_open:
            return still_open, order
        extra = [one for group in matters(order) for one in _further(group, number, league)]
        still_open = stage.open(extra)
        if extra and not still_open:
            rules += league.further(stage.results_of(extra))
            order = ranked_groups(stage.entrants, rules)
    if still_open:
        return still_open, order
    return [], ranked_groups(stage.entrants, [*rules, _lot(stage, matters(order), league.lot)])


def _among_staying(stage: Stage, league: League) -> Callable[[Ranked], list[list[str]]]:
    """Return `league.matters` for those who did not leave."""
    if not stage.out:
        return league.matters

    def matters(order: Ranked) -> list[list[str]]:
        groups = [([name for name in group if name not in stage.out], why) for group, why in order]
        return league.matters([(group, why) for group, why in groups if group])

    return matters


def _further(group: Sequence[str], number: int, league: League) -> list[Pairing]:
    label = league.label if number == 1 else msg("{match} {number}", match=league.label, number=number)
    return [
        Pairing(f"{number} || {SEPARATOR.join(sorted(pair))}", pair, league.terms, label, number + 1)
        for pair in combinations(group, 2)
    ]


def _lot(stage: Stage, groups: Sequence[Sequence[str]], why: Message) -> Rule:
    lots = stage.lot("equals")
    to_split = {frozenset(group) for group in groups}
    return Rule(
        lambda group: lots if frozenset(group) - stage.out in to_split else dict.fromkeys(group, 0), why
    )


# --- ties that must be broken ----------------------------------------------------------------------


def all_equals(order: Ranked) -> list[list[str]]:
    return [group for group, _ in order if len(group) > 1]


def across(cuts: Sequence[int]) -> Callable[[Ranked], list[list[str]]]:
    """Return a function that returns the groups of tied entrants of whom only some would advance."""

    def matters(order: Ranked) -> list[list[str]]:
        groups, before = [], 0
        for group, _ in order:
            if any(before < cut < before + len(group) for cut in cuts):
                groups.append(group)
            before += len(group)
        return groups

    return matters


def no_equals(order: Ranked) -> list[list[str]]:
    return []


# --- all against all -------------------------------------------------------------------------------


def all_against_all(stage: Stage, *, meetings: int = 1) -> list[Pairing]:
    """Return a series for every two entrants, in rounds in which each plays at most once.

    Late entrants come after all rounds: each meets everybody who was there before it.
    """
    pairings = []
    first = stage.first_entrants if stage.late else stage.entrants
    for meeting in range(meetings):
        for number, pairs in enumerate(rounds(len(first)), start=1):
            label = msg("round {number}", number=number + meeting * (len(first) - 1))
            pairings += [_meeting(stage, (first[one], first[other]), meeting, label) for one, other in pairs]
    for at, late in enumerate(stage.entrants[len(first) :], start=len(first)):
        label = msg("late entrant")
        pairings += [
            _meeting(stage, (name, late) if number % 2 == 0 else (late, name), meeting, label)
            for meeting in range(meetings)
            for number, name in enumerate(stage.entrants[:at])
        ]
    return pairings


def _meeting(stage: Stage, names: tuple[str, str], meeting: int, label: Message) -> Pairing:
    key = SEPARATOR.join(sorted(names)) + (f" || {meeting + 1}" if meeting else "")
    return Pairing(key, names if meeting % 2 == 0 else names[::-1], stage.terms, label)


def rounds(count: int) -> list[list[tuple[int, int]]]:
    """Return the pairs of each round by the circle method: the first entrant stays, the others move one place
    on.

    With an odd number of entrants, the one without an opponent rests.
    """
    around: list[int | None] = list(range(count))
    if count % 2:
        around.append(None)
    half = len(around) // 2
    result = []
    for number in range(len(around) - 1):
        pairs = []
        for one, other in zip(around[:half], reversed(around[half:]), strict=True):
            if one is not None and other is not None:
                pairs.append((one, other) if number % 2 == 0 else (other, one))
        result.append(pairs)
        around = [around[0], around[-1], *around[1:-1]]
    return result
