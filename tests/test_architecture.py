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
    "sandbox": {"core", "interrupts"},
    "registry": {"core"},
    "i18n": {"core"},
    "referee": {"core"},
    "remote": {"core", "transports"},
    "containers": {"core", "sandbox"},
    "entrants": {"core", "interrupts", "registry", "remote", "transports", "sandbox", "containers"},
    "statistics": set(),
    "verify": {"core", "interrupts", "registry", "referee"},
    "thinking": {"core", "registry"},
    "series": {"core", "registry", "entrants", "referee", "remote", "thinking"},
    "faults": {"core"},
    "match": {"core", "registry", "entrants", "faults", "referee", "series", "statistics"},
    "workers": {"core", "interrupts", "match", "sandbox"},
    "asking": {"core", "interrupts", "registry", "entrants", "transports", "verify"},
    "sprt": {"core"},
    "cup": {"core", "registry", "i18n", "statistics", "entrants", "series", "workers", "checking"}
    | {"interrupts", "verify", "version", "picture"},
    "checking": {"core", "games", "registry", "entrants", "remote", "transports", "referee"}
    | {"asking", "match"},
    "show": {"core", "games", "registry", "referee", "i18n"},
    "picture": {"core", "games", "registry", "referee", "i18n", "show", "verify", "version", "art"},
    "art": {"core", "games", "verify", "i18n"},
    "terminal": {"core", "games", "registry", "i18n", "entrants", "referee", "series", "show", "thinking"}
    | {"cup", "verify"},
    "contests": {"core", "cup", "art", "games"},
    "web": {"core", "games", "registry", "i18n", "version", "cup", "picture", "art", "referee", "verify"}
    | {"interrupts", "statistics", "contests"},
    "testing": {"core", "games", "cup"},
    "doctor": {"core", "interrupts", "registry", "i18n", "workers", "compiled", "sandbox", "containers"},
}


# the same within the web: parts, and what they share (`web/*.py`), which may use no part but `live.public`
WEB: dict[str, set[str]] = {
    "live": set(),
    "door": set(),
    "making": {"live"},
    "pages": {"live", "making", "door"},
    "contests": {"live", "making", "door", "pages"},
    "api": {"live", "making", "pages", "contests"},
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


def web_imports(path: Path) -> set[str]:
    """Modules of the web that a file imports, also where it imports a package's."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("botequim.web"):
            found |= {f"{node.module}.{alias.name}".removeprefix("botequim.web.") for alias in node.names}
    return found


@pytest.mark.parametrize("module", [name for name in MODULES if name.startswith("web/")])
def test_parts_of_the_web_point_one_way(module: str) -> None:
    own = Path(module).parts[1]
    used = {name for name in web_imports(SOURCE / module) if name.split(".")[0] in WEB}
    if own == "app.py":
        return  # puts all of them together
    if own.endswith(".py"):
        asks = own == "asked.py"  # which cup a request is about
        assert {name for name in used if not name.startswith("live.public.")} <= (HOUSE if asks else set())
        return
    assert {name.split(".")[0] for name in used} - {own} <= WEB[own]


HOUSE = {"live.house.House", "live.house.Hosted"}


def test_rules_use_neither_clocks_nor_files_nor_generators_of_their_own() -> None:
    forbidden = {"random", "time", "os", "sys", "asyncio", "pathlib", "io", "socket", "secrets", "gettext"}
    for path in (SOURCE / "games").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not forbidden & {name.split(".")[0] for name in names}, path.name


# what reads a clock or sets a timer by itself; all else does so through `core.clock`
OWN_TIME = {
    "core/clock.py",
    # a champion's budget is processor time of thinking, which no test lets expire
    "players/champions/champion.py",
    "search/cubos_mind.py",
    # programs that are exported to run on their own, without this package
    "export/cubos_server.py",
    "export/uno_main.py",
    # a thread that looks at memory every few milliseconds, and sets no limit
    "sandbox/watch.py",
    # shows frames in real time, in a loop that waits for nothing else
    "art/preview.py",
}
CLOCKS = {"monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "time", "time_ns", "sleep"}
TIMERS = {"timeout", "timeout_at", "wait_for", "sleep"}


def own_time(path: Path) -> list[str]:
    """Where a module uses a clock or a timer that is not `core.clock`'s."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    # gives way to other tasks, for no time
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and len(node.args) == 1]
    harmless = [
        call.func for call in calls if isinstance(call.args[0], ast.Constant) and call.args[0].value == 0
    ]
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names = {"time": CLOCKS, "asyncio": TIMERS}.get(node.module or "", set())
            found += [f"{node.lineno}: {alias.name}" for alias in node.names if alias.name in names]
        elif isinstance(node, ast.Attribute) and node not in harmless:
            value = node.value
            owner = value.id if isinstance(value, ast.Name) else getattr(value, "attr", "")
            owner = owner.strip("_")
            timer = owner.endswith("loop") and node.attr in ("call_later", "call_at", "time")
            if timer or node.attr in {"time": CLOCKS, "asyncio": TIMERS}.get(owner, set()):
                found.append(f"{node.lineno}: {owner}.{node.attr}")
    return found


def test_time_comes_from_one_place() -> None:
    found = {module: uses for module in MODULES if (uses := own_time(SOURCE / module))}
    wrong = {module: uses for module, uses in found.items() if module not in OWN_TIME}
    assert not wrong, "use botequim.core.clock"
    assert found.keys() == OWN_TIME, "a module need not be listed any more"
