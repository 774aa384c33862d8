"""A recorded game, position by position. Everything that shows a game uses a `Replay`.

The record may be complete, or still growing while the game is played. Only the moves are stored; positions
are computed from them when they are needed, so a long game needs little memory.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from botequim import registry
from botequim.core.errors import InputError, MoveSyntaxError, RecordError
from botequim.core.game import AnyGame, Outcome, View
from botequim.core.messages import msg
from botequim.core.options import Options, resolve_options
from botequim.core.turn import PlayedMove, Step
from botequim.records.reader import RawRecord
from botequim.records.record import Json, Record, move_from
from botequim.records.verify import Mismatch, blame_rules, referee_again, resolve_header


class Replay:
    """One game. Turns are numbered from 1; the position 0 is the one before the first turn."""

    def __init__(
        self,
        game: AnyGame,
        options: Options,
        seats: Sequence[Mapping[str, Any]],
        turns: Sequence[Sequence[PlayedMove]] = (),
        *,
        complete: bool = False,
        path: str = "",
    ) -> None:
        self.game: Final = game
        self.options: Final = options
        self.teams: Final = game.teams(options)
        self.seats = seats
        self.turns: Final = list(turns)
        self.complete: Final = complete
        """Whether all turns of the game are here."""
        self.path: Final = path
        """The file that it was read from, for error messages."""
        self._start: Final = game.start(options)
        self._last: Step | None = None
        """The step that was computed last, from which the next one is computed."""

    @classmethod
    def of(cls, record: Record, path: str = "") -> Replay:
        """Return the replay of a finished game."""
        return cls(record.game, record.options, record.seats, record.turns, complete=True, path=path)

    @classmethod
    def load(cls, raw: RawRecord) -> Replay:
        """Referee a record again and return its replay; raise `RecordError` if it is not valid."""
        replay, error = cls.load_valid_part(raw)
        if error is not None:
            raise error
        return replay

    @classmethod
    def load_valid_part(cls, raw: RawRecord) -> tuple[Replay, RecordError | None]:
        """Return the replay of a record up to its first invalid turn, and the error in that turn."""
        turns: list[Sequence[PlayedMove]] = []
        error = None
        try:
            with blame_rules(raw):
                game, options, seats = resolve_header(raw)
                try:
                    referee_again(raw, turns)
                except Mismatch as mismatch:
                    error = _record_error(raw, mismatch)
        except Mismatch as mismatch:
            raise _record_error(raw, mismatch) from mismatch
        return cls(game, options, seats, turns, complete=error is None, path=raw.path), error

    @classmethod
    def follow(cls, header: Mapping[str, Any]) -> Replay:
        """Return the replay of a game that is being played; `append` adds its turns.

        `header` is the first line of its record. The moves are not checked again, because they come from a
        referee.
        """
        game = registry.game(str(header["game"]))
        options = resolve_options(game.name, game.options, header.get("options", {}))
        return cls(game, options, list(header["seats"]))

    def append(self, line: str | Json) -> Step:
        """Add the next turn, a line of a record, and return its step."""
        content: Json = json.loads(line) if isinstance(line, str) else line
        number = len(self.turns) + 1
        if content.get("turn") != number:
            turn_text = str(content.get("turn"))
            raise InputError(msg("turn {number} expected, found {found}", number=number, found=turn_text))
        try:
            turn = tuple(move_from(self.game, entry) for entry in content["moves"])
        except MoveSyntaxError as error:
            raise InputError(error.message) from error
        step = self._next(self.step(number - 1) if number > 1 else None, turn)
        self.turns.append(turn)
        self._last = step
        return step

    def __len__(self) -> int:
        """Return the number of turns so far."""
        return len(self.turns)

    def step(self, number: int) -> Step:
        """Return a turn with the states before and after it."""
        last = self._last
        if last is None or last.number > number:
            last = None
        while last is None or last.number < number:
            last = self._next(last, self.turns[0 if last is None else last.number])
        self._last = last
        return last

    def steps(self) -> Iterator[Step]:
        return map(self.step, range(1, len(self.turns) + 1))

    def state(self, number: int) -> Any:
        """Return the state of the game after a turn."""
        return self.step(number).after if number else self._start

    def view(self, number: int, seat: int | None) -> View:
        """Return what a seat, or with None a spectator, has seen after a turn."""
        view: View = self.game.view(self.state(number), seat)
        return view

    @property
    def outcome(self) -> Outcome | None:
        """The outcome, or None while the game is not over."""
        return self.game.outcome(self.state(len(self.turns)))

    def _next(self, last: Step | None, turn: Sequence[PlayedMove]) -> Step:
        number, before = (1, self._start) if last is None else (last.number + 1, last.after)
        after = self.game.apply(before, {move.by: move.move for move in turn})
        return Step(number, before, turn, after)


def _record_error(raw: RawRecord, mismatch: Mismatch) -> RecordError:
    return RecordError(mismatch.sentence(), path=raw.path)
