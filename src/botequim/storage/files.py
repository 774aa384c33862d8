"""Files for others: under names that every system takes, and whole or not at all."""

from __future__ import annotations

import os
import re
import secrets
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, Final

from botequim.core.errors import BotequimError, os_reason
from botequim.core.messages import msg

LONGEST: Final = 60
_TAKEN: Final = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?|.*-[0-9a-f]{8}")
"""Names that some systems keep for themselves, and those that look as if they were marked."""


def safe_name(text: str) -> str:
    """A file name of plain letters. Different texts have different names, also where case does not count:
    what had to be changed is marked by a digest."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    plain = re.sub(r"[^A-Za-z0-9.]+", "-", plain).strip("-.")[:LONGEST]
    if plain == text.lower() and not _TAKEN.fullmatch(plain):
        return plain
    mark = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{plain or 'x'}-{mark}"


def record_name(stage: str, key: str, number: int) -> str:
    """Where the record of a game lies in a report; games are counted from 0, files from 1."""
    return f"records/{safe_name(stage)}/{safe_name(key)}/{number + 1:04}.jsonl"


def replay_name(stage: str, key: str, number: int) -> str:
    """Where the page that plays a game back lies in a report."""
    return f"replays/{safe_name(stage)}/{safe_name(key)}/{number + 1:04}.html"


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A file to write that takes its place when all of it is there."""
    partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("xb") as file:
            yield file
        os.replace(partial, path)  # noqa: PTH105
    except OSError as error:
        raise BotequimError(
            msg("{path} cannot be written: {why}", path=str(path), why=os_reason(error))
        ) from error
    finally:
        with suppress(OSError):  # where there is no folder, it cannot even be said to be missing
            partial.unlink(missing_ok=True)


def write_whole(path: Path, parts: str | Iterable[str]) -> Path:
    """A text as a file."""
    with whole_file(path) as file:
        for part in [parts] if isinstance(parts, str) else parts:
            # half a character, which a bot may say, cannot be written as it is
            file.write(part.encode("utf-8", "backslashreplace"))
    return path
