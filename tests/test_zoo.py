"""The zoo: every animal ends as it must, and nothing of it is left."""

from __future__ import annotations

import functools
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from botequim.core.limits import Enforced
from tests.zoo.animal import WIRES, Animal
from tests.zoo.census import Census, census
from tests.zoo.keeper import BACKENDS, Backend, Played, judge, let_loose, moves, secrets
from tests.zoo.table import ANIMALS

PAIRS = [
    (backend, animal)
    for backend in BACKENDS.values()
    for animal in ANIMALS.values()
    if (backend.isolates or not animal.isolated)
]


@pytest.fixture(autouse=True, scope="module")
def nothing_is_left() -> Iterator[None]:
    """Of the whole run in this process."""
    before = _left("botequim-zoo")
    yield
    after = _left("botequim-zoo")
    assert after == before


def _left(mark: str) -> Census:
    there = census(mark)
    there["files"] = sorted(path.name for path in Path(tempfile.gettempdir()).glob(f"*{mark}*"))
    return there


@functools.cache
def undisturbed(wire: str) -> list[str]:
    """The game between two that behave, as it goes when nothing else was there."""
    return []


@pytest.mark.parametrize(
    ("backend", "animal"), PAIRS, ids=[f"{backend.name}-{animal.name}" for backend, animal in PAIRS]
)
def test_animal(backend: Backend, animal: Animal, tmp_path: Path) -> None:
    token = uuid.uuid4().hex
    with secrets(token, tmp_path) as facts:
        backend.sandbox()  # what is found out once is not of this animal
        before = census(token)
        for played in let_loose(animal, backend, tmp_path, facts):
            judge(played)
        assert census(token) == before
