"""Describes a game in words, turn by turn, while it is played or from a record.

A game may have a `Narrator` of its own (`GamePlugin.narration`); without one, moves are shown in the notation
of the game.
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
    """Makes the sentences for a game. This class works for any game; a game may have a subclass."""

    def __init__(self, game: AnyGame) -> None:
        self.game = game

    def move(self, step: Step, played_move: PlayedMove, who: str) -> Message | None:
        """Return a sentence about a move, or None if there is nothing to say.

        `who` is the seat's name, or empty.
        """
        if played_move.by == CHANCE:
            return msg("Chance: {move}", move=self.game.write(played_move.move))
        return msg("{who}: {move}", who=who, move=self.game.write(played_move.move))

    def hidden(self, step: Step, played_move: PlayedMove, who: str) -> Message | None:
        """Return the sentence for a reader who does not see the hand; `played_move` is what that reader
        saw."""
        return self.move(step, played_move, who)

    def after(self, step: Step, names: Sequence[str]) -> Message | None:
        """Return a sentence about the result of the whole turn, if the sentences of the moves do not tell it.

        It is only used for readers who saw all moves of the turn.
        """
        return None

    def board(self, state: Any) -> Sequence[str]:
        """Return the table as lines of text; may be empty."""
        return ()

    def ending(self, outcome: Outcome) -> Message:
        """Return a sentence about how the game ended, without names."""
        return msg("The game is over ({how}).", how=outcome.how)

    def points(self, points: str) -> Message:
        """Return a line with the points of an outcome, which are given as `1 Ana: 3, 2 Rui: 5`."""
        return msg("Points: {points}", points=points)


def narrator_for(game: AnyGame) -> Narrator:
    """Return the narrator of a game, or the default one."""
    narrator: Callable[[AnyGame], Narrator] = registry.narration(game.name) or Narrator
    return narrator(game)


def narrate_turn(narrator: Narrator, step: Step, names: Sequence[str], view: View | None) -> list[Message]:
    """Return the sentences of a turn for a reader with this view; None is a reader who sees all hands."""
    sentences: list[Message] = []
    whole = bool(step.turn)
    moves = [played_move.move for played_move in step.turn]
    if view is not None:
        moves = [event.move for event in view.events[-len(step.turn) :]]
    for played_move, move in zip(step.turn, moves, strict=True):
        who = "" if played_move.by == CHANCE else names[played_move.by]
        for remark in played_move.remarks:
            if remark.kind == "say":
                sentences.append(Message(SAYS.template, {"who": who, "text": remark.value}))
        if played_move.fault is not None:
            what = FAULTS[played_move.fault.kind]
            sentences.append(msg("{who} {what}: {why}", who=who, what=what, why=played_move.fault.reason))
        if view is None or view.seat == played_move.by:
            sentence = narrator.move(step, played_move, who)
        else:
            sentence = narrator.hidden(step, PlayedMove(played_move.by, move), who)
            whole = whole and move == played_move.move
        if sentence is not None:
            sentences.append(sentence)
    summary = narrator.after(step, names) if whole else None
    return sentences if summary is None else [*sentences, summary]


def ending_sentences(
    narrator: Narrator, teams: Sequence[Sequence[int]], names: Sequence[str], outcome: Outcome
) -> list[Message]:
    """Return sentences about how a game ended and who won it."""
    winners = [team for team, place in zip(teams, outcome.places, strict=True) if place == 1]
    team_names = [" + ".join(names[seat] for seat in team) for team in winners]
    if len(winners) == len(teams):
        result = msg("A draw.")
    elif len(winners) > 1:
        result = msg("Shared first place: {names}", names=", ".join(team_names))
    else:
        result = msg("Winner: {name}", name=team_names[0])
    return [narrator.ending(outcome), result]


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
        """Return the lines of a game, which may be incomplete."""
        yield from self.opening()
        for step in replay.steps():
            yield from self.turn(step)
        if replay.complete and replay.outcome is not None:
            yield from self.ending(replay.outcome)

    def opening(self) -> Iterator[str]:
        """Return the lines before the first turn, with the players."""
        for team in self._teams:
            pair_names = {
                printable(str(self._seats[seat]["pair"])) for seat in team if "pair" in self._seats[seat]
            }
            names = " + ".join(self._names[seat] for seat in team)
            yield from self._wrap(f"  {names}" + "".join(f" “{name}”" for name in sorted(pair_names)), 4)
        for name, seat in zip(self._names, self._seats, strict=True):
            if isinstance(count := seat.get("taken_back"), int):
                sentence = msg(
                    "Moves that {who} took back: {count}. This game says nothing about strength.",
                    who=name,
                    count=count,
                )
                yield from self._wrap(f"  {translate(sentence)}", 4)

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
            for played_move in step.turn:
                yield from filter(None, self._move_lines(step, played_move))
            summary = self._narrator.after(step, self._names)
            if summary is not None:
                yield translate(summary)
            return
        for played_move in step.turn:
            for remark in played_move.remarks:
                if remark.kind != "say":
                    yield from _remark(self._names[played_move.by], remark)
        for sentence in narrate_turn(
            self._narrator, step, self._names, self._game.view(step.after, self._to)
        ):
            yield translate(sentence)

    def ending(self, outcome: Outcome) -> Iterator[str]:
        """Return the lines after the last turn: how the game ended, and who won."""
        for sentence in ending_sentences(self._narrator, self._teams, self._names, outcome):
            yield from self._wrap(translate(sentence), 0)
        if outcome.points:
            points_text = ", ".join(
                f"{name}: {points}" for name, points in zip(self._names, outcome.points, strict=True)
            )
            yield from self._wrap(translate(self._narrator.points(points_text)), 0)

    def _move_lines(self, step: Step, played_move: PlayedMove) -> Iterator[str]:
        who = "" if played_move.by == CHANCE else self._names[played_move.by]
        for remark in played_move.remarks:
            yield from _remark(who, remark)
        for warning in played_move.warnings:
            yield translate(msg("{who}: warning: {text}", who=who, text=warning))
        if played_move.fault is not None:
            what = FAULTS[played_move.fault.kind]
            yield translate(msg("{who} {what}: {why}", who=who, what=what, why=played_move.fault.reason))
        sentence = self._narrator.move(step, played_move, who)
        if sentence is not None:
            yield translate(sentence)


def _remark(who: str, remark: Remark) -> Iterator[str]:
    if remark.kind == "say":
        yield translate(msg("{who} says: {text}", who=who, text=remark.value))
    else:
        yield translate(msg("{who} shows {kind}:", who=who, kind=remark.kind))
        for line in remark.value:
            yield ART_INDENT + line
