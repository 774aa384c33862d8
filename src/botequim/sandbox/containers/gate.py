"""Lets a container wait until we watch it and have prepared it.

A program may end so soon after its start that nobody has seen it run. Then it is unknown which limit it hit,
and its network is gone before we can enter it. So podman's runtime is given a hook (OCI runtime
specification, `createRuntime`), which it runs when the namespaces and mounts of the container exist, before
it starts the program. The hook writes the id of the container's first process to a file, and waits until we
let the program start. If the watching process is gone, and the folder with it, the program never starts.
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
    """A folder in which the hook of one container and its watcher meet."""

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
        """Options of the engine's command, before `run`."""
        return ("--hooks-dir", str(self._folder))

    def waiting(self) -> int:
        """Return the number of the process that waits, or 0 if there is none yet."""
        try:
            return int(json.loads((self._folder / "state").read_bytes())["pid"])
        except OSError:
            return 0

    def root(self) -> str:
        """Return the path at which the container that waits has its root, in its own mount namespace."""
        bundle = json.loads((self._folder / "state").read_bytes())["bundle"]
        config = json.loads(Path(bundle, "config.json").read_bytes())
        return str(Path(bundle, config["root"]["path"]))

    def open(self) -> None:
        """Let the program start."""
        (self._folder / "open").touch()

    def shut(self) -> None:
        """Let the start of the program fail.

        The folder must stay until the engine's command has ended: without the hook the program would start.
        """
        (self._folder / "shut").touch()

    def remove(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
