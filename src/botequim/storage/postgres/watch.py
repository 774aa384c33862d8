"""Notices what others write: by NOTIFY, and by a slow poll in case a notification is lost.

Every part of a cup (results, show, live) has a version. A transaction that changes a part raises its version
and notifies once. All watches of a cup in this process share one connection that listens.
"""

from __future__ import annotations

import threading
from hashlib import sha256
from typing import Final, Literal, TypeAlias

import psycopg

from botequim.core import clock
from botequim.core.errors import BotequimError
from botequim.storage.address import StoreAddress
from botequim.storage.postgres.connection import Connection, connect
from botequim.storage.postgres.migrations import has_tables

Part: TypeAlias = Literal["results", "show", "live"]
PARTS: Final[tuple[Part, ...]] = ("results", "show", "live")
POLL_SECONDS: Final = 5.0
"""How often versions are read although nothing was notified."""
RETRY_SECONDS: Final = 2.0
"""How long a server that cannot be reached is left alone."""

FIRST_VERSION: Final = "(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000)::bigint"
"""Where versions begin: above those of everything that had the same id before."""
NOTIFY: Final = "SELECT pg_notify(%s, %s)"
_VERSIONS: Final = """
SELECT (SELECT version FROM cups WHERE id = %(cup)s), (SELECT version FROM shows WHERE cup = %(cup)s),
       (SELECT version FROM live_runs WHERE cup = %(cup)s)
"""


def channel(cup: str) -> str:
    """Return the name under which changes of a cup are notified."""
    return f"botequim_{sha256(cup.encode()).hexdigest()[:16]}"


def notification(cup: str, part: Part, version: int) -> tuple[str, str]:
    """Return the values for `NOTIFY`."""
    return channel(cup), f"{part} {version}"


class Listener:
    """The connection that listens for one cup. Any thread may use it."""

    def __init__(self, address: StoreAddress) -> None:
        self._address: Final = address
        self._lock: Final = threading.Lock()
        self._users = 0
        self._connection: Connection | None = None
        self._versions: dict[str, int | None] = {}
        self._due = 0.0

    def open(self) -> None:
        with self._lock:
            self._users += 1

    def close(self) -> None:
        """Close the connection after the last watch has been closed."""
        with self._lock:
            self._users -= 1
            if self._users == 0:
                self._drop()
                self._due = 0.0

    def version(self, part: Part) -> object:
        """Return the version of a part now; None if there is none, or if the server cannot be reached."""
        with self._lock:
            try:
                self._receive()
                if clock.now() >= self._due:
                    self._poll()
            except (psycopg.Error, BotequimError):
                self._drop()
                self._due = clock.now() + RETRY_SECONDS
            return self._versions.get(part)

    def _receive(self) -> None:
        """Take the notifications that have arrived; this neither waits nor asks the server."""
        if self._connection is not None:
            self._connection.pgconn.consume_input()
            while (found := self._connection.pgconn.notifies()) is not None:
                self._note(found.extra.decode())

    def _note(self, text: str) -> None:
        part, _, version = text.partition(" ")
        if version.isdecimal():
            self._versions[part] = max(int(version), self._versions.get(part) or 0)

    def _poll(self) -> None:
        """Read the versions; connect first if necessary."""
        if self._connection is None:
            self._connection = connect(self._address)
            self._connection.add_notify_handler(lambda notify: self._note(notify.payload))
            self._connection.execute(f"LISTEN {channel(self._address.cup)}")
        versions: dict[str, int | None] = {}
        if has_tables(self._connection, self._address):
            row = self._connection.execute(_VERSIONS, {"cup": self._address.cup}).fetchone() or ()
            for part, version in zip(PARTS, row, strict=True):
                # a notification may have overtaken the answer
                versions[part] = None if version is None else max(version, self._versions.get(part) or 0)
        self._versions = versions
        self._due = clock.now() + POLL_SECONDS

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        self._versions = {}


class PostgresWatch:
    """See `botequim.storage.protocol.Watch`."""

    def __init__(self, listener: Listener, part: Part) -> None:
        self._listener: Final = listener
        self._part: Final[Part] = part
        self._seen: object = self  # unlike any version
        self._closed = False
        listener.open()

    def has_changed(self) -> bool:
        now = self._listener.version(self._part)
        before, self._seen = self._seen, now
        return bool(now != before)

    def forget(self) -> None:
        self._seen = self

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._listener.close()

    def __enter__(self) -> PostgresWatch:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
