"""Public names say what a thing is or does: no function or class is named by a bare participle.

`tests/participles.txt` lists the exceptions and the reasons for them. The list may only shrink.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests import ROOT

SOURCE = ROOT / "src" / "botequim"
LIST = ROOT / "tests" / "participles.txt"
IRREGULAR = """
    asked begun bound bought brought built caught chosen dealt done drawn driven fallen felt given
    gone grown heard held hidden kept known laid lent lost made meant met paid said seen sent shown
    sold sought spent spoken stood taken taught thought thrown told torn understood won worn woven
    written
"""
NOT_PARTICIPLES = frozenset(("embed", "feed", "need", "seed", "shed", "speed"))


def is_participle(name: str) -> bool:
    """Return whether a name is one participle alone, such as `told` or `pinned`."""
    word = name.lower()
    return word in IRREGULAR.split() or (
        word.endswith("ed") and "_" not in word and word not in NOT_PARTICIPLES
    )


def public_names() -> Iterator[tuple[str, str]]:
    """Yield `path:name` and the name of every public class, function and method that is not a property."""
    for path in sorted(SOURCE.rglob("*.py")):
        place = path.relative_to(SOURCE).as_posix()
        for qualified in _names(ast.parse(path.read_text(encoding="utf-8")).body):
            yield f"{place}:{qualified}", qualified.rpartition(".")[2]


def _names(body: list[ast.stmt]) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield node.name
            yield from (f"{node.name}.{name}" for name in _names(node.body))
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _is_public_method(node):
            yield node.name


def _is_public_method(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    decorators = {ast.unparse(one) for one in node.decorator_list}
    return not node.name.startswith("_") and not {"property", "cached_property"} & decorators


def test_no_function_or_class_is_named_by_a_participle() -> None:
    names = list(public_names())
    assert len(names) > 2000, "where is the source?"
    found = {place for place, name in names if is_participle(name)}
    lines = LIST.read_text(encoding="utf-8").splitlines()
    listed = {line for line in lines if not line.startswith("#")}
    assert sorted(found - listed) == [], "name a function by a verb, or by what it returns"
    assert sorted(listed - found) == [], "remove these lines from tests/participles.txt"


def test_participles_are_recognised() -> None:
    assert all(is_participle(name) for name in ("told", "pinned", "drawn", "Played"))
    assert not any(is_participle(name) for name in ("pin_entrant", "standings", "seed", "read", "speed"))
