"""The portraits of the players of a game. They come from the cup; those in the record are not used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from botequim.cup.config import Cup
from botequim.cup.report.content import image_problem
from botequim.web.live.public import PublicSnapshot


def portrait_addresses(cup: Cup, names: Sequence[str]) -> tuple[str, ...]:
    """Return the address of each seat's portrait on this site; "" if it has none."""
    public = PublicSnapshot(cup.path.stem, cup)
    return tuple(public.portrait_address(name, member) or "" for name, member in _members(names))


def portrait_files(cup: Cup, names: Sequence[str]) -> tuple[bytes, ...]:
    """Return the content of the file of each seat's portrait; b"" if it has none."""
    entries = {entry.name: entry for entry in cup.entrants}
    paths = [
        cup.portrait(entries[name], member) if name in entries else None for name, member in _members(names)
    ]
    return tuple(b"" if path is None else _content(path) for path in paths)


def _members(names: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Yield the name of each seat with the number of seats of the same team before it."""
    for seat, name in enumerate(names):
        yield name, names[:seat].count(name)


def _content(path: Path) -> bytes:
    try:  # a replay works without the picture
        return path.read_bytes() if image_problem(path) is None else b""
    except OSError:
        return b""
