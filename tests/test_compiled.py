"""Compiled and uncompiled rules are the same rules."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

import botequim
from botequim.compiled import SAMPLES, is_compiled
from tests.support.golden import GOLDEN

ROOT = Path(__file__).parent.parent
LIBRARIES: dict[str, list[str]] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
    "tool"
]["botequim"]["compiled"]
HOT = [name for names in LIBRARIES.values() for name in names]

REPLAY = """
import sys
import sysconfig
from botequim.compiled import is_compiled
from tests.support.golden import GOLDEN
assert not any(is_compiled(name) for name in sys.argv[1:]), "meant to run uncompiled"
for golden in GOLDEN:
    assert golden.text() == golden.path.read_text(encoding="utf-8"), golden.path.name
print(len(GOLDEN))
"""


def test_the_compiled_modules_exist() -> None:
    assert len(HOT) >= 40
    for name in HOT:
        assert find_spec(name) is not None


def test_doctor_looks_at_a_module_of_each_library() -> None:
    for names in LIBRARIES.values():
        assert len(set(names) & set(SAMPLES)) == 1


def test_uncompiled_rules_give_the_same_records(tmp_path: Path) -> None:
    source = Path(botequim.__file__).parent
    shutil.copytree(source, tmp_path / "botequim", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    environment = os.environ | {"PYTHONPATH": f"{tmp_path}:{ROOT}"}
    ran = subprocess.run(
        [sys.executable, "-c", REPLAY, *HOT], env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == [str(len(GOLDEN))]


def test_the_rules_are_compiled_unless_they_are_meant_not_to_be() -> None:
    if shutil.which(os.environ.get("CC", "cc")) is None:
        pytest.skip("there is no C compiler")
    plain = os.environ.get("BOTEQUIM_COMPILE") == "0"
    assert {is_compiled(name) for name in HOT} == {not plain}, "install again: pip install -e ."


REFUSED = """
import sys, types
from runpy import run_path

def mypycify(files, **given):
    raise SystemExit("it does not know this code")

# what builds a package is not there where it is only tested
for name, parts in (
    ("mypyc", {}),
    ("mypyc.build", {"mypycify": mypycify}),
    ("setuptools", {"Extension": object, "setup": None}),
    ("setuptools.command", {}),
    ("setuptools.command.build_ext", {"build_ext": object}),
    ("setuptools.command.build_py", {"build_py": object}),
):
    sys.modules[name] = types.ModuleType(name)
    vars(sys.modules[name]).update(parts)
assert run_path("setup.py")["compiled_rules"]() == []
"""


def test_what_was_compiled_of_older_sources_does_not_stay(tmp_path: Path) -> None:
    old = tmp_path / "src" / "botequim" / "core" / ("turn" + sysconfig.get_config_var("EXT_SUFFIX"))
    others = old.with_name("turn.cpython-300-elsewhere.so")
    old.parent.mkdir(parents=True)
    old.touch()
    others.touch()
    shutil.copy(ROOT / "setup.py", tmp_path)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    environment = {name: value for name, value in os.environ.items() if name != "BOTEQUIM_COMPILE"}
    ran = subprocess.run(
        [sys.executable, "-c", REFUSED],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert "is deleted" in ran.stderr
    assert not old.exists()
    assert others.exists(), "another Python's"
