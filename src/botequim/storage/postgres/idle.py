"""Connections that are kept for a while: a server of pages opens a store for every question.

Only connections without any state of their own are kept; those of coordinators, of watches and of moves are
not. A process that was forked does not use those of its parent.
"""

from __future__ import annotations

import atexit
import os
import select
import threading
from typing import Final

from psycopg.pq import TransactionStatus

from botequim.core import clock
from botequim.storage.address import StoreAddress
from botequim.storage.postgres.connection import Connection, Database, connect

MOST: Final = 4
"""Connections that are kept, of each address."""
SECONDS: Final = 30.0
"""How long a connection is kept that nobody uses."""

_lock: Final = threading.Lock()
_kept: Final[dict[tuple[int, str], list[tuple[float, Connection]]]] = {}


def borrow(address: StoreAddress) -> Connection:
    """Return a connection that was kept, or a new one."""
    while (connection := _take(address.url)) is not None:
        if _is_usable(connection):
            return connection
        connection.close()
    return connect(address)


def give_back(address: StoreAddress, connection: Connection) -> None:
    """Keep a connection for the next one who asks, or close it."""
    now = clock.now()
    with _lock:
        kept = _kept.setdefault((os.getpid(), address.url), [])
        old = [one for at, one in kept if not 0 <= now - at <= SECONDS]
        kept[:] = [(at, one) for at, one in kept if one not in old]
        if len(kept) < MOST and _is_usable(connection):
            kept.append((now, connection))
        else:
            old.append(connection)
    for one in old:
        one.close()


def _take(url: str) -> Connection | None:
    with _lock:
        kept = _kept.get((os.getpid(), url))
        return kept.pop()[1] if kept else None


def _is_usable(connection: Connection) -> bool:
    """Return whether a connection is open and idle. A server that has ended it has sent something."""
    if connection.closed or connection.info.transaction_status != TransactionStatus.IDLE:
        return False
    waiting, _, _ = select.select([connection.fileno()], [], [], 0)
    return not waiting


class Reader(Database):
    """A store whose connection can be used again when it is closed."""

    @property
    def connection(self) -> Connection:
        return self._connection

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            give_back(self.address, self._connection)


@atexit.register
def _close_all() -> None:
    for (process, _), kept in _kept.items():
        if process == os.getpid():
            for _, connection in kept:
                connection.close()
