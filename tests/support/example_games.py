"""A virtual environment in which pip has installed the example games."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

from tests import ROOT

GAMES = ROOT / "examples" / "games"
NAMES = ("highcard", "nim")


def make_environment(folder: Path) -> Path:
    """Install the example games into a new virtual environment, and return its Python.

    Nothing is fetched. Botequim and what it needs are found where this Python has them.
    """
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    where = [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    site = Path(subprocess.run(where, stdout=subprocess.PIPE, text=True, check=True).stdout.strip())
    ours = sysconfig.get_path("purelib")
    (site / "ours.pth").write_text(f"import site; site.addsitedir({ours!r})\n", encoding="utf-8")
    sources = folder / "sources"  # a build writes beside its sources
    shutil.copytree(GAMES, sources)
    options = ["--isolated", "--no-index", "--no-deps", "--no-build-isolation", "--no-compile"]
    done = subprocess.run(
        [sys.executable, "-m", "pip", "--python", str(python), "install", *options]
        + [str(sources / name) for name in NAMES],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return python


def environment(folder: Path) -> dict[str, str]:
    """Return the variables of a program whose home is a folder."""
    return {"HOME": str(folder), "LANG": "C.UTF-8", "PATH": os.defpath, "PYTHONUNBUFFERED": "1"}
