"""Tells a game in words, turn by turn: live from the referee, or from a record played again.

A game may bring a `Teller` of its own through the entry point group `botequim.tellers`; without one,
moves are told as they are written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from botequim import registry
from botequim.core.errors import FaultKind
from botequim.core.game import CHANCE, AnyGame, Outcome, Remark, View
from botequim.core.messages import Message, harmless, msg
from botequim.core.turn import Made
from botequim.i18n import say
from botequim.referee import Step
from botequim.show.wrapping import wrapped

ART_INDENT = "  "
SAYS = msg("{who} says: {text}")
"""How it is told that a bot said something."""

FAULTS: Mapping[FaultKind, Message] = {
    FaultKind.TIMEOUT: msg("did not answer in time"),
    FaultKind.CRASH: msg("crashed"),
    FaultKind.MALFORMED: msg("answered something that is no move"),
    FaultKind.ILLEGAL: msg("broke the rules"),
    FaultKind.LIMIT: msg("went over its limits"),
}


class Teller:
    """Words for one game. This one does for any; a game's own says more."""

    def __init__(self, game: AnyGame) -> None:
        self.game = game

    def move(self, step: Step, made: Made, who: str) -> Message | None:
        """One move in a sentence; None: nothing worth telling. `who` is the seat's name, or empty."""
        if made.by == CHANCE:
            return msg("Chance: {move}", move=self.game.write(made.move))
        return msg("{who}: {move}", who=who, move=self.game.write(made.move))

    def hidden(self, step: Step, made: Made, who: str) -> Message | None:
        """The same for somebody who does not see the mover's hand; the move is as that one saw it."""
        return self.move(step, made, who)

    def after(self, step: Step, names: Sequence[str]) -> Message | None:
        """What the turn as a whole led to, when the moves alone do not say it.

        Asked only for those who saw all of its moves.
        """
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


def told(teller: Teller, step: Step, names: Sequence[str], view: View | None) -> list[Message]:
    """A turn in sentences, as it is told to whom the view belongs; None: to somebody who sees all hands."""
    sentences: list[Message] = []
    whole = True
    seen = [made.move for made in step.turn]
    if view is not None:
        seen = [event.move for event in view.events[-len(step.turn) :]]
    for made, move in zip(step.turn, seen, strict=True):
        who = "" if made.by == CHANCE else names[made.by]
        for remark in made.remarks:
            if remark.kind == "say":
                sentences.append(Message(SAYS.template, {"who": who, "text": remark.value}))
        if made.fault is not None:
            what = FAULTS[made.fault.kind]
            sentences.append(msg("{who} {what}: {why}", who=who, what=what, why=made.fault.reason))
        if view is None or view.seat == made.by:
            sentence = teller.move(step, made, who)
        else:
            sentence = teller.hidden(step, Made(made.by, move), who)
            whole = whole and move == made.move
        if sentence is not None:
            sentences.append(sentence)
    summary = teller.after(step, names) if whole else None
    return sentences if summary is None else [*sentences, summary]


def last_words(
    teller: Teller, teams: Sequence[Sequence[int]], names: Sequence[str], outcome: Outcome
) -> list[Message]:
    """How a game ended and who won it, in sentences."""
    winners = [team for team, place in zip(teams, outcome.places, strict=True) if place == 1]
    shown = [" + ".join(names[seat] for seat in team) for team in winners]
    if len(winners) == len(teams):
        won = msg("A draw.")
    elif len(winners) > 1:
        won = msg("Shared first place: {names}", names=", ".join(shown))
    else:
        won = msg("Winner: {name}", name=shown[0])
    return [teller.ending(outcome), won]


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
        width: int | None = None,
    ) -> None:
        """Told to everybody who may see all hands; or `to` a seat, which learns no more than it saw. Lines
        longer than `width` go on below; art does not, since it would be none."""
        self._game = game
        self._to = to
        self._teller = teller_of(game)
        self._teams = teams
        self._seats = seats
        self._names = [
            f"{number} {harmless(str(seat['name']))}" for number, seat in enumerate(seats, start=1)
        ]
        self._boards = boards
        self._width = width

    def opening(self) -> Iterator[str]:
        for team in self._teams:
            called = {
                harmless(str(self._seats[seat]["pair"])) for seat in team if "pair" in self._seats[seat]
            }
            names = " + ".join(self._names[seat] for seat in team)
            yield from self._wrapped(f"  {names}" + "".join(f" “{name}”" for name in sorted(called)), 4)

    def turn(self, step: Step) -> Iterator[str]:
        """The lines of one turn."""
        number = f"{step.number:4}. "
        indent = " " * len(number)
        for line in self._told(step):
            if line.startswith(ART_INDENT):
                yield number + harmless(line)
            else:
                yield from self._wrapped(number + harmless(line), len(indent))
            number = indent
        if self._boards:
            for line in self._teller.board(step.after):
                yield from self._wrapped(indent + line, len(indent))

    def _wrapped(self, line: str, indent: int) -> Iterable[str]:
        return [line] if self._width is None else wrapped(line, self._width, indent)

    def _told(self, step: Step) -> Iterator[str]:
        if self._to is None:
            for made in step.turn:
                yield from filter(None, self._made(step, made))
            summary = self._teller.after(step, self._names)
            if summary is not None:
                yield say(summary)
            return
        for made in step.turn:
            for remark in made.remarks:
                if remark.kind != "say":
                    yield from _remark(self._names[made.by], remark)
        for sentence in told(self._teller, step, self._names, self._game.view(step.after, self._to)):
            yield say(sentence)

    def ending(self, outcome: Outcome) -> Iterator[str]:
        for sentence in last_words(self._teller, self._teams, self._names, outcome):
            yield from self._wrapped(say(sentence), 0)
        if outcome.points:
            shown = ", ".join(
                f"{name}: {points}" for name, points in zip(self._names, outcome.points, strict=True)
            )
            yield from self._wrapped(say(msg("Points: {points}", points=shown)), 0)

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


def _remark(who: str, remark: Remark) -> Iterator[str]:
    if remark.kind == "say":
        yield say(msg("{who} says: {text}", who=who, text=remark.value))
    else:
        yield say(msg("{who} shows {kind}:", who=who, kind=remark.kind))
        for line in remark.value:
            yield ART_INDENT + line
