"""Classic players of rock, paper, scissors: sparring partners, each with one idea.

A classic player is a function of the hands shown so far. Most ignore the tie-breaks: they predict a hand of
the other and show the one that beats it. Without a prediction they show a random hand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from botequim.core.player import Strategy
from botequim.core.rng import Rng
from botequim.games.rps.rules import AT, BEATEN_BY, BEATS, HANDS, Hand, View, decide


@dataclass(frozen=True, slots=True)
class History:
    """The rounds so far, from one side, without forfeited rounds."""

    own: Sequence[Hand]
    others: Sequence[Hand]
    won: bool
    """Whether this player won the last of these rounds."""
    round: int
    """The number of this round, from 0, including forfeited ones."""
    view: View


Idea = Callable[[History, Rng], Hand]


class Classic:
    """A player that follows an idea."""

    def __init__(self, idea: Idea, rng: Rng) -> None:
        self._idea = idea
        self._rng = rng

    def choose(self, view: View) -> Hand:
        assert view.seat is not None
        own, others, is_won = [], [], False
        for one in view.rounds:
            mine, yours = one.hands[view.seat], one.hands[1 - view.seat]
            if mine is not None and yours is not None:
                own.append(mine)
                others.append(yours)
                is_won = one.winner == view.seat
        return self._idea(History(own, others, is_won, len(view.rounds), view), self._rng)


def classic(idea: Idea) -> Callable[[Rng], Strategy]:
    """Return a factory of players that follow an idea."""
    return partial(Classic, idea)


# --- predictions ------------------------------------------------------------------------------------------


def _any(rng: Rng) -> Hand:
    return rng.choice(HANDS)


def _most(weights: Sequence[float], rng: Rng) -> Hand | None:
    """Return the hand with the most weight, a random one among equals; None if all weights are 0."""
    if not any(weights):
        return None
    best = max(weights)
    return rng.choice([hand for hand in HANDS if weights[AT[hand]] == best])


def _beating(prediction: Hand | None, rng: Rng) -> Hand:
    return _any(rng) if prediction is None else BEATEN_BY[prediction]


def _commonest(hands: Sequence[Hand], rng: Rng) -> Hand | None:
    return _most([hands.count(hand) for hand in HANDS], rng)


def _after_the_like(hands: Sequence[Hand], order: int, rng: Rng) -> Hand | None:
    """Return the hand that most often came after the last `order` hands."""
    last = hands[len(hands) - order :]
    weights = [0.0, 0.0, 0.0]
    for at in range(order, len(hands)):
        if hands[at - order : at] == last:
            weights[AT[hands[at]]] += 1
    return _most(weights, rng)


def _after_the_longest(hands: Sequence[Hand], keys: Sequence[object]) -> Hand | None:
    """Return the hand that came after the longest earlier sequence that equals the latest one."""
    best, hand = 0, None
    for end in range(len(keys) - 1, 0, -1):
        length = 0
        while length < end and keys[end - 1 - length] == keys[-1 - length]:
            length += 1
        if length > best:
            best, hand = length, hands[end]
    return hand


# --- players that ignore the history -----------------------------------------------------------------------


def _rock(past: History, rng: Rng) -> Hand:
    return Hand.ROCK


def _paper(past: History, rng: Rng) -> Hand:
    return Hand.PAPER


def _scissors(past: History, rng: Rng) -> Hand:
    return Hand.SCISSORS


def _cycle(past: History, rng: Rng) -> Hand:
    return HANDS[past.round % 3]


def _cycle_back(past: History, rng: Rng) -> Hand:
    return HANDS[-past.round % 3]


def _cycle_pairs(past: History, rng: Rng) -> Hand:
    """Show each hand twice in turn."""
    return HANDS[past.round // 2 % 3]


def _cycle_long(past: History, rng: Rng) -> Hand:
    """Repeat nine rounds in which each pair of consecutive hands occurs once."""
    return HANDS[(0, 0, 1, 0, 2, 1, 1, 2, 2)[past.round % 9]]


def _rocky(past: History, rng: Rng) -> Hand:
    """Show rock in half of the rounds, at random."""
    return Hand.ROCK if rng.below(4) == 0 else _any(rng)


# --- players that use the last round ------------------------------------------------------------------------


def _copy(past: History, rng: Rng) -> Hand:
    return past.others[-1] if past.others else _any(rng)


def _beat_last(past: History, rng: Rng) -> Hand:
    return _beating(past.others[-1] if past.others else None, rng)


def _lose_last(past: History, rng: Rng) -> Hand:
    """Predict that the other beats our last hand."""
    return BEATS[past.others[-1]] if past.others else _any(rng)


def _stay_shift(past: History, rng: Rng) -> Hand:
    """Repeat a hand that won; otherwise show the hand that would have won."""
    if not past.own:
        return _any(rng)
    return past.own[-1] if past.won else BEATEN_BY[past.others[-1]]


def _shift_stay(past: History, rng: Rng) -> Hand:
    """Change a hand that won, and repeat a hand that lost."""
    if not past.own:
        return _any(rng)
    return BEATEN_BY[past.own[-1]] if past.won else past.own[-1]


def _restless(past: History, rng: Rng) -> Hand:
    """Never show a hand twice in a row."""
    return rng.choice([hand for hand in HANDS if hand not in past.own[-1:]])


def _beat_self(past: History, rng: Rng) -> Hand:
    """Predict that the other copies our last hand."""
    return _beating(past.own[-1] if past.own else None, rng)


# --- players that count -------------------------------------------------------------------------------------


def _frequency(past: History, rng: Rng) -> Hand:
    return _beating(_commonest(past.others, rng), rng)


def _recent(past: History, rng: Rng) -> Hand:
    """Count the last five rounds only."""
    return _beating(_commonest(past.others[-5:], rng), rng)


def _rarest(past: History, rng: Rng) -> Hand:
    """Predict the hand that was shown least."""
    return _beating(_most([1 / (1 + past.others.count(hand)) for hand in HANDS], rng), rng)


def _hoard(past: History, rng: Rng) -> Hand:
    """Use the tie-breaks: show a hand that would win a tie."""
    assert past.view.seat is not None
    counts = past.view.counts[past.view.seat], past.view.counts[1 - past.view.seat]
    winning = [hand for hand in HANDS if decide(hand, hand, counts)[0] == 0]
    return rng.choice(winning or HANDS)


# --- players that look for repetitions ---------------------------------------------------------------------


def _markov(past: History, rng: Rng) -> Hand:
    return _beating(_after_the_like(past.others, 1, rng), rng)


def _markov_2(past: History, rng: Rng) -> Hand:
    return _beating(_after_the_like(past.others, 2, rng), rng)


def _markov_3(past: History, rng: Rng) -> Hand:
    return _beating(_after_the_like(past.others, 3, rng), rng)


def _history(past: History, rng: Rng) -> Hand:
    return _beating(_after_the_longest(past.others, past.others), rng)


def _history_both(past: History, rng: Rng) -> Hand:
    """Look for sequences in which both showed the same hands."""
    pairs = list(zip(past.own, past.others, strict=True))
    return _beating(_after_the_longest(past.others, pairs), rng)


# --- players that predict the predictions of the other -----------------------------------------------------


def _anti_frequency(past: History, rng: Rng) -> Hand:
    """Predict that the other beats our most frequent hand."""
    commonest = _commonest(past.own, rng)
    return _any(rng) if commonest is None else BEATS[commonest]


def _anti_markov(past: History, rng: Rng) -> Hand:
    """Predict that the other predicts what follows our last hand, and beats that."""
    prediction = _after_the_like(past.own, 1, rng)
    return _any(rng) if prediction is None else BEATS[prediction]


def _anti_history(past: History, rng: Rng) -> Hand:
    prediction = _after_the_longest(past.own, past.own)
    return _any(rng) if prediction is None else BEATS[prediction]


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
    """Follows the predictor that would have won most of the recent rounds."""

    def __init__(self, rng: Rng) -> None:
        self._rng = rng
        self._scores = [0.0] * len(_READERS)
        self._predictions: list[Hand] = []

    def choose(self, view: View) -> Hand:
        assert view.seat is not None
        if view.rounds and self._predictions:
            hand = view.rounds[-1].hands[1 - view.seat]
            for at, prediction in enumerate(self._predictions):
                score = 0 if hand is None else (prediction == BEATEN_BY[hand]) - (prediction == BEATS[hand])
                self._scores[at] = 0.9 * self._scores[at] + score
        self._predictions = [Classic(idea, self._rng).choose(view) for idea in _READERS]
        return self._predictions[self._scores.index(max(self._scores))]


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
