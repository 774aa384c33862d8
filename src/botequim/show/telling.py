"""Tells a game in words, turn by turn: live from the referee, or from a record played again.

A game may bring a `Teller` of its own through the entry point group `botequim.tellers`; without one,
moves are told as they are written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from botequim import registry
from botequim.core.errors import FaultKind
from botequim.core.game import CHANCE, AnyGame, Outcome, Remark
from botequim.core.messages import Message, harmless, msg
from botequim.core.turn import Made
from botequim.i18n import say
from botequim.referee import Step

FAULTS: Mapping[FaultKind, Message] = {
    FaultKind.TIMEOUT: msg("did not answer in time"),
    FaultKind.CRASH: msg("crashed"),
    FaultKind.MALFORMED: msg("answered something that is no move"),
    FaultKind.ILLEGAL: msg("broke the rules"),
    FaultKind.LIMIT: msg("went over its limits"),
}


class Teller:
    """Words for one game. This one does for any; a game's own says more."""

    open_hands = True
    """Whether its reader may know all hands; else `move` and `after` tell what everybody sees."""

    def __init__(self, game: AnyGame) -> None:
        self.game = game

    def move(self, step: Step, made: Made, who: str) -> Message | None:
        """One move in a sentence; None: nothing worth telling. `who` is the seat's name, or empty."""
        if made.by == CHANCE:
            return msg("Chance: {move}", move=self.game.write(made.move))
        return msg("{who}: {move}", who=who, move=self.game.write(made.move))

    def after(self, step: Step, names: Sequence[str]) -> Message | None:
        """What the turn as a whole led to, when the moves alone do not say it."""
        return None

    def board(self, state: Any) -> Sequence[str]:
        """A drawing of what lies on the table, line by line; may be empty."""
        return ()

    def ending(self, outcome: Outcome) -> Message:
        """How the game ended, in a sentence without names."""
        return msg("The game is over ({how}).", how=outcome.how)


def teller_of(game: AnyGame) -> Teller:
    """The teller registered for a game, or the plain one."""
    made: Callable[[AnyGame], Teller] = registry.teller(game.name) or Teller
    return made(game)


class Story:
    """A game told line by line, in the reader's language."""

    def __init__(
        self,
        game: AnyGame,
        teams: Sequence[Sequence[int]],
        seats: Sequence[Mapping[str, Any]],
        *,
        boards: bool = True,
        to: int | None = None,
    ) -> None:
        """Told to everybody who may see all hands; or `to` a seat, which learns no more than it saw."""
        self._game = game
        self._to = to
        self._teller = teller_of(game)
        self._teller.open_hands = to is None
        self._teams = teams
        self._seats = seats
        self._names = [
            f"{number} {harmless(str(seat['name']))}" for number, seat in enumerate(seats, start=1)
        ]
        self._boards = boards

    def opening(self) -> Iterator[str]:
        for team in self._teams:
            called = {
                harmless(str(self._seats[seat]["pair"])) for seat in team if "pair" in self._seats[seat]
            }
            names = " + ".join(self._names[seat] for seat in team)
            yield f"  {names}" + "".join(f" “{name}”" for name in sorted(called))

    def turn(self, step: Step) -> Iterator[str]:
        """The lines of one turn."""
        if self._to is not None:
            step = _as_seen(self._game, step, self._to)
        number = f"{step.number:4}. "
        indent = " " * len(number)
        for made in step.turn:
            told = [line for line in self._made(step, made) if line]
            for line in told:
                yield number + harmless(line)
                number = indent
        summary = self._teller.after(step, self._names)
        if summary is not None:
            yield number + say(summary)
        if self._boards:
            for line in self._teller.board(step.after):
                yield indent + line

    def ending(self, outcome: Outcome) -> Iterator[str]:
        yield say(self._teller.ending(outcome))
        winners = [team for team, place in zip(self._teams, outcome.places, strict=True) if place == 1]
        names = [" + ".join(self._names[seat] for seat in team) for team in winners]
        if len(winners) == len(self._teams):
            yield say(msg("A draw."))
        elif len(winners) > 1:
            yield say(msg("Shared first place: {names}", names=", ".join(names)))
        else:
            yield say(msg("Winner: {name}", name=names[0]))
        if outcome.points:
            shown = ", ".join(
                f"{name}: {points}" for name, points in zip(self._names, outcome.points, strict=True)
            )
            yield say(msg("Points: {points}", points=shown))

    def _made(self, step: Step, made: Made) -> Iterator[str]:
        who = "" if made.by == CHANCE else self._names[made.by]
        for remark in made.remarks:
            yield from _remark(who, remark)
        for warning in made.warnings:
            yield say(msg("{who}: warning: {text}", who=who, text=warning))
        if made.fault is not None:
            what = FAULTS[made.fault.kind]
            yield say(msg("{who} {what}: {why}", who=who, what=what, why=made.fault.reason))
        sentence = self._teller.move(step, made, who)
        if sentence is not None:
            yield say(sentence)


def _as_seen(game: AnyGame, step: Step, seat: int) -> Step:
    """A turn of chance with the move as a seat saw it: without others' tiles and cards."""
    made = step.turn[0]
    if made.by != CHANCE:
        return step
    return Step(
        step.number, step.before, (Made(CHANCE, game.view(step.after, seat).events[-1].move),), step.after
    )


def _remark(who: str, remark: Remark) -> Iterator[str]:
    if remark.kind == "say":
        yield say(msg("{who} says: {text}", who=who, text=remark.value))
    else:
        yield say(msg("{who} shows {kind}:", who=who, kind=remark.kind))
        for line in remark.value:
            yield f"  {line}"
