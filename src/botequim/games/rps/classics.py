"""The classics of rock, paper, scissors: sparring partners, each with one idea.

A classic is a function of what it and the other have shown so far. Most do not know the tie-breaks: they
expect a hand of the other and show the one that beats it. Where one has no idea yet, it shows a hand at
random.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from botequim.core.player import Strategy
from botequim.core.rng import Rng
from botequim.games.rps import AT, BEATEN_BY, BEATS, HANDS, Hand, View, decide


@dataclass(frozen=True, slots=True)
class Past:
    """What happened, seen from one side; forfeited rounds are left out."""

    own: Sequence[Hand]
    others: Sequence[Hand]
    won: bool
    """The last of these rounds."""
    round: int
    """The number of this one, from 0; forfeited ones count."""
    view: View


Idea = Callable[[Past, Rng], Hand]


class Classic:
    """Seats an idea."""

    def __init__(self, idea: Idea, rng: Rng) -> None:
        self._idea = idea
        self._rng = rng

    def choose(self, view: View) -> Hand:
        assert view.seat is not None
        own, others, won = [], [], False
        for played in view.rounds:
            mine, yours = played.hands[view.seat], played.hands[1 - view.seat]
            if mine is not None and yours is not None:
                own.append(mine)
                others.append(yours)
                won = played.winner == view.seat
        return self._idea(Past(own, others, won, len(view.rounds), view), self._rng)


def classic(idea: Idea) -> Callable[[Rng], Strategy]:
    """What makes a player of an idea, as the registry wants it."""
    return partial(Classic, idea)


# --- what they expect --------------------------------------------------------------------------------------


def _any(rng: Rng) -> Hand:
    return rng.choice(HANDS)


def _most(weights: Sequence[float], rng: Rng) -> Hand | None:
    """The hand with the most weight, a lot among equals; None if nothing weighs anything."""
    if not any(weights):
        return None
    best = max(weights)
    return rng.choice([hand for hand in HANDS if weights[AT[hand]] == best])


def _beating(expected: Hand | None, rng: Rng) -> Hand:
    return _any(rng) if expected is None else BEATEN_BY[expected]


def _commonest(hands: Sequence[Hand], rng: Rng) -> Hand | None:
    return _most([hands.count(hand) for hand in HANDS], rng)


def _after_the_like(hands: Sequence[Hand], order: int, rng: Rng) -> Hand | None:
    """What most often came after the last `order` hands."""
    last = hands[len(hands) - order :]
    weights = [0.0, 0.0, 0.0]
    for at in range(order, len(hands)):
        if hands[at - order : at] == last:
            weights[AT[hands[at]]] += 1
    return _most(weights, rng)


def _after_the_longest(hands: Sequence[Hand], keys: Sequence[object]) -> Hand | None:
    """What came after the longest piece of the past that the latest repeats."""
    best, found = 0, None
    for end in range(len(keys) - 1, 0, -1):
        length = 0
        while length < end and keys[end - 1 - length] == keys[-1 - length]:
            length += 1
        if length > best:
            best, found = length, hands[end]
    return found


# --- who look at nothing, or only at the clock ------------------------------------------------------------


def _rock(past: Past, rng: Rng) -> Hand:
    return Hand.ROCK


def _paper(past: Past, rng: Rng) -> Hand:
    return Hand.PAPER


def _scissors(past: Past, rng: Rng) -> Hand:
    return Hand.SCISSORS


def _cycle(past: Past, rng: Rng) -> Hand:
    return HANDS[past.round % 3]


def _cycle_back(past: Past, rng: Rng) -> Hand:
    return HANDS[-past.round % 3]


def _cycle_pairs(past: Past, rng: Rng) -> Hand:
    """Each hand twice."""
    return HANDS[past.round // 2 % 3]


def _cycle_long(past: Past, rng: Rng) -> Hand:
    """Nine rounds in which each pair of hands follows once, then again."""
    return HANDS[(0, 0, 1, 0, 2, 1, 1, 2, 2)[past.round % 9]]


def _rocky(past: Past, rng: Rng) -> Hand:
    """Rock every other time on average."""
    return Hand.ROCK if rng.below(4) == 0 else _any(rng)


# --- who look at the last round ----------------------------------------------------------------------------


def _copy(past: Past, rng: Rng) -> Hand:
    return past.others[-1] if past.others else _any(rng)


def _beat_last(past: Past, rng: Rng) -> Hand:
    return _beating(past.others[-1] if past.others else None, rng)


def _lose_last(past: Past, rng: Rng) -> Hand:
    """Expects the other to beat its own last hand."""
    return BEATS[past.others[-1]] if past.others else _any(rng)


def _stay_shift(past: Past, rng: Rng) -> Hand:
    """Stays with what won; else shows what would have."""
    if not past.own:
        return _any(rng)
    return past.own[-1] if past.won else BEATEN_BY[past.others[-1]]


def _shift_stay(past: Past, rng: Rng) -> Hand:
    """Leaves what won, stays with what lost."""
    if not past.own:
        return _any(rng)
    return BEATEN_BY[past.own[-1]] if past.won else past.own[-1]


def _restless(past: Past, rng: Rng) -> Hand:
    """Never shows a hand twice in a row."""
    return rng.choice([hand for hand in HANDS if hand not in past.own[-1:]])


def _beat_self(past: Past, rng: Rng) -> Hand:
    """Expects to be copied."""
    return _beating(past.own[-1] if past.own else None, rng)


# --- who count ---------------------------------------------------------------------------------------------


def _frequency(past: Past, rng: Rng) -> Hand:
    return _beating(_commonest(past.others, rng), rng)


def _recent(past: Past, rng: Rng) -> Hand:
    """Counts the last five rounds alone."""
    return _beating(_commonest(past.others[-5:], rng), rng)


def _rarest(past: Past, rng: Rng) -> Hand:
    """Expects the hand that is overdue."""
    return _beating(_most([1 / (1 + past.others.count(hand)) for hand in HANDS], rng), rng)


def _hoard(past: Past, rng: Rng) -> Hand:
    """Knows the tie-breaks: shows a hand that it would win a tie with."""
    assert past.view.seat is not None
    counts = past.view.counts[past.view.seat], past.view.counts[1 - past.view.seat]
    winning = [hand for hand in HANDS if decide(hand, hand, counts)[0] == 0]
    return rng.choice(winning or HANDS)


# --- who look for what repeats ----------------------------------------------------------------------------


def _markov(past: Past, rng: Rng) -> Hand:
    return _beating(_after_the_like(past.others, 1, rng), rng)


def _markov_2(past: Past, rng: Rng) -> Hand:
    return _beating(_after_the_like(past.others, 2, rng), rng)


def _markov_3(past: Past, rng: Rng) -> Hand:
    return _beating(_after_the_like(past.others, 3, rng), rng)


def _history(past: Past, rng: Rng) -> Hand:
    return _beating(_after_the_longest(past.others, past.others), rng)


def _history_both(past: Past, rng: Rng) -> Hand:
    """Looks for pieces in which both showed the same."""
    pairs = list(zip(past.own, past.others, strict=True))
    return _beating(_after_the_longest(past.others, pairs), rng)


# --- who think of what is thought of them -----------------------------------------------------------------


def _anti_frequency(past: Past, rng: Rng) -> Hand:
    """Expects the other to beat its commonest hand."""
    commonest = _commonest(past.own, rng)
    return _any(rng) if commonest is None else BEATS[commonest]


def _anti_markov(past: Past, rng: Rng) -> Hand:
    """Expects the other to look for what follows its last hand, and to beat that."""
    expected = _after_the_like(past.own, 1, rng)
    return _any(rng) if expected is None else BEATS[expected]


def _anti_history(past: Past, rng: Rng) -> Hand:
    expected = _after_the_longest(past.own, past.own)
    return _any(rng) if expected is None else BEATS[expected]


_READERS: Final[tuple[Idea, ...]] = (
    _beat_last,
    _beat_self,
    _stay_shift,
    _frequency,
    _markov,
    _history,
    _history_both,
    _anti_frequency,
    _anti_markov,
    _anti_history,
)


class Council:
    """Follows whichever reader would have won most lately."""

    def __init__(self, rng: Rng) -> None:
        self._rng = rng
        self._scores = [0.0] * len(_READERS)
        self._said: list[Hand] = []

    def choose(self, view: View) -> Hand:
        assert view.seat is not None
        if view.rounds and self._said:
            shown = view.rounds[-1].hands[1 - view.seat]
            for at, said in enumerate(self._said):
                won = 0 if shown is None else (said == BEATEN_BY[shown]) - (said == BEATS[shown])
                self._scores[at] = 0.9 * self._scores[at] + won
        self._said = [Classic(idea, self._rng).choose(view) for idea in _READERS]
        return self._said[self._scores.index(max(self._scores))]


ROCK: Final = classic(_rock)
PAPER: Final = classic(_paper)
SCISSORS: Final = classic(_scissors)
CYCLE: Final = classic(_cycle)
CYCLE_BACK: Final = classic(_cycle_back)
CYCLE_PAIRS: Final = classic(_cycle_pairs)
CYCLE_LONG: Final = classic(_cycle_long)
ROCKY: Final = classic(_rocky)
COPY: Final = classic(_copy)
BEAT_LAST: Final = classic(_beat_last)
LOSE_LAST: Final = classic(_lose_last)
STAY_SHIFT: Final = classic(_stay_shift)
SHIFT_STAY: Final = classic(_shift_stay)
RESTLESS: Final = classic(_restless)
BEAT_SELF: Final = classic(_beat_self)
FREQUENCY: Final = classic(_frequency)
RECENT: Final = classic(_recent)
RAREST: Final = classic(_rarest)
HOARD: Final = classic(_hoard)
MARKOV: Final = classic(_markov)
MARKOV_2: Final = classic(_markov_2)
MARKOV_3: Final = classic(_markov_3)
HISTORY: Final = classic(_history)
HISTORY_BOTH: Final = classic(_history_both)
ANTI_FREQUENCY: Final = classic(_anti_frequency)
ANTI_MARKOV: Final = classic(_anti_markov)
ANTI_HISTORY: Final = classic(_anti_history)
