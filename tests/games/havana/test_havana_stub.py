"""The stub of `basic_players` beside the example: editors find the base class, and games use the real one."""

from __future__ import annotations

import ast
import shutil
from pathlib import Path

import pytest
from mypy import api

from botequim.cli import main
from botequim.games.havana.host import FOLDER
from tests import ROOT

EXAMPLE = ROOT / "examples" / "havana"
STUB = EXAMPLE / "basic_players.pyi"
STUDENT = """\
from basic_players import Player

class Mine(Player):
    def play(self, board_extremes, play_hist):
        tile: tuple[int, int] = self.tiles[0]
        partner: int = (self.position + 2) % 4
        return 0, tile

def create_pair():
    return Mine(1, "Ana"), Mine(2, "Rui")
"""


def interface(path: Path) -> dict[str, list[str]]:
    """Return the public classes of a module, with their methods, properties and documentation."""
    found = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef):
            lines = [ast.get_docstring(node) or "", *(ast.unparse(base) for base in node.bases)]
            for method in node.body:
                if isinstance(method, ast.FunctionDef) and method.name != "__str__":
                    marks = [ast.unparse(mark) for mark in method.decorator_list]
                    result = ast.unparse(method.returns) if method.returns else ""
                    lines.append(f"{marks} {method.name}({ast.unparse(method.args)}) -> {result}")
                    lines.append(ast.get_docstring(method) or "")
            found[node.name] = lines
    return found


def test_the_stub_is_what_the_module_is() -> None:
    assert interface(STUB) == interface(FOLDER / "basic_players.py")


def type_errors(folder: Path) -> str:
    config = folder / "mypy.ini"
    config.write_text("[mypy]\n", encoding="utf-8")
    words = ["--config-file", str(config), "--cache-dir", str(folder / "cache"), "--check-untyped-defs"]
    out, err, _ = api.run([*words, str(folder / "student_players.py")])
    assert not err
    return out


def test_a_type_checker_finds_the_base_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(STUB, tmp_path)
    student = tmp_path / "student_players.py"
    student.write_text(STUDENT, encoding="utf-8")
    assert "Success" in type_errors(tmp_path)
    student.write_text(STUDENT.replace("self.tiles", "self.tile"), encoding="utf-8")
    assert '"Mine" has no attribute "tile"' in type_errors(tmp_path)


def test_a_bot_with_the_stub_beside_it_is_ready(capsys: pytest.CaptureFixture[str]) -> None:
    assert STUB.is_file()
    limits = ("--trust", "--limit", "move=120", "--limit", "start=120")
    assert main(["match", "havana", str(EXAMPLE), "greedy", "--games", "2", "--quiet", *limits]) == 0
    assert "Keepers" in capsys.readouterr().out
