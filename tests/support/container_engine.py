"""A real container engine for tests, with a base image that is made here: no registry is asked.

The root file system comes from Debian packages (mmdebstrap), once a machine; bots are built on it.
"""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Final

import pytest

from botequim.core.errors import InputError
from botequim.sandbox.containers import probe
from botequim.sandbox.containers.sandbox import Containers
from botequim.sandbox.probe import require_limits

PACKAGES: Final = "python3-minimal,libpython3-stdlib,dash,coreutils,sed,grep"
BASE: Final = "localhost/botequim-test:" + hashlib.sha256(PACKAGES.encode()).hexdigest()[:12]
DOCKERFILE: Final = f"""FROM {BASE}
WORKDIR /app
COPY bot.py .
ENTRYPOINT ["/usr/bin/python3", "bot.py"]
"""


def engine() -> Containers:
    """Return the engine that enforces all limits here; without one, the test that needs it is skipped."""
    found = asyncio.run(probe.probe_engines())
    if found.sandbox is None:
        pytest.skip(f"no container engine: {found.why}")
    try:
        require_limits(found.sandbox)
    except InputError as error:  # an ordinary user's podman, where control groups are not theirs
        pytest.skip(f"no container engine that enforces all limits: {error}")
    _base(found.sandbox)
    return found.sandbox


def engine_output(containers: Containers, *words: str) -> str:
    return asyncio.run(containers.engine.tell(*words, seconds=300))


def left(containers: Containers) -> list[str]:
    """Return the containers of this process, running or not: others may be testing too."""
    names = engine_output(containers, "ps", "--all", "--format", "{{.Names}}").split()
    return [name for name in names if name.startswith(f"botequim-{os.getpid()}-")]


def _base(containers: Containers) -> None:
    # several processes of tests begin at once, of several runs: not among the temporary files of this one
    with Path("/tmp", f"botequim-test-base-{os.getuid()}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if asyncio.run(containers.engine.image(BASE)) is not None:
            return
        with tempfile.TemporaryDirectory(prefix="botequim-base-") as folder:
            archive = Path(folder, "base.tar")
            command = ["mmdebstrap", "--quiet", "--variant=extract", f"--include={PACKAGES}", "bookworm"]
            subprocess.run([*command, str(archive)], check=True, capture_output=True)
            engine_output(containers, "import", str(archive), BASE)


def recipe(folder: Path, source: str, *, more: str = "") -> Path:
    """Make a bot's folder as its author submits it: a Dockerfile and a program in Python."""
    folder.mkdir(parents=True)
    (folder / "Dockerfile").write_text(DOCKERFILE + more)
    (folder / "bot.py").write_text(source)
    return folder
