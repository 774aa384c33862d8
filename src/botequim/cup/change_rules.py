"""Which changes of a cup that has begun are possible, and what they do."""

from __future__ import annotations

from collections.abc import Collection
from typing import assert_never

from botequim.core.messages import Message, msg
from botequim.cup.changes import (
    Change,
    Departure,
    Disqualification,
    LateEntrant,
    NewFiles,
    Replay,
    Revocation,
)
from botequim.cup.config import Cup
from botequim.cup.stages import CupState


def description(cup: Cup, change: Change) -> Message:
    """Return what a change is, for people."""
    match change:
        case LateEntrant(entrant):
            return msg("{entrant} joins the cup", entrant=cup.title(entrant))
        case Disqualification(entrant, annulled):
            if annulled:
                return msg("{entrant} is disqualified; its results are annulled", entrant=cup.title(entrant))
            return msg("{entrant} is disqualified; its results are kept", entrant=cup.title(entrant))
        case Departure(entrant, annulled):
            if annulled:
                return msg("{entrant} withdraws; its results are annulled", entrant=cup.title(entrant))
            return msg("{entrant} withdraws; its results are kept", entrant=cup.title(entrant))
        case NewFiles(entrant, stage):
            title = cup.title(entrant)
            return msg(
                '{entrant} plays with new files from the stage "{stage}" on', entrant=title, stage=stage
            )
        case Replay(stage, key):
            series = cup.series_text(stage, key)
            return msg('{series} of the stage "{stage}" is played again', series=series, stage=stage)
        case Revocation(number):
            return msg("entry {number} is revoked", number=number)
        case _:
            assert_never(change)


def effect(cup: Cup, state: CupState, change: Change) -> list[Message]:
    """Return what a possible change will do: the series that are added or fall away, and who gets another
    place."""
    return []


def problem(cup: Cup, state: CupState, change: Change, *, playing: Collection[str] = ()) -> Message | None:
    """Return why a change is not possible now; else None.

    `playing` are the stages of which series are in progress, if the caller knows that.
    """
    return None
