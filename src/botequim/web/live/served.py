"""The cups that are served, as the public may see them.

A `ServedCup` checks its stores about twenty times a second, which costs very little. A thread reads what has
changed and computes the standings (`snapshots`). The event loop follows live games (`tables`). Both together
give one `PublicSnapshot`, and the events that tell viewers about it (`feed`).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import islice
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
"""How often everything is read even if nothing changed, for example to notice that the coordinator ended."""
COUNT_SECONDS: Final = 0.2
"""The minimum time between two counts; longer if counting takes long."""
DRAW_SECONDS: Final = 0.04
"""The time for rendering before other tasks run."""

T = TypeVar("T")
_log: Final = logging.getLogger(__name__)


class ServedCup:
    """One cup: its public state, and its viewers."""

    def __init__(self, cup: Cup, hands: Hands = Hands.AUTO) -> None:
        self.original: Final = cup
        """The cup as its file describes it."""
        self.slug: Final = cup.path.stem
        self.paths: Final = CupPaths.of_cup(cup)
        self.public = PublicSnapshot(self.slug, cup)
        """The current state. Every change replaces it."""
        self.feed: Final = Feed()
        self.tables: Final = Tables(hands)
        self.storage: Final = self.paths.storage
        self._files: Final = CupFiles(self.storage)
        self._reader: Final = ThreadPoolExecutor(1, thread_name_prefix=f"reading-{self.slug}")
        self._changes = 0
        """How often this server has changed the visibility."""
        self._counting: Final = SnapshotReader(cup)
        self._thread: Final = ThreadPoolExecutor(1, thread_name_prefix=f"counting-{self.slug}")
        self._snapshot = CupSnapshot(cup)
        self.counts = 0
        """How often the standings were computed."""
        self._count: asyncio.Future[CupSnapshot] | None = None
        self._stale = True
        self._due = 0.0
        self._began = 0.0
        self._is_held = True
        """Live games are not public until this is known."""
        self._coming: tuple[UpcomingSeries, ...] = ()
        self._running = False
        self._last_look = 0.0
        self._more = False
        self._drawn: dict[str, tuple[int, bool]] = {}
        """By table: the turn that was rendered last, and whether the tables were crowded."""
        self._made_of: object = None
        self._revealing: asyncio.Task[None] | None = None

    @property
    def cup(self) -> Cup:
        """The cup without withdrawn entrants."""
        return self.public.cup

    # --- requests ----------------------------------------------------------------------------------

    async def record(self, series: int, game: int) -> list[str] | None:
        """Return the lines of a game's record (from 1); None if it does not exist or is not public."""
        one = self.public.game(series, game)
        if one is None:
            return None
        return await self.read_results(lambda store: store.record(one.series.stage, one.series.key, game - 1))

    async def with_evidence(self, faults: Sequence[PublicFault]) -> list[PublicFault]:
        """Return the same faults with their evidence."""

        def read_evidence(store: CupStore) -> list[PublicFault]:
            rows = [store.fault(one.stage, one.key, one.game - 1, one.move, one.seat) for one in faults]
            return [
                one if row is None else PublicFault.of(self.slug, one.series, row, with_evidence=True)
                for one, row in zip(faults, rows, strict=True)
            ]

        return await self.read_results(read_evidence)

    async def read_results(self, ask: Callable[[CupStore], T]) -> T:
        """Call a function with the results, in a thread. The caller must leave out what is not public."""

        def call() -> T:
            with self.storage.open_results() as store:
                return ask(store)

        return await asyncio.to_thread(call)

    async def has_results(self) -> bool:
        """Return whether there are results."""
        return await asyncio.to_thread(self.storage.has_results)

    async def has_visibility(self) -> bool:
        """Return whether an organiser ever decided what is public, or created a contest."""
        return await asyncio.to_thread(self.storage.has_visibility)

    async def change_visibility(self, change: Callable[[VisibilityStore], T]) -> T:
        """Call a function with the visibility store. When this returns, pages show no more than is public
        now."""

        def apply() -> tuple[T, bool]:
            with self.storage.open_visibility() as show:
                answer = change(show)
            return answer, is_held(self.storage)

        answer, held = await asyncio.to_thread(apply)
        self._changes += 1  # reads that began before are out of date
        if held and not self._is_held:
            self._is_held = True
            self.tables.clear()
            self._publish()
        return answer

    def listen(self, variant: Variant, last: str, *, packs: bool) -> Listener:
        """Add a viewer."""
        return self.feed.listen(variant, last, packs=packs, show=self._show_all)

    def _show_all(self, stream: Stream) -> None:
        self.feed.changes(stream, self.public)
        for watched_table in self.tables.by_id.values():
            scene = watched_table.scene()
            if scene is not None:
                stream.boards[watched_table.table.id] = make_board(
                    watched_table, scene, (), stream.variant, crowded=self.tables.crowded
                )

    # --- looking -----------------------------------------------------------------------------------

    async def watch(self) -> None:
        """Look for changes until this is cancelled."""
        while True:
            began = clock.now()
            try:
                await self.look()
            except Exception:  # the next look may succeed, and other cups are not affected
                _log.exception("looking at %s", self.slug)
                await clock.sleep(LOOK_AGAIN_SECONDS)
            seconds = clock.now() - began
            # if a look takes long, look less often, so that requests are not delayed
            await clock.sleep(max(LOOK_SECONDS - seconds, seconds / 2, 0.005))

    async def look(self) -> None:
        """Look for changes once."""
        now = clock.now()
        again = now - self._last_look >= LOOK_AGAIN_SECONDS
        if again:
            self._last_look = now
        changes = await self._read_files(again=again)
        if changes.held is not None:
            self._is_held = changes.held
            self._stale = True
        if changes.results or (again and self._snapshot.trouble is not None):
            self._stale = True
        self._recount(now)
        try:
            self._follow(changes.live)
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            # the live store may be damaged; then there are no live games
            _log.warning("the games under way of %s cannot be read: %s", self.slug, error)
            self._running, self._coming = False, ()
            self.tables.clear()
        self._publish()
        await self._draw()

    async def wait_until_current(self) -> None:
        """Look until the public state contains everything that is stored now. Used at the start."""
        await self.look()
        while self._count is not None or self._stale:
            if self._count is not None:
                await asyncio.wait([self._count])
            else:
                await clock.sleep(self._due - clock.now())
            await self.look()

    async def _read_files(self, *, again: bool) -> FileChanges:
        """Read what has changed, in a thread, because SQLite may have to wait for a lock."""
        loop = asyncio.get_running_loop()
        while True:
            changes = self._changes
            turn_counts = self.tables.known_turns()
            every = again or self._more
            result = await loop.run_in_executor(
                self._reader, self._files.read, self._is_held, turn_counts, every
            )
            if changes == self._changes:
                return result
            self._files.forget()

    def _recount(self, now: float) -> None:
        if self._count is not None and self._count.done():
            self._snapshot = self._count.result()
            self._count = None
            self.counts += 1
            self._due = now + max(COUNT_SECONDS, 2 * (now - self._began))
        if self._stale and self._count is None and now >= self._due:
            self._stale = False
            self._began = now
            loop = asyncio.get_running_loop()
            self._count = loop.run_in_executor(self._thread, self._counting.count, self.slug)

    def _follow(self, live: LiveChanges | None) -> None:
        if self._is_held:
            self._running, self._coming = False, ()
            self._show_staged_game()
        elif live is not None:
            self.tables.finish(live.ended)
            self._more = self.tables.follow(live.games, self._snapshot.cup, self._snapshot.waiting)
            if live.coming is not None:
                self._running = live.running
                self._coming = tuple(UpcomingSeries.of(one.stage, one, one.games) for one in live.coming)

    def _show_staged_game(self) -> None:
        reveal = self._snapshot.staged
        if reveal is None:
            self.tables.clear()
            return
        over = self.tables.show(reveal, self._snapshot.cup, clock.now())
        if over and self._revealing is None:
            expected = reveal.showing.shown
            self._revealing = asyncio.create_task(self._reveal(expected))

    async def _reveal(self, expected: int) -> None:
        try:
            await self.change_visibility(lambda show: show.reveal(expected + 1, expected=expected))
            await clock.sleep(LOOK_AGAIN_SECONDS)  # until the public state contains the game
        except BotequimError as error:
            _log.error("%s: %s", self.slug, error)
            await clock.sleep(LOOK_AGAIN_SECONDS)
        finally:
            self._revealing = None

    def _publish(self) -> None:
        snapshot, tables = self._snapshot, self.tables.public_tables
        shown = {(table.stage, table.key) for table in tables}
        all_coming = self._coming if self._running else snapshot.coming
        others = (one for one in all_coming if (one.stage, one.key) not in shown)
        coming = tuple(islice(others, MOST_NEXT))
        state = self._state()
        made_of = (snapshot, tables, coming, state)
        if self._made_of is not None and _is_same(self._made_of, made_of):
            return
        self._made_of = made_of
        pace = Pace(state, snapshot.shown, snapshot.stage, snapshot.finished, snapshot.known)
        self.public = PublicSnapshot(
            self.slug,
            snapshot.cup,
            pace,
            snapshot.content,
            snapshot.series,
            snapshot.labels,
            tables,
            coming,
            snapshot.faults,
            snapshot.trouble,
        )
        self.feed.send_changes(self.public)

    def _state(self) -> State:
        content = self._snapshot.content
        if content is not None and content.over:
            return State.OVER
        if self._is_held:
            return State.HELD
        if self._running:
            return State.LIVE
        return State.RESTING if self._snapshot.shown else State.WAITING

    async def _draw(self) -> None:
        """Render new positions while there is time. The others come first next time."""
        self.feed.forget()
        due = [
            one
            for one in self.tables.by_id.values()
            if self._drawn.get(one.table.id) != self._due_drawing(one)
        ]
        until = clock.now() + DRAW_SECONDS
        for watched_table in sorted(due, key=lambda one: one.moved_at):
            if watched_table.table.id not in self.tables.by_id:
                continue  # it was hidden meanwhile
            self.feed.show(watched_table, crowded=self.tables.crowded)
            self._drawn[watched_table.table.id] = self._due_drawing(watched_table)
            await asyncio.sleep(0)
            if clock.now() > until:
                break
        if len(self._drawn) > 4 * len(self.tables.by_id) + 100:
            self._drawn = {name: at for name, at in self._drawn.items() if name in self.tables.by_id}

    def _due_drawing(self, watched_table: WatchedTable) -> tuple[int, bool]:
        return len(watched_table.replay), self.tables.crowded

    def close(self) -> None:
        """Disconnect all viewers and release the threads."""
        self.feed.close()
        self._thread.submit(self._counting.close)
        self._thread.shutdown(wait=True, cancel_futures=False)
        self._reader.submit(self._files.close)
        self._reader.shutdown(wait=True, cancel_futures=False)


