"""Finds the line numbers of the keys in a TOML text, which the parser does not report.

The text has been parsed before, so it is well formed. A key inside a value has the line where that value
begins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, TypeAlias

Path: TypeAlias = tuple[str | int, ...]
"""`("entrants", 2, "name")` is the name in the third table `[[entrants]]`."""

_KEY: Final = re.compile(r"""\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([A-Za-z0-9_-]+))\s*(\.?)""")
_TOKEN: Final = re.compile(r'"""|\'\'\'|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|#[^\n]*|[\[\]{}]|\n')


class Lines:
    """The lines of all keys and table headers."""

    def __init__(self, text: str) -> None:
        self._lines: dict[Path, int] = {(): 1}
        self._counts: dict[Path, int] = {}
        """The number of tables of each array so far."""
        table: Path = ()
        for number, line in _statements(text):
            if line.startswith("["):
                table = self._header(line, number)
            else:
                self._note(table + self.keys(line), number)

    def of(self, *path: str | int) -> int:
        """Return the line of a key, or of the innermost table around it that has one."""
        while path not in self._lines:
            path = path[:-1]
        return self._lines[path]

    def _header(self, line: str, number: int) -> Path:
        array = line.startswith("[[")
        keys = self.keys(line.lstrip("["))
        path: Path = ()
        for at, key in enumerate(keys):
            path += (key,)
            if array and at == len(keys) - 1:
                self._counts[path] = self._counts.get(path, 0) + 1
            if path in self._counts:
                path += (self._counts[path] - 1,)
        self._note(path, number)
        return path

    def _note(self, path: Path, number: int) -> None:
        for length in range(1, len(path) + 1):
            self._lines.setdefault(path[:length], number)

    @staticmethod
    def keys(line: str) -> tuple[str, ...]:
        """Return the parts of the dotted key with which a line begins."""
        keys, at = [], 0
        while match := _KEY.match(line, at):
            keys.append(next(part for part in match.groups()[:3] if part is not None))
            at = match.end()
            if not match[4]:
                break
        return tuple(keys)


def key_lines(text: str, array: str, number: int) -> dict[str, tuple[int, int]]:
    """Return the keys of one table of an array, each with its first line and the line after its value."""
    known = list(_statements(text))
    starts = [line for line, _ in known] + [text.count("\n") + 2]
    lines = text.split("\n")
    found: dict[str, tuple[int, int]] = {}
    table: tuple[str, ...] = ()
    count = -1
    for at, (first, statement) in enumerate(known):
        keys = Lines.keys(statement.lstrip("["))
        if statement.startswith("["):
            table = keys
            count += statement.startswith("[[") and keys == (array,)
        elif table == (array,) and count == number and len(keys) == 1:
            end = starts[at + 1]
            while end - 1 > first and not lines[end - 2].partition("#")[0].strip():
                end -= 1  # comments and empty lines belong to what follows
            found[keys[0]] = first, end
    return found


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """Yield each key or header with its line, but nothing inside values."""
    number, depth, begins = 1, 0, True
    at = 0
    while at < len(text):
        if begins and depth == 0:
            line = text[at:].split("\n", 1)[0].strip()
            if line and not line.startswith("#"):
                yield number, line
        begins = False
        match = _TOKEN.search(text, at)
        if match is None:
            return
        at, token = match.end(), match[0]
        if token in ('"""', "'''"):
            end = _closing(text, at, token)
            number += text.count("\n", at, end)
            at = end
        elif token in "[{":
            depth += 1
        elif token in "]}":
            depth -= 1
        elif token == "\n":
            number, begins = number + 1, True


def _closing(text: str, at: int, quote: str) -> int:
    while True:
        at = text.index(quote, at) + len(quote)
        backslashes = len(text[: at - 3]) - len(text[: at - 3].rstrip("\\"))
        if quote == "'''" or backslashes % 2 == 0:
            while text[at : at + 1] == quote[0]:  # the text may end in up to two quotes of its own
                at += 1
            return at
