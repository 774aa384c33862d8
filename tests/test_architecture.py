"""Imports point one way, and rules are pure."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests import ROOT

SOURCE = ROOT / "src" / "botequim"
MODULES = sorted(path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py"))

# what each part may import of the others; a part may always import itself
ALLOWED: dict[str, set[str]] = {
    "_deprecated": set(),
    "version": set(),
    "compiled": set(),
    "first_process": set(),
    "interrupts": set(),
    "core": set(),
    "search": {"core"},
    "sandbox": {"core", "interrupts"},
    "registry": {"core"},
    "i18n": {"core"},
    "bots": {"core", "interrupts", "registry", "sandbox"},
    "engine": {"core", "bots", "interrupts", "records", "registry"},
    "records": {"core", "bots", "engine", "interrupts", "registry"},
    "match": {"core", "bots", "engine", "ratings", "records", "registry"},
    "narration": {"core", "i18n", "records", "registry"},
    "render": {"core", "i18n", "narration", "records", "registry", "version"},
    "games": {"core", "botcheck", "bots", "cup", "engine", "i18n", "narration", "render", "search"}
    | {"submissions", "tables", "terminal"},
    "submissions": set(),
    "botcheck": {"core", "bots", "compiled", "engine", "i18n", "interrupts", "match", "records"}
    | {"registry", "sandbox"},
    "ratings": {"core", "i18n"},
    "storage": {"core", "records"},
    "cup": {"core", "botcheck", "bots", "engine", "i18n", "interrupts", "match", "ratings", "records"}
    | {"registry", "render", "storage", "version"},
    "terminal": {"core", "bots", "cup", "engine", "games", "i18n", "narration", "records", "registry"}
    | {"storage"},
    "tables": {"core", "bots", "engine", "i18n", "interrupts", "narration", "records", "registry", "render"}
    | {"storage", "terminal"},
    "votes": {"core", "cup", "i18n", "render", "storage"},
    "web": {"core", "cup", "engine", "i18n", "interrupts", "match", "ratings", "records", "registry"}
    | {"render", "storage", "tables", "terminal", "version", "votes"},
    "cluster": {"core", "bots", "compiled", "engine", "interrupts", "records", "registry", "sandbox"}
    | {"version"},
    "testing": {"core", "cup"},
}


# the same within the web: parts, and what they share (`web/*.py`), which may use no part but `live.public`
WEB: dict[str, set[str]] = {
    "live": set(),
    "server": set(),
    "jobs": {"live"},
    "pages": {"live", "jobs", "server"},
    "votes": {"live", "jobs", "server", "pages"},
    "api": {"live", "jobs", "pages", "votes"},
    "play": {"live", "jobs", "server", "pages"},
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
        asks = own == "deps.py"  # which cup a request is about
        assert {name for name in used if not name.startswith("live.public.")} <= (SERVED if asks else set())
        return
    assert {name.split(".")[0] for name in used} - {own} <= WEB[own]


SERVED = {"live.served.ServedCups", "live.served.ServedCup"}


# --- games -------------------------------------------------------------------------------------------------

GAMES = ("cubos", "fives", "havana", "rps", "uno")
SHARED = ("cards", "dominoes")
RULES = ("rules", "moves", "state", "sides", "spinner", "boneyard", "tiles", "cards")


def rules_of_games() -> list[Path]:
    found = [path for name in RULES for path in (SOURCE / "games").glob(f"*/{name}.py")]
    assert len(found) >= 13, "a move must not leave this test without files"
    return found


def imported_modules(path: Path) -> set[str]:
    """Return the modules of this package that a file imports, each with the name that is taken from it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return {name for name in found if name.startswith("botequim.")}


def test_rules_use_neither_clocks_nor_files_nor_generators_of_their_own() -> None:
    forbidden = {"random", "time", "os", "sys", "asyncio", "pathlib", "io", "socket", "secrets", "gettext"}
    for path in rules_of_games():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not forbidden & {name.split(".")[0] for name in names}, path.name


def test_rules_import_only_core_and_rules() -> None:
    for path in rules_of_games():
        own = path.parent.name
        places = [f"games.{game}.{name}" for game in {own, *SHARED} for name in RULES]
        allowed = tuple(f"botequim.{place}." for place in ("core", *places))
        modules = [f"botequim.games.{own}.{name}" for name in RULES]  # `from botequim.games.uno import moves`
        wrong = {
            name for name in imported_modules(path) if not name.startswith(allowed) and name not in modules
        }
        assert not wrong, path


