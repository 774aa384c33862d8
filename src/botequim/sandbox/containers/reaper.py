"""Removes the containers of this process when it ends, even if it is killed.

Containers are not child processes, so they would stay. A small shell waits for the end of a pipe that only
this process has open, and then removes all containers with the label of this process.
"""

from __future__ import annotations

import atexit
import contextlib
import itertools
import os
import secrets
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from botequim.sandbox import mounts
from botequim.sandbox.containers import seccomp
from botequim.sandbox.containers.engine import Engine, Kind

LABEL: Final = "botequim.owner"
# three times, because a container that is being created can only be found afterwards
SCRIPT: Final = """
mark=$1 folder=$2 remove=$3; shift 3
read -r word
rm -rf "$folder"
if [ "$word" != done ]; then
    for pause in 0 1 3; do
        sleep $pause
        left=$("$@" ps --all --quiet --filter "label=$mark")
        [ -z "$left" ] || "$@" rm --force $remove $left
    done
fi
"""


class Reaper:
    """Removes the containers of this process."""

    def __init__(self, engine: Engine) -> None:
        self._own = f"{os.getpid()}-{secrets.token_hex(4)}"  # a process id alone may have been used before
        self.mark = f"{LABEL}={self._own}"
        self.folder = Path(tempfile.mkdtemp(prefix="botequim-"))
        self.filter = self._write_filter(engine)
        """A file with a filter of system calls, if the engine's own filter is too permissive."""
        self.hosts = self._write_hosts(engine)
        """A hosts file, if the engine's own would reveal the names of this machine."""
        self._names = itertools.count()
        self._containers: set[str] = set()
        reader, self._pipe = os.pipe()
        remove = "--time=0 --volumes" if engine.kind is Kind.PODMAN else "--volumes"
        try:
            self._shell = subprocess.Popen(
                ["/bin/sh", "-c", SCRIPT, "sh", self.mark, str(self.folder), remove, *engine.command],
                stdin=reader,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except BaseException:
            os.close(self._pipe)
            shutil.rmtree(self.folder, ignore_errors=True)
            raise
        finally:
            os.close(reader)

    def _write_filter(self, engine: Engine) -> Path | None:
        profile = seccomp.profile() if engine.kind is Kind.PODMAN else None
        if profile is None:
            return None
        path = self.folder / "seccomp.json"
        path.write_text(profile, encoding="utf-8")
        return path

    def _write_hosts(self, engine: Engine) -> Path | None:
        if engine.kind is not Kind.PODMAN:
            return None
        path = self.folder / "hosts"
        path.write_bytes(mounts.HOSTS)
        return path

    def new_name(self) -> str:
        name = f"botequim-{self._own}-{next(self._names)}"
        self._containers.add(name)
        return name

    def forget(self, name: str) -> None:
        """Note that a container has been removed."""
        self._containers.discard(name)

    def close(self) -> None:
        """Remove the remaining containers, because this process is about to end."""
        if not self._containers:
            with contextlib.suppress(OSError):
                os.write(self._pipe, b"done\n")
        os.close(self._pipe)
        self._shell.wait()
        shutil.rmtree(self.folder, ignore_errors=True)  # in case a signal ended the shell before it did this


_reapers: dict[tuple[int, Engine], Reaper] = {}


def reaper_of(engine: Engine) -> Reaper:
    """Return the reaper of this process. A reaper that was inherited by a fork belongs to the parent."""
    key = os.getpid(), engine
    if key not in _reapers:
        _reapers[key] = Reaper(engine)
        atexit.register(_close, key)
    return _reapers[key]


def _close(key: tuple[int, Engine]) -> None:
    if key[0] == os.getpid():
        _reapers.pop(key).close()
