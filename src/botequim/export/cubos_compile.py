"""Compiles what searches, about seventy times as fast as plain Python; where that fails, plain Python stays.

This file is exported as `compile.py` and run while the image is built. It needs a C compiler, and a network
the first time. What it made is tried before it is put beside the sources: a submission never breaks by it.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

NEEDED: Final = ("mypy>=2.4", "setuptools>=77", "librt>=0.13")
HOT: Final = ("chance", "worlds", "cubos", "cubos_past", "cubos_policy", "cubos_playout", "cubos_mind")
"""The modules of `botequim.search` that are compiled."""
HOME: Final = Path(__file__).resolve().parent
TRIAL: Final = "import server; print(server.answer({QUESTION}, 0.1))".replace(
    "{QUESTION}",
    repr({"jogador": 2, "mao": ["0-6", "1-6"], "mesa": ["6-6"], "jogadas": [{"jogador": 1, "pedra": "6-6"}]}),
)
BUILD: Final = """
from mypyc.build import mypycify
from setuptools import setup
names = {NAMES}
setup(name="champion", packages=[], script_args=["-q", "build_ext", "--inplace"],
      ext_modules=mypycify(["--ignore-missing-imports", *names], opt_level="{LEVEL}"))
"""


def main(level: str = "3") -> int:
    """Compile in a folder of its own, and bring what works."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "bot")
        shutil.copytree(HOME, copy)
        names = [f"botequim/search/{name}.py" for name in HOT]
        try:
            if not _installed():
                _run(copy, "-m", "pip", "install", "-q", "--target", str(copy), NEEDED[-1])
                _run(copy, "-m", "pip", "install", "-q", *NEEDED)
            _run(copy, "-c", BUILD.replace("{NAMES}", repr(names)).replace("{LEVEL}", level))
            _run(copy, "-c", TRIAL)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"not compiled ({error}): the champion thinks in plain Python", file=sys.stderr)
            return 1
        made = [path.relative_to(copy) for path in copy.rglob("*") if path.is_file()]
        for path in made:
            if not (HOME / path).exists() and "build" not in path.parts:
                (HOME / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(copy / path, HOME / path)
    print("compiled")
    return 0


def _installed() -> bool:
    """Whether a compiler is there already, and what it needs to run."""
    try:
        import librt  # noqa: F401
        import mypyc.build  # noqa: F401
    except ImportError:
        return False
    return True


def _run(folder: Path, *words: str) -> None:
    subprocess.run([sys.executable, *words], cwd=folder, check=True)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
