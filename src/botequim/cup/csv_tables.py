"""Reads and writes CSV files that people edit in spreadsheets.

A file may be in UTF-8 (with or without a byte order mark), UTF-16, Windows-1252 or Latin-1. Its cells are
separated by commas, semicolons, tabs or bars. Columns are found by their headings, in English and Portuguese.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from botequim.core.errors import InputError, os_reason
from botequim.core.messages import msg, plain
from botequim.core.sanitize import printable

MOST_BYTES: Final = 16 << 20
SEPARATORS: Final = (",", ";", "\t", "|")
FORMULA: Final = ("=", "+", "-", "@")
"""The first character of a cell that a spreadsheet would compute."""

Columns = Mapping[str, Sequence[str]]
"""By kind of column: phrases in its heading, without accents. A phrase matches if the heading has all of its
words. The first kind with a matching phrase is used."""


@dataclass(frozen=True, slots=True)
class CsvRow:
    """A row that is not empty."""

    line: int
    cells: tuple[str, ...]

    def cell(self, column: int) -> str:
        return self.cells[column] if column < len(self.cells) else ""


@dataclass(frozen=True, slots=True)
class CsvTable:
    """The content of a CSV file."""

    path: Path
    headings: tuple[str, ...]
    rows: tuple[CsvRow, ...]

    def where(self, row: CsvRow) -> str:
        return f"{self.path.name}:{row.line}"

    def columns(self, known: Columns) -> dict[str, list[int]]:
        """Return the columns of each kind, from the left."""
        found: dict[str, list[int]] = {}
        for at, heading in enumerate(self.headings):
            kind = column_kind(heading, known)
            if kind is not None:
                found.setdefault(kind, []).append(at)
        return found


def column_kind(heading: str, known: Columns) -> str | None:
    words = set(re.findall(r"[a-z0-9]+", comparable(heading)))
    # "RA 1" and "ra1" are the columns of the first member of a pair
    words |= {word.rstrip("0123456789") for word in words}
    for kind, phrases in known.items():
        if any(words >= set(phrase.split()) for phrase in phrases):
            return kind
    return None


def comparable(text: str) -> str:
    """Return the text without accents, capitals and repeated spaces."""
    apart = unicodedata.normalize("NFKD", text.casefold())
    return " ".join("".join(sign for sign in apart if not unicodedata.combining(sign)).split())


def decode_text(content: bytes) -> str:
    """Return the text of a file that was saved by some spreadsheet or editor."""
    return content.decode(encoding_of(content), "replace")


def encoding_of(content: bytes) -> str:
    """Return the encoding in which a file was saved, by which its byte order mark is kept as well."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    for encoding in ("utf-8-sig" if content.startswith(BOM_UTF8) else "utf-8", "cp1252"):
        try:
            content.decode(encoding)
        except UnicodeDecodeError:
            continue
        return encoding
    return "latin-1"


def encoded_like(text: str, original: bytes) -> bytes:
    """Return a text in the encoding of the file that it was made of, with the same byte order mark."""
    encoding = encoding_of(original)
    if encoding == "utf-16":
        is_little = original.startswith(BOM_UTF16_LE)
        mark = BOM_UTF16_LE if is_little else BOM_UTF16_BE
        return mark + text.encode("utf-16-le" if is_little else "utf-16-be", "surrogatepass")
    return text.encode(encoding)


def read_table(path: Path) -> CsvTable:
    """Read a CSV file. Raise InputError, with file and line, if it is not one."""
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise InputError(msg("{path} cannot be read: {why}", path=str(path), why=os_reason(error))) from error
    if len(content) > MOST_BYTES:
        raise InputError(msg("{path} is too large for a table", path=str(path)))
    if b"\0" in content[:4096] and not content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(
            msg("{path} is not a text; save the table as CSV and give that file", path=str(path))
        )
    return parse_table(decode_text(content), path)


def parse_table(text: str, path: Path) -> CsvTable:
    """Return the table in a text; `path` is the path of its file."""
    skipped = 0
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if match := re.match(r"sep=(.)\n", text):  # the first line of some spreadsheets
        separator, skipped, text = match[1], 1, text[match.end() :]
    else:
        separator = _separator(text)
    rows = list(_rows(text, separator, path, skipped))
    if not rows:
        raise InputError(msg("{path} is empty", path=str(path)))
    head, *body = rows
    return CsvTable(path, head.cells, tuple(body))


def _separator(text: str) -> str:
    """Return the character that separates most headings."""
    first = next((line for line in text.split("\n") if line.strip()), "")
    unquoted = re.sub(r'"[^"]*"', "", first)
    return max(SEPARATORS, key=unquoted.count)


def _rows(text: str, separator: str, path: Path, skipped: int) -> Iterator[CsvRow]:
    reader = csv.reader(io.StringIO(text), delimiter=separator)
    line = 1 + skipped
    try:
        for cells in reader:
            clean = tuple(_without_quote(" ".join(cell.split())) for cell in cells)
            if any(clean):
                yield CsvRow(line, clean)
            line = reader.line_num + 1 + skipped  # of the next row: cells may contain line breaks
    except csv.Error as error:
        where = plain(f"{path}:{line}")
        raise InputError(msg("{where}: not CSV: {why}", where=where, why=str(error))) from error


def _without_quote(cell: str) -> str:
    """Return a cell without the quote that `csv_text` writes before what looks like a formula."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(FORMULA) else cell


def csv_text(rows: Iterable[Sequence[str]]) -> str:
    """Return rows as CSV, in which no cell is a formula."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for row in rows:
        cells = [printable(" ".join(cell.split())) for cell in row]
        writer.writerow([f"'{cell}" if cell.startswith(FORMULA) else cell for cell in cells])
    return text.getvalue()
