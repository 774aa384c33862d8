"""What the record of a game says about people, and the end of a game that was played before a restart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from botequim.core.turn import PlayedMove, Step
from botequim.records.reader import parse
from botequim.records.record import Json
from botequim.records.replay import Replay
from botequim.tables.folder import TableFiles
from botequim.tables.spec import TableSpec
from botequim.tables.viewer import Moment
from botequim.terminal.advice import strongest


def seats_of_record(spec: TableSpec, seats: Sequence[Mapping[str, Any]]) -> list[Json]:
    """Return the seats as the record describes them, with notes about people."""
    noted = [dict(seat) for seat in seats]
    for at in spec.people:
        seat = spec.seats[at]
        noted[at] |= {"name": seat.name, "person": True}
        if spec.repeats:
            noted[at]["repeats_deal"] = True
        if seat.stand_in_moves:
            noted[at]["stand_in"] = {"player": strongest(spec.game), "moves": seat.stand_in_moves}
        if seat.advised_moves:
            noted[at]["advice"] = seat.advised_moves
    return noted


def seats_that_count(spec: TableSpec, seats: Sequence[Mapping[str, Any]]) -> tuple[int, ...]:
    """Return the people for whom a game with these seats counts in statistics."""
    return () if spec.repeats else tuple(at for at in spec.people if "stand_in" not in seats[at])


def last_game(spec: TableSpec, files: TableFiles) -> tuple[list[Step], Moment] | None:
    """Return the turns and the end of the last game of a match; None if its record is gone."""
    lines = files.record(spec.number)
    if lines is None:
        return None
    (raw,) = parse([line.encode("utf-8", "surrogatepass") for line in lines], str(files.folder))
    replay = Replay.load(raw)
    steps = list(replay.steps())
    counts_for = seats_that_count(spec, replay.seats)
    return steps, Moment(spec.number, steps[-1].after, replay.seats, steps[-1], replay.outcome, counts_for)


def without_remarks(step: Step, seat: int) -> Step:
    """Return a turn without what a seat said in it."""
    turn = [
        PlayedMove(one.by, one.move, one.micros, (), one.warnings, one.fault) if one.by == seat else one
        for one in step.turn
    ]
    return Step(step.number, step.before, turn, step.after)
