"""Bots whose commands name paths, for tests of how they travel to another machine."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from botequim import registry
from botequim.bots.entrant import Entrant
from botequim.core.process import Program


def bot(folder: Path, *command: str, **more: Any) -> Entrant:
    folder.mkdir(parents=True, exist_ok=True)
    program = Program(command, folder, **more)
    return Entrant.bot("it", "it", registry.wire("rps", "arena-lines"), program)


def copy_of(folder: Path) -> Path:
    """Return the same files on another machine."""
    return Path(shutil.copytree(folder, folder.with_name("worker's copy"), symlinks=True))
