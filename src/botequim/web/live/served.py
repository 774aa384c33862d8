"""The cups that are served, as the public may see them.

A `ServedCup` checks its files about twenty times a second, which costs next to nothing. A thread reads and
counts what has changed (`snapshots`), live games are followed on the event loop (`tables`), and both together
make one `PublicSnapshot` and the events that lead to it (`feed`).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, TypeVar

from botequim.core import clock
from botequim.core.errors import BotequimError, InputError
from botequim.core.messages import msg
from botequim.cup.config import Cup
from botequim.cup.config_parser import read
from botequim.cup.paths import CupPaths
from botequim.storage.protocol import CupStore, VisibilityStore
from botequim.web.live.boards import Variant, make_board
from botequim.web.live.feed import Feed, Listener, Stream
from botequim.web.live.files import CupFiles, FileChanges, LiveChanges, is_held
from botequim.web.live.public import (
    MOST_NEXT,
    Pace,
    PublicFault,
    PublicSnapshot,
    State,
    UpcomingSeries,
)
from botequim.web.live.snapshots import CupSnapshot, SnapshotReader
from botequim.web.live.tables import Hands, Tables, WatchedTable

LOOK_SECONDS: Final = 0.05
LOOK_AGAIN_SECONDS: Final = 1.0
"""How often everything is read: a silent coordinator, for example, changes no file."""
COUNT_SECONDS: Final = 0.2
"""The minimum time between two counts; longer if counting takes long."""
DRAW_SECONDS: Final = 0.04
"""The time for rendering before other tasks run."""

T = TypeVar("T")
_log: Final = logging.getLogger(__name__)


class ServedCup:
    """One cup: its public state, and its viewers."""

    def __init__(self, cup: Cup, hands: Hands = Hands.AUTO) -> None:
        self.slug: Final = cup.path.stem
        self.home: Final = CupPaths.of_cup(cup)
        self.public = PublicSnapshot(self.slug, cup)
        """The current state; every change makes a new one."""
        self.feed: Final = Feed()
        self.tables: Final = Tables(hands)
        self.storage: Final = self.home.storage
        self._files: Final = CupFiles(self.storage)
        self._reader: Final = ThreadPoolExecutor(1, thread_name_prefix=f"reading-{self.slug}")
        self._changes = 0
        """How often this server changed what is public."""
        self._counting: Final = SnapshotReader(cup)
        self._thread: Final = ThreadPoolExecutor(1, thread_name_prefix=f"counting-{self.slug}")
        self._counted = CupSnapshot(cup)
        self.counts = 0
        """How often the store was counted."""
        self._count: asyncio.Future[CupSnapshot] | None = None
        self._stale = True
        self._due = 0.0
        self._began = 0.0
        self._held = True
        """Live games are not public until this is known."""
        self._coming: tuple[UpcomingSeries, ...] = ()
        self._running = False
        self._looked = 0.0
        self._more = False
        self._drawn: dict[str, int] = {}
        self._made_of: object = None
        self._revealing: asyncio.Task[None] | None = None

    @property
    def cup(self) -> Cup:
        """The cup without withdrawn entrants."""
        return self.public.cup

    # --- what is asked for -------------------------------------------------------------------------

    async def record(self, series: int, game: int) -> list[str] | None:
        """Return the lines of a game's record (from 1); None if it does not exist or is not public."""
        seen = self.public.game(series, game)
        if seen is None:
            return None
        return await self.reading(lambda store: store.record(seen.series.stage, seen.series.key, game - 1))

    async def with_evidence(self, faults: Sequence[PublicFault]) -> list[PublicFault]:
        """Return the same faults with their evidence."""

        def read_evidence(store: CupStore) -> list[PublicFault]:
            rows = [store.fault(one.stage, one.key, one.game - 1, one.move, one.seat) for one in faults]
            return [
                one if row is None else PublicFault.of(self.slug, one.series, row, with_evidence=True)
                for one, row in zip(faults, rows, strict=True)
            ]

        return await self.reading(read_evidence)

    async def reading(self, ask: Callable[[CupStore], T]) -> T:
        """Call a function with the store, in a thread. The caller must leave out what is not public."""

        def asked() -> T:
            with self.storage.open_results() as store:
                return ask(store)

        return await asyncio.to_thread(asked)

    async def has_results(self) -> bool:
        """Return whether anything was played."""
        return await asyncio.to_thread(self.storage.has_results)

    async def has_visibility(self) -> bool:
        """Return whether an organiser ever decided what is public, or created a contest."""
        return await asyncio.to_thread(self.storage.has_visibility)

    async def changing(self, change: Callable[[VisibilityStore], T]) -> T:
        """Change what is public. When this returns, nothing is shown that is not public any more."""

        def apply() -> tuple[T, bool]:
            with self.storage.open_visibility() as show:
                answer = change(show)
            return answer, is_held(self.storage)

        answer, held = await asyncio.to_thread(apply)
        self._changes += 1  # what was read before is out of date
        if held and not self._held:
            self._held = True
            self.tables.clear()
            self._publish()
        return answer

    def listen(self, variant: Variant, last: str, *, packs: bool) -> Listener:
        """Add a viewer."""
        return self.feed.listen(variant, last, packs=packs, show=self._show_all)

    def _show_all(self, stream: Stream) -> None:
        self.feed.changes(stream, self.public)
        for watched in self.tables.watched.values():
            scene = watched.scene()
            if scene is not None:
                stream.boards[watched.table.id] = make_board(watched, scene, (), stream.variant)

    # --- looking -----------------------------------------------------------------------------------

    async def watch(self) -> None:
        """Look for changes until this is cancelled."""
        while True:
            began = clock.now()
            try:
                await self.look()
            except Exception:  # the next look may succeed, and other cups continue
                _log.exception("looking at %s", self.slug)
                await clock.sleep(LOOK_AGAIN_SECONDS)
            spent = clock.now() - began
            # what takes long is done less often: others want to be served too
            await clock.sleep(max(LOOK_SECONDS - spent, spent / 2, 0.005))

    async def look(self) -> None:
        """Look for changes once."""
        now = clock.now()
        again = now - self._looked >= LOOK_AGAIN_SECONDS
        if again:
            self._looked = now
        found = await self._read_files(again=again)
        if found.held is not None:
            self._held = found.held
            self._stale = True
        if found.results or (again and self._counted.trouble is not None):
            self._stale = True
        self._recount(now)
        try:
            self._follow(found.live)
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            # the live store may be damaged at any time: then there are no live games
            _log.warning("the games under way of %s cannot be read: %s", self.slug, error)
            self._running, self._coming = False, ()
            self.tables.clear()
        self._publish()
        await self._draw()

    async def wait_until_current(self) -> None:
        """Look until everything that exists now has been counted; used at the start."""
        await self.look()
        while self._count is not None or self._stale:
            if self._count is not None:
                await asyncio.wait([self._count])
            else:
                await clock.sleep(self._due - clock.now())
            await self.look()

    async def _read_files(self, *, again: bool) -> FileChanges:
        """Read what has changed, in a thread: SQLite may have to wait for a lock."""
        loop = asyncio.get_running_loop()
        while True:
            changes = self._changes
            known = self.tables.known_turns()
            every = again or self._more
            found = await loop.run_in_executor(self._reader, self._files.read, self._held, known, every)
            if changes == self._changes:
                return found
            self._files.forget()

    def _recount(self, now: float) -> None:
        if self._count is not None and self._count.done():
            self._counted = self._count.result()
            self._count = None
            self.counts += 1
            self._due = now + max(COUNT_SECONDS, 2 * (now - self._began))
        if self._stale and self._count is None and now >= self._due:
            self._stale = False
            self._began = now
            loop = asyncio.get_running_loop()
            self._count = loop.run_in_executor(self._thread, self._counting.count, self.slug)

    def _follow(self, live: LiveChanges | None) -> None:
        if self._held:
            self._running, self._coming = False, ()
            self._show_staged()
        elif live is not None:
            self._more = self.tables.follow(live.games, self._counted.cup, self._counted.waiting)
            if live.coming is not None:
                self._running = live.running
                self._coming = tuple(
                    UpcomingSeries.of(one.stage, one, one.games) for one in live.coming[:MOST_NEXT]
                )

    def _show_staged(self) -> None:
        staged = self._counted.staged
        if staged is None:
            self.tables.clear()
            return
        over = self.tables.show(staged, self._counted.cup, clock.now())
        if over and self._revealing is None:
            expected = staged.showing.shown
            self._revealing = asyncio.create_task(self._reveal(expected))

    async def _reveal(self, expected: int) -> None:
        try:
            await self.changing(lambda show: show.reveal(expected + 1, expected=expected))
            await clock.sleep(LOOK_AGAIN_SECONDS)  # until it has been counted
        except BotequimError as error:
            _log.error("%s: %s", self.slug, error)
            await clock.sleep(LOOK_AGAIN_SECONDS)
        finally:
            self._revealing = None

    def _publish(self) -> None:
        counted, tables = self._counted, self.tables.listed
        coming = self._coming if self._running else counted.coming[:MOST_NEXT]
        state = self._state()
        made_of = (counted, tables, coming, state)
        if self._made_of is not None and _alike(self._made_of, made_of):
            return
        self._made_of = made_of
        pace = Pace(state, counted.shown, counted.stage, counted.finished, counted.known)
        self.public = PublicSnapshot(
            self.slug,
            counted.cup,
            pace,
            counted.content,
            counted.series,
            counted.labels,
            tables,
            coming,
            counted.faults,
            counted.trouble,
        )
        self.feed.tell(self.public)

    def _state(self) -> State:
        content = self._counted.content
        if content is not None and content.over:
            return State.OVER
        if self._held:
            return State.HELD
        if self._running:
            return State.LIVE
        return State.RESTING if self._counted.shown else State.WAITING

    async def _draw(self) -> None:
        """Render new positions, as many as there is time for; the others come first next time."""
        self.feed.forget()
        due = [one for one in self.tables.watched.values() if self._drawn.get(one.table.id) != _turn(one)]
        until = clock.now() + DRAW_SECONDS
        for watched in sorted(due, key=lambda one: one.made):
            if watched.table.id not in self.tables.watched:
                continue  # it was hidden meanwhile
            self.feed.show(watched)
            self._drawn[watched.table.id] = _turn(watched)
            await asyncio.sleep(0)
            if clock.now() > until:
                break
        if len(self._drawn) > 4 * len(self.tables.watched) + 100:
            self._drawn = {name: at for name, at in self._drawn.items() if name in self.tables.watched}

    def close(self) -> None:
        """Disconnect all viewers and release the threads."""
        self.feed.close()
        self._thread.submit(self._counting.close)
        self._thread.shutdown(wait=True, cancel_futures=False)
        self._reader.submit(self._files.close)
        self._reader.shutdown(wait=True, cancel_futures=False)


def _turn(watched: WatchedTable) -> int:
    return len(watched.replay)


def _alike(one: Any, other: Any) -> bool:
    """Return whether the counts are identical, and the rest is equal."""
    return one[0] is other[0] and one[1:] == other[1:]


class ServedCups:
    """All served cups, by their name in addresses."""

    def __init__(self, cups: Sequence[Cup | Path], hands: Hands = Hands.AUTO) -> None:
        served = [ServedCup(one if isinstance(one, Cup) else read(one), hands) for one in cups]
        self.cups: Final[Mapping[str, ServedCup]] = {one.slug: one for one in served}
        if len(self.cups) < len(served):
            names = ", ".join(sorted(one.slug for one in served))
            raise InputError(msg("two cups have files of the same name: {names}", names=names))
        self._tasks: list[asyncio.Task[None]] = []

    async def open(self) -> None:
        """Start to follow all cups."""
        for served in self.cups.values():
            await served.wait_until_current()
            self._tasks.append(asyncio.create_task(served.watch()))

    def close_streams(self) -> None:
        """End the event streams, so that the server can end."""
        for served in self.cups.values():
            served.feed.close()

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        for task in self._tasks:
            with suppress(asyncio.CancelledError):
                await task
        for served in self.cups.values():
            served.close()
