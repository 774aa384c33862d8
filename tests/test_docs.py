"""What the documents show is true."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from starlette.routing import Route

from botequim import registry
from botequim.cli import main, parser
from botequim.records.reader import RawRecord, parse
from botequim.records.verify import verify_record
from botequim.web.api import cups as cups_api
from botequim.web.pages import events

ROOT = Path(__file__).parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")])
TRANSLATED = [path for path in DOCUMENTS if path.name.endswith(".pt-BR.md")]
RECORDS = (ROOT / "docs" / "reference" / "record.md").read_text(encoding="utf-8")


def examples() -> list[RawRecord]:
    blocks = re.findall(r"```jsonl\n(.*?)```", RECORDS, re.DOTALL)
    return [
        found for block in blocks for found in parse(block.encode().splitlines(), "docs/reference/record.md")
    ]


def test_every_game_has_an_example_record_that_verifies() -> None:
    assert {found.game for found in examples()} == set(registry.game_names())
    for found in examples():
        verdict = verify_record(found)
        assert verdict.ok, (found.game, [str(mismatch.sentence()) for mismatch in verdict.mismatches])


def test_both_languages_show_the_same_records() -> None:
    portuguese = (ROOT / "docs" / "reference" / "record.pt-BR.md").read_text(encoding="utf-8")
    first, second = (re.findall(r"```jsonl\n(.*?)```", text, re.DOTALL) for text in (RECORDS, portuguese))
    assert first == second


def anchors(text: str) -> set[str]:
    """Return the anchors that a Markdown viewer makes of the headings of a text."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_between_documents_lead_somewhere(path: Path) -> None:
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        name, _, anchor = link.partition("#")
        if link.startswith("http"):
            continue
        target = path.parent / name if name else path
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(target.read_text(encoding="utf-8")), link


def test_every_document_is_reached_from_the_readme() -> None:
    reached, waiting = set(), [ROOT / "README.md", ROOT / "README.pt-BR.md"]
    while waiting:
        path = waiting.pop().resolve()
        if path in reached:
            continue
        reached.add(path)
        links = re.findall(r"\]\(([^)#\s]+\.md)", path.read_text(encoding="utf-8"))
        waiting += [path.parent / link for link in links if not link.startswith("http")]
    assert [path for path in DOCUMENTS if path not in reached and "examples" not in path.parts] == []


def commands(path: Path) -> list[list[str]]:
    """Return the arguments of every `botequim` command that stands on a line of its own."""
    return commands_in(path.read_text(encoding="utf-8"))


def commands_in(text: str) -> list[list[str]]:
    lines = re.findall(r"^botequim (.*)$", text, re.MULTILINE)
    return [shlex.split(line, comments=True) for line in lines]


@pytest.mark.parametrize(
    "path", [path for path in DOCUMENTS if commands(path)], ids=lambda path: str(path.relative_to(ROOT))
)
def test_commands_of_the_documents_exist(path: Path) -> None:
    for words in commands(path):
        assert callable(parser(words).parse_args(words).run), words


def test_paths_in_the_architecture_exist() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    paths = list(re.findall(r"`([a-z_0-9]+(?:/[a-z_0-9]*)+(?:\.py)?|[a-z_0-9]+\.py)`", text))
    assert len(paths) > 40
    for path in paths:
        assert (ROOT / "src" / "botequim" / path).exists() or (ROOT / path).exists(), path


def test_names_in_the_architecture_exist() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    names = set(re.findall(r"\b[A-Z][a-z]+(?:[A-Z][a-z]+)+\b", text)) | set(re.findall(r"`([A-Z]\w+)`", text))
    source = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    assert len(names) > 15
    assert [name for name in sorted(names) if not re.search(rf"class {name}\b|^{name}\b", source, re.M)] == []


@pytest.mark.parametrize("path", TRANSLATED, ids=lambda path: str(path.relative_to(ROOT)))
def test_both_languages_have_the_same_structure(path: Path) -> None:
    def structure(text: str) -> list[str]:
        code = re.sub(r"```.*?```", "```", text, flags=re.DOTALL)
        return re.findall(r"^(#+|```|\||- |\d+\.|!\[)", code, re.MULTILINE)

    english = path.with_name(path.name.replace(".pt-BR", ""))
    texts = [one.read_text(encoding="utf-8") for one in (english, path)]
    assert structure(texts[0]) == structure(texts[1])


