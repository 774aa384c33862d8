"""What the documents show is true."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from botequim import registry
from botequim.cli import main, parser
from botequim.core.reading import Found, parse
from botequim.verify import verify

ROOT = Path(__file__).parent.parent
RECORDS = (ROOT / "docs" / "record.md").read_text(encoding="utf-8")


def examples() -> list[Found]:
    blocks = re.findall(r"```jsonl\n(.*?)```", RECORDS, re.DOTALL)
    return [found for block in blocks for found in parse(block.encode().splitlines(), "docs/record.md")]


def test_every_game_has_an_example_record_that_verifies() -> None:
    assert {found.game for found in examples()} == set(registry.game_names())
    for found in examples():
        verdict = verify(found)
        assert verdict.ok, (found.game, [str(departure.sentence()) for departure in verdict.departures])


@pytest.mark.parametrize("name", ["README.md", "README.pt-BR.md", "ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_links_between_documents_lead_somewhere(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)", text):
        assert target.startswith("http") or (ROOT / target).exists(), target


@pytest.mark.parametrize("name", ["README.md", "README.pt-BR.md"])
def test_commands_of_the_readme_exist(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    lines = re.findall(r"^(?:\.venv/bin/)?botequim (.*)$", text, re.MULTILINE)
    assert lines
    for line in lines:
        words = shlex.split(line, comments=True)
        arguments = parser().parse_args(words)
        assert callable(arguments.run)


def test_the_game_shown_in_the_readme_is_the_game_that_is_played(capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    command, *lines = text.split("```\n$ botequim ")[1].split("\n```")[0].splitlines()
    main(shlex.split(command))
    told = capsys.readouterr().out
    shown = "\n".join(lines).split("\n...")
    assert len(shown) == 3
    for part in shown:
        assert part in told


def test_readme_examples_of_a_match_run(capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for line in re.findall(r"^botequim (match .*)$", text, re.MULTILINE):
        words = [word for word in shlex.split(line, comments=True) if not word.startswith("games/")]
        if "--records" in words:
            words.remove("--records")
        words = [re.sub(r"^\d{3,}$", "20", word) for word in words]
        assert main(words) == 0


@pytest.mark.parametrize("name", ["README.md", "README.pt-BR.md"])
def test_pictures_of_the_readme_are_drawn_from_the_games_it_plays(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = (ROOT / name).read_text(encoding="utf-8")
    lines = re.findall(
        r"^(?:\.venv/bin/)?botequim (match .*--records .*|picture .*|replay .*)$", text, re.MULTILINE
    )
    assert len(lines) > 2
    for line in lines:
        assert main(shlex.split(line, comments=True)) == 0, line
