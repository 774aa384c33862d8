"""Ends our containers when this process ends, in whatever way.

Containers are not our child processes, so they would stay. A small shell waits until a pipe is closed that
only we hold open, and then removes all containers with our label.
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
# three times, because what is being made at that moment can only be found after it
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
    """Removes the containers of one process of ours."""

    def __init__(self, engine: Engine) -> None:
        self._own = f"{os.getpid()}-{secrets.token_hex(4)}"  # a number alone may have been another's before
        self.mark = f"{LABEL}={self._own}"
        self.folder = Path(tempfile.mkdtemp(prefix="botequim-"))
        self.filter = self._written_filter(engine)
        """A file with a filter of system calls, if the engine's own filter is too permissive."""
        self.hosts = self._written_hosts(engine)
        """A hosts file, if the engine's own would reveal the names of this machine."""
        self._names = itertools.count()
        self._there: set[str] = set()
        reader, self._line = os.pipe()
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
            os.close(self._line)
            shutil.rmtree(self.folder, ignore_errors=True)
            raise
        finally:
            os.close(reader)

    def _written_filter(self, engine: Engine) -> Path | None:
        profile = seccomp.profile() if engine.kind is Kind.PODMAN else None
        if profile is None:
            return None
        path = self.folder / "seccomp.json"
        path.write_text(profile, encoding="utf-8")
        return path

    def _written_hosts(self, engine: Engine) -> Path | None:
        if engine.kind is not Kind.PODMAN:
            return None
        path = self.folder / "hosts"
        path.write_bytes(mounts.HOSTS)
        return path

    def new_name(self) -> str:
        name = f"botequim-{self._own}-{next(self._names)}"
        self._there.add(name)
        return name

    def forget(self, name: str) -> None:
        """Note that a container is gone."""
        self._there.discard(name)

    def close(self) -> None:
        """Remove the remaining containers, because this process is about to end."""
        if not self._there:
            with contextlib.suppress(OSError):
                os.write(self._line, b"done\n")
        os.close(self._line)
        self._shell.wait()
        shutil.rmtree(self.folder, ignore_errors=True)  # if an interrupt ended the shell before it began


_reapers: dict[tuple[int, Engine], Reaper] = {}


def reaper_of(engine: Engine) -> Reaper:
    """Return the reaper of this process. One that was inherited by forking belongs to the parent."""
    key = os.getpid(), engine
    if key not in _reapers:
        _reapers[key] = Reaper(engine)
        atexit.register(_close, key)
    return _reapers[key]


def _close(key: tuple[int, Engine]) -> None:
    if key[0] == os.getpid():
        _reapers.pop(key).close()
