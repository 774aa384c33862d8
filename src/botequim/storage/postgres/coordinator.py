"""The coordinator of a cup in PostgreSQL: the one program that writes its results.

A coordinator takes a *term*, a number that is one higher than any before it. Every write locks the row of the
cup and checks the term: a coordinator that another one has replaced writes nothing and stops. Besides, a
running coordinator holds an advisory lock, so that a second one is refused as long as the first one is
connected.

If the database goes away, a write waits, connects again and is repeated. Its first attempt may have been
stored although nobody confirmed it, so a write must recognise what it has stored itself. What was confirmed
must still be there: the version of the results never goes back.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from typing import Final, TypeVar

from botequim.core import clock
from botequim.core.errors import InputError
from botequim.core.messages import Message, msg
from botequim.storage.address import StoreAddress
from botequim.storage.checksums import row_digest
from botequim.storage.errors import (
    CoordinatorRunning,
    Damage,
    DamagedStore,
    StaleCoordinator,
    StoreBusy,
    StoreLost,
)
from botequim.storage.postgres.connection import Connection, connect, lock_number
from botequim.storage.postgres.cups import require_cup
from botequim.storage.postgres.idle import Reader
from botequim.storage.postgres.watch import FIRST_VERSION, NOTIFY, notification
from botequim.storage.protocol import WAIT_SECONDS

UNREPORTED_SECONDS: Final = 60.0
"""How long a write waits for the database if nobody is told that it waits."""
FIRST_PAUSE: Final = 1.0
LONGEST_PAUSE: Final = 15.0
"""The seconds between two attempts to connect; each pause is twice as long as the one before, up to this."""
LOCK_SECONDS: Final = 5.0
"""How long a coordinator waits for another one to end."""

T = TypeVar("T")
Report = Callable[[Message], None]


def pause(seconds: float) -> None:
    """Wait in the thread of the coordinator. Ctrl-C ends it."""
    threading.Event().wait(seconds)


class RefusedConnection(StoreLost):
    """The server is back, but does not accept us; perhaps somebody has to change that."""


class Coordinator(Reader):
    """A connection that may write the results of a cup, once it has a term."""

    def __init__(self, address: StoreAddress, connection: Connection) -> None:
        super().__init__(address, connection)
        self._is_coordinator = False
        self._term: int | None = None
        """None: it may only be read."""
        self._version = 0
        """The version of the results after the last write that was confirmed."""
        self._report: Report | None = None

    def close(self) -> None:
        if self._is_coordinator:
            self._connection.close()  # and with it the lock
        super().close()

    def wait_through_outages(self, report: Report) -> None:
        self._report = report

    # --- lock and term -------------------------------------------------------------------------------

    def _lock(self) -> None:
        """Refuse a second coordinator while the first one is connected.

        It waits a little: the server may not yet have noticed that a coordinator was killed.
        """
        try:
            self._acquire_lock()
        except StoreBusy as error:
            raise CoordinatorRunning(
                msg(
                    "{path}: another `botequim cup run` is playing this cup; stop it first",
                    path=self.location,
                )
            ) from error

    def _acquire_lock(self) -> None:
        self._is_coordinator = True
        self._execute(f"SET lock_timeout = {int(LOCK_SECONDS * 1000)}")
        self._execute("SELECT pg_advisory_lock(%s)", lock_number("coordinate", self._cup))
        self._execute(f"SET lock_timeout = {int(WAIT_SECONDS * 1000)}")

    def _take_term(self) -> None:
        with self._atomic():
            nothing = row_digest([])
            self._execute(
                f"INSERT INTO cups VALUES (%s, 0, {FIRST_VERSION}, %s, %s) ON CONFLICT DO NOTHING",
                *(self._cup, nothing, nothing),
            )
            row = self._row(
                "UPDATE cups SET term = term + 1, version = version + 1"
                " WHERE id = %s AND successor IS NULL RETURNING term, version",
                self._cup,
            )
            if row is None:
                require_cup(self._connection, self.address)  # raises: it was moved
                raise self._replaced()
            self._execute(NOTIFY, *notification(self._cup, "results", row[1]))
        self._term, self._version = int(row[0]), int(row[1])

    def _replaced(self) -> StaleCoordinator:
        return StaleCoordinator(
            msg(
                "{path}: another coordinator has taken over this cup, or it was moved; this one stops. "
                "Nothing of what is stored is lost",
                path=self.location,
            )
        )

    # --- writes --------------------------------------------------------------------------------------

    def _write(self, work: Callable[[bool], T]) -> T:
        """Write, also if the database goes away and comes back meanwhile.

        `work` is called with False first. It is called again with True if the connection was lost: then what
        it wrote before may have been stored or not.
        """
        try:
            with self._writing():
                return work(False)
        except StoreLost as lost:
            outage = _Outage(self.location, lost, self._report)
        while True:
            try:
                self._reconnect()
                with self._writing():
                    result = work(True)
            except StoreLost as lost:
                outage.wait(lost)
            else:
                outage.report_end()
                return result

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Do everything within, or nothing, as the coordinator whose term it is."""
        with self._atomic():
            row = self._row(
                "UPDATE cups SET version = version + 1"
                " WHERE id = %s AND term = %s AND successor IS NULL RETURNING version",
                *(self._cup, self._term),
            )
            if row is None:
                raise self._replaced()
            yield
            self._execute(NOTIFY, *notification(self._cup, "results", row[0]))
        self._version = int(row[0])

    def _reconnect(self) -> None:
        """Connect again as the same coordinator. Raise StoreLost if that is not possible yet."""
        self._connection.close()
        try:
            self._connection = connect(self.address)
        except StoreLost:
            raise
        except InputError as error:  # some of these errors mean only that the server is about to end
            raise RefusedConnection(error.message) from error
        self._require_own_term()
        try:
            self._acquire_lock()
        except StoreBusy as error:
            # The server may not yet have noticed that our last connection is lost. Or it is another
            # coordinator, which will have taken a term when we look again.
            raise StoreLost(error.message) from error

    def _require_own_term(self) -> None:
        row = self._row("SELECT term, version FROM cups WHERE id = %s", self._cup)
        if row is None or row[0] != self._term:
            raise self._replaced()
        if row[1] < self._version:
            message = msg(
                "{path}: the database is back without results that it had confirmed, as if an old copy had "
                "been restored. This run stops; run the command again, and what is missing is played again",
                path=self.location,
            )
            raise DamagedStore(message, Damage(file=f"version {row[1]} after {self._version}"))


