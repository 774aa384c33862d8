"""Makes a damaged store whole again: what is sound is written into a new one, and the rest is played again.

The damaged files are copied first, as they are. Series keep their numbers, so addresses of games stay.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Mapping
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from botequim.core.errors import BotequimError, InputError, os_reason
from botequim.core.messages import msg
from botequim.cup.absence import FACT as ABSENT
from botequim.cup.absence import read_absences
from botequim.cup.curtain import Show
from botequim.cup.database import UNREADABLE, Database, in_words
from botequim.cup.file import Cup
from botequim.cup.home import Home
from botequim.cup.integrity import Damage, Row, Salvage, find_damage, load_series, salvage
from botequim.cup.stages import commitment
from botequim.cup.store import MIGRATIONS, Store, lock_store

PAGE: Final = 4096
"""Bytes of a page."""
ALSO: Final = ("", "-wal")
"""The endings of the files of a store."""


@dataclass(frozen=True)
class Repaired:
    """What was done."""

    damage: Damage
    """What was found; nothing: nothing was done."""
    copy: Path | None = None
    """The store as it was."""
    kept: int = 0
    """Series."""


def repair_store(cup: Cup, told_seed: str | None = None) -> Repaired:
    """Write what is sound of a damaged store into a new one.

    The seed of the cup is needed if it cannot be read: an InputError says so.
    """
    home = Home.of(cup.path)
    if not home.store.is_file():
        raise InputError(msg("{path}: there is no store to repair", path=str(home.store)))
    lock = lock_store(home.store)
    try:
        with ExitStack() as opened:
            old = opened.enter_context(closing(sqlite3.connect(home.store, isolation_level=None)))
            damage = find_damage(old)
            if not damage:
                return Repaired(damage)
            found = salvage(old)
            if not found.sound:
                old, found = _by_a_fresh_first_page(home.store, opened) or (old, found)
                damage = replace(damage, series=found.damaged, facts=found.damaged_facts)
            if not found.sound and not found.facts:
                raise BotequimError(
                    msg("nothing can be read of {path} any more: restore a copy of it", path=str(home.store))
                )
            facts = _facts(cup, found, old, told_seed)
            copy = _keep_copy(home.store)
            made = home.store.with_name(home.store.name + ".repaired")
            with suppress(FileNotFoundError):
                made.unlink()
            _write(made, old, found, facts)
        _hold_back(home, made)
        for ending in ("-wal", "-shm"):
            home.store.with_name(home.store.name + ending).unlink(missing_ok=True)
        os.replace(made, home.store)  # noqa: PTH105
        return Repaired(damage, copy, len(found.sound))
    except UNREADABLE as error:
        raise BotequimError(in_words(home.store, error)) from error
    except OSError as error:
        raise BotequimError(
            msg("{path} cannot be written: {why}", path=str(home.store), why=os_reason(error))
        ) from error
    finally:
        os.close(lock)


def _by_a_fresh_first_page(path: Path, opened: ExitStack) -> tuple[sqlite3.Connection, Salvage] | None:
    """Read a copy of the store whose first page is that of an empty one.

    The first page lists the tables, and where they begin: in every store that began with the same form, at
    the same places. So what the other pages hold can be read although the first one is lost.
    """
    best: tuple[sqlite3.Connection, Salvage] | None = None
    for version in range(len(MIGRATIONS), 0, -1):
        patched = path.with_name(f"{path.name}.patched-{version}")
        opened.callback(patched.unlink, missing_ok=True)
        shutil.copy2(path, patched)
        with patched.open("r+b") as file:
            file.write(_first_page(version, pages=patched.stat().st_size // PAGE))
        connection = opened.enter_context(closing(sqlite3.connect(patched, isolation_level=None)))
        found = salvage(connection)
        if found.sound and (best is None or len(found.sound) > len(best[1].sound)):
            best = connection, found
    return best


def _first_page(version: int, pages: int) -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "empty.sqlite"
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            Database(path, connection).bring_up_to_date(MIGRATIONS[:version])
            connection.execute("PRAGMA journal_mode = DELETE")
        page = path.read_bytes()[:PAGE]
    # the number of pages, and no list of free ones
    return page[:28] + pages.to_bytes(4, "big") + bytes(8) + page[40:]


def _keep_copy(path: Path) -> Path:
    number = 1
    while (copy := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    for ending in ALSO:
        source = path.with_name(path.name + ending)
        if source.is_file():
            shutil.copy2(source, copy.with_name(copy.name + ending))
    return copy


def _write(path: Path, old: sqlite3.Connection, found: Salvage, facts: Mapping[str, list[Row]]) -> None:
    with Store.open(path, write=True) as new, new.transaction() as change:
        for table, rows in facts.items():
            change.executemany(f"INSERT INTO {table} VALUES (?, ?)", rows)
        for key in found.sound:
            new.add_rows(change, load_series(old, key))
        new.protect_facts(change)
    path.with_suffix(".lock").unlink(missing_ok=True)


def _hold_back(home: Home, made: Path) -> None:
    """Of a cup that is revealed game by game, nothing becomes public by what is missing now: only what came
    before the first series that is missing stays public."""
    if not home.show.exists():
        return
    with Show.open(home.show) as show, closing(sqlite3.connect(made)) as new:
        shown = show.shown
        if shown is None:
            return
        rows = new.execute(
            "SELECT series.number, COUNT(*) FROM series JOIN games USING (stage, key)"
            " GROUP BY series.number ORDER BY series.number"
        ).fetchall()
        public = 0
        for at, (number, games) in enumerate(rows, start=1):
            if number != at:
                break
            public += games
        if public < shown:
            with show.transaction() as change:
                change.execute("UPDATE curtain SET shown = ?", (public,))


# --- what is known of the cup ------------------------------------------------------------------------


def _facts(cup: Cup, found: Salvage, old: sqlite3.Connection, told_seed: str | None) -> dict[str, list[Row]]:
    """The facts that are sound; those that are not as far as the cup file and the seed tell them. Entrants
    that are not pinned any more are pinned anew when the cup goes on."""
    facts = dict(found.facts)
    if "cup" not in facts:
        facts["cup"] = list(_facts_of_cup(cup, _as_read(old), told_seed).items())
    return facts


def _as_read(old: sqlite3.Connection) -> dict[str, Any]:
    """The facts as they can be read, one by one, damaged or not."""
    found: dict[str, Any] = {}
    for name in ("seed", "digest", "commitment", "name", "file", ABSENT):
        with suppress(*UNREADABLE):
            row = old.execute("SELECT value FROM cup WHERE name = ?", (name,)).fetchone()
            if row is not None and isinstance(row[0], str):
                found[name] = row[0]
    return found


def _facts_of_cup(cup: Cup, read: Mapping[str, str], told_seed: str | None) -> dict[str, str]:
    promised = {cup.commitment, read.get("commitment")} - {None}
    seed = told_seed or cup.seed or read.get("seed", "")
    if not seed or (promised and commitment(seed) not in promised):
        raise InputError(
            msg(
                "the seed of the cup cannot be read from {path} any more: give the one that it began with "
                "(--seed S), or restore a copy of the file",
                path=str(Home.of(cup.path).store),
            )
        )
    facts = {"seed": seed, "digest": cup.digest(), "commitment": commitment(seed), "name": cup.name}
    facts["file"] = cup.path.read_text(encoding="utf-8")
    with suppress(ValueError, AttributeError, InputError):
        read_absences(cup, json.loads(read.get(ABSENT, "{}")))
        facts[ABSENT] = read.get(ABSENT, "{}")
    return facts
