"""Recognises files that were given instead of another kind of file."""

from __future__ import annotations

from pathlib import PurePath
from typing import Final

from botequim.core.messages import Message, msg

ZIP: Final = b"PK\x03\x04"
RECORD: Final = b'{"botequim":'


def not_a_record(path: str | PurePath, start: bytes) -> Message | None:
    """Return a message if a file that begins like this is not a record; None if it may be one."""
    if start.startswith(ZIP):
        return msg("this is a zip file; give a record, such as game.jsonl")
    if PurePath(path).suffix == ".toml" and not start.lstrip().startswith(b"{"):
        return msg("this is a cup file; give a record, such as game.jsonl")
    return None


def not_a_cup_file(start: bytes) -> Message | None:
    """Return a message if a file that begins like this is not a cup file; None if it may be one."""
    if start.startswith(ZIP):
        return msg("this is a zip file; give a cup file, such as rinha.toml")
    if start.startswith(RECORD):
        return msg("this is a record; give a cup file, such as rinha.toml")
    return None