class _Outage:
    """The time in which a write waits for the database. A connection that comes back at once is no outage."""

    def __init__(self, location: str, lost: StoreLost, report: Report | None) -> None:
        self._location: Final = location
        self._why: Final = lost.message.values.get("why", "")
        self._report: Final = report
        self._until: Final = clock.now() + UNREPORTED_SECONDS if report is None else inf
        self._pause = FIRST_PAUSE
        self._is_reported = False
        self._refusal = ""

    def wait(self, lost: StoreLost) -> None:
        """Wait before the next attempt. Report the outage the first time. Raise the error if it was too
        long."""
        if clock.now() >= self._until:
            raise lost
        if not self._is_reported:
            self._is_reported = True
            self._say(
                msg(
                    "{path}: the connection to the database was lost ({why}); the cup waits for it. Ctrl-C "
                    "stops, and the same command continues it later",
                    path=self._location,
                    why=self._why,
                )
            )
        if isinstance(lost, RefusedConnection) and lost.message.template != self._refusal:
            self._refusal = lost.message.template
            self._say(lost.message)
        pause(self._pause)
        self._pause = min(2 * self._pause, LONGEST_PAUSE)

    def report_end(self) -> None:
        if self._is_reported:
            self._say(msg("{path}: the database is back; the cup goes on", path=self._location))

    def _say(self, message: Message) -> None:
        if self._report is not None:
            self._report(message)
