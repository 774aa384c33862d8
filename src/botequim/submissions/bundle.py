"""Writes several modules as one Python file that runs without Botequim.

Modules that are compiled also run as plain Python. So a submission consists of their sources, one after
another, followed by the program that uses the wire of the competition. Imports between these modules are
removed.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
HEADER = '''#!/usr/bin/env python3
"""{what}

Written by `botequim export`: one file of plain Python (3.9 or later), nothing to install.
"""

from __future__ import annotations
'''


def bundle_program(what: str, modules: Sequence[str], *, main: str) -> str:
    """Return a program: the contents of the modules, then the module `main`, which is run."""
    parts = [HEADER.format(what=what), _compiling_stubs()]
    parts += [_section(module) for module in (*modules, main)]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def _source(module: str) -> str:
    # the source of a compiled module is installed beside it
    return (ROOT / (module.replace(".", "/") + ".py")).read_text(encoding="utf-8")


def _section(module: str) -> str:
    """Return a module without its imports of botequim, and with its docstring as a comment."""
    source = _source(module)
    lines = source.splitlines()
    tree = ast.parse(source)
    title = (ast.get_docstring(tree) or "").splitlines()[0]
    for node in tree.body:
        if _is_left_out(node, tree):
            assert node.end_lineno is not None
            for at in range(node.lineno - 1, node.end_lineno):
                lines[at] = ""
    body = "\n".join(lines).strip("\n")
    return f"# {'-' * 100}\n# {title}\n\n{body}"


def _is_left_out(node: ast.stmt, tree: ast.Module) -> bool:
    if isinstance(node, ast.ImportFrom):
        return node.module == "__future__" or (node.module or "").startswith("botequim")
    return node is tree.body[0] and isinstance(node, ast.Expr)


def _compiling_stubs() -> str:
    """Return the part of `core.compiling` for code that is not compiled."""
    source = _source("core.compiling")
    for node in ast.parse(source).body:
        if isinstance(node, ast.If):
            first, last = node.orelse[0], node.orelse[-1]
            assert last.end_lineno is not None
            lines = source.splitlines()[first.lineno - 1 : last.end_lineno]
            return "\n".join(line.removeprefix("    ") for line in lines)
    raise AssertionError("core.compiling says nothing for where nothing is compiled")
