"""Lets a container wait before its program starts, until it is observed and prepared.

A program may end so soon after its start that nobody could observe it. Then it is unknown which limit it
exceeded, and its network disappears before it can be entered. So podman's runtime gets a hook (OCI runtime
specification, `createRuntime`). It runs the hook when the namespaces and mounts of the container exist,
before it starts the program. The hook writes the id of the container's first process to a file, and waits
until `open` is called. If the observing process has ended, and its folder is removed, the program never
starts.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Final

HOOK: Final = """
cat >"$1/state.partial" && mv "$1/state.partial" "$1/state" || exit 1
while [ ! -e "$1/open" ]; do
    [ -d "$1" ] && [ ! -e "$1/shut" ] || exit 1
    sleep 0.01
done
"""


class Gate:
    """A folder by which the hook of one container and this process communicate."""

    def __init__(self, folder: Path) -> None:
        self._folder: Final = folder
        self.layer: Final = folder / "layer"
        """An empty folder for `layer.py`."""
        self.layer.mkdir(parents=True)
        hook = {"path": "/bin/sh", "args": ["sh", "-c", HOOK, "sh", str(folder)]}
        content = {"version": "1.0.0", "hook": hook, "when": {"always": True}, "stages": ["createRuntime"]}
        (folder / "hook.json").write_text(json.dumps(content), encoding="utf-8")

    @property
    def options(self) -> tuple[str, ...]:
        """Return the options of the engine's command, before `run`."""
        return ("--hooks-dir", str(self._folder))

    def waiting_pid(self) -> int:
        """Return the id of the process that waits, or 0 if there is none yet."""
        try:
            return int(json.loads((self._folder / "state").read_bytes())["pid"])
        except OSError:
            return 0

    def root(self) -> str:
        """Return the path of the root of the waiting container, in its own mount namespace."""
        bundle = json.loads((self._folder / "state").read_bytes())["bundle"]
        config = json.loads(Path(bundle, "config.json").read_bytes())
        return str(Path(bundle, config["root"]["path"]))

    def open(self) -> None:
        """Let the program start."""
        (self._folder / "open").touch()

    def shut(self) -> None:
        """Make the start of the program fail.

        The folder must exist until the engine's command has ended, because without the hook the program would
        start.
        """
        (self._folder / "shut").touch()

    def remove(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
