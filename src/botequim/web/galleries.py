"""Galleries as they are served: made in a process of its own, when somebody looks, and kept.

Reading records and drawing GIFs takes a while, and a match may be played on the same machine: one process
does it, with a low priority, one thing after the other. What waits is bounded, and so is what is kept.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final, ParamSpec, TypeVar

from botequim.contests.gallery import exhibits_of, film
from botequim.core.errors import BotequimError
from botequim.core.messages import msg
from botequim.cup.file import Cup
from botequim.cup.report.blocks import tame
from botequim.cup.report.content import image_problem
from botequim.web.house import Hosted
from botequim.workers import Pool

P = ParamSpec("P")
T = TypeVar("T")

MOST_WAITING: Final = 40
FRESH_SECONDS: Final = 3.0
"""So long a gallery is not looked through again."""
MOST_KEPT: Final = 64_000_000
"""Bytes of GIFs."""


class Busy(Exception):
    """Too many wait already."""


@dataclass(frozen=True, slots=True)
class Hung:
    """One entrant's place in a gallery, without the art itself."""

    number: int
    """In the cup's file, from 1: a part of addresses."""
    name: str
    authors: tuple[str, ...]
    portrait: bool
    art: str
    """The digest of its art; nothing if there is none."""
    frames: int
    sayings: tuple[str, ...]

    @classmethod
    def blank(cls, name: str) -> Hung:
        """Of one that is not in the cup's file any more."""
        return cls(0, name, (), False, "", 0, ())


class Workshop:
    """The process that makes things. It is started when there is something to make."""

    def __init__(self) -> None:
        self._pool: Pool | None = None
        self._waiting = 0

    async def make(self, work: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
        if self._waiting >= MOST_WAITING:
            raise Busy
        self._waiting += 1
        try:
            if self._pool is None:
                self._pool = Pool(1, _humbly)
            return await asyncio.wrap_future(self._pool.submit(work, *given, **named))
        except BrokenProcessPool as error:
            self._pool = None
            raise BotequimError(msg("a worker process ended unexpectedly; ask again")) from error
        finally:
            self._waiting -= 1

    def close(self) -> None:
        if self._pool is not None:
            self._pool.__exit__()
            self._pool = None


def _humbly() -> Callable[[], None]:
    os.nice(15)
    return lambda: None


class Galleries:
    """Of all cups of a house."""

    def __init__(self, workshop: Workshop) -> None:
        self.workshop: Final = workshop
        self._hung: dict[str, tuple[float, tuple[Hung, ...]]] = {}
        self._looking: dict[str, asyncio.Lock] = {}
        self._films: OrderedDict[tuple[str, bool], bytes] = OrderedDict()
        self._making: dict[tuple[str, bool], asyncio.Lock] = {}

    async def of(self, hosted: Hosted) -> tuple[Hung, ...]:
        """What everybody may see just now, or could a few seconds ago."""
        async with self._looking.setdefault(hosted.slug, asyncio.Lock()):
            at, hung = self._hung.get(hosted.slug, (-FRESH_SECONDS, ()))
            if time.monotonic() - at >= FRESH_SECONDS:
                names = [entry.name for entry in hosted.cup.entrants if not entry.null]
                found = await self.workshop.make(_looked_through, hosted.cup.path, names)
                hung = tuple(_hang(hosted.cup, found))
                self._hung[hosted.slug] = (time.monotonic(), hung)
            return hung

    async def film(self, hosted: Hosted, number: int, *, still: bool) -> tuple[str, bytes] | None:
        """The digest of an entrant's art, and its GIF; None if it showed none."""
        place = next((one for one in await self.of(hosted) if one.number == number), None)
        if place is None or not place.art:
            return None
        key = (f"{hosted.slug}/{number}/{place.art}", still)
        async with self._making.setdefault(key, asyncio.Lock()):
            if key not in self._films:
                made = await self.workshop.make(
                    _filmed, hosted.cup.path, place.name, frames=place.frames, still=still
                )
                if not made:
                    return None
                self._keep(key, made)
            self._films.move_to_end(key)
            film = self._films[key]
        self._making.pop(key, None)
        return place.art, film

    def _keep(self, key: tuple[str, bool], made: bytes) -> None:
        self._films[key] = made
        while len(self._films) > 1 and sum(map(len, self._films.values())) > MOST_KEPT:
            self._films.popitem(last=False)


def _hang(cup: Cup, found: Mapping[str, tuple[str, int, Sequence[str]]]) -> list[Hung]:
    named = [entry for entry in cup.entrants if not entry.null]
    return [
        Hung(number, entry.name, entry.authors, _has_portrait(cup, number), art, frames, tuple(sayings))
        for number, entry in enumerate(named, start=1)
        for art, frames, sayings in [found[entry.name]]
    ]


def _has_portrait(cup: Cup, number: int) -> bool:
    path = cup.portrait([entry for entry in cup.entrants if not entry.null][number - 1])
    return path is not None and image_problem(path) is None


# --- what the process does ---------------------------------------------------------------------------


def _looked_through(cup: Path, names: Sequence[str]) -> dict[str, tuple[str, int, list[str]]]:
    """By entrant: the digest of its art, how many frames that is, and what it said."""
    drawable = find_spec("PIL") is not None
    return {
        name: (one.digest if drawable else "", len(one.frames), [tame(said) for said in one.sayings])
        for name, one in exhibits_of(cup, names).items()
    }


def _filmed(cup: Path, name: str, *, frames: int, still: bool) -> bytes:
    """So many frames, or of these the one on which there is most; nothing if they are gone."""
    found = exhibits_of(cup, [name])[name].frames[:frames]
    if still:
        found = [max(found, key=_ink)] if found else []
    return film(found) if found else b""


def _ink(frame: Sequence[str]) -> int:
    return sum(len(line.replace(" ", "")) for line in frame)