def _is_same(one: Any, other: Any) -> bool:
    """Return whether both have the same snapshot object, and the rest is equal."""
    return one[0] is other[0] and one[1:] == other[1:]


class ServedCups:
    """All served cups, by their name in addresses."""

    def __init__(self, cups: Sequence[Cup | Path], hands: Hands = Hands.AUTO) -> None:
        all_cups = [ServedCup(one if isinstance(one, Cup) else read(one), hands) for one in cups]
        self.cups: Final[Mapping[str, ServedCup]] = {one.slug: one for one in all_cups}
        if len(self.cups) < len(all_cups):
            names = ", ".join(sorted(one.slug for one in all_cups))
            raise InputError(msg("two cups have files of the same name: {names}", names=names))
        self._tasks: list[asyncio.Task[None]] = []

    async def open(self) -> None:
        """Start to follow all cups."""
        for served_cup in self.cups.values():
            await served_cup.wait_until_current()
            self._tasks.append(asyncio.create_task(served_cup.watch()))

    def close_streams(self) -> None:
        """End the event streams, so that the server can stop."""
        for served_cup in self.cups.values():
            served_cup.feed.close()

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        for task in self._tasks:
            with suppress(asyncio.CancelledError):
                await task
        for served_cup in self.cups.values():
            served_cup.close()
