"""Describes a game in words, turn by turn, while it is played or from a record.

A game may bring a `Narrator` of its own (`GamePlugin.narration`); without one, moves are shown as the game
writes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from botequim import registry
from botequim.core.errors import FaultKind
from botequim.core.game import CHANCE, AnyGame, Outcome, Remark, View
from botequim.core.messages import Message, msg
from botequim.core.sanitize import printable
from botequim.core.turn import PlayedMove, Step
from botequim.i18n import translate
from botequim.narration.wrapping import wrap_line
from botequim.records.replay import Replay

ART_INDENT = "  "
SAYS = msg("{who} says: {text}")
"""The sentence for what a bot says."""

FAULTS: Mapping[FaultKind, Message] = {
    FaultKind.TIMEOUT: msg("did not answer in time"),
    FaultKind.CRASH: msg("crashed"),
    FaultKind.MALFORMED: msg("answered something that is not a move"),
    FaultKind.ILLEGAL: msg("broke the rules"),
    FaultKind.LIMIT: msg("went over its limits"),
}


class Narrator:
    """Sentences for one game. This one works for any game; a game's own says more."""

    def __init__(self, game: AnyGame) -> None:
        self.game = game

    def move(self, step: Step, made: PlayedMove, who: str) -> Message | None:
        """Return a sentence about a move, or None if there is nothing to say.

        `who` is the seat's name, or empty.
        """
        if made.by == CHANCE:
            return msg("Chance: {move}", move=self.game.write(made.move))
        return msg("{who}: {move}", who=who, move=self.game.write(made.move))

    def hidden(self, step: Step, made: PlayedMove, who: str) -> Message | None:
        """Return the sentence for a reader who does not see the hand; `made` is what that reader saw."""
        return self.move(step, made, who)

    def after(self, step: Step, names: Sequence[str]) -> Message | None:
        """Return a sentence about the result of the whole turn, if the moves alone do not show it.

        It is only used for readers who saw all moves of the turn.
        """
        return None

    def board(self, state: Any) -> Sequence[str]:
        """Return the table as lines of text; may be empty."""
        return ()

    def ending(self, outcome: Outcome) -> Message:
        """Return a sentence about how the game ended, without names."""
        return msg("The game is over ({how}).", how=outcome.how)


def narrator_for(game: AnyGame) -> Narrator:
    """Return the narrator that a game brings, or the default one."""
    made: Callable[[AnyGame], Narrator] = registry.narration(game.name) or Narrator
    return made(game)


def narrate_turn(narrator: Narrator, step: Step, names: Sequence[str], view: View | None) -> list[Message]:
    """Return the sentences of a turn for the reader of the view; with None, for one who sees all hands."""
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
            sentence = narrator.move(step, made, who)
        else:
            sentence = narrator.hidden(step, PlayedMove(made.by, move), who)
            whole = whole and move == made.move
        if sentence is not None:
            sentences.append(sentence)
    summary = narrator.after(step, names) if whole else None
    return sentences if summary is None else [*sentences, summary]


def ending_sentences(
    narrator: Narrator, teams: Sequence[Sequence[int]], names: Sequence[str], outcome: Outcome
) -> list[Message]:
    """Return sentences about how a game ended and who won it."""
    winners = [team for team, place in zip(teams, outcome.places, strict=True) if place == 1]
    shown = [" + ".join(names[seat] for seat in team) for team in winners]
    if len(winners) == len(teams):
        won = msg("A draw.")
    elif len(winners) > 1:
        won = msg("Shared first place: {names}", names=", ".join(shown))
    else:
        won = msg("Winner: {name}", name=shown[0])
    return [narrator.ending(outcome), won]


class Transcript:
    """The lines that describe a game, in the reader's language."""

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
        """Show all hands, or with `to` only what that seat has seen.

        Lines longer than `width` are wrapped, except lines of art.
        """
        self._game = game
        self._to = to
        self._narrator = narrator_for(game)
        self._teams = teams
        self._seats = seats
        self._names = [
            f"{number} {printable(str(seat['name']))}" for number, seat in enumerate(seats, start=1)
        ]
        self._boards = boards
        self._width = width

    @classmethod
    def of(cls, replay: Replay, *, boards: bool = True, width: int | None = None) -> Transcript:
        """Return the transcript of a recorded game."""
        return cls(replay.game, replay.teams, replay.seats, boards=boards, width=width)

    def lines(self, replay: Replay) -> Iterator[str]:
        """Return the lines of a whole game, or of the part of it that is known."""
        yield from self.opening()
        for step in replay.steps():
            yield from self.turn(step)
        if replay.complete and replay.outcome is not None:
            yield from self.ending(replay.outcome)

    def opening(self) -> Iterator[str]:
        """Return the lines before the first turn: who plays."""
        for team in self._teams:
            called = {
                printable(str(self._seats[seat]["pair"])) for seat in team if "pair" in self._seats[seat]
            }
            names = " + ".join(self._names[seat] for seat in team)
            yield from self._wrap(f"  {names}" + "".join(f" “{name}”" for name in sorted(called)), 4)

    def turn(self, step: Step) -> Iterator[str]:
        number = f"{step.number:4}. "
        indent = " " * len(number)
        for line in self._sentences(step):
            if line.startswith(ART_INDENT):
                yield number + printable(line)
            else:
                yield from self._wrap(number + printable(line), len(indent))
            number = indent
        if self._boards:
            for line in self._narrator.board(step.after):
                yield from self._wrap(indent + line, len(indent))

    def _wrap(self, line: str, indent: int) -> Iterable[str]:
        return [line] if self._width is None else wrap_line(line, self._width, indent)

    def _sentences(self, step: Step) -> Iterator[str]:
        if self._to is None:
            for made in step.turn:
                yield from filter(None, self._move_lines(step, made))
            summary = self._narrator.after(step, self._names)
            if summary is not None:
                yield translate(summary)
            return
        for made in step.turn:
            for remark in made.remarks:
                if remark.kind != "say":
                    yield from _remark(self._names[made.by], remark)
        for sentence in narrate_turn(
            self._narrator, step, self._names, self._game.view(step.after, self._to)
        ):
            yield translate(sentence)

    def ending(self, outcome: Outcome) -> Iterator[str]:
        """Return the lines after the last turn: how the game ended, and who won it."""
        for sentence in ending_sentences(self._narrator, self._teams, self._names, outcome):
            yield from self._wrap(translate(sentence), 0)
        if outcome.points:
            shown = ", ".join(
                f"{name}: {points}" for name, points in zip(self._names, outcome.points, strict=True)
            )
            yield from self._wrap(translate(msg("Points: {points}", points=shown)), 0)

    def _move_lines(self, step: Step, made: PlayedMove) -> Iterator[str]:
        who = "" if made.by == CHANCE else self._names[made.by]
        for remark in made.remarks:
            yield from _remark(who, remark)
        for warning in made.warnings:
            yield translate(msg("{who}: warning: {text}", who=who, text=warning))
        if made.fault is not None:
            what = FAULTS[made.fault.kind]
            yield translate(msg("{who} {what}: {why}", who=who, what=what, why=made.fault.reason))
        sentence = self._narrator.move(step, made, who)
        if sentence is not None:
            yield translate(sentence)


def _remark(who: str, remark: Remark) -> Iterator[str]:
    if remark.kind == "say":
        yield translate(msg("{who} says: {text}", who=who, text=remark.value))
    else:
        yield translate(msg("{who} shows {kind}:", who=who, kind=remark.kind))
        for line in remark.value:
            yield ART_INDENT + line
