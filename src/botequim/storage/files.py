"""Files that people get: portable names, and never half written."""

from __future__ import annotations

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
_RESERVED: Final = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?|.*-[0-9a-f]{8}")
"""Names that some systems reserve, and names that look as if they ended in a digest of ours."""


def safe_name(text: str) -> str:
    """Return a portable file name for a text. Different texts have different names, also on file systems that
    ignore case: a name that differs from its text ends in a digest."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    plain = re.sub(r"[^A-Za-z0-9.]+", "-", plain).strip("-.")[:LONGEST]
    if plain == text.lower() and not _RESERVED.fullmatch(plain):
        return plain
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{plain or 'x'}-{digest}"


def record_name(stage: str, key: str, number: int) -> str:
    """Return the path of a record in a report. Games are numbered from 0, files from 1."""
    return f"records/{safe_name(stage)}/{safe_name(key)}/{number + 1:04}.jsonl"


def replay_name(stage: str, key: str, number: int) -> str:
    """Return the path of the replay of a game in a report."""
    return f"replays/{safe_name(stage)}/{safe_name(key)}/{number + 1:04}.html"


@contextmanager
def atomic_write(path: Path) -> Iterator[BinaryIO]:
    """Open a file to write, with its folder. It replaces `path` at the end if nothing was raised."""
    partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("xb") as file:
            yield file
        partial.replace(path)
    except OSError as error:
        raise BotequimError(
            msg("{path} cannot be written: {why}", path=str(path), why=os_reason(error))
        ) from error
    finally:
        with suppress(OSError):  # without a folder, even `missing_ok` fails
            partial.unlink(missing_ok=True)


def write_text(path: Path, parts: str | Iterable[str]) -> Path:
    """Write a text atomically; return its path."""
    with atomic_write(path) as file:
        for part in [parts] if isinstance(parts, str) else parts:
            # a bot may say a lone surrogate, which UTF-8 cannot encode
            file.write(part.encode("utf-8", "backslashreplace"))
    return path


def file_identity(path: Path) -> tuple[int, int] | None:
    """Return device and inode: they change when another file takes this name. None if there is no file."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
