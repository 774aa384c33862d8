"""The zoo: every animal ends as it must, nothing of it is left, and the next game does not know of it."""

from __future__ import annotations

import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.zoo.__main__ import DOCS, WORDS, written
from tests.zoo.animal import WIRES, Animal
from tests.zoo.census import Census, as_before, census
from tests.zoo.keeper import BACKENDS, Backend, judge, let_loose, moves, secrets
from tests.zoo.table import ANIMALS

PAIRS = [
    (backend, animal) for backend in BACKENDS.values() for animal in ANIMALS.values() if backend.takes(animal)
]
GAMES: dict[str, list[str]] = {}
"""By wire, the game between two that behave: always the same, whatever was let loose before it."""


@pytest.fixture(autouse=True, scope="module")
def _as_it_was_found() -> Iterator[None]:
    """This machine, as far as this process can have changed it, after all of them."""
    for backend in BACKENDS.values():
        backend.sandbox()  # what is found out once is there to stay
    mark = uuid.uuid4().hex
    before, files = census(mark), _temporary()
    yield
    assert as_before(before, mark) == before
    assert _temporary() - files == set()


def _temporary() -> set[str]:
    """Of ours; others are at work in there too."""
    return {path.name for path in Path(tempfile.gettempdir()).glob("bot*") if "pytest" not in path.name}


@pytest.fixture
def mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A word for one animal, of which nothing may be left."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    word = uuid.uuid4().hex
    before: Census = census(word, temporary)
    yield word
    assert as_before(before, word, temporary) == before


@pytest.mark.parametrize(
    ("backend", "animal"), PAIRS, ids=[f"{backend.name}-{animal.name}" for backend, animal in PAIRS]
)
def test_an_animal(backend: Backend, animal: Animal, mark: str, tmp_path: Path) -> None:
    with secrets(mark, tmp_path) as facts:
        for played in let_loose(animal, backend, tmp_path, facts):
            judge(played)
            game = moves(played.without)
            assert GAMES.setdefault(played.wire, game) == game


def test_the_zoo_is_large_enough() -> None:
    assert len(ANIMALS) >= 60
    for wire in WIRES:
        assert sum(wire in animal.usual for animal in ANIMALS.values()) >= 30, wire


@pytest.mark.parametrize("name", WORDS)
def test_the_documents_show_the_zoo_as_it_is(name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == written(name), "run `python -m tests.zoo`"
