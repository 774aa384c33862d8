"""Games of other packages: one with every part, one with rules only. Both work wherever ours do."""

from __future__ import annotations

import ast
import dataclasses
import json
import re
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import httpx
import nim
import pytest
from highcard import PLUGIN
from highcard.rules import GAME as HIGHCARD

import botequim
from botequim.core.game import AnyGame
from botequim.testing import check_game
from tests import ROOT
from tests.support.example_games import GAMES, NAMES, environment, make_environment
from tests.support.pace import PATIENCE

# what an example may import beside the names of `botequim.__all__`
DOCUMENTED = {
    "botequim.botcheck.diagnosis.case",
    "botequim.botcheck.game_checks",
    "botequim.cup.templates",
    "botequim.render.svg",
    "botequim.tables.controls",
    "botequim.terminal.ui",
}
ARENA_BOT = ROOT / "examples" / "arena-lines"
MARK = "-- exit code"
pytestmark = pytest.mark.xdist_group("example games")  # they share what was played


@pytest.mark.parametrize("game", [HIGHCARD, nim.GAME], ids=lambda game: game.name)
def test_the_rules_keep_the_contract(game: AnyGame) -> None:
    check_game(game, games=6)


def test_the_examples_import_public_names_only() -> None:
    files = list(GAMES.rglob("*.py"))
    assert len(files) >= 10
    for path in files:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            assert not (isinstance(node, ast.Import) and node.names[0].name.startswith("botequim"))
            if isinstance(node, ast.ImportFrom) and node.module == "botequim":
                assert {alias.name for alias in node.names} <= set(botequim.__all__), path
            elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("botequim"):
                assert node.module in DOCUMENTED, path


class Site:
    """A folder, and a Python that has both games."""

    def __init__(self, folder: Path, python: Path) -> None:
        self.folder = folder
        self.python = python
        self.said: dict[str, str] = {}
        self.codes: dict[str, int] = {}

    def run(self, *lines: str, typed: str = "") -> None:
        """Run commands one after another in one process; it is started once for all of them."""
        program = (
            "import shlex, sys\nfrom botequim.cli import main\n"
            "for line in sys.argv[1:]:\n"
            "    try: code = main(shlex.split(line))\n"
            "    except SystemExit as exit: code = exit.code\n"
            f"    print('\\n{MARK}', code or 0, flush=True)\n"
        )
        done = subprocess.run(
            [self.python, "-c", program, *lines],
            cwd=self.folder,
            env=environment(self.folder),
            input=typed,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=True,
        )
        texts = re.split(rf"\n{MARK} (\d+)\n", done.stdout)
        for line, text, code in zip(lines, texts[:-1:2], texts[1::2], strict=True):
            self.said[line], self.codes[line] = text, int(code)

    def ok(self, *lines: str, typed: str = "") -> str:
        self.run(*lines, typed=typed)
        for line in lines:
            assert self.codes[line] == 0, self.said[line]
        return self.said[lines[-1]]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    python = make_environment(tmp_path_factory.mktemp("environment"))
    return Site(tmp_path_factory.mktemp("games"), python)


@pytest.fixture(scope="module")
def cups(site: Site) -> Site:
    """Both games with a cup that was played."""
    for game in NAMES:
        site.ok(f"cup new {game} {game}.toml", f"cup check {game}.toml", f"cup run {game}.toml")
    return site


def test_pip_has_installed_them_with_all_their_files(site: Site) -> None:
    program = (
        "from importlib.metadata import distribution as installed\n"
        f"for name in {NAMES}: print(*(file.locate() for file in installed(f'botequim-{{name}}').files))\n"
    )
    done = subprocess.run([site.python, "-c", program], stdout=subprocess.PIPE, text=True, check=True)
    files = [Path(file) for file in done.stdout.split()]
    assert all(file.is_relative_to(site.python.parent.parent) and file.is_file() for file in files)
    sources = {path.name for path in GAMES.glob("*/*") if path.suffix == ".py"}
    sources |= {path.name for path in (GAMES / "highcard" / "highcard").rglob("*.*") if path.suffix != ".pyc"}
    assert sources <= {file.name for file in files}


def test_they_are_listed(site: Site) -> None:
    listed = json.loads(site.ok("games --json"))
    assert listed["highcard"]["players"] == ["champion", "first", "random"]
    assert listed["nim"]["players"] == ["random"]


@pytest.mark.parametrize(("game", "said"), [("highcard", "plays the card show"), ("nim", "take ")])
def test_they_are_played_told_verified_and_drawn(game: str, said: str, site: Site) -> None:
    record = f"{game}/{game}-000001.jsonl"
    site.ok(
        f"match {game} random random --seed 1 --records {game}",
        f"match {game} random random --games 8 --quiet --workers 1",
        f"verify {game}",
        f"show {record}",
        f"picture {record} -o {game}.svg",
        f"replay {record} -o {game}.html",
    )
    assert said in site.said[f"match {game} random random --seed 1 --records {game}"]
    assert said in site.said[f"show {record}"]
    ElementTree.fromstring((site.folder / f"{game}.svg").read_text(encoding="utf-8"))
    assert f"{game}" in (site.folder / f"{game}.html").read_text(encoding="utf-8")


def test_a_picture_of_its_own_shows_the_cards(site: Site) -> None:
    site.ok("match highcard first first --seed 1 --records own")
    record = json.loads((site.folder / "own" / "highcard-000001.jsonl").read_text().splitlines()[1])
    site.ok("picture own/highcard-000001.jsonl --move 1 --hands open -o own.svg")
    svg = (site.folder / "own.svg").read_text(encoding="utf-8")
    dealt = re.findall(r"\d+", record["moves"][0]["move"])
    assert dealt
    assert all(f">{card}<" in svg for card in dealt)


