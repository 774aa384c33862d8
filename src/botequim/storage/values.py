"""The plain values that go into stores and come out of them."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from botequim.core.errors import Fault
from botequim.core.results import SeriesResult
from botequim.records.record import fault_from
from botequim.storage.errors import Damage

# --- results -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StoredFault:
    """A fault in a finished series: a row of the store."""

    stage: str
    key: str
    """The key of the series."""
    game: int
    """The number of the game in its series, from 0."""
    turn: int
    """The number of the turn in its game, from 1."""
    seat: int
    entrant: str
    kind: str
    fault: str
    """JSON: the fault as the record has it, and its log, which is never published."""

    def value(self) -> Fault:
        """Return the fault, with all evidence and the text of the refused move."""
        value = json.loads(self.fault)
        fault = fault_from(value)
        return replace(fault, move=value["refused"]) if "refused" in value else fault


LOG: Final = "stderr"


def fault_without_log(fault: str) -> str:
    """Return the JSON of a stored fault without the log of the bot; its SHA-256 stays."""
    value = json.loads(fault)
    evidence = value.get("evidence")
    if not isinstance(evidence, dict) or LOG not in evidence:
        return fault
    value["evidence"] = {key: part for key, part in evidence.items() if key != LOG}
    return json.dumps(value)


@dataclass(frozen=True, slots=True)
class StoredGame:
    """The record of a game, compressed by the process that played it."""

    digest: str
    """The last digest of the record's chain; it identifies the whole game."""
    record: bytes

    @classmethod
    def from_lines(cls, lines: Sequence[str]) -> StoredGame:
        """Compress the lines of a record. They are published: pass them without logs."""
        digest = json.loads(lines[-1])["digest"]
        return cls(digest, zlib.compress("\n".join(lines).encode("utf-8"), 6))


@dataclass(frozen=True, slots=True)
class Repair:
    """What a repair of the results found and did."""

    damage: Damage
    """Without damage, nothing was done."""
    copy: str | None = None
    """Where the copy of the damaged results is."""
    kept: int = 0
    """How many series are in the repaired store."""


@dataclass(frozen=True, slots=True)
class FinishedSeries:
    """A series as a worker returns it."""

    stage: str
    result: SeriesResult
    games: tuple[StoredGame, ...]
    faults: tuple[StoredFault, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class StoredSeries:
    """A finished series as it is in the store."""

    number: int
    """From 1, in the order in which series were finished. It never changes."""
    stage: str
    result: SeriesResult
    seconds: float = 0.0


def results_by_stage(series: Iterable[StoredSeries]) -> dict[str, dict[str, SeriesResult]]:
    """Return the results by stage and key, in the given order."""
    found: dict[str, dict[str, SeriesResult]] = {}
    for one in series:
        found.setdefault(one.stage, {})[one.result.key] = one.result
    return found


# --- visibility --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StagedGame:
    """The game that is revealed turn by turn: the one after the first `shown` games."""

    shown: int
    began: float
    """When its first turn becomes visible, in seconds since 1970."""
    pace: float
    """Seconds from turn to turn."""


# --- requests ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StoredRequest:
    """A request of an organiser to the coordinator; what its texts mean is for
    `botequim.cup.change_requests`."""

    number: int
    """From 1, in the order in which they came."""
    content: str
    state: str
    answer: str
    """"" while the request waits."""


# --- live games --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LiveRun:
    """The run of a cup that is published, or was published last. Times are seconds since 1970."""

    began: float
    seen: float
    """When the coordinator last wrote."""
    ended: float | None


@dataclass(frozen=True)
class LiveGame:
    """A game that is being played, or that has just ended."""

    id: int
    """No two games have the same one. A game that is played again has another."""
    stage: str
    key: str
    """The key of its series."""
    number: int
    """Its number in the series, from 0."""
    header_text: str
    """The header as JSON text."""
    began: float
    """Seconds since 1970."""
    ended: float | None
    turns: int
    """How many turns are known so far."""

    @cached_property
    def header(self) -> dict[str, Any]:
        """The first line of its record, without the seed: game, options, seats with names."""
        content: dict[str, Any] = json.loads(self.header_text)
        return content


@dataclass(frozen=True, slots=True)
class LiveTurn:
    """A turn of a live game."""

    number: int
    """From 1."""
    line: str
    """The line as in a record, without logs and digest; pure ASCII."""
    made: float
    """When it was made, in seconds since 1970."""


@dataclass(frozen=True, slots=True)
class LiveSeries:
    """A series that is played now or soon."""

    stage: str
    key: str
    entrants: tuple[str, ...]
    label: str
    """JSON of a message."""
    games: int
    """The maximum number of games."""


@dataclass(frozen=True, slots=True)
class LiveStage:
    """How many series of a stage are finished."""

    name: str
    finished: int
    known: int
    """Finished series, and those that can be played now. More may follow from their results."""


# --- votes -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StoredContest:
    """A contest; what its texts mean is for `botequim.votes.contest`."""

    id: int
    title: str
    voters: str
    choice: str
    phase: str
    entrants: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CodeBatch:
    """Codes that were created together."""

    number: int
    """From 1."""
    codes: int
    used: int
