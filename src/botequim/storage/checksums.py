"""Checksums of rows: each series has one of all its rows, whatever the database.

They are stored, so what they are made of never changes.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final, Protocol, TypeAlias

from botequim.core.results import SeriesResult

Row: TypeAlias = tuple[Any, ...]


class Hash(Protocol):
    """Something that takes bytes, such as a SHA-256."""

    def update(self, content: bytes, /) -> None: ...


def add_row(digest: Hash, row: Sequence[Any]) -> None:
    """Add the values of a row, each with its type and length, so that different rows never look the same."""
    for value in row:
        content = value if isinstance(value, bytes) else repr(value).encode("utf-8", "backslashreplace")
        digest.update(f"{type(value).__name__} {len(content)} ".encode())
        digest.update(content)


def row_digest(rows: Iterable[Row]) -> str:
    """Return the digest of rows, in their order."""
    digest = sha256()
    for row in rows:
        add_row(digest, row)
    return digest.hexdigest()


def series_checksum(series: Row, games: str, faults: str) -> str:
    """Return the checksum of the row of a series and of the digests of its rows in the other tables."""
    return row_digest([series, (games, faults)])


NONE: Final = row_digest([])
"""The digest of no rows."""


@dataclass(frozen=True, slots=True)
class SeriesRows:
    """All rows of one series, as they are stored."""

    series: Row
    games: Sequence[Row]
    faults: Sequence[Row]

    def checksum(self) -> str:
        return series_checksum(self.series, row_digest(self.games), row_digest(self.faults))

    def is_plausible(self, names: Collection[str]) -> bool:
        """Return whether the rows have the right shape, the records are complete and have this result, and
        the entrants are among these names, if there are any. Without a checksum no more can be known."""
        stage, key, result, seconds, number = self.series
        try:
            found = SeriesResult.from_json(json.loads(result))
            records = [zlib.decompress(record).decode("utf-8") for *_, record in self.games]
            ends = [json.loads(text.rpartition("\n")[2]) for text in records]
            digests = [end["digest"] for end in ends]
            outcomes = [(end["outcome"]["how"], sorted(end["outcome"]["places"])) for end in ends]
            faults = [(json.loads(row[7])["kind"], *map(int, row[2:5])) for row in self.faults]
        except (ValueError, LookupError, TypeError, AttributeError, zlib.error):
            return False
        return (
            found.key == key
            and isinstance(seconds, float)
            and isinstance(number, int)
            and all(isinstance(name, str) for name in found.entrants)
            and (not names or set(found.entrants) <= set(names))
            and [fault[0] for fault in faults] == [row[6] for row in self.faults]
            and {row[5] for row in self.faults} <= set(found.entrants)
            and all(_is_result(game.places, game.faults, len(found.entrants)) for game in found.games)
            and len(found.games) == len(self.games)
            and [row[2] for row in self.games] == list(range(len(self.games)))
            and [row[3] for row in self.games] == digests
            and [(game.how, sorted(game.places)) for game in found.games] == outcomes
            and all(row[:2] == (stage, key) for row in (*self.games, *self.faults))
        )


def _is_result(places: Sequence[object], faults: Sequence[object], entrants: int) -> bool:
    return (
        len(places) == entrants
        and len(faults) in (0, entrants)
        and all(isinstance(number, int) for number in (*places, *faults))
        and 1 in places
    )
