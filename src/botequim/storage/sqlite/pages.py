"""Reads rows from the pages of a damaged SQLite file, without the tree that leads to them.

SQLite finds a row from the first page of its table: if a page on the way is damaged, it finds none of the
rows behind it. Here every page is read by itself, by the documented format of SQLite files, and whatever
looks like a row is returned. So rows may be stale or damaged: checksums must decide which of them are used.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final, TypeAlias

PAGE: Final = 4096
"""The bytes of a page."""
LARGEST_ROW: Final = 1 << 28
FILE_HEADER: Final = 100
_SHORTEST: Final = (PAGE - 12) * 32 // 255 - 23
"""Bytes of a long row that are in its own page, at least; the others are in overflow pages."""
_INTEGERS: Final = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
"""Bytes of an integer, by its type."""

Value: TypeAlias = str | bytes | int | float | None


class Kind(IntEnum):
    """Pages that contain rows, by their first byte."""

    INDEX_INTERIOR = 2
    INDEX_LEAF = 10
    """Of an index, or of a table without row ids."""
    TABLE_LEAF = 13


@dataclass(frozen=True, slots=True)
class FoundRow:
    """Something that looks like a row."""

    values: tuple[Value, ...]
    rowid: int | None


class _NoRow(Exception):
    """What is there is no row."""


def rows_in(content: Any) -> Iterator[FoundRow]:
    """Yield the rows of sound pages, and then what looks like rows in pages with a damaged header.

    `content` is the whole file: bytes, or a mapped file.
    """
    damaged = []
    for number in range(1, len(content) // PAGE + 1):
        page = _page(content, number)
        start = FILE_HEADER if number == 1 else 0
        if page[start] in set(Kind):
            yield from _rows(content, page, Kind(page[start]), start)
        else:
            damaged.append(page)
    for page in damaged:
        for kind in (Kind.INDEX_LEAF, Kind.TABLE_LEAF, Kind.INDEX_INTERIOR):
            yield from _rows(content, page, kind, 0)


def _page(content: Any, number: int) -> bytes:
    if not 1 <= number <= len(content) // PAGE:
        raise _NoRow
    return bytes(content[(number - 1) * PAGE : number * PAGE])


def _rows(content: Any, page: bytes, kind: Kind, start: int) -> Iterator[FoundRow]:
    pointers = start + (12 if kind is Kind.INDEX_INTERIOR else 8)
    lowest = PAGE
    while pointers + 2 <= lowest:  # the number of cells is not used: it may be damaged
        at = int.from_bytes(page[pointers : pointers + 2], "big")
        pointers += 2
        if at < pointers:
            continue
        try:
            found = _row(content, page, kind, at)
        except (_NoRow, IndexError, UnicodeDecodeError, struct.error):
            continue
        lowest = min(lowest, at)
        yield found


def _row(content: Any, page: bytes, kind: Kind, at: int) -> FoundRow:
    if kind is Kind.INDEX_INTERIOR:
        at += 4
    size, at = _varint(page, at)
    rowid = None
    if kind is Kind.TABLE_LEAF:
        rowid, at = _varint(page, at)
    if not 2 <= size <= min(LARGEST_ROW, len(content)):
        raise _NoRow
    longest = PAGE - 35 if kind is Kind.TABLE_LEAF else (PAGE - 12) * 64 // 255 - 23
    if size <= longest:
        payload = page[at : at + size]
    else:
        here = _SHORTEST + (size - _SHORTEST) % (PAGE - 4)
        here = here if here <= longest else _SHORTEST
        following = int.from_bytes(page[at + here : at + here + 4], "big")
        payload = page[at : at + here] + _overflow(content, following, size - here)
    if len(payload) != size:
        raise _NoRow
    return FoundRow(tuple(_values(payload)), rowid)


def _overflow(content: Any, number: int, size: int) -> bytes:
    parts = []
    while size > 0:
        page = _page(content, number)
        parts.append(page[4 : 4 + size])
        size -= PAGE - 4
        number = int.from_bytes(page[:4], "big")
    return b"".join(parts)


def _values(payload: bytes) -> Iterator[Value]:
    """Yield the values of a record: its header lists their types."""
    end, at = _varint(payload, 0)
    position = end
    while at < end:
        kind, at = _varint(payload, at)
        value, position = _value(payload, kind, position)
        yield value
    if at != end or position != len(payload):
        raise _NoRow


def _value(payload: bytes, kind: int, at: int) -> tuple[Value, int]:
    if kind in _INTEGERS:
        size = _INTEGERS[kind]
        return int.from_bytes(payload[at : at + size], "big", signed=True), at + size
    if kind == 7:
        return struct.unpack(">d", payload[at : at + 8])[0], at + 8
    if kind in (0, 8, 9):
        return (None if kind == 0 else kind - 8), at
    if kind < 12:
        raise _NoRow
    size = (kind - 12) // 2
    content = payload[at : at + size]
    return (content.decode("utf-8") if kind % 2 else content), at + size


def _varint(content: bytes, at: int) -> tuple[int, int]:
    """Return an integer of one to nine bytes, and where the next one begins."""
    value = 0
    for offset in range(8):
        byte = content[at + offset]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + offset + 1
    return value << 8 | content[at + 8], at + 9
