"""The zoo: every animal ends as it must, nothing of it is left, and the next game does not know of it."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from botequim.cup.paths import CupPaths
from tests.support import container_engine
from tests.support.bot_time import bot_time
from tests.zoo.__main__ import DOCS, WORDS, written
from tests.zoo.animal import WIRES, Animal
from tests.zoo.cases import cases
from tests.zoo.census import Census, as_before, census
from tests.zoo.keeper import LATE_LINES, Backend, bot, judge, let_loose, moves, secrets
from tests.zoo.table import ANIMALS

GAMES: dict[str, list[str]] = {}
"""By wire, the game between two that behave: always the same, whatever was let loose before it."""


@pytest.fixture
def mark(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A word for one animal, of which nothing may be left; others use the machine's temporary folder too."""
    backend = request.getfixturevalue("backend") if "backend" in request.fixturenames else None
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    word = uuid.uuid4().hex
    if backend is not None:
        backend.sandbox()  # the first use of a sandbox in a process leaves something that stays until its end
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    before: Census = census(word, temporary)
    yield word
    assert as_before(before, word, temporary) == before
    if backend is not None and backend.name == "container":
        assert not container_engine.left(container_engine.engine())


def each(late: bool) -> pytest.MarkDecorator:
    chosen = [
        pytest.param(
            case.backend, case.animal, case.wires, id=str(case), marks=[pytest.mark.slow] * case.slow
        )
        for case in cases()
        if case.late == late
    ]
    return pytest.mark.parametrize(("backend", "animal", "wires"), chosen)


def meet(
    animal: Animal, backend: Backend, wires: tuple[str, ...], mark: str, folder: Path, time: str = ""
) -> None:
    with secrets(mark, folder, time) as facts:
        for played in let_loose(animal, backend, folder, facts, wires):
            judge(played)
            game = moves(played.without)
            assert GAMES.setdefault(played.wire, game) == game


@each(late=False)
def test_an_animal(
    backend: Backend, animal: Animal, wires: tuple[str, ...], mark: str, tmp_path: Path
) -> None:
    meet(animal, backend, wires, mark, tmp_path)


@each(late=True)
def test_an_animal_that_is_late(
    backend: Backend, animal: Animal, wires: tuple[str, ...], mark: str, tmp_path: Path
) -> None:
    with bot_time() as passing:
        meet(animal, backend, wires, mark, tmp_path, f"{passing.source}\n{LATE_LINES}")


def test_every_animal_is_met_in_the_default_run() -> None:
    every, default = set(ANIMALS), {case.animal.name for case in cases() if not case.slow}
    assert default == every


def test_the_zoo_is_large_enough() -> None:
    assert len(ANIMALS) >= 60
    for wire in WIRES:
        assert sum(wire in animal.usual for animal in ANIMALS.values()) >= 30, wire


@pytest.mark.parametrize("name", WORDS)
def test_the_documents_show_the_zoo_as_it_is(name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == written(name), "run `python -m tests.zoo`"


def test_a_cup_of_animals_runs_to_its_table(tmp_path: Path, mark: str) -> None:
    """What they answer is kept, told and reported, and reaches no reader's terminal as it came."""
    names = ("answers with half a character", "writes to the terminal in its answer")
    text = 'name = "Copa"\ngame = "rps"\nseed = "7"\n[options]\nrounds = 3\n'
    text += '[[stages]]\nname = "league"\nformat = "round_robin"\ngames = 1\n'
    with secrets(mark, tmp_path) as facts:
        for at, name in enumerate((None, *names)):
            home = bot(ANIMALS[name] if name else None, "rps", tmp_path / str(at), facts)
            text += f'[[entrants]]\nname = "e{at}"\nbot = "{home}"\n'
        path = tmp_path / "copa.toml"
        path.write_text(text, encoding="utf-8")
        for words in (["run", str(path)], ["status", str(path)], ["report", str(path)]):
            command = [sys.executable, "-m", "botequim", "cup", *words]
            ran = subprocess.run(command, capture_output=True, check=False)
            assert ran.returncode == 0, ran.stderr
            assert b"\x1b" not in ran.stdout + ran.stderr
        with CupPaths.of(path).storage.open_results() as store:
            assert len(store.results()["league"]) >= 3
            kinds = {fault.entrant: fault.kind for fault in store.faults()}
    assert kinds == dict.fromkeys(("e1", "e2"), "malformed")
    pages = [page for page in tmp_path.rglob("*") if page.suffix in (".md", ".html", ".csv")]
    assert pages
    assert not [page for page in pages if b"\x1b" in page.read_bytes()]
