"""Every old name can be imported, is the same object as the new one, and warns."""

from __future__ import annotations

import importlib
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from types import ModuleType

import pytest

from botequim import _deprecated
from botequim._deprecated import DISSOLVED, MODULES, NAMES, PACKAGES, ROOT, value_of


def moved_modules() -> dict[str, str]:
    """Every moved module, with those that one line of a package stands for."""
    moved = {old: new for old, new in MODULES.items() if not old.endswith("*")}
    for old, new in MODULES.items():
        if old.endswith("*"):
            package = importlib.import_module(ROOT + new.removesuffix(".*"))
            for found in pkgutil.iter_modules(package.__path__):
                moved.setdefault(old.replace("*", found.name), new.replace("*", found.name))
    return moved


@pytest.fixture(autouse=True)
def _imported_afresh() -> Iterator[None]:
    """A module that was imported before does not warn again."""
    before = dict(sys.modules)
    for name in before:
        if name.startswith(ROOT) and _deprecated.new_module(name.removeprefix(ROOT)):
            del sys.modules[name]
    yield
    for name in set(sys.modules) - set(before):
        if name.startswith(ROOT) and _deprecated.new_module(name.removeprefix(ROOT)):
            del sys.modules[name]


def import_old(old: str) -> ModuleType:
    """Import a module by its old name; only its own warning is allowed, and its parents'."""
    parent = old.rpartition(".")[0]
    if _deprecated.new_module(parent):
        with pytest.warns(DeprecationWarning, match="is deprecated; use botequim"):
            importlib.import_module(ROOT + parent)
    elif parent:
        importlib.import_module(ROOT + parent)
    new = _deprecated.new_module(old)
    with pytest.warns(DeprecationWarning, match=rf"^botequim\.{old} is deprecated; use botequim\.{new}$"):
        return importlib.import_module(ROOT + old)


@pytest.mark.parametrize(("old", "new"), moved_modules().items())
def test_moved_modules(old: str, new: str) -> None:
    assert import_old(old) is importlib.import_module(ROOT + new)


@pytest.mark.parametrize("package", sorted(DISSOLVED))
def test_packages_without_modules_of_their_own(package: str) -> None:
    assert importlib.import_module(ROOT + package).__name__ == ROOT + package


@pytest.mark.parametrize(("old", "new"), NAMES.items())
def test_renamed(old: str, new: str) -> None:
    warning = f"botequim.{old} is deprecated; use botequim.{new}".replace(":", ".")
    with pytest.warns(DeprecationWarning, match=f"^{re.escape(warning)}$"):
        value = value_of(old)
    assert value is value_of(new)


@pytest.mark.parametrize(("package", "module"), PACKAGES.items())
def test_modules_that_became_packages(package: str, module: str) -> None:
    contents = importlib.import_module(ROOT + module)
    names = [name for name, value in vars(contents).items() if value_is_own(contents, name, value)]
    assert names
    for name in names:
        with pytest.warns(DeprecationWarning, match=rf"use botequim\.{module}\.{name}$"):
            assert getattr(importlib.import_module(ROOT + package), name) is getattr(contents, name)


def value_is_own(module: ModuleType, name: str, value: object) -> bool:
    return getattr(value, "__module__", None) == module.__name__ and not name.startswith("_")


def test_a_warning_names_the_line_of_the_import() -> None:
    program = "import botequim\n\nimport botequim.core.reading\n"
    ran = subprocess.run(
        [sys.executable, "-W", "always", "-c", program], capture_output=True, text=True, check=True
    )
    assert ran.stderr.startswith("<string>:3: DeprecationWarning: botequim.core.reading is deprecated")


def test_names_that_never_were_are_not_found() -> None:
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("botequim.transports_of_old")
    with pytest.raises(AttributeError, match=r"module 'botequim.match' has no attribute 'never'"):
        value_of("match:never")
