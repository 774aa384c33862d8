"""The stores of cups in a PostgreSQL database, which several cups and several machines share.

Start with `PostgresStorage`. It needs psycopg (the extra ``postgres``); only this package imports it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from botequim.storage.address import StoreAddress
from botequim.storage.moving import require_equal
from botequim.storage.postgres.cup import PostgresCupStore
from botequim.storage.postgres.cups import known_cups
from botequim.storage.postgres.idle import Reader, borrow
from botequim.storage.postgres.live import PostgresLiveStore, PostgresLiveWriter
from botequim.storage.postgres.show import PostgresRequestStore, PostgresVisibilityStore, PostgresVoteStore
from botequim.storage.postgres.transfer import PostgresTransfer
from botequim.storage.postgres.watch import Listener, PostgresWatch
from botequim.storage.protocol import WAIT_SECONDS
from botequim.storage.values import StagedGame, StoredRequest


class PostgresStorage:
    """See `botequim.storage.protocol.CupStorage`."""

    def __init__(self, address: StoreAddress) -> None:
        self._address: Final = address
        self._listener: Final = Listener(address)

    @property
    def location(self) -> str:
        return str(self._address)

    def has_results(self) -> bool:
        with Reader(self._address, borrow(self._address)) as reader, reader.translate_errors():
            return self._address.cup in known_cups(reader.connection, self._address)

    def has_visibility(self) -> bool:
        with PostgresVisibilityStore(self._address, borrow(self._address)) as opened:
            return opened.exists()

    def open_results(self, *, write: bool = False, check: bool = False) -> PostgresCupStore:
        return PostgresCupStore.open(self._address, write=write, check=check)

    def open_visibility(self) -> PostgresVisibilityStore:
        return PostgresVisibilityStore.open(self._address)

    def open_votes(self) -> PostgresVoteStore:
        return PostgresVoteStore.open(self._address)

    def open_requests(self) -> PostgresRequestStore:
        return PostgresRequestStore.open(self._address)

    def requests(self) -> list[StoredRequest]:
        opened = PostgresRequestStore.open_existing(self._address)
        if opened is None:
            return []
        with opened:
            return opened.requests()

    def open_transfer(self) -> PostgresTransfer:
        return PostgresTransfer.begin(self._address)

    def copy_to(self, folder: Path) -> None:
        from botequim.storage.sqlite import SqliteStorage

        with (
            PostgresTransfer.begin_snapshot(self._address) as source,
            SqliteStorage(folder).open_transfer() as target,
        ):
            target.fill(source)
            require_equal(source, target)

    def open_live(self, *, wait: float = WAIT_SECONDS) -> PostgresLiveStore:
        return PostgresLiveStore(self._address, self._listener)

    def open_live_writer(self) -> PostgresLiveWriter:
        return PostgresLiveWriter.open(self._address)

    def watch_results(self) -> PostgresWatch:
        return PostgresWatch(self._listener, "results")

    def watch_visibility(self) -> PostgresWatch:
        return PostgresWatch(self._listener, "show")

    def shown_games(self) -> int | None:
        opened = PostgresVisibilityStore.open_existing(self._address)
        if opened is None:
            return None
        with opened:
            return opened.shown

    def staged_game(self) -> StagedGame | None:
        opened = PostgresVisibilityStore.open_existing(self._address)
        if opened is None:
            return None
        with opened:
            return opened.staged
