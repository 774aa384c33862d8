"""In the coordinator: writes what the workers publish into the live store, about twenty times a second.

A thread does it. If it fails, the cup goes on without live games, and the failure is reported once.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from queue import Empty, Full, Queue
from typing import Any, Final

from botequim.core import clock
from botequim.core.errors import BotequimError
from botequim.core.messages import Message, msg, plain
from botequim.cup.live.publisher import start_publisher
from botequim.cup.live.reader import KEPT_SECONDS, SEEN_SECONDS
from botequim.cup.pairing import Pairing
from botequim.engine.jobs import Observation
from botequim.records.record import message_json
from botequim.storage.errors import StoreLost
from botequim.storage.protocol import CupStorage, LiveWriter
from botequim.storage.values import LiveSeries, LiveStage, LiveTurn

BATCH_SECONDS: Final = 0.05
RETRY_SECONDS: Final = 2.0
"""How long a database that does not answer is left alone."""
MOST_NEXT: Final = 20
"""The most coming series that are published."""
MOST_MESSAGES: Final = 1000
"""The most messages that may wait to be written. Then their senders wait."""


@dataclass(frozen=True, slots=True)
class StageProgress:
    """How many series of a stage are finished, and which come next."""

    stage: str
    finished: int
    known: int
    coming: Sequence[Pairing]


@dataclass(frozen=True, slots=True)
class _Message:
    sender: int
    content: bytes
    clock_offset: float
    """The seconds from the worker's clock to ours."""


class LiveCollector:
    """`with LiveCollector(storage) as live, start_executor(live.observation) as executor`."""

    def __init__(self, storage: CupStorage, report: Callable[[Message], None] = lambda message: None) -> None:
        """`report` receives the reason if live games are not written any more."""
        self._storage: Final = storage
        self._report: Final = report
        self._messages: Final[Queue[_Message]] = Queue(MOST_MESSAGES)
        self._progress: StageProgress | None = None
        self._removals: Final[list[_Removal]] = []
        self._problem: Message | None = None
        self._closing: Final = threading.Event()
        self._thread: Final = threading.Thread(target=self._collect, name="live-collector", daemon=True)

    @property
    def observation(self) -> Observation:
        """What an executor needs to publish the games of its workers here."""
        return Observation(start_publisher, self._receive)

    def _receive(self, sender: int, message: bytes, clock_offset: float) -> None:
        self._messages.put(_Message(sender, message, clock_offset))

    def __enter__(self) -> LiveCollector:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop the thread. The workers must have ended before."""
        self._closing.set()
        with suppress(Full):
            self._messages.put_nowait(_Message(0, b"[]", 0.0))  # wakes the thread
        self._thread.join()
        self._report_problem()

    # --- called by the coordinator -------------------------------------------------------------------

    def set_progress(self, progress: StageProgress) -> None:
        """Publish the progress of a stage, which replaces the progress published before."""
        self._progress = progress
        self._report_problem()

    def discard_series(self, stage: str, key: str) -> None:
        """Remove the live games of a series, because it is played again."""
        self._removals.append(_Removal(clock.now(), stage, key))

    def _report_problem(self) -> None:
        problem, self._problem = self._problem, None
        if problem is not None:
            self._report(problem)

    # --- the thread ----------------------------------------------------------------------------------

    def _collect(self) -> None:
        try:
            while not self._publish():
                self._discard_messages(RETRY_SECONDS)
        except Exception as error:  # no error here may stop the cup
            why = error.message if isinstance(error, BotequimError) else plain(error)
            self._problem = msg("live games are no longer published; the cup continues: {why}", why=why)
            self._discard_messages()

    def _publish(self) -> bool:
        """Write until the end. Return False if the database stopped answering, so that the caller tries
        again."""
        try:
            with self._storage.open_live_writer() as store:
                self._write_batches(_Batches(store))
        except StoreLost:
            return self._closing.is_set()
        return True

    def _write_batches(self, batches: _Batches) -> None:
        last_write = 0.0
        last = False
        while not last:
            last = self._closing.is_set()
            messages = self._next_messages(due=last_write + BATCH_SECONDS)
            removals = [self._removals.pop(0) for _ in range(len(self._removals))]
            progress, self._progress = self._progress, None
            now = clock.now()
            if messages or removals or progress is not None or last or now - last_write >= SEEN_SECONDS:
                last_write = now
                batches.write(messages, removals, progress, last=last)

    def _next_messages(self, *, due: float) -> list[_Message]:
        """Return the messages that arrive until the next batch is due."""
        messages: list[_Message] = []
        left = BATCH_SECONDS
        with suppress(Empty):
            while True:
                wait = 0.0 if self._closing.is_set() else left
                messages.append(self._messages.get(block=wait > 0, timeout=wait))
                left = min(due - clock.now(), BATCH_SECONDS)  # never longer, even if the clock was set back
        return messages

    def _discard_messages(self, seconds: float = inf) -> None:
        """Take and drop messages, so that no worker waits for space in the queue."""
        until = clock.now() + seconds
        while not self._closing.is_set() and clock.now() < until:
            with suppress(Empty):
                self._messages.get(timeout=SEEN_SECONDS)


@dataclass(frozen=True, slots=True)
class _Removal:
    """The order to remove the games of a series that began before some time."""

    before: float
    stage: str
    key: str


@dataclass
class _Batches:
    """Writes batches of messages; each batch is one transaction."""

    store: LiveWriter
    _ids: dict[tuple[int, int], int] = field(default_factory=dict)
    """The ids of published games, by sender and the sender's own number."""

    def write(
        self,
        messages: Sequence[_Message],
        removals: Sequence[_Removal],
        progress: StageProgress | None,
        *,
        last: bool,
    ) -> None:
        now = clock.now()
        with self.store.transaction():
            for message in messages:
                for kind, serial, *rest in json.loads(message.content):
                    self._write_message(message.sender, kind, serial, rest, message.clock_offset)
            for one in removals:
                self._delete(self.store.games_of_series(one.stage, one.key, before=one.before))
            if progress is not None:
                self._write_progress(progress)
            self.store.delete_ended(before=now - KEPT_SECONDS)
            if last:
                self._delete(self.store.unfinished_games(before=now))
            self.store.mark_alive(now, ended=last)

    def _write_message(self, sender: int, kind: str, serial: int, rest: list[Any], offset: float) -> None:
        if kind == "begin":
            stage, key, number, header, began = rest
            game = self.store.begin_game(stage, key, number, json.dumps(header), began + offset)
            self._ids[sender, serial] = game
            return
        game_id = self._ids.get((sender, serial))
        if game_id is None:
            return  # the game was removed meanwhile
        if kind == "turns":
            turns = [
                LiveTurn(number, json.dumps(turn, separators=(",", ":")), time + offset)
                for number, turn, time in rest[0]
            ]
            self.store.add_turns(game_id, turns)
            return
        del self._ids[sender, serial]
        if kind == "end":
            self.store.end_game(game_id, rest[0] + offset)
        else:
            self.store.delete_games([game_id])

    def _delete(self, games: Collection[int]) -> None:
        self.store.delete_games(games)
        self._ids = {where: game for where, game in self._ids.items() if game not in games}

    def _write_progress(self, progress: StageProgress) -> None:
        self.store.put_plan(
            LiveStage(progress.stage, progress.finished, progress.known),
            [
                LiveSeries(
                    progress.stage,
                    pairing.key,
                    pairing.entrants,
                    json.dumps(message_json(pairing.label)),
                    pairing.terms.games,
                )
                for pairing in progress.coming
            ],
        )
