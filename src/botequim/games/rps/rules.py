"""rps: rock, paper, scissors with memory (BagelCon BattleBots).

Two players, seats 0 and 1, play 50 rounds. In each round both show a hand at the same time. The winner of a
round is decided by the first of these rules that applies:

1. Rock beats scissors, scissors beat paper, paper beats rock.
2. Both hands are equal: the player wins who has shown this hand more often in the game so far.
3. The player wins who has shown the hand that beats it more often in the game so far.
4. A fair coin decides (a move of CHANCE).

The move of a player at fault is `missing`: the other player wins the round, or nobody if both moves are
missing. Such a round does not count for rules 2 and 3. The player who wins more rounds wins the game; if both
win the same number, it is a draw. With its hand a player may show art: up to 60 lines of up to 60 characters.
Larger art is dropped with a warning, and the hand still counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias, final

from botequim.core.errors import Fault, MoveSyntaxError
from botequim.core.game import CHANCE, CHANCE_TURN, NOBODY, Event, Outcome, Remark, check_art, check_say
from botequim.core.messages import Message, msg
from botequim.core.options import ChoiceOption, IntOption, Option, Options
from botequim.core.rng import Rng

BOTH: Final = (0, 1)


# --- moves ---------------------------------------------------------------------------------------


class Hand(StrEnum):
    """A hand that a player can show."""

    ROCK = "rock"
    PAPER = "paper"
    SCISSORS = "scissors"


BEATEN_BY: Final = {Hand.ROCK: Hand.PAPER, Hand.PAPER: Hand.SCISSORS, Hand.SCISSORS: Hand.ROCK}
BEATS: Final = {stronger: weaker for weaker, stronger in BEATEN_BY.items()}
HANDS: Final = (Hand.ROCK, Hand.PAPER, Hand.SCISSORS)
AT: Final = {hand: at for at, hand in enumerate(HANDS)}

Counts: TypeAlias = tuple[int, int, int]
"""The number of times that each of HANDS was shown."""


@final
@dataclass(frozen=True)
class Missing:
    """The move of the rules after any fault: no hand in this round."""


@final
@dataclass(frozen=True)
class Coin:
    """CHANCE gives a round to a seat."""

    winner: int


Move: TypeAlias = Hand | Missing | Coin

MISSING: Final = Missing()
COINS: Final = (Coin(0), Coin(1))


# --- states and views; nothing is hidden -----------------------------------------------------------


class DecidingStep(StrEnum):
    """The step that decided a round."""

    NATURAL = "natural"
    SAME_HAND = "same hand more often"
    BEATING_HAND = "beating hand more often"
    COIN = "coin"
    FORFEIT = "forfeit"


@final
@dataclass(frozen=True)
class Round:
    """One finished round."""

    hands: tuple[Hand | None, Hand | None]
    """By seat; None if no hand was shown."""
    winner: int | None
    by: DecidingStep


@final
class State:
    """The state of a game."""

    __slots__ = ("counts", "dashes", "events", "history", "length", "rounds", "tied", "wins")

    def __init__(
        self,
        length: int,
        dashes: bool,
        rounds: tuple[Round, ...],
        history: str,
        counts: tuple[Counts, Counts],
        wins: tuple[int, int],
        tied: Hand | None,
        events: tuple[Event[Move], ...],
    ) -> None:
        self.length: Final = length
        self.dashes: Final = dashes
        """Whether the history that a bot receives contains forfeited rounds."""
        self.rounds: Final = rounds
        self.history: Final = history
        self.counts: Final = counts
        """By seat, without forfeited rounds."""
        self.wins: Final = wins
        self.tied: Final = tied
        """The hand that both showed, if the coin must decide."""
        self.events: Final = events


@final
@dataclass(frozen=True)
class View:
    """The view of a seat. Nothing is hidden in this game."""

    seat: int | None
    legal: tuple[Move, ...]
    events: tuple[Event[Move], ...]
    rounds: tuple[Round, ...]
    counts: tuple[Counts, Counts]
    """By seat, without forfeited rounds."""
    wins: tuple[int, int]
    length: int
    """The number of rounds in the game."""
    history: str
    """The rounds in the competition's own notation: `rp2;sp1`."""


def decide(first: Hand, second: Hand, counts: tuple[Counts, Counts]) -> tuple[int | None, DecidingStep]:
    """Return the winner of a round, given the hands and the counts before it; None if the coin must
    decide."""
    if first != second:
        return (1 if BEATEN_BY[first] == second else 0), DecidingStep.NATURAL
    for hand, step in ((first, DecidingStep.SAME_HAND), (BEATEN_BY[first], DecidingStep.BEATING_HAND)):
        mine, yours = counts[0][AT[hand]], counts[1][AT[hand]]
        if mine != yours:
            return (0 if mine > yours else 1), step
    return None, DecidingStep.COIN


def notation(played: Round) -> str:
    """Return a round in the notation for bots: `rp2`, or with a dash for a missing hand: `-r2`."""
    shown = "".join("-" if hand is None else hand.value[0] for hand in played.hands)
    return shown + ("0" if played.winner is None else str(played.winner + 1))


