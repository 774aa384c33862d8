"""Imports point one way, and rules are pure."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "botequim"
MODULES = sorted(path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py"))

# what each part may import of the others; a part may always import itself
ALLOWED: dict[str, set[str]] = {
    "version": set(),
    "compiled": set(),
    "interrupts": set(),
    "core": set(),
    "games": {"core"},
    "search": {"core"},
    "export": {"core", "course", "search"},
    "players": {"core", "games", "search"},
    "dialects": {"core", "games"},
    "course": set(),
    "transports": {"core"},
    "sandbox": {"core"},
    "registry": {"core"},
    "i18n": {"core"},
    "referee": {"core"},
    "remote": {"core", "transports"},
    "containers": {"core", "sandbox"},
    "entrants": {"core", "registry", "remote", "transports", "sandbox", "containers"},
    "statistics": set(),
    "verify": {"core", "interrupts", "registry", "referee"},
    "thinking": {"core", "registry"},
    "series": {"core", "registry", "entrants", "referee", "remote", "thinking"},
    "match": {"core", "registry", "entrants", "referee", "series", "statistics"},
    "workers": {"core", "interrupts", "match", "sandbox"},
    "asking": {"core", "registry", "entrants", "transports", "verify"},
    "sprt": {"core"},
    "cup": {"core", "registry", "i18n", "statistics", "entrants", "series", "workers", "checking"}
    | {"verify", "version", "picture"},
    "checking": {"core", "games", "registry", "entrants", "remote", "transports", "referee"}
    | {"asking", "match"},
    "show": {"core", "games", "registry", "referee", "i18n"},
    "picture": {"core", "games", "registry", "referee", "i18n", "show", "verify", "version", "art"},
    "art": {"core", "games", "verify", "i18n"},
    "terminal": {"core", "games", "registry", "i18n", "entrants", "referee", "series", "show", "thinking"}
    | {"cup", "verify"},
    "contests": {"core", "cup", "art", "games"},
    "web": {"core", "games", "registry", "i18n", "version", "cup", "picture", "art", "referee", "verify"}
    | {"statistics", "contests"},
    "testing": {"core", "games", "cup"},
    "doctor": {"core", "registry", "i18n", "workers", "compiled", "sandbox", "containers"},
}


def part(module: str) -> str:
    return module.removeprefix("botequim.").split(".")[0]


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("botequim"):
            names = [f"botequim.{alias.name}" for alias in node.names]
            found |= set(names) if node.module == "botequim" else {node.module or ""}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.startswith("botequim")}
    return {part(name) for name in found}


@pytest.mark.parametrize("module", MODULES)
def test_imports_point_one_way(module: str) -> None:
    own = Path(module).parts[0].removesuffix(".py")
    if own in ("cli", "__init__", "__main__"):
        return  # the top: may use everything, and nothing uses it
    assert own in ALLOWED, f"say in this test what {own} may import"
    assert imports(SOURCE / module) - {own} <= ALLOWED[own]


def test_rules_use_neither_clocks_nor_files_nor_generators_of_their_own() -> None:
    forbidden = {"random", "time", "os", "sys", "asyncio", "pathlib", "io", "socket", "secrets", "gettext"}
    for path in (SOURCE / "games").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not forbidden & {name.split(".")[0] for name in names}, path.name
