"""What is told of one entrant: where it played, how long it thought, what went wrong."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

from fastapi import Request

from botequim.cup.curtain import PublicSeries
from botequim.web import making
from botequim.web.house import Hosted
from botequim.web.public import FaultSeen, Public
from botequim.web.replays import workshops_of
from botequim.web.workshop import Busy, NotMade

MOST_TIMED: Final = 1000
"""Games that are gone through for an entrant's times: its last ones."""


@dataclass(frozen=True, slots=True)
class Thought:
    """How long an entrant thought, in its last games."""

    games: int
    questions: int
    micros: int
    slowest: int
    where: tuple[int, int, int] | None
    """Series, game (from 1) and turn of the slowest."""

    @property
    def mean(self) -> float:
        """Microseconds."""
        return self.micros / self.questions if self.questions else 0.0


def series_of(public: Public, name: str) -> list[PublicSeries]:
    """Those that an entrant played in, the newest first."""
    return [one for one in reversed(public.series) if name in one.result.entrants]


def faults_of(public: Public, name: str) -> list[FaultSeen]:
    """Its faults, the newest first."""
    return [one for one in reversed(public.all_faults) if one.entrant == name]


async def thought(request: Request, hosted: Hosted, name: str) -> Thought | None:
    """How long it thought; None while that cannot be told."""
    games: list[tuple[int, int]] = []
    for one in series_of(hosted.public, name):
        games += [(one.number, number) for number in range(len(one.result.games), 0, -1)]
        if len(games) >= MOST_TIMED:
            break
    counted = tuple(games[:MOST_TIMED])
    if not counted:
        return None
    try:
        told = await workshops_of(request).quick.make(
            ("times", hosted.slug, name, counted), making.times, str(hosted.home.store), name, counted
        )
    except (Busy, NotMade):
        return None
    questions, micros, slowest, where = json.loads(told)
    return Thought(len(counted), questions, micros, slowest, tuple(where) if where else None)


async def evidence(hosted: Hosted, faults: list[FaultSeen]) -> list[tuple[FaultSeen, dict[str, Any]]]:
    """Each with what the record has of it: `kind`, `why`, `refused`, `evidence`. Never a bot's log."""
    return list(zip(faults, await hosted.evidence(faults), strict=True))