# --- the rules -------------------------------------------------------------------------------------


@final
class Rps:
    """The rules of rps."""

    name: Final = "rps"
    options: Final[tuple[Option, ...]] = (
        IntOption("rounds", 50, 1, 1000, msg("rounds in a game")),
        ChoiceOption(
            "forfeit_history",
            ("omit", "dash"),
            msg("whether forfeited rounds are left out of the history that a bot gets, or written as dashes"),
        ),
    )

    def teams(self, options: Options) -> tuple[tuple[int, ...], ...]:
        return ((0,), (1,))

    def start(self, options: Options) -> State:
        length = int(options["rounds"])
        dashes = options["forfeit_history"] == "dash"
        return State(length, dashes, (), "", ((0, 0, 0), (0, 0, 0)), (0, 0), None, ())

    def to_move(self, state: State) -> tuple[int, ...]:
        if state.tied is not None:
            return CHANCE_TURN
        return BOTH if len(state.rounds) < state.length else NOBODY

    def chance(self, state: State, rng: Rng) -> Move:
        return rng.choice(COINS)

    def legal(self, state: State, seat: int) -> tuple[Move, ...]:
        return HANDS

    def check(self, state: State, seat: int, move: object) -> Message | None:
        if seat == CHANCE:
            return None if isinstance(move, Coin) else msg("only a coin can decide this round")
        if isinstance(move, Hand):
            return None
        return msg("only rock, paper or scissors can be chosen")

    def on_fault(self, state: State, seat: int, fault: Fault) -> Move:
        return MISSING

    def apply(self, state: State, moves: Mapping[int, Move]) -> State:
        events = (*state.events, *(Event(by, moves[by]) for by in sorted(moves)))
        if state.tied is not None:
            coin = moves[CHANCE]
            assert isinstance(coin, Coin)
            return _after(state, Round((state.tied, state.tied), coin.winner, DecidingStep.COIN), events)
        first, second = moves[0], moves[1]
        if isinstance(first, Hand) and isinstance(second, Hand):
            winner, step = decide(first, second, state.counts)
            if winner is None:
                return _coin_decides(state, first, events)
            return _after(state, Round((first, second), winner, step), events)
        shown = (
            first if isinstance(first, Hand) else None,
            second if isinstance(second, Hand) else None,
        )
        present = None if shown == (None, None) else (0 if shown[0] is not None else 1)
        return _after(state, Round(shown, present, DecidingStep.FORFEIT), events)

    def outcome(self, state: State) -> Outcome | None:
        if self.to_move(state) != NOBODY:
            return None
        mine, yours = state.wins
        places = (1, 1) if mine == yours else ((1, 2) if mine > yours else (2, 1))
        return Outcome("rounds", places, state.wins)

    def view(self, state: State, seat: int | None) -> View:
        legal = self.legal(state, seat) if seat is not None and seat in self.to_move(state) else ()
        return View(
            seat,
            legal,
            state.events,
            state.rounds,
            state.counts,
            state.wins,
            state.length,
            state.history,
        )

    def write(self, move: Move) -> str:
        if isinstance(move, Hand):
            return move.value
        return "missing" if isinstance(move, Missing) else f"coin {move.winner}"

    def read(self, text: str) -> Move:
        for hand in HANDS:
            if text == hand.value:
                return hand
        if text == "missing":
            return MISSING
        for coin in COINS:
            if text == f"coin {coin.winner}":
                return coin
        raise MoveSyntaxError(msg('"{text}" is not a move of rps: rock, paper or scissors', text=text))

    def check_remark(self, remark: Remark) -> Message | None:
        return check_art(remark) if remark.kind == "art" else check_say(remark)

    def pieces(self, state: State) -> tuple[str, ...]:
        return ()

    def resample_hidden(self, state: State, seat: int | None, rng: Rng) -> State:
        return state


def _coin_decides(state: State, hand: Hand, events: tuple[Event[Move], ...]) -> State:
    return State(
        state.length,
        state.dashes,
        state.rounds,
        state.history,
        state.counts,
        state.wins,
        hand,
        events,
    )


def _after(state: State, played: Round, events: tuple[Event[Move], ...]) -> State:
    first, second = played.hands
    counts = state.counts
    if first is not None and second is not None:
        counts = (_one_more(counts[0], first), _one_more(counts[1], second))
    won = played.winner
    wins = (state.wins[0] + int(won == 0), state.wins[1] + int(won == 1))
    history = state.history
    if state.dashes or played.by != DecidingStep.FORFEIT:
        history = f"{history};{notation(played)}" if history else notation(played)
    return State(
        state.length,
        state.dashes,
        (*state.rounds, played),
        history,
        counts,
        wins,
        None,
        events,
    )


def _one_more(counts: Counts, hand: Hand) -> Counts:
    rock, paper, scissors = counts
    if hand == Hand.ROCK:
        return rock + 1, paper, scissors
    if hand == Hand.PAPER:
        return rock, paper + 1, scissors
    return rock, paper, scissors + 1


GAME: Final = Rps()