def figures(line: str, *, portuguese: bool) -> list[float]:
    """Return the numbers of a line in ascending order; those in code are the same in both languages."""
    prose = re.sub(r"`[^`]*`|\]\([^)]*\)|(?:\d+\.){2}\d+|Python 3\.\d+", " ", line)
    thousands, decimal = (".", ",") if portuguese else (",", ".")
    found = re.findall(r"\d[\d.,]*\d|[.,]?\d+", prose)
    return sorted(abs(float(one.replace(thousands, "").replace(decimal, "."))) for one in found)


@pytest.mark.parametrize("name", ["strength", "benchmarks"])
def test_measurements_are_the_same_in_both_languages(name: str) -> None:
    folder = ROOT / "docs" / "reference"
    english = (folder / f"{name}.md").read_text(encoding="utf-8").splitlines()
    portuguese = (folder / f"{name}.pt-BR.md").read_text(encoding="utf-8").splitlines()
    assert len(english) == len(portuguese)
    for first, second in zip(english, portuguese, strict=True):
        assert figures(first, portuguese=False) == figures(second, portuguese=True), first


def test_the_readme_and_the_changelog_are_short() -> None:
    for name, most in (("README.md", 150), ("README.pt-BR.md", 150), ("CHANGELOG.md", 25)):
        assert len((ROOT / name).read_text(encoding="utf-8").splitlines()) <= most


def test_both_readmes_have_the_same_commands() -> None:
    translated = {"games/": "partidas/", "game.html": "partida.html"}
    english = (ROOT / "README.md").read_text(encoding="utf-8")
    for name, portuguese in translated.items():
        english = english.replace(name, portuguese)
    assert commands_in(english) == commands(ROOT / "README.pt-BR.md")


def test_the_matches_replays_and_checks_of_the_readme_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    found = commands(ROOT / "README.md")
    chosen = [words for words in found if words[0] in ("match", "replay", "verify", "check")]
    assert len(chosen) > 6
    for words in chosen:
        few = [re.sub(r"^\d{3,}$", "20", word) for word in words]
        assert main([*few, "--quick"] if words[0] == "check" else few) == 0, words


@pytest.mark.parametrize("name", ["README.md", "README.pt-BR.md"])
def test_the_python_session_of_the_readme_runs(name: str) -> None:
    (session,) = re.findall(r"```python\n(.*?)```", (ROOT / name).read_text(encoding="utf-8"), re.DOTALL)
    done = subprocess.run([sys.executable, "-c", session], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


def test_the_python_of_the_picture_guide_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(ROOT / "tests" / "golden" / "cubos-domino.jsonl", "game.jsonl")
    text = (ROOT / "docs" / "how-to" / "pictures.md").read_text(encoding="utf-8")
    (session,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    values: dict[str, object] = {}
    exec(session, values)
    assert str(values["svg"]).startswith("<svg")


@pytest.mark.parametrize("name", ["serve.md", "serve.pt-BR.md"])
def test_addresses_of_the_api_exist(name: str) -> None:
    text = (ROOT / "docs" / "how-to" / name).read_text(encoding="utf-8")
    shown = re.findall(r"^curl .*?http://[^/]+(/\S+)", text, re.MULTILINE)
    routes = [
        route.path for part in (cups_api, events) for route in part.router.routes if isinstance(route, Route)
    ]
    patterns = [re.sub(r"\{[^}]+\}", "[^/]+", path) for path in routes]
    assert len(shown) > 3
    assert [path for path in shown if not any(re.fullmatch(pattern, path) for pattern in patterns)] == []


def test_the_bots_of_the_tutorial_play(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "tutorials" / "first-bot.md").read_text(encoding="utf-8")
    first, better = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (manifest,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    folder = tmp_path / "my-bot"
    folder.mkdir()
    (folder / "botequim.toml").write_text(manifest, encoding="utf-8")
    for program in (first, better):
        (folder / "bot.py").write_text(program, encoding="utf-8")
        capsys.readouterr()
        assert main(["match", "uno", "my-bot", "random", "--games", "4", "--json"]) == 0
        assert not any(one["faults"] for one in json.loads(capsys.readouterr().out)["entrants"])
    wrong = first.replace('random.choice(question["legal"])', '"discard 7♦"')
    assert wrong != first
    (folder / "bot.py").write_text(wrong, encoding="utf-8")
    assert main(["check", "my-bot", "--game", "uno", "--quick"]) == 1
