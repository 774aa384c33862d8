"""Several modules of ours as one plain Python file that needs none of them.

Modules that can be compiled run uncompiled too, so a submission is their sources, one after another, and
behind them the program that speaks the competition's wire. What they import of each other is in the file.
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
    parts = [HEADER.format(what=what), _words()]
    parts += [_section(module) for module in (*modules, main)]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def _source(module: str) -> str:
    # beside a compiled module lies the file that it was compiled from
    return (ROOT / (module.replace(".", "/") + ".py")).read_text(encoding="utf-8")


def _section(module: str) -> str:
    """Return a module without its imports of botequim, and with its docstring as a comment."""
    source = _source(module)
    lines = source.splitlines()
    tree = ast.parse(source)
    title = (ast.get_docstring(tree) or "").splitlines()[0]
    for node in tree.body:
        if _left_out(node, tree):
            assert node.end_lineno is not None
            for at in range(node.lineno - 1, node.end_lineno):
                lines[at] = ""
    body = "\n".join(lines).strip("\n")
    return f"# {'-' * 100}\n# {title}\n\n{body}"


def _left_out(node: ast.stmt, tree: ast.Module) -> bool:
    if isinstance(node, ast.ImportFrom):
        return node.module == "__future__" or (node.module or "").startswith("botequim")
    return node is tree.body[0] and isinstance(node, ast.Expr)


def _words() -> str:
    """Return the part of `core.compiling` for code that is not compiled."""
    source = _source("core.compiling")
    for node in ast.parse(source).body:
        if isinstance(node, ast.If):
            first, last = node.orelse[0], node.orelse[-1]
            assert last.end_lineno is not None
            lines = source.splitlines()[first.lineno - 1 : last.end_lineno]
            return "\n".join(line.removeprefix("    ") for line in lines)
    raise AssertionError("core.compiling says nothing for where nothing is compiled")
