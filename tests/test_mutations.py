"""The small changes of `make mutations` are valid Python, and are found again when the code has moved."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from scripts.mutations import Mutation, mutations_in

SOURCE = '''\
LIMIT = 3


def largest(values, *, start=0):
    """Return it."""
    check(values)
    if not values or len(values) > LIMIT:
        return None
    return max(values[start:len(values)]) + 1
'''


@pytest.fixture
def mutations(tmp_path: Path) -> list[Mutation]:
    (tmp_path / "module.py").write_text(SOURCE, encoding="utf-8")
    return mutations_in(tmp_path, "module.py")


def test_each_change_is_one_that_behaviour_depends_on(mutations: list[Mutation]) -> None:
    assert [(each.kind, each.before, each.after) for each in mutations] == [
        ("call removed", "check(values)", "pass"),
        ("condition", "not values or len(values) > LIMIT", "(not (not values or len(values) > LIMIT))"),
        ("and or", "not values or len(values) > LIMIT", "(not values and len(values) > LIMIT)"),
        ("not", "not values", "(values)"),
        ("comparison", "len(values) > LIMIT", "(len(values) >= LIMIT)"),
        ("return", "return max(values[start:len(values)]) + 1", "return None"),
        ("arithmetic", "max(values[start:len(values)]) + 1", "(max(values[start:len(values)]) - 1)"),
        ("min max", "max", "min"),
        ("slice", "len(values)", "(len(values)) + 1"),
        ("constant", "1", "(2)"),
        ("constant", "1", "(0)"),
    ]


def test_a_changed_file_is_valid_python_of_another_meaning(mutations: list[Mutation]) -> None:
    meanings = {ast.dump(ast.parse(each.apply(SOURCE.encode()))) for each in mutations}
    assert len(meanings - {ast.dump(ast.parse(SOURCE))}) == len(mutations)


def test_a_mutation_keeps_its_key_when_its_function_moves(tmp_path: Path, mutations: list[Mutation]) -> None:
    (tmp_path / "module.py").write_text('"""Now documented."""\n\n' + SOURCE, encoding="utf-8")
    moved = mutations_in(tmp_path, "module.py")
    assert [each.key for each in moved] == [each.key for each in mutations]
    assert [each.line for each in moved] == [each.line + 2 for each in mutations]
    assert len({each.key for each in mutations}) == len(mutations)
