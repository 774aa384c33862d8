"""Frames of art: from a folder of `*.ascii` files, or from the record of a game.

A file must respect the limits of art (`botequim.core.game.check_art`); an error names the file and the line.
The art of a record was accepted by the rules, so a character without a glyph is only a warning.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from botequim.core.errors import InputError, RecordError, os_reason
from botequim.core.game import ART_SIZE, Remark, check_art
from botequim.core.messages import Message, msg
from botequim.records.reader import RawRecord
from botequim.records.replay import Replay
from botequim.render.art.font import UNKNOWN, glyphs

SUFFIX: Final = ".ascii"
LARGEST_FILE: Final = 100_000
"""The largest file in bytes. The largest art, sixty lines of sixty characters of four bytes, has 14,520."""
MOST_WARNINGS: Final = 10


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture of an animation."""

    lines: tuple[str, ...]
    """The lines to draw. Each character has a glyph."""
    width: int
    """The length of the longest line."""
    warnings: tuple[Message, ...] = ()
    """Warnings about characters that cannot be drawn."""

    @classmethod
    def of(cls, lines: Sequence[str], where: str = "", line: int | None = 1) -> Frame:
        """Return a frame of these lines; for warnings, `where` is the file and `line` the number of the first
        line."""
        drawable_lines = tuple(map(drawable, lines))
        warnings: list[Message] = []
        for at, (line_text, drawable_line) in enumerate(zip(lines, drawable_lines, strict=True)):
            if UNKNOWN in drawable_line and line_text != drawable_line:
                location = where if line is None else f"{where}:{line + at}"
                warnings += _unknown(line_text, location)
        return cls(drawable_lines, max(map(len, drawable_lines), default=0), tuple(warnings))


@lru_cache(maxsize=4096)
def drawable(line: str) -> str:
    """Return the line with letters and marks composed, and `UNKNOWN` for characters without a glyph."""
    if line.isascii() and line.isprintable():
        return line
    text = unicodedata.normalize("NFC", line)
    glyph_table = glyphs()
    return "".join(sign if sign in glyph_table else UNKNOWN for sign in text)


def _unknown(line: str, where: str) -> Iterator[Message]:
    for sign in dict.fromkeys(unicodedata.normalize("NFC", line)):
        if sign not in glyphs():
            yield msg(
                '{where}: there is no glyph for "{sign}" (U+{code}); a crossed box is drawn in its place',
                where=where,
                sign=sign,
                code=f"{ord(sign):04X}",
            )


def warnings(frames: Sequence[Frame]) -> list[Message]:
    """Return the warnings of all frames, or the first of them and the number of the others."""
    all_warnings = [warning for frame in frames for warning in frame.warnings]
    if len(all_warnings) <= MOST_WARNINGS:
        return all_warnings
    more = len(all_warnings) - MOST_WARNINGS
    return [*all_warnings[:MOST_WARNINGS], msg("and {count} more warnings of this kind", count=more)]


# --- a folder ----------------------------------------------------------------------------------------


def frame_files(folder: Path) -> list[Path]:
    """Return the frames of a folder in alphabetical order, without hidden files."""
    try:
        paths = [path for path in folder.iterdir() if path.suffix == SUFFIX and path.name[0] != "."]
    except OSError as error:
        raise InputError(
            msg("{path} cannot be read: {why}", path=str(folder), why=os_reason(error))
        ) from error
    if not paths:
        raise InputError(
            msg("there are no *{suffix} files in the folder {path}", suffix=SUFFIX, path=str(folder))
        )
    return sorted(paths, key=lambda path: (path.stem.casefold(), path.stem))


def order_warning(files: Sequence[Path]) -> Message | None:
    """Return a warning if the alphabetical order is not the numeric one, as for `10.ascii` and `9.ascii`."""
    by_number = sorted(files, key=lambda path: _by_number(path.stem))
    for file, numeric in zip(files, by_number, strict=True):
        if file != numeric:
            return msg(
                "frames are in alphabetical order, so {first} comes before {second}: write all "
                "numbers with the same number of digits",
                first=file.name,
                second=numeric.name,
            )
    return None


def _by_number(stem: str) -> list[tuple[bool, int, str]]:
    parts = re.findall(r"[0-9]+|[^0-9]+", stem.casefold())
    return [(not part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts]


def read_frame(path: Path) -> Frame:
    """Read one file. Raise InputError if a bot could not show this art."""
    try:
        if not path.is_file() and path.exists():
            raise InputError(msg("{path} cannot be read: it is not a file", path=str(path)))
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise InputError(msg("{path} cannot be read: {why}", path=str(path), why=os_reason(error))) from error
    if len(content) > LARGEST_FILE:
        raise InputError(
            msg("{path} is larger than {most} bytes: that is not a frame", path=str(path), most=LARGEST_FILE)
        )
    lines = _lines(content, str(path))
    _check(lines, str(path))
    return Frame.of(lines, str(path))


def _lines(content: bytes, path: str) -> list[str]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        column = error.start - content.rfind(b"\n", 0, error.start)
        raise _wrong(path, line, msg("not UTF-8 text at byte {at} of the line", at=column)) from error
    if not text:
        raise InputError(msg("{path} is empty: a blank frame has at least one blank line", path=path))
    # not splitlines, which also splits at form feeds and other characters
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    return lines if lines[-1] else lines[:-1]


def _check(lines: Sequence[str], path: str) -> None:
    for number, line in enumerate(lines, start=1):
        for column, sign in enumerate(line, start=1):
            if sign == "\t":
                raise _wrong(path, number, msg("a tab at column {at}: write spaces", at=column))
            if unicodedata.category(sign) == "Cc":
                code = f"{ord(sign):04X}"
                problem = msg("a control character (U+{code}) at column {at}", code=code, at=column)
                raise _wrong(path, number, problem)
        if number > ART_SIZE:
            problem = msg("{count} lines; at most {limit}", count=len(lines), limit=ART_SIZE)
            raise _wrong(path, number, problem)
        if len(line) > ART_SIZE:
            problem = msg("{count} characters; at most {limit}", count=len(line), limit=ART_SIZE)
            raise _wrong(path, number, problem)


def _wrong(path: str, line: int, what: Message) -> InputError:
    return InputError(msg("{where}: {what}", where=f"{path}:{line}", what=what))


# --- a record ----------------------------------------------------------------------------------------


def frames_of(raw: RawRecord) -> list[list[Frame]]:
    """Return the art by seat. A round without art adds no frame."""
    frames: list[list[Frame]] = [[] for _ in raw.header.content["seats"]]
    for line, turn in zip(raw.turns, Replay.load(raw).turns, strict=True):
        for move in turn:
            for remark in move.remarks:
                if remark.kind == "art" and remark.value:
                    frames[move.by].append(_frame_of(remark, raw.path, line.number))
    return frames


def _frame_of(remark: Remark, path: str, line: int) -> Frame:
    problem = check_art(remark)  # the rules of a game may accept other art than this check
    if problem is not None:
        raise RecordError(problem, path=path, line=line)
    return Frame.of(remark.value, f"{path}:{line}", None)
