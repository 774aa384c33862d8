"""The cups that are served, as the public may see them.

A `Hosted` cup looks at its files some twenty times a second. Looking costs next to nothing; what has changed
is counted by a thread (`counting`), games under way are followed at once (`tables`), and what comes of both
is one `Public` and the events that lead to it (`feed`).
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, TypeVar

from botequim.core import clock
from botequim.core.errors import BotequimError, InputError
from botequim.core.messages import msg
from botequim.cup.curtain import Show, shown_in
from botequim.cup.database import UNREADABLE
from botequim.cup.file import Cup
from botequim.cup.home import Home
from botequim.cup.live import Live
from botequim.cup.reading import read
from botequim.cup.store import Store
from botequim.web.live.boards import Variant, drawn
from botequim.web.live.counting import Counted, Counting, public_fault
from botequim.web.live.feed import Feed, Listener, Stream
from botequim.web.live.public import MOST_NEXT, Coming, FaultSeen, Pace, Public, State, says_more
from botequim.web.live.tables import Hands, Tables, Watched

LOOK_SECONDS: Final = 0.05
LOOK_AGAIN_SECONDS: Final = 1.0
"""Some things change by themselves: a coordinator that is silent is gone."""
COUNT_SECONDS: Final = 0.2
"""Between two counts at least; more where counting takes long."""
DRAW_SECONDS: Final = 0.04
"""Spent on drawing before others have their turn."""

T = TypeVar("T")
_log: Final = logging.getLogger(__name__)


class Watch:
    """Whether a SQLite file was written, taken away or put there. It never waits for anybody."""

    def __init__(self, path: Path) -> None:
        self._path: Final = path
        self._connection: sqlite3.Connection | None = None
        self._file: object = None
        self._seen: object = object()

    def changed(self) -> bool:
        """Since this was asked last; the first time, yes."""
        now = self._now()
        before, self._seen = self._seen, now
        return bool(now != before)

    def _now(self) -> object:
        try:
            known = self._path.stat()
        except OSError:
            self.close()
            return None
        there = (known.st_dev, known.st_ino)
        if there != self._file:
            self.close()
        try:
            if self._connection is None:
                self._connection = sqlite3.connect(self._path, timeout=0, isolation_level=None)
                self._file = there
            return (there, self._connection.execute("PRAGMA data_version").fetchone())
        except UNREADABLE as error:
            self.close()
            return (there, str(error), known.st_mtime)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        self._file = None


class Hosted:
    """One cup: what can be seen of it just now, and who looks on."""

    def __init__(self, cup: Cup, hands: Hands = Hands.AUTO) -> None:
        self.slug: Final = cup.path.stem
        self.home: Final = Home.of(cup.path)
        self.public = Public(self.slug, cup)
        """As it is now; a new one whenever something changes."""
        self.feed: Final = Feed()
        self.tables: Final = Tables(hands)
        self._results: Final = Watch(self.home.store)
        self._shows: Final = Watch(self.home.show)
        self._live: Final = Live.open(self.home.live)
        self._counting: Final = Counting(cup)
        self._thread: Final = ThreadPoolExecutor(1, thread_name_prefix=f"counting-{self.slug}")
        self._counted = Counted(cup)
        self.counts = 0
        """How often what is stored has been counted."""
        self._count: asyncio.Future[Counted] | None = None
        self._stale = True
        self._due = 0.0
        self._began = 0.0
        self._held = True
        """Until it is known, nothing under way is public."""
        self._coming: tuple[Coming, ...] = ()
        self._running = False
        self._looked = 0.0
        self._more = False
        self._drawn: dict[str, int] = {}
        self._made_of: object = None
        self._revealing: asyncio.Task[None] | None = None

    @property
    def cup(self) -> Cup:
        """As it is held."""
        return self.public.cup

    # --- what is asked for -------------------------------------------------------------------------

    async def record(self, series: int, game: int) -> list[str] | None:
        """The lines of a game's record (from 1); None: there is none, or it is not public."""
        seen = self.public.game(series, game)
        if seen is None:
            return None
        return await self.reading(lambda store: store.record_of(series, game - 1))

    async def evidence(self, faults: Sequence[FaultSeen]) -> list[dict[str, Any]]:
        """What is known of these, as the record has it: never a bot's log."""

        def found(store: Store) -> list[dict[str, Any]]:
            rows = [store.fault_at(one.stage, one.key, one.game - 1, one.turn, one.seat) for one in faults]
            return [public_fault(row) if row is not None else {} for row in rows]

        return await self.reading(found)

    async def reading(self, ask: Callable[[Store], T]) -> T:
        """Ask the store, beside all that goes on. What is not public is for whoever asks to leave out."""

        def asked() -> T:
            with Store.open(self.home.store) as store:
                return ask(store)

        return await asyncio.to_thread(asked)

    async def changing(self, change: Callable[[Show], T]) -> T:
        """Change what the public may see; before it is answered, nothing is shown that is not public any
        more."""

        def changed() -> T:
            with Show.open(self.home.show) as show:
                return change(show)

        answer = await asyncio.to_thread(changed)
        if not self._held and self._is_held():
            self._held = True
            self.tables.clear()
            self._publish()
        return answer

    def listen(self, variant: Variant, last: str, *, packs: bool) -> Listener:
        """Somebody looks on."""
        return self.feed.listen(variant, last, packs=packs, show=self._show_all)

    def _show_all(self, stream: Stream) -> None:
        self.feed.changes(stream, self.public)
        for watched in self.tables.watched.values():
            scene = watched.scene()
            if scene is not None:
                stream.boards[watched.table.id] = drawn(watched, scene, (), stream.variant)

    # --- looking -----------------------------------------------------------------------------------

    async def watch(self) -> None:
        """Look on for as long as this is not called off."""
        while True:
            began = clock.now()
            try:
                await self.look()
            except Exception:  # whatever it is: the next look may be better, and the others go on
                _log.exception("looking at %s", self.slug)
                await clock.sleep(LOOK_AGAIN_SECONDS)
            spent = clock.now() - began
            # what takes long is done less often: others want to be served too
            await clock.sleep(max(LOOK_SECONDS - spent, spent / 2, 0.005))

    async def look(self) -> None:
        """Once."""
        now = clock.now()
        if self._shows.changed():
            self._held = self._is_held()
            self._stale = True
        if self._results.changed():
            self._stale = True
        if now - self._looked >= LOOK_AGAIN_SECONDS and self._counted.trouble is not None:
            self._stale = True
        self._recount(now)
        try:
            self._follow(now)
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            # what is told of games under way may be damaged at any time: then there are none
            _log.warning("the games under way of %s cannot be read: %s", self.slug, error)
            self._running, self._coming = False, ()
            self.tables.clear()
        self._publish()
        await self._draw()

    async def settled(self) -> None:
        """Look until everything that is there now has been counted: for the first look."""
        await self.look()
        while self._count is not None or self._stale:
            if self._count is not None:
                await asyncio.wait([self._count])
            else:
                await clock.sleep(self._due - clock.now())
            await self.look()

    def _is_held(self) -> bool:
        try:
            return shown_in(self.home.show) is not None
        except BotequimError:
            return True  # who cannot know shows nothing

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

    def _follow(self, now: float) -> None:
        if self._held:
            self._running, self._coming = False, ()
            self._show_screened()
            return
        again = now - self._looked >= LOOK_AGAIN_SECONDS
        if not (self._live.changed() or self._more or again):
            return
        self._more = self.tables.follow(self._live, self._counted.cup, self._counted.waiting)
        if again:
            self._looked = now
            self._running = self._live.running
            self._coming = tuple(
                Coming(one.stage, one.entrants, says_more(one.key, one.entrants, one.label), one.games)
                for one in self._live.next_series()[:MOST_NEXT]
            )

    def _show_screened(self) -> None:
        screened = self._counted.screened
        if screened is None:
            self.tables.clear()
            return
        over = self.tables.show(screened, self._counted.cup, clock.now())
        if over and self._revealing is None:
            expected = screened.showing.shown
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
        self.public = Public(
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
        """The positions that are new, as many as there is time for; the others come first next time."""
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
        """Nobody looks on any more."""
        self.feed.close()
        self._thread.submit(self._counting.close)
        self._thread.shutdown(wait=True, cancel_futures=False)
        self._live.close()
        self._results.close()
        self._shows.close()


def _turn(watched: Watched) -> int:
    return watched.following.number


def _alike(one: Any, other: Any) -> bool:
    """The very same count, and equal all else."""
    return one[0] is other[0] and one[1:] == other[1:]


class House:
    """All of them, by the name that stands in addresses."""

    def __init__(self, cups: Sequence[Path], hands: Hands = Hands.AUTO) -> None:
        hosted = [Hosted(read(path), hands) for path in cups]
        self.cups: Final[Mapping[str, Hosted]] = {one.slug: one for one in hosted}
        if len(self.cups) < len(hosted):
            names = ", ".join(sorted(one.slug for one in hosted))
            raise InputError(msg("two cups have files of the same name: {names}", names=names))
        self._tasks: list[asyncio.Task[None]] = []

    async def open(self) -> None:
        """Look at all of them from now on."""
        for hosted in self.cups.values():
            await hosted.settled()
            self._tasks.append(asyncio.create_task(hosted.watch()))

    def send_home(self) -> None:
        """End what goes on for ever, so that the server can end."""
        for hosted in self.cups.values():
            hosted.feed.close()

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        for task in self._tasks:
            with suppress(asyncio.CancelledError):
                await task
        for hosted in self.cups.values():
            hosted.close()
