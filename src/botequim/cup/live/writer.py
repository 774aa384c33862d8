"""In the coordinator: writes what the workers publish into the live store, about twenty times a second.

A thread does it. If it fails, the cup goes on without live games, and says so once.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import inf
from typing import Any, Final

from botequim.core import clock
from botequim.core.errors import BotequimError
from botequim.core.messages import Message, msg, plain
from botequim.cup.live.ipc import Receiver, Sender, message_channel
from botequim.cup.live.publisher import start_publisher
from botequim.cup.live.reader import KEPT_SECONDS, SEEN_SECONDS
from botequim.cup.pairing import Pairing
from botequim.engine.executors import LocalProcesses
from botequim.records.record import message_json
from botequim.storage.errors import StoreLost
from botequim.storage.protocol import CupStorage, LiveWriter
from botequim.storage.values import LiveSeries, LiveStage, LiveTurn

BATCH_SECONDS: Final = 0.05
RETRY_SECONDS: Final = 2.0
"""How long a database that does not answer is left alone."""
MOST_NEXT: Final = 20
"""How many waiting series are published."""


@dataclass(frozen=True, slots=True)
class StageProgress:
    """How many series of a stage are finished, and which come next."""

    stage: str
    finished: int
    known: int
    coming: Sequence[Pairing]


class LiveCollector:
    """`with LiveCollector(storage) as live, live.executor(workers) as executor`."""

    def __init__(self, storage: CupStorage, report: Callable[[Message], None] = lambda message: None) -> None:
        """`report` receives the reason if live games are not written any more."""
        self._storage: Final = storage
        self._report: Final = report
        self._receiving, self._sending = message_channel()
        self._progress: StageProgress | None = None
        self._discarded: Final[list[_Discarded]] = []
        self._problem: Message | None = None
        self._closing: Final = threading.Event()
        self._thread: Final = threading.Thread(target=self._collect, name="live-collector", daemon=True)

    def executor(self, workers: int) -> LocalProcesses:
        """Return worker processes that publish their games here."""
        channel = self._sending.fileno()
        return LocalProcesses(workers, start_observer=partial(start_publisher, channel), pass_fds=[channel])

    def __enter__(self) -> LiveCollector:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End it after the workers have ended."""
        self._closing.set()
        Sender(self._sending).send(b"[]")  # wakes the thread
        self._thread.join()
        self._receiving.close()
        self._sending.close()
        self._report_problem()

    # --- called by the coordinator -------------------------------------------------------------------

    def set_progress(self, progress: StageProgress) -> None:
        """Publish how far a stage is; it replaces what was published before."""
        self._progress = progress
        self._report_problem()

    def discard_series(self, stage: str, key: str) -> None:
        """Remove the games that a series has had so far, because it is played again."""
        self._discarded.append(_Discarded(clock.now(), stage, key))

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
        """Write until the end. Return False if the database does not answer any more, to try again later."""
        try:
            with self._storage.open_live_writer() as store:
                self._write_batches(_Batches(store))
        except StoreLost:
            return self._closing.is_set()
        return True

    def _write_batches(self, batches: _Batches) -> None:
        receiver = Receiver(self._receiving)
        written = 0.0
        last = False
        while not last:
            last = self._closing.is_set()
            messages = self._messages(receiver, due=written + BATCH_SECONDS)
            discarded = [self._discarded.pop(0) for _ in range(len(self._discarded))]
            progress, self._progress = self._progress, None
            now = clock.now()
            if messages or discarded or progress is not None or last or now - written >= SEEN_SECONDS:
                written = now
                batches.write(messages, discarded, progress, last=last)

    def _messages(self, receiver: Receiver, *, due: float) -> list[tuple[int, list[Any]]]:
        """Return what arrives until the next batch is due, with its sender."""
        found: list[tuple[int, list[Any]]] = []
        left = BATCH_SECONDS
        while True:
            for sender, message in receiver.messages(0.0 if self._closing.is_set() else left):
                found += [(sender, part) for part in json.loads(message)]
            left = due - clock.now()
            if self._closing.is_set() or left <= 0:
                return found

    def _discard_messages(self, seconds: float = inf) -> None:
        """Read messages, so that no worker waits for space in the channel."""
        receiver = Receiver(self._receiving)
        until = clock.now() + seconds
        while not self._closing.is_set() and clock.now() < until:
            for _ in receiver.messages(SEEN_SECONDS):
                pass


@dataclass(frozen=True, slots=True)
class _Discarded:
    """The games of a series that began before some time."""

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
        messages: Sequence[tuple[int, list[Any]]],
        discarded: Sequence[_Discarded],
        progress: StageProgress | None,
        *,
        last: bool,
    ) -> None:
        now = clock.now()
        with self.store.transaction():
            for sender, (kind, serial, *rest) in messages:
                self._write_message(sender, kind, serial, rest)
            for one in discarded:
                self._delete(self.store.games_of_series(one.stage, one.key, before=one.before))
            if progress is not None:
                self._write_progress(progress)
            self.store.delete_ended(before=now - KEPT_SECONDS)
            if last:
                self._delete(self.store.unfinished_games(before=now))
            self.store.mark_alive(now, ended=last)

    def _write_message(self, sender: int, kind: str, serial: int, rest: list[Any]) -> None:
        if kind == "begin":
            stage, key, number, header, began = rest
            game = self.store.begin_game(stage, key, number, json.dumps(header), began)
            self._ids[sender, serial] = game
            return
        known = self._ids.get((sender, serial))
        if known is None:
            return  # it was deleted meanwhile
        if kind == "turns":
            turns = [
                LiveTurn(number, json.dumps(turn, separators=(",", ":")), made)
                for number, turn, made in rest[0]
            ]
            self.store.add_turns(known, turns)
            return
        del self._ids[sender, serial]
        if kind == "end":
            self.store.end_game(known, rest[0])
        else:
            self.store.delete_games([known])

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
