"""Serves galleries, which are rendered on request in another process and cached.

Reading records and rendering GIFs takes a while, and games may be played on the same machine. So one process
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
"""The most GIFs that are given to the process at a time, so that other jobs do not wait for all of them."""
MOST_WAITING: Final = 200
"""The most GIFs that may wait: a page has one for each entrant, and many phones may load it at once."""
FRESH_SECONDS: Final = 3.0
"""The seconds for which a gallery is cached."""


@dataclass(frozen=True, slots=True)
class GalleryEntry:
    """One entrant of a gallery, without the art itself."""

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
    def blank(cls, name: str) -> GalleryEntry:
        """Return the entry of an entrant that is no longer in the cup file."""
        return cls(0, name, (), False, "", 0, ())


class Galleries:
    """The galleries of all cups that are served."""

    def __init__(self) -> None:
        self._worker: Final = RenderWorker(SECONDS)
        self._entries: dict[str, tuple[float, tuple[GalleryEntry, ...]]] = {}
        self._looking: dict[str, asyncio.Lock] = {}
        self._turns: Final = asyncio.Semaphore(AT_ONCE)
        self._waiting = 0

    async def of(self, served_cup: ServedCup) -> tuple[GalleryEntry, ...]:
        """Return the gallery of a cup, which may be cached for a few seconds."""
        async with self._looking.setdefault(served_cup.slug, asyncio.Lock()):
            at, entries = self._entries.get(served_cup.slug, (-FRESH_SECONDS, ()))
            if clock.now() - at >= FRESH_SECONDS:
                cup = served_cup.cup
                names = tuple(entry.name for entry in cup.entrants if not entry.null)
                key = ("gallery", served_cup.slug, served_cup.public.pace.games, names)
                art = json.loads(await self._worker.make(key, _art_json, cup.path, names, cup.store))
                entries = tuple(_gallery_entries(cup, served_cup.public.cup, art))
                self._entries[served_cup.slug] = (clock.now(), entries)
            return entries

    async def film(self, served_cup: ServedCup, number: int, *, still: bool) -> tuple[str, bytes] | None:
        """Return the digest of an entrant's art, and its GIF; None if it has none."""
        entry = next((one for one in await self.of(served_cup) if one.number == number), None)
        if entry is None or not entry.art:
            return None
        if self._waiting >= MOST_WAITING:
            raise RenderWorkerBusy
        self._waiting += 1
        try:
            async with self._turns:
                key = ("film", served_cup.slug, number, entry.art, still)
                cup, frames = served_cup.cup, entry.frames
                content = await self._worker.make(
                    key, _render_film, cup.path, entry.name, frames, still, cup.store
                )
                return entry.art, content
        except RenderError:
            return None
        finally:
            self._waiting -= 1

    async def slips(self, ballot: str, codes: Sequence[str]) -> list[code_sheets.Slip]:
        """Return codes to print. They are rendered by the same process, because it takes a while."""
        content = await self._worker.make(
            ("slips", ballot, tuple(codes)), code_sheets.sheet_json, ballot, tuple(codes)
        )
        return code_sheets.slips(content)

    def close(self) -> None:
        self._worker.close()


def _gallery_entries(
    cup: Cup, public_cup: Cup, art_by_name: Mapping[str, tuple[str, int, Sequence[str]]]
) -> list[GalleryEntry]:
    entrants = [entry for entry in cup.entrants if not entry.null]
    return [
        GalleryEntry(
            number, entry.name, entry.authors, _has_portrait(public_cup, entry), art, frames, tuple(sayings)
        )
        for number, entry in enumerate(entrants, start=1)
        for art, frames, sayings in [art_by_name[entry.name]]
    ]


def _has_portrait(cup: Cup, entry: Entry) -> bool:
    path = cup.portrait(entry)
    return path is not None and image_problem(path) is None


# --- in the process ----------------------------------------------------------------------------------


def _art_json(cup: Path, names: Sequence[str], store: StoreAddress | None) -> bytes:
    """Return as JSON by entrant: the digest of its art, the number of frames, and its remarks."""
    drawable = find_spec("PIL") is not None
    art = {
        name: (one.digest if drawable else "", len(one.frames), [page_text(text) for text in one.sayings])
        for name, one in exhibits_of(cup, names, store).items()
    }
    return json.dumps(art).encode()


def _render_film(cup: Path, name: str, frames: int, still: bool, store: StoreAddress | None) -> bytes:
    """Return a GIF of the first frames, or of the one with the most characters among them."""
    images = exhibits_of(cup, [name], store)[name].frames[:frames]
    return film([max(images, key=_ink)] if still else images)


def _ink(frame: Sequence[str]) -> int:
    return sum(len(line.replace(" ", "")) for line in frame)
