"""The public API: the names of `botequim.__all__`."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from importlib.util import find_spec

import pytest

import botequim
from botequim._deprecated import MODULES


@pytest.mark.parametrize("name", botequim.__all__)
def test_exported(name: str) -> None:
    value = getattr(botequim, name)
    assert value is not None
    assert name in dir(botequim)
    assert name not in MODULES, "an import of the old module would hide it"
    assert find_spec(f"botequim.{name}") is None, "an import of the module would hide it"


def test_what_mypy_reads_is_what_is_imported() -> None:
    """The imports for type checkers, the table for Python and `__all__` contain the same names."""
    tree = ast.parse(inspect.getsource(botequim))
    (typed,) = [node for node in tree.body if isinstance(node, ast.If) and isinstance(node.test, ast.Name)]
    imports = [node for node in typed.body if isinstance(node, ast.ImportFrom)]
    table = {
        str(node.module).removeprefix("botequim."): [alias.name for alias in node.names] for node in imports
    }
    assert table == botequim._MODULES
    assert sorted(name for names in table.values() for name in names) == sorted(botequim.__all__)


def test_nothing_is_imported_before_it_is_used() -> None:
    program = "import sys, botequim; print(*(name for name in sys.modules if name.startswith('botequim.')))"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert set(ran.stdout.split()) == {"botequim._deprecated", "botequim.version"}


def test_a_name_that_is_not_exported() -> None:
    with pytest.raises(AttributeError, match="module 'botequim' has no attribute 'nothing'"):
        getattr(botequim, "nothing")  # noqa: B009
