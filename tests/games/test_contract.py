"""The contract checks pass for every registered game, and notice each kind of broken one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from highcard.rules import GAME as HIGHCARD
from highcard.rules import Deal, HighCard, Show, State, View

from botequim import registry
from botequim.core.errors import Fault, MoveSyntaxError
from botequim.core.game import CHANCE, Outcome
from botequim.core.messages import Message, msg
from botequim.core.rng import Rng
from botequim.testing import ContractBroken, check_game, contract


@pytest.mark.parametrize("games", [1, pytest.param(3, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", registry.game_names())
def test_every_registered_game_keeps_the_contract(name: str, games: int) -> None:
    check_game(registry.game(name), games=games)


def test_a_third_partys_game_keeps_the_contract() -> None:
    check_game(HIGHCARD)


class LeaksAHand(HighCard):
    def view(self, state: State, seat: int | None) -> Any:
        seen = super().view(state, seat)
        return View(seen.seat, seen.legal, seen.events, sum(state.hands, ()), seen.wins)


class LeaksTheDeal(HighCard):
    def view(self, state: State, seat: int | None) -> View:
        seen = super().view(state, seat)
        return View(seen.seat, seen.legal, state.events, seen.hand, seen.wins)


class LosesACard(HighCard):
    def apply(self, state: State, moves: Mapping[int, Any]) -> State:
        after = super().apply(state, moves)
        object.__setattr__(after, "shown", after.shown[: len(after.shown) // 2])
        return after


class ForgetsAFault(HighCard):
    def apply(self, state: State, moves: Mapping[int, Any]) -> State:
        if any(not isinstance(move, Show | Deal) for move in moves.values()):
            return state
        return super().apply(state, moves)


class FaultIsALegalMove(HighCard):
    def on_fault(self, state: State, seat: int, fault: Fault) -> Any:
        return self.legal(state, seat)[0]


class CannotTakeAFault(HighCard):
    def apply(self, state: State, moves: Mapping[int, Any]) -> State:
        if CHANCE not in moves:
            _ = [move.card for move in moves.values()]
        return super().apply(state, moves)


class ChangesItsState(HighCard):
    def apply(self, state: State, moves: Mapping[int, Any]) -> State:
        after = super().apply(state, moves)
        object.__setattr__(state, "wins", (9,) * state.players)
        return after


class RefusesItsMenu(HighCard):
    def check(self, state: State, seat: int, move: object) -> Message | None:
        return msg("no") if isinstance(move, Show) and move.card == 7 else super().check(state, seat, move)


class AcceptsAnything(HighCard):
    def check(self, state: State, seat: int, move: object) -> Message | None:
        return None


class WritesUnreadably(HighCard):
    def write(self, move: Any) -> str:
        return "gone" if not isinstance(move, Show | Deal) else super().write(move)


class ReadsTooMuch(HighCard):
    def read(self, text: str) -> Any:
        try:
            return super().read(text)
        except MoveSyntaxError:
            return super().read(" ".join(text.split()[:-1]))


class NeverEnds(HighCard):
    def to_move(self, state: State) -> tuple[int, ...]:
        return (CHANCE,)

    def check(self, state: State, seat: int, move: object) -> Message | None:
        return None

    def apply(self, state: State, moves: Mapping[int, Any]) -> State:
        return super().apply(state, moves) if not state.hands else state


class HasNoPlaces(HighCard):
    def outcome(self, state: State) -> Outcome | None:
        outcome = super().outcome(state)
        return None if outcome is None else Outcome(outcome.how, (2,) * len(outcome.places))


class HidesItsMenu(HighCard):
    def view(self, state: State, seat: int | None) -> View:
        seen = super().view(state, seat)
        return View(seen.seat, (), seen.events, seen.hand, seen.wins)


class NeverRedeals(HighCard):
    def resample_hidden(self, state: State, seat: int | None, rng: Rng) -> State:
        return state


class HidesALeakFromComparison(HighCard):
    def view(self, state: State, seat: int | None) -> Any:
        seen = super().view(state, seat)
        return Sly(seen.seat, seen.legal, seen.events, seen.hand, seen.wins, state.hands)


@dataclass(frozen=True)
class Sly(View):
    all_hands: tuple[tuple[int, ...], ...] = field(compare=False)


class RedealsOnlyForSpectators(HighCard):
    def resample_hidden(self, state: State, seat: int | None, rng: Rng) -> State:
        return super().resample_hidden(state, seat, rng) if seat is None else state


class ForgetsTheSecondFault(HighCard):
    def view(self, state: State, seat: int | None) -> View:
        seen = super().view(state, seat)
        events = tuple(
            event for event in seen.events if event.by != 1 or not isinstance(event.move, type(self.absent()))
        )
        return View(seen.seat, seen.legal, events, seen.hand, seen.wins)

    def absent(self) -> Any:
        return self.read("absent")


class LetsAFaultBeChosen(HighCard):
    def check(self, state: State, seat: int, move: object) -> Message | None:
        return None if move == self.read("absent") else super().check(state, seat, move)


class IgnoresItsRng(HighCard):
    def chance(self, state: State, rng: Rng) -> Any:
        return super().chance(state, Rng("always the same"))


class ChecksCarelessly(HighCard):
    def check(self, state: State, seat: int, move: object) -> Message | None:
        _ = hash(move)
        return super().check(state, seat, move)


class ReadsCarelessly(HighCard):
    def read(self, text: str) -> Any:
        words = text.split()
        return Show(int(words[1])) if len(words) == 2 and words[0] == "show" else super().read(text)


class CountsInFloats(HighCard):
    def outcome(self, state: State) -> Outcome | None:
        outcome = super().outcome(state)
        points: Any = (0.5,) * state.players
        return None if outcome is None else Outcome(outcome.how, outcome.places, points)


class BreaksWhenOneIsAbsent(HighCard):
    def apply(self, state: State, moves: Mapping[int, Any]) -> State:
        absent = sum(not isinstance(move, Show | Deal) for move in moves.values())
        if 0 < absent < len(moves):
            raise KeyError("card")
        return super().apply(state, moves)


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (LeaksAHand, "it leaks"),
        (LeaksTheDeal, "it leaks"),
        (LosesACard, "pieces are not kept"),
        (ForgetsAFault, "it is forgotten"),
        (FaultIsALegalMove, "outside the menu"),
        (CannotTakeAFault, "apply does not take"),
        (ChangesItsState, "apply changed the state"),
        (RefusesItsMenu, "check refuses it"),
        (AcceptsAnything, "check accepts"),
        (WritesUnreadably, "cannot be read"),
        (ReadsTooMuch, "read takes"),
        (NeverEnds, "has not ended"),
        (HasNoPlaces, "gives every team a place"),
        (HidesItsMenu, "must show its menu"),
        (NeverRedeals, "changes nothing hidden"),
        (HidesALeakFromComparison, "it leaks"),
        (RedealsOnlyForSpectators, "changes nothing hidden"),
        (ForgetsTheSecondFault, "it is forgotten"),
        (LetsAFaultBeChosen, "what a fault becomes"),
        (IgnoresItsRng, "does not use its rng"),
        (ChecksCarelessly, "the rules raise TypeError"),
        (ReadsCarelessly, "only MoveSyntaxError is for that"),
        (CountsInFloats, "whole numbers"),
        (BreaksWhenOneIsAbsent, "the rules raise KeyError"),
    ],
)
def test_each_kind_of_broken_game_is_noticed(
    broken: type[HighCard], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contract, "MOST_TURNS", 1000)
    with pytest.raises(ContractBroken, match=reason):
        check_game(broken())


def test_the_report_says_which_game_which_options_and_where() -> None:
    with pytest.raises(ContractBroken) as caught:
        check_game(LosesACard())
    assert "highcard {'players': 2}" in str(caught.value)
    assert "last moves" in str(caught.value)


class OfTheLastRelease:
    """A game with the names of the last release."""

    def __init__(self) -> None:
        self.redeal = HighCard().resample_hidden

    def __getattr__(self, name: str) -> Any:
        if name == "resample_hidden":
            raise AttributeError(name)
        return getattr(HighCard(), name)


def test_a_game_may_still_call_it_redeal() -> None:
    game: Any = OfTheLastRelease()
    with pytest.warns(DeprecationWarning, match="highcard: redeal is now called resample_hidden"):
        check_game(game, games=6)
