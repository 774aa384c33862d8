"""A disk that is full soon."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def run_on_small_disk(place: Path, size: str, source: str, *words: str | Path) -> list[str]:
    """Run Python code with a small disk at a place, its first argument. Return the lines that it prints."""
    place.mkdir()
    program = [sys.executable, "-c", source, str(place), *map(str, words)]
    command = [*small_disk(place, size), *program]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()


def small_disk(place: Path, size: str) -> list[str]:
    """Return words to put before a command, so that it sees a small disk at a place.

    The disk is mounted in a mount namespace of its own, so it is gone afterwards.
    """
    script = f'mount -t tmpfs -o size={size},mode=0700 none "$0" && exec "$@"'
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    return ["unshare", *user, "--mount", "sh", "-c", script, str(place)]
