"""The stores of a cup as SQLite files in its folder. Start with `SqliteStorage`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from botequim.storage.protocol import WAIT_SECONDS, CheckRepaired, RestoreFacts
from botequim.storage.sqlite.cup import SqliteCupStore
from botequim.storage.sqlite.database import FollowedFile
from botequim.storage.sqlite.live import SqliteLiveStore, SqliteLiveWriter
from botequim.storage.sqlite.show import (
    WITH_REQUESTS,
    SqliteRequestStore,
    SqliteVisibilityStore,
    SqliteVoteStore,
)
from botequim.storage.sqlite.transfer import SqliteTransfer
from botequim.storage.values import Repair, StagedGame, StoredRequest

RESULTS: Final = "cup.sqlite"
LIVE: Final = "live.sqlite"
SHOW: Final = "show.sqlite"


class SqliteStorage:
    """See `botequim.storage.protocol.CupStorage`."""

    def __init__(self, folder: Path) -> None:
        self._folder: Final = folder
        self._results: Final = folder / RESULTS
        self._live: Final = folder / LIVE
        self._show: Final = folder / SHOW

    @property
    def location(self) -> str:
        return str(self._folder.resolve())

    def has_results(self) -> bool:
        return self._results.is_file()

    def has_visibility(self) -> bool:
        return self._show.exists()

    def open_results(self, *, write: bool = False, check: bool = False) -> SqliteCupStore:
        return SqliteCupStore.open(self._results, write=write, check=check)

    def open_visibility(self) -> SqliteVisibilityStore:
        return SqliteVisibilityStore.open(self._show)

    def open_votes(self) -> SqliteVoteStore:
        return SqliteVoteStore.open(self._show)

    def open_requests(self) -> SqliteRequestStore:
        return SqliteRequestStore.open(self._show)

    def requests(self) -> list[StoredRequest]:
        opened = SqliteRequestStore.open_existing(self._show, version=WITH_REQUESTS)
        if opened is None:
            return []
        with opened:
            return opened.requests()

    def open_transfer(self) -> SqliteTransfer:
        return SqliteTransfer(self._folder, self._results, self._show)

    def copy_to(self, folder: Path) -> None:
        from botequim.storage.sqlite.copying import copy_files

        copy_files([self._results, self._show], folder)

    def open_live(self, *, wait: float = WAIT_SECONDS) -> SqliteLiveStore:
        return SqliteLiveStore(self._live, wait)

    def open_live_writer(self) -> SqliteLiveWriter:
        return SqliteLiveWriter.open(self._live)

    def watch_results(self) -> FollowedFile:
        return FollowedFile(self._results)

    def watch_visibility(self) -> FollowedFile:
        return FollowedFile(self._show)

    def shown_games(self) -> int | None:
        opened = SqliteVisibilityStore.open_existing(self._show, version=1)
        if opened is None:
            return None
        with opened:
            return opened.shown

    def staged_game(self) -> StagedGame | None:
        opened = SqliteVisibilityStore.open_existing(self._show, version=2)
        if opened is None:
            return None
        with opened:
            return opened.staged

    def repair_results(
        self, fact_names: Sequence[str], restore_facts: RestoreFacts, check_repaired: CheckRepaired
    ) -> Repair:
        from botequim.storage.sqlite.repair import repair_store

        return repair_store(self._results, self._show, fact_names, restore_facts, check_repaired)
