"""Checks whether the results of a cup are still what was written; nobody else should change these tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any, Final, TypeAlias

from botequim.storage.checksums import NONE, Row, add_row, row_digest, series_checksum
from botequim.storage.errors import Damage, SeriesKey

FAULT: Final = "stage, key, game, turn, seat, entrant, kind, fault"
Query: TypeAlias = Callable[..., list[Row]]
"""Takes a query and its values."""


def find_damage(query: Query, cup: str) -> Damage:
    """Compare everything of a cup with its checksums. The server computes those of the records, so they are
    not transferred."""
    return Damage(tuple(_damaged_series(query, cup)), tuple(_damaged_facts(query, cup)))


def _damaged_series(query: Query, cup: str) -> Iterator[SeriesKey]:
    games = _digests(
        query(
            "SELECT stage, key, number, digest, encode(sha256(record), 'hex')"
            " FROM games WHERE cup = %s ORDER BY stage, key, number",
            cup,
        )
    )
    faults = _digests(query(f"SELECT {FAULT} FROM faults WHERE cup = %s ORDER BY number", cup))
    rows = query("SELECT stage, key, result, seconds, number, sha256 FROM series WHERE cup = %s", cup)
    missed = {
        (stage, key) for stage, key in query("SELECT stage, key FROM stored_series WHERE cup = %s", cup)
    }
    for *row, checksum in rows:
        key = (row[0], row[1])
        expected = series_checksum(tuple(row), games.get(key, NONE), faults.get(key, NONE))
        if checksum != expected or key not in missed:
            yield key
        missed.discard(key)
    yield from sorted(missed)


def _digests(rows: list[Row]) -> dict[SeriesKey, str]:
    digests: defaultdict[SeriesKey, Any] = defaultdict(sha256)
    for row in rows:
        add_row(digests[row[0], row[1]], row)
    return {key: digest.hexdigest() for key, digest in digests.items()}


def _damaged_facts(query: Query, cup: str) -> Iterator[str]:
    for digests in query("SELECT facts_sha256, entrants_sha256 FROM cups WHERE id = %s", cup):
        for name, table, digest in zip(("cup", "entrants"), ("facts", "entrants"), digests, strict=True):
            rows = query(f"SELECT name, value FROM {table} WHERE cup = %s ORDER BY name", cup)
            if digest != row_digest(rows):
                yield name
