"""What is installed with the package is all that it needs: nothing of what develops it."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import distribution

import pytest

from botequim import registry

RUN = """
import sys
from importlib.abc import MetaPathFinder
allowed = set(sys.argv[2].split(","))
class OnlyWhatWeAskFor(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top in sys.stdlib_module_names or top in allowed or top.endswith("__mypyc"):
            return None
        raise ModuleNotFoundError(f"{name} is not among what we depend on")
sys.meta_path.insert(0, OnlyWhatWeAskFor())
from botequim.cli import main
sys.exit(main(sys.argv[1].split(" ")))
"""


def asked_for(name: str) -> set[str]:
    """The packages that come with one, without its extras."""
    found = distribution(name)
    packages = {str(file).partition("/")[0].partition(".")[0] for file in found.files or ()}
    for line in found.requires or ():
        if "extra ==" not in line:
            packages |= asked_for(re.split(r"[\s<>=!~;\[(]", line)[0])
    return packages


@pytest.mark.parametrize("game", registry.game_names())
def test_champions_need_nothing_else(game: str) -> None:
    allowed = {"botequim", *asked_for("botequim")}
    words = f"match {game} champion@2 random --games 1 --quiet"
    ran = subprocess.run(
        [sys.executable, "-c", RUN, words, ",".join(sorted(allowed))],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
