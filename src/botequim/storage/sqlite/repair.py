"""Repairs a damaged store: copies what is sound into a new file. The rest is played again.

The damaged files are kept as a copy. Series keep their numbers, so the URLs of games stay valid.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from mmap import ACCESS_READ, mmap
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, TypeAlias

from botequim.core.errors import BotequimError, InputError, os_reason
from botequim.core.messages import msg
from botequim.storage.protocol import CheckRepaired, RestoreFacts
from botequim.storage.sqlite.cup import MIGRATIONS, SqliteCupStore, lock_store
from botequim.storage.sqlite.database import UNREADABLE, Database, connect, database_error
from botequim.storage.sqlite.integrity import Salvage, find_damage, insert_rows, load_series, salvage
from botequim.storage.sqlite.pages import PAGE, rows_in
from botequim.storage.sqlite.show import SqliteVisibilityStore
from botequim.storage.values import Repair

FILES: Final = ("", "-wal")
"""The suffixes of the files of a store."""

Reading: TypeAlias = tuple[sqlite3.Connection, Salvage]
"""A database, and what was found in it."""


def repair_store(
    path: Path,
    show: Path,
    fact_names: Sequence[str],
    restore_facts: RestoreFacts,
    check_repaired: CheckRepaired,
) -> Repair:
    """Copy what is sound of the results into a new file, which replaces the damaged one; `show` is the file
    of the visibility. See `botequim.storage.protocol.RepairableStorage`."""
    if not path.is_file():
        raise InputError(msg("{path}: there is no store to repair", path=str(path)))
    lock = lock_store(path)
    try:
        with ExitStack() as opened:
            old = opened.enter_context(closing(connect(path)))
            damage = find_damage(old)
            if not damage:
                return Repair(damage)
            found = salvage(old)
            if damage.file:
                old, found = max([(old, found), *_other_readings(path, opened)], key=_amount)
                damage = replace(damage, series=found.damaged, facts=found.damaged_facts)
            if not found.sound and not found.facts:
                raise BotequimError(
                    msg("nothing in {path} can be read any more: restore a copy of it", path=str(path))
                )
            facts = dict(found.facts)
            if "cup" not in facts:
                facts["cup"] = list(restore_facts(_readable_facts(old, fact_names)).items())
            repaired = path.with_name(path.name + ".repaired")
            repaired.unlink(missing_ok=True)
            try:
                with SqliteCupStore.open(repaired, write=True) as new:
                    new.fill(facts, (load_series(old, key) for key in found.sound))
                    check_repaired(new)
            except BotequimError:
                repaired.unlink(missing_ok=True)
                raise
            finally:
                repaired.with_suffix(".lock").unlink(missing_ok=True)
            copy = _keep_copy(path)
        _hold_back(show, repaired)
        for ending in ("-wal", "-shm"):
            path.with_name(path.name + ending).unlink(missing_ok=True)
        repaired.replace(path)
        return Repair(damage, str(copy), len(found.sound))
    except UNREADABLE as error:
        raise database_error(path, error) from error
    except OSError as error:
        raise BotequimError(
            msg("{path} cannot be written: {why}", path=str(path), why=os_reason(error))
        ) from error
    finally:
        os.close(lock)


def _amount(reading: Reading) -> tuple[int, int]:
    """Return how much a reading found: first series count, then facts. Of equal ones the first is best."""
    return len(reading[1].sound), len(reading[1].facts)


def _other_readings(path: Path, opened: ExitStack) -> Iterator[Reading]:
    """Read the file in other ways than SQLite does, which cannot pass a damaged page."""
    yield from _with_a_new_first_page(path, opened)
    yield _page_by_page(path, opened)


def _page_by_page(path: Path, opened: ExitStack) -> Reading:
    """Read a new store that is filled with the rows of all pages, also of those that no page leads to."""
    rebuilt = path.with_name(f"{path.name}.rebuilt")
    opened.callback(rebuilt.unlink, missing_ok=True)
    rebuilt.unlink(missing_ok=True)
    connection = opened.enter_context(closing(connect(rebuilt)))
    Database(rebuilt, connection).migrate(MIGRATIONS)
    connection.execute("PRAGMA journal_mode = DELETE")
    if path.stat().st_size >= PAGE:
        with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
            insert_rows(connection, rows_in(content))
    return connection, salvage(connection)


def _with_a_new_first_page(path: Path, opened: ExitStack) -> Iterator[Reading]:
    """Read a copy of the store whose first page is replaced by that of an empty store.

    The first page lists the tables and where they begin. In all stores that were created with the same schema
    they begin at the same places, so the other pages can be read although the first one is lost.
    """
    for version in range(len(MIGRATIONS), 0, -1):
        patched = path.with_name(f"{path.name}.patched-{version}")
        opened.callback(patched.unlink, missing_ok=True)
        shutil.copy2(path, patched)
        with patched.open("r+b") as file:
            file.write(_first_page(version, pages=patched.stat().st_size // PAGE))
        connection = opened.enter_context(closing(connect(patched)))
        yield connection, salvage(connection)


def _first_page(version: int, pages: int) -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "empty.sqlite"
        with closing(connect(path)) as connection:
            Database(path, connection).migrate(MIGRATIONS[:version])
            connection.execute("PRAGMA journal_mode = DELETE")
        page = path.read_bytes()[:PAGE]
    # the number of pages, and an empty list of free pages
    return page[:28] + pages.to_bytes(4, "big") + bytes(8) + page[40:]


def _keep_copy(path: Path) -> Path:
    number = 1
    while (copy := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    for ending in FILES:
        source = path.with_name(path.name + ending)
        if source.is_file():
            shutil.copy2(source, copy.with_name(copy.name + ending))
    return copy


def _hold_back(show: Path, repaired: Path) -> None:
    """Make sure that the gaps in a repaired store publish nothing in a cup that is revealed game by game:
    only the games before the first missing series stay public."""
    if not show.exists():
        return
    with SqliteCupStore.open(repaired) as store:
        public = 0
        for at, series in enumerate(store.series(), start=1):
            if series.number != at:
                break
            public += len(series.result.games)
    with SqliteVisibilityStore.open(show) as visibility:
        visibility.hold_back(public)


def _readable_facts(old: sqlite3.Connection, names: Sequence[str]) -> dict[str, str]:
    """Return those of these facts that can be read, damaged or not."""
    found: dict[str, str] = {}
    for name in names:
        with suppress(*UNREADABLE):
            row = old.execute("SELECT value FROM cup WHERE name = ?", (name,)).fetchone()
            if row is not None and isinstance(row[0], str):
                found[name] = row[0]
    return found
