"""The rules of highcard.

Two to ten players get three cards each, from 1 to 30. In each of three rounds all players show a card at the
same time; the highest card wins the round. The player with the most rounds wins. A player at fault is absent
from the round.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from botequim import (
    CHANCE,
    CHANCE_TURN,
    NOBODY,
    Event,
    Fault,
    IntOption,
    Message,
    MoveSyntaxError,
    Options,
    Outcome,
    Remark,
    Rng,
    check_say,
    msg,
)

ROUNDS = 3
DECK = tuple(range(1, 31))


@dataclass(frozen=True)
class Deal:
    """CHANCE deals; in a seat's events the hands of the others are None."""

    hands: tuple[tuple[int, ...] | None, ...]


@dataclass(frozen=True)
class Show:
    """A player shows a card."""

    card: int


@dataclass(frozen=True)
class Absent:
    """The move that a fault becomes."""


@dataclass(frozen=True)
class State:
    """A whole game with all hands open."""

    players: int
    hands: tuple[tuple[int, ...], ...] = ()
    shown: tuple[int, ...] = ()
    wins: tuple[int, ...] = ()
    rounds: int = 0
    events: tuple[Event[Any], ...] = ()


@dataclass(frozen=True)
class View:
    """What one seat has seen."""

    seat: int | None
    legal: tuple[Any, ...]
    events: tuple[Event[Any], ...]
    hand: tuple[int, ...]
    wins: tuple[int, ...]


class HighCard:
    """The methods of `botequim.Game`."""

    name = "highcard"
    options = (IntOption("players", 2, 2, 10, msg("how many play")),)

    def teams(self, options: Options) -> tuple[tuple[int, ...], ...]:
        return tuple((seat,) for seat in range(int(options["players"])))

    def start(self, options: Options) -> State:
        return State(int(options["players"]))

    def to_move(self, state: State) -> tuple[int, ...]:
        if not state.hands:
            return CHANCE_TURN
        return tuple(range(state.players)) if state.rounds < ROUNDS else NOBODY

    def legal(self, state: State, seat: int) -> tuple[Any, ...]:
        return tuple(Show(card) for card in state.hands[seat])

    def check(self, state: State, seat: int, move: object) -> Message | None:
        if seat == CHANCE:
            dealt = [card for hand in move.hands for card in hand or ()] if isinstance(move, Deal) else []
            whole = len(set(dealt)) == ROUNDS * state.players
            return None if whole and len(dealt) == ROUNDS * state.players else msg("deal three cards to each")
        if not isinstance(move, Show) or type(move.card) is not int:
            return msg("show a card")
        return None if move.card in state.hands[seat] else msg("{card} is not held", card=move.card)

    def chance(self, state: State, rng: Rng) -> Any:
        cards = rng.shuffled(DECK)
        return Deal(tuple(tuple(cards[seat * ROUNDS : (seat + 1) * ROUNDS]) for seat in range(state.players)))

    def on_fault(self, state: State, seat: int, fault: Fault) -> Any:
        return Absent()

    def apply(self, state: State, moves: Mapping[int, Any]) -> State:
        events = (*state.events, *(Event(by, moves[by]) for by in sorted(moves)))
        if not state.hands:
            hands = tuple(hand or () for hand in moves[CHANCE].hands)
            return replace(state, hands=hands, wins=(0,) * state.players, events=events)
        cards = [moves[seat].card if isinstance(moves[seat], Show) else 0 for seat in range(state.players)]
        # absent players lose their lowest card, so that all hands have the same size
        lost = [card or min(hand) for card, hand in zip(cards, state.hands, strict=True)]
        hands = tuple(
            tuple(card for card in hand if card != gone) for hand, gone in zip(state.hands, lost, strict=True)
        )
        best = max(cards)
        wins = tuple(
            won + int(best > 0 and card == best) for won, card in zip(state.wins, cards, strict=True)
        )
        return replace(
            state,
            hands=hands,
            shown=(*state.shown, *lost),
            wins=wins,
            rounds=state.rounds + 1,
            events=events,
        )

    def view(self, state: State, seat: int | None) -> View:
        events = state.events
        if events:
            hands = events[0].move.hands
            own = Deal(tuple(hand if at == seat else None for at, hand in enumerate(hands)))
            events = (Event(CHANCE, own), *events[1:])
        legal = self.legal(state, seat) if seat is not None and seat in self.to_move(state) else ()
        hand = state.hands[seat] if seat is not None and state.hands else ()
        return View(seat, legal, events, hand, state.wins)

    def outcome(self, state: State) -> Outcome | None:
        if self.to_move(state) != NOBODY:
            return None
        places = tuple(1 + sum(other > won for other in state.wins) for won in state.wins)
        return Outcome("rounds", places, state.wins)

    def write(self, move: Any) -> str:
        if isinstance(move, Show):
            return f"show {move.card}"
        if isinstance(move, Absent):
            return "absent"
        return "deal " + "|".join("?" if hand is None else ",".join(map(str, hand)) for hand in move.hands)

    def read(self, text: str) -> Any:
        match text.split():
            case ["show", card]:
                return Show(_card(card))
            case ["absent"]:
                return Absent()
            case ["deal", hands]:
                return Deal(tuple(_hand(hand) for hand in hands.split("|")))
        raise MoveSyntaxError(msg('"{text}" is no move', text=text))

    def check_remark(self, remark: Remark) -> Message | None:
        return check_say(remark)

    def pieces(self, state: State) -> tuple[str, ...]:
        return tuple(str(card) for card in (*state.shown, *(card for hand in state.hands for card in hand)))

    def resample_hidden(self, state: State, seat: int | None, rng: Rng) -> State:
        if not state.hands:
            return state
        others = [at for at in range(state.players) if at != seat]
        unseen = rng.shuffled([card for at in others for card in state.hands[at]])
        hands, dealt = list(state.hands), list(state.events[0].move.hands)
        for at in others:
            size = len(hands[at])
            dealt[at] = (*unseen[:size], *(card for card in dealt[at] if card not in hands[at]))
            hands[at], unseen = tuple(unseen[:size]), unseen[size:]
        events = (Event(CHANCE, Deal(tuple(dealt))), *state.events[1:])
        return replace(state, hands=tuple(hands), events=events)


def _hand(text: str) -> tuple[int, ...] | None:
    return None if text == "?" else tuple(_card(word) for word in text.split(","))


def _card(text: str) -> int:
    if text not in map(str, DECK):
        raise MoveSyntaxError(msg('"{text}" is no card', text=text))
    return int(text)


GAME = HighCard()
