"""The sandbox, as root and as an ordinary user, with and without control groups."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

import botequim
from tests import ROOT
from tests.support.sandbox_scenarios import DIFFERENT_WITHOUT_GROUPS, SCENARIOS, SLOW, play, ways

ORDINARY = 54321
"""A user without a name."""


def cases() -> list[ParameterSet]:
    """By way and scenario; where groups can be made, what is the same without them is slow."""
    found = ways()
    return [
        pytest.param(
            way,
            name,
            marks=[pytest.mark.slow]
            * (name in SLOW or (way != next(iter(found)) and name not in DIFFERENT_WITHOUT_GROUPS)),
        )
        for way in found
        for name in SCENARIOS
    ]


@pytest.mark.parametrize(("way", "name"), cases())
def test_scenario(way: str, name: str) -> None:
    play(way, name)


@pytest.fixture(scope="module")
def copy() -> Iterator[Path]:
    """What an ordinary user needs, where it can be read: ours may lie in a private home."""
    with tempfile.TemporaryDirectory(prefix="botequim-test-") as home:
        folder = Path(home)
        source = Path(botequim.__file__).parent
        shutil.copytree(source, folder / "botequim", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
        for name in (
            "__init__.py", "support/__init__.py", "support/sandboxes.py", "support/sandbox_scenarios.py",
            "zoo/__init__.py", "zoo/channels.py", "zoo/bodies/accomplice.py",
        ):  # fmt: skip
            (folder / "tests" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / "tests" / name, folder / "tests" / name)
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o755)
        yield folder


@pytest.mark.skipif(os.geteuid() != 0, reason="the scenarios above were run by an ordinary user")
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in SCENARIOS]
)
def test_scenario_as_an_ordinary_user(name: str, copy: Path) -> None:
    for python in (sys.executable, "/usr/bin/python3"):
        command = [python, "-m", "tests.support.sandbox_scenarios", "plain", name]
        environment = {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1", "PATH": os.environ["PATH"]}
        try:
            result = subprocess.run(
                command,
                env=environment,
                cwd=copy,
                user=ORDINARY,
                group=ORDINARY,
                extra_groups=[],
                capture_output=True,
                text=True,
                check=False,
            )
        except PermissionError:
            continue  # an interpreter in a private home
        assert result.returncode == 0, result.stderr
        return
    pytest.skip("there is no Python that an ordinary user may run")
