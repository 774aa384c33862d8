"""Compiled and uncompiled rules are the same rules."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import botequim
from botequim.compiled import HOT, is_compiled
from tests.golden import GOLDEN

ROOT = Path(__file__).parent.parent

REPLAY = """
import sys
from botequim.compiled import HOT, is_compiled
from tests.golden import GOLDEN
assert not any(is_compiled(name) for name in HOT), "meant to run uncompiled"
for golden in GOLDEN:
    assert golden.text() == golden.path.read_text(encoding="utf-8"), golden.path.name
print(len(GOLDEN))
"""


def test_the_hot_modules_exist() -> None:
    for name in HOT:
        assert find_spec(name) is not None


def test_uncompiled_rules_give_the_same_records(tmp_path: Path) -> None:
    source = Path(botequim.__file__).parent
    shutil.copytree(source, tmp_path / "botequim", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    environment = os.environ | {"PYTHONPATH": f"{tmp_path}:{ROOT}"}
    ran = subprocess.run(
        [sys.executable, "-c", REPLAY], env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == [str(len(GOLDEN))]


def test_the_rules_are_compiled_unless_they_are_meant_not_to_be() -> None:
    if shutil.which(os.environ.get("CC", "cc")) is None:
        pytest.skip("there is no C compiler")
    plain = os.environ.get("BOTEQUIM_COMPILE") == "0"
    assert {is_compiled(name) for name in HOT} == {not plain}, "install again: pip install -e ."