def test_people_play_them(site: Site) -> None:
    said = site.ok("play nim --against random --seed 1", typed="m 0\n" * 21)
    assert "Winner: " in said
    said = site.ok("play highcard --against champion --seed 1", typed="h\nq\ny\n")
    assert "c 14" in said, "its own commands are listed"


def test_people_play_them_in_the_browser(site: Site) -> None:
    program = (
        "import json\n"
        "from botequim import Rng, registry, resolve_options\n"
        "from botequim.tables.controls import controls_for\n"
        "def position(name):\n"
        "    game = registry.game(name)\n"
        "    state = game.start(resolve_options(name, game.options, {}))\n"
        "    while game.to_move(state) == (-1,):\n"
        "        state = game.apply(state, {-1: game.chance(state, Rng('1'))})\n"
        "    controls = controls_for(game, [{'name': 'Ana'}, {'name': 'Bento'}], 0)\n"
        "    view = game.view(state, 0)\n"
        "    hand = [(piece.name, str(piece.label)) for piece in controls.hand(view)]\n"
        "    choices = [(one.move, str(one.label), one.piece) for one in controls.choices(view)]\n"
        "    return {'kind': type(controls).__name__, 'hand': hand, 'choices': choices}\n"
        f"print(json.dumps([position(name) for name in {NAMES}]))\n"
    )
    done = subprocess.run(
        [site.python, "-c", program],
        cwd=site.folder,
        env=environment(site.folder),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    own, default = json.loads(done.stdout)
    assert own["kind"] == "HighCardControls"
    cards = [name for name, _label in own["hand"]]
    assert len(cards) == 3
    assert sorted(own["choices"]) == sorted([f"show {card}", f"show {card}", card] for card in cards)
    assert default == {
        "kind": "TableControls",
        "hand": [],
        "choices": [[f"take {count}", f"play take {count}", ""] for count in (1, 2, 3)],
    }


def test_a_submission_is_exported_checked_and_plays_over_its_own_wire(site: Site) -> None:
    site.ok(
        "export highcard exported",
        "check exported --game highcard --quick --trust",
        "match highcard exported random --games 4 --json --trust --limit move=60",
    )
    said = site.said["match highcard exported random --games 4 --json --trust --limit move=60"]
    result = json.loads(said[said.index("{") :])
    assert [entrant["faults"] for entrant in result["entrants"]] == [0, 0]


def test_its_own_checks_name_the_mistake_of_a_bot(site: Site) -> None:
    bot = site.folder / "wrong.py"
    bot.write_text(
        "import sys\n"
        "for line in sys.stdin:\n"
        "    other = next(card for card in range(1, 31) if str(card) not in line.split())\n"
        "    if 'HAND' in line: print(other, flush=True)\n"
    )
    command = f"check '{bot}' --game highcard --quick --trust"
    site.run(command)
    assert site.codes[command] == 1
    assert "It shows a card that it does not hold." in " ".join(site.said[command].split())


def test_every_part_of_a_plugin_is_in_the_example() -> None:
    fields = {field.name for field in dataclasses.fields(PLUGIN)} - {"art"}
    assert all(getattr(PLUGIN, name) for name in fields), "show it in examples/games/highcard"


def test_without_a_champion_there_is_nothing_to_export(site: Site) -> None:
    site.run("export nim nothing")
    assert site.codes["export nim nothing"] == 2
    assert "known: cubos, havana, highcard, rps, uno" in site.said["export nim nothing"]


def test_a_bot_of_any_game_is_checked_for_rules_alone(site: Site) -> None:
    assert "ready" in site.ok(f"check '{ARENA_BOT}' --game nim --quick --trust")


@pytest.mark.parametrize("game", ["highcard", "nim"])
def test_cups_have_reports_that_prove_themselves(game: str, cups: Site) -> None:
    cups.ok(f"cup status {game}.toml", f"cup report {game}.toml")
    (bundle,) = (cups.folder / f"{game}.cup").rglob("bundle.zip")
    cups.ok(f"verify '{bundle}'")
    report = bundle.parent / "index.html"
    assert "Ana" in report.read_text(encoding="utf-8")


def test_cups_are_served_with_their_rules_and_replays(cups: Site) -> None:
    words = ["--lang", "en", "serve", "highcard.toml", "nim.toml", "--port", "0"]
    server = subprocess.Popen(
        [cups.python, "-m", "botequim", *words],
        cwd=cups.folder,
        env=environment(cups.folder),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    with server, server.stdout:
        try:
            found = re.search(r"http://127\.0\.0\.1:\d+", server.stdout.readline())
            assert found is not None
            with httpx.Client(base_url=found[0], timeout=PATIENCE, follow_redirects=True) as client:
                rules = client.get("/rules")
                assert "High card" in rules.text, "the title of its own text"
                assert "nim" in rules.text
                picture = client.get("/rules/pictures/en/highcard-first.wide.svg")
                assert picture.status_code == 200
                assert "Enter a bot for high card" in client.get("/enter/highcard").text
                for game in ("highcard", "nim"):
                    for page in ("", "/rules", "/enter", "/games"):
                        answer = client.get(f"/cups/{game}{page}")
                        assert answer.status_code == 200, f"{game}{page}"
                    replay = re.search(
                        rf'href="(/cups/{game}/games/[^"]+)"', client.get(f"/cups/{game}/games").text
                    )
                    assert replay is not None
                    assert "<svg" in client.get(replay[1]).text
        finally:
            server.terminate()
