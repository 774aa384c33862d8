"""Exported champions as competitions run them: built by their Dockerfiles, compiled where they can be."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from botequim.cli import main
from botequim.sandbox.containers.sandbox import Containers
from tests.support import container_engine
from tests.support.isolated_games import faults, moves_of, play

HAND = ["0-6", "1-6", "6-5", "0-0", "1-2", "3-3", "2-4"]
QUESTION = {"jogador": 2, "mao": HAND, "mesa": ["6-6"], "jogadas": [{"jogador": 1, "pedra": "6-6"}]}


@pytest.fixture(scope="module")
def containers() -> Containers:
    return container_engine.engine()


def export(game: str, folder: Path) -> Path:
    assert main(["export", game, str(folder)]) == 0
    return folder


@pytest.mark.parametrize(("game", "options"), [("cubos", {}), ("rps", {"rounds": 5})])
def test_an_image_is_built_and_sits_down(
    game: str, options: dict[str, Any], containers: Containers, tmp_path: Path
) -> None:
    bot = export(game, tmp_path / "bot")
    recipe = (bot / "Dockerfile").read_text()
    # no registry is asked: the same steps upon an image that is made here, without a compiler
    on_ours = re.sub(r"^FROM \S+", f"FROM {container_engine.BASE}", recipe, flags=re.MULTILINE)
    assert on_ours != recipe
    (bot / "Dockerfile").write_text(on_ours + "ENV SECONDS=0.1\n")
    (record,) = play(game, [bot, "random"], containers, tmp_path, **options)
    assert faults([record]) == []
    assert moves_of(record, 0)


def compile_submission(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "compile.py", "0"],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def answers(folder: Path) -> tuple[str, dict[str, str]]:
    """Where the search was loaded from, and what is answered; nothing but the folder is there to import."""
    program = (
        f"import json, sys\nsys.path.insert(0, {str(folder)!r})\nimport server\n"
        "from botequim.games.cubos.search import decision\n"
        f"print(json.dumps([decision.__file__, server.answer({QUESTION!r}, 0.2)]))"
    )
    command = [sys.executable, "-I", "-S", "-c", program]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    assert ran.stderr == ""
    file, answer = json.loads(ran.stdout)
    return file, answer


@pytest.mark.slow  # the image of cubos that plays above was compiled in the same way
def test_cubos_is_compiled_while_its_image_is_built(tmp_path: Path) -> None:
    bot = export("cubos", tmp_path / "bot")
    before = {path for path in bot.rglob("*") if path.is_file()}
    ran = compile_submission(bot)
    assert ran.returncode == 0, ran.stderr
    assert before < {path for path in bot.rglob("*") if path.is_file()}
    file, answer = answers(bot)
    assert file.startswith(str(bot))
    assert not file.endswith(".py")
    assert answer["pedra"] in {"0-6", "1-6", "5-6"}


def test_where_it_cannot_be_compiled_it_stays_as_it_was(tmp_path: Path) -> None:
    bot = export("cubos", tmp_path / "bot")
    before = {path for path in bot.rglob("*") if path.is_file()}
    ran = compile_submission(bot, CC="/bin/false")
    assert ran.returncode == 1
    assert "plain Python" in ran.stderr
    assert {path for path in bot.rglob("*") if path.is_file()} == before
    file, answer = answers(bot)
    assert file.endswith(".py")
    assert answer["pedra"] in {"0-6", "1-6", "5-6"}
