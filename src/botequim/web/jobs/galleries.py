"""Serves galleries, which are rendered on request in another process and cached.

Reading records and rendering GIFs takes a while, and games may be played on the same machine: so one process
with a low priority does it, one job after another. The queue and the cache are bounded.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from botequim.core import clock
from botequim.core.sanitize import page_text
from botequim.cup.config import Cup, Entry
from botequim.cup.report.content import image_problem
from botequim.storage.address import StoreAddress
from botequim.votes.gallery import exhibits_of, film
from botequim.web import code_sheets
from botequim.web.jobs.worker import RenderError, RenderWorker, RenderWorkerBusy
from botequim.web.live.served import ServedCup

SECONDS: Final = 120
"""The time limit of a job on a machine that also plays games."""
AT_ONCE: Final = 4
"""The most GIFs given to the process at a time, so that other jobs get their turn."""
MOST_WAITING: Final = 200
"""The most GIFs that may wait: a page has one for each entrant, and many phones may load it at once."""
FRESH_SECONDS: Final = 3.0
"""The seconds for which a gallery is cached."""


@dataclass(frozen=True, slots=True)
class Hung:
    """The place of one entrant in a gallery, without the art itself."""

    number: int
    """The number in the cup file, from 1, as in addresses."""
    name: str
    authors: tuple[str, ...]
    portrait: bool
    art: str
    """The digest of its art, or ""."""
    frames: int
    sayings: tuple[str, ...]

    @classmethod
    def blank(cls, name: str) -> Hung:
        """Return the place of an entrant that is no longer in the cup file."""
        return cls(0, name, (), False, "", 0, ())


class Galleries:
    """The galleries of all cups that are served."""

    def __init__(self) -> None:
        self._worker: Final = RenderWorker(SECONDS)
        self._hung: dict[str, tuple[float, tuple[Hung, ...]]] = {}
        self._looking: dict[str, asyncio.Lock] = {}
        self._turns: Final = asyncio.Semaphore(AT_ONCE)
        self._waiting = 0

    async def of(self, served: ServedCup) -> tuple[Hung, ...]:
        """Return what is public now, or was a few seconds ago."""
        async with self._looking.setdefault(served.slug, asyncio.Lock()):
            at, hung = self._hung.get(served.slug, (-FRESH_SECONDS, ()))
            if clock.now() - at >= FRESH_SECONDS:
                cup = served.cup
                names = tuple(entry.name for entry in cup.entrants if not entry.null)
                key = ("gallery", served.slug, served.public.pace.games, names)
                found = json.loads(await self._worker.make(key, _looked_through, cup.path, names, cup.store))
                hung = tuple(_hang(cup, served.public.cup, found))
                self._hung[served.slug] = (clock.now(), hung)
            return hung

    async def film(self, served: ServedCup, number: int, *, still: bool) -> tuple[str, bytes] | None:
        """Return the digest of an entrant's art, and its GIF; None if it has none."""
        place = next((one for one in await self.of(served) if one.number == number), None)
        if place is None or not place.art:
            return None
        if self._waiting >= MOST_WAITING:
            raise RenderWorkerBusy
        self._waiting += 1
        try:
            async with self._turns:
                key = ("film", served.slug, number, place.art, still)
                cup, frames = served.cup, place.frames
                made = await self._worker.make(
                    key, _render_film, cup.path, place.name, frames, still, cup.store
                )
                return place.art, made
        except RenderError:
            return None
        finally:
            self._waiting -= 1

    async def slips(self, ballot: str, codes: Sequence[str]) -> list[code_sheets.Slip]:
        """Return codes to print. Rendering them takes a while too."""
        made = await self._worker.make(
            ("slips", ballot, tuple(codes)), code_sheets.sheet_json, ballot, tuple(codes)
        )
        return code_sheets.slips(made)

    def close(self) -> None:
        self._worker.close()


def _hang(cup: Cup, shown: Cup, found: Mapping[str, tuple[str, int, Sequence[str]]]) -> list[Hung]:
    named = [entry for entry in cup.entrants if not entry.null]
    return [
        Hung(number, entry.name, entry.authors, _has_portrait(shown, entry), art, frames, tuple(sayings))
        for number, entry in enumerate(named, start=1)
        for art, frames, sayings in [found[entry.name]]
    ]


def _has_portrait(cup: Cup, entry: Entry) -> bool:
    path = cup.portrait(entry)
    return path is not None and image_problem(path) is None


# --- what the process does ---------------------------------------------------------------------------


def _looked_through(cup: Path, names: Sequence[str], store: StoreAddress | None) -> bytes:
    """Return as JSON by entrant: the digest of its art, the number of frames, and its remarks."""
    drawable = find_spec("PIL") is not None
    found = {
        name: (one.digest if drawable else "", len(one.frames), [page_text(said) for said in one.sayings])
        for name, one in exhibits_of(cup, names, store).items()
    }
    return json.dumps(found).encode()


def _render_film(cup: Path, name: str, frames: int, still: bool, store: StoreAddress | None) -> bytes:
    """Return a GIF of so many frames, or of the one with the most ink among them."""
    found = exhibits_of(cup, [name], store)[name].frames[:frames]
    return film([max(found, key=_ink)] if still else found)


def _ink(frame: Sequence[str]) -> int:
    return sum(len(line.replace(" ", "")) for line in frame)