def test_no_game_imports_another() -> None:
    files = [path for game in (*GAMES, *SHARED) for path in (SOURCE / "games" / game).rglob("*.py")]
    assert len(files) >= 90, "a move must not leave this test without files"
    for path in files:
        own = path.relative_to(SOURCE / "games").parts[0]
        games = {name.split(".")[2] for name in imported_modules(path) if name.startswith("botequim.games.")}
        assert games <= {own, *SHARED}, path


def test_core_and_engine_import_no_game() -> None:
    files = [path for part in ("core", "engine", "search") for path in (SOURCE / part).rglob("*.py")]
    assert len(files) >= 25, "a move must not leave this test without files"
    for path in files:
        games = {name for name in imported_modules(path) if name.startswith("botequim.games.")}
        assert not games, path


def test_a_description_of_a_game_imports_nothing_else() -> None:
    for game in GAMES:
        imported = imported_modules(SOURCE / "games" / game / "__init__.py")
        assert imported == {"botequim.core.plugin.GamePlugin"}


NAMED = re.compile(rf"(?<![a-z])({'|'.join(GAMES)})(?![a-z])", re.IGNORECASE)
DOCUMENTATION = {".md", ".po", ".pot"}
# files outside of games/ that still mention a game by name: delete lines here, never add any
NAMING = {
    "_deprecated.py",  # names of the last release
    "locale/stored_messages.txt",  # messages that records and stores contain
}


def test_nothing_outside_of_games_mentions_a_game_by_name() -> None:
    files = [
        path
        for path in SOURCE.rglob("*")
        if path.suffix in {".py", ".html", ".js", ".css", ".toml", ".txt", *DOCUMENTATION}
        and path.relative_to(SOURCE).parts[0] != "games"
    ]
    assert len(files) >= 300, "a move must not leave this test without files"
    found = set()
    for path in files:
        text = path.read_text(encoding="utf-8")
        if path.suffix not in DOCUMENTATION and NAMED.search(text):
            found.add(path.relative_to(SOURCE).as_posix())
    assert found <= NAMING, "a game's part belongs into its package, and is found through its GamePlugin"
    assert found >= NAMING, "a file need not be listed any more"


# what reads a clock or sets a timer by itself; all else does so through `core.clock`
OWN_TIME = {
    "core/clock.py",
    # a champion's budget is processor time of thinking, which no test lets expire
    "search/champion.py",
    "games/cubos/search/decision.py",
    # programs that are exported to run on their own, without this package
    "games/cubos/submission/server.py",
    "games/uno/submission/main.py",
    # a thread that looks at memory every few milliseconds, and sets no limit
    "sandbox/procfs.py",
    # shows frames in real time, in a loop that waits for nothing else
    "render/art/preview.py",
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


def test_no_test_imports_another_test() -> None:
    tests = sorted((ROOT / "tests").rglob("*.py"))
    assert len([path for path in tests if path.name.startswith("test_")]) > 100, "where are the tests?"
    found = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in tests
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tests")
        for name in [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
        if any(part.startswith("test_") for part in name.split("."))
    ]
    assert not found, "what tests share is in tests/support"


SQL = re.compile(
    r"\b(SELECT .* FROM|INSERT (OR \w+ )?INTO|UPDATE \w+ SET|DELETE FROM|CREATE TABLE|PRAGMA) ?", re.S
)


def uses_sql(path: Path) -> bool:
    """Whether a module imports a database module, or has a text that looks like SQL."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        if {name.split(".")[0] for name in names} & {"sqlite3", "psycopg"}:
            return True
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and SQL.search(node.value):
            return True
    return False


def test_only_the_stores_speak_sql() -> None:
    found = [module for module in MODULES if uses_sql(SOURCE / module)]
    assert len(found) >= 5, "a move must not leave this test without files"
    stores = ("storage/postgres/", "storage/sqlite/")
    assert [module for module in found if not module.startswith(stores)] == []


def test_no_other_package_knows_which_database_is_behind_the_stores() -> None:
    outside = [
        module for module in MODULES if not module.startswith("storage/") and module != "_deprecated.py"
    ]
    known = re.compile(r"storage\.sqlite|SqliteStorage")
    assert [name for name in outside if known.search((SOURCE / name).read_text(encoding="utf-8"))] == []


def test_the_tests_for_other_pythons_exist() -> None:
    listed = [line for line in (ROOT / "tests/versions.txt").read_text().splitlines() if line[:6] == "tests/"]
    assert len(listed) > 30
    for line in listed:
        file, _, test = line.partition("::")
        assert (ROOT / file).exists(), line
        if test:
            name = test.partition("[")[0]
            assert f"def {name}(" in (ROOT / file).read_text(encoding="utf-8"), line
