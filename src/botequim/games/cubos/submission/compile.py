"""Compiles the search, which makes it about forty times as fast. If that fails, it runs as plain Python.

`botequim export` writes this file as `compile.py`. It runs while the image is built. It needs a C compiler
and, the first time, a network. The compiled modules are tested on their own before they are copied beside the
sources, so they cannot break a submission.
"""

from __future__ import annotations

import importlib
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Final

NEEDED: Final = ("mypy>=2.4", "setuptools>=77", "librt>=0.13", "mypy-extensions>=1.0")
BESIDE: Final = ("librt", "mypy_extensions")
"""The modules that compiled modules import."""
HOT: Final = (
    "search/bits",
    "search/chance",
    "search/worlds",
    "games/cubos/search/solver",
    "games/cubos/search/history",
    "games/cubos/search/policy",
    "games/cubos/search/playout",
    "games/cubos/search/decision",
)
"""The modules of the package `botequim` that are compiled."""
HOME: Final = Path(__file__).resolve().parent
BUILD: Final = """
import sys
from mypyc.build import mypycify
from setuptools import setup
level, *names = sys.argv[1:]
setup(name="champion", packages=[], script_args=["-q", "build_ext", "--inplace"],
      ext_modules=mypycify(["--ignore-missing-imports", *names], opt_level=level))
"""
TRIAL: Final = """
import sys
sys.path.insert(0, sys.argv[1])
import server
from botequim.games.cubos.search import decision as module
from botequim.search.chance import Dice
from botequim.games.cubos.search.solver import Solver
from botequim.games.cubos.search.settings import CHAMPION
from botequim.games.cubos.search.numbers import PAIR, SEARCHER
from botequim.games.cubos.search.history import History
from botequim.games.cubos.search.policy import MoveModel, Network
assert not module.__file__.endswith(".py")
past = History(0)
searcher, pair = MoveModel(past, Network(SEARCHER)), MoveModel(past, Network(PAIR))
decision = module.Decision(past, 127, Solver(False), searcher, pair, Dice(1, 2, 3, 4), CHAMPION)
decision.search(2)
assert decision.solved
"""


def main(level: str = "3") -> int:
    """Compile in a temporary folder, and copy the result if it works."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "bot")
        shutil.copytree(HOME, copy)
        names = [f"botequim/{name}.py" for name in HOT]
        try:
            if not _has_compiler():
                _run(copy, "-m", "pip", "install", "-q", *NEEDED)
                importlib.invalidate_caches()
            _run(copy, "-c", BUILD, level, *names)
            _put_beside(copy)
            _run(copy, "-I", "-S", "-c", TRIAL, str(copy))
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"not compiled ({error}): the champion thinks in plain Python", file=sys.stderr)
            return 1
        for path in [path.relative_to(copy) for path in copy.rglob("*") if path.is_file()]:
            if not (HOME / path).exists() and not {"build", "__pycache__", ".mypy_cache"} & {*path.parts}:
                (HOME / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(copy / path, HOME / path)
    print("compiled")
    return 0


def _has_compiler() -> bool:
    """Return whether the compiler and the modules that its output imports are installed."""
    return all(find_spec(name) is not None for name in ("mypyc", "setuptools", *BESIDE))


def _put_beside(folder: Path) -> None:
    for name in BESIDE:
        found = find_spec(name)
        if found is None:
            raise OSError(f"{name} is not there")
        if found.submodule_search_locations:
            shutil.copytree(found.submodule_search_locations[0], folder / name)
        else:
            shutil.copy2(str(found.origin), folder)


def _run(folder: Path, *words: str) -> None:
    subprocess.run([sys.executable, *words], cwd=folder, check=True)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
