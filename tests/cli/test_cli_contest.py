"""`botequim contest`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from botequim.cli import contest as command
from botequim.cli import main
from botequim.cup.config import Entry
from botequim.cup.paths import CupPaths
from botequim.votes.contest import Choice, Voters
from botequim.votes.contests import Contests
from tests.support.played_cups import cup_file

Captured = pytest.CaptureFixture[str]
NAMES = ("Aroeira", "Boteco", "Caju")


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    return cup_file(tmp_path, "rps", entrants=[Entry(name, "random") for name in NAMES]).path


def run_json(capsys: Captured, *words: object) -> Any:
    """A command that goes well, and its JSON."""
    assert main(["contest", *map(str, words), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def refusal(capsys: Captured, *words: object) -> str:
    assert main(["contest", *map(str, words)]) == 2
    return capsys.readouterr().err


def vote(cup: Path, number: int, *chosen: str, code: str) -> None:
    with CupPaths.of(cup).storage.open_votes() as show:
        Contests(show).vote(number, chosen, code=code)


def test_what_may_be_chosen_is_what_there_is() -> None:
    # the command names them itself, since it does not wait for what counts votes
    assert list(command.VOTERS) == [one.value for one in Voters]
    assert list(command.CHOICES) == [one.value for one in Choice]


def test_a_contest_by_a_script(cup: Path, capsys: Captured) -> None:
    made = run_json(
        capsys, "new", cup, "Best art", "--choice", "ranked", "--entrant", "Caju", "--entrant", "Boteco"
    )
    assert made == {
        "number": 1, "title": "Best art", "voters": "codes", "choice": "ranked", "phase": "preparing",
        "entrants": ["Caju", "Boteco"],
    }  # fmt: skip
    codes = run_json(capsys, "codes", cup, 1, 3)["codes"]
    assert len(set(codes)) == 3
    assert run_json(capsys, "open", cup, 1)["phase"] == "open"
    vote(cup, 1, "Boteco", "Caju", code=codes[0])
    assert "counted when the contest is closed" in refusal(capsys, "results", cup, 1)
    assert run_json(capsys, "results", cup, 1, "--early")["result"]["winners"] == ["Boteco"]
    assert run_json(capsys, "list", cup)[0]["ballots"] == 1
    assert run_json(capsys, "close", cup, 1)["phase"] == "closed"
    result = run_json(capsys, "results", cup, 1)
    assert (result["used"], result["result"]["standings"][0]["entrant"]) == (1, "Boteco")
    assert "its result may be known" in refusal(capsys, "open", cup, 1)
    assert "nothing was deleted" in refusal(capsys, "delete", cup, 1, "--title", "Another")
    assert run_json(capsys, "delete", cup, 1, "--title", "Best art") == {"deleted": 1}
    assert run_json(capsys, "list", cup) == []


def test_in_words_and_in_both_languages(cup: Path, capsys: Captured) -> None:
    assert main(["contest", "new", str(cup), "Melhor arte", "--choice", "ranked"]) == 0
    assert main(["contest", "codes", str(cup), "1", "2"]) == 0
    codes = capsys.readouterr().out.split()[-2:]
    assert main(["contest", "open", str(cup), "1"]) == 0
    vote(cup, 1, "Caju", code=codes[0])
    vote(cup, 1, "Caju", "Boteco", code=codes[1])
    assert main(["contest", "list", str(cup)]) == 0
    assert "  1  Melhor arte  (voting is open, 2 ballots)" in capsys.readouterr().out
    assert main(["contest", "close", str(cup), "1"]) == 0
    assert main(["contest", "results", str(cup), "1", "--lang", "pt_BR"]) == 0
    said = capsys.readouterr().out
    assert "  1. Caju  2 votos" in said
    assert "Rodada 1: Caju 2" in said
    assert main(["contest"]) == 0
    assert "botequim contest new" in capsys.readouterr().out


def test_what_cannot_be_is_refused_in_words(cup: Path, tmp_path: Path, capsys: Captured) -> None:
    assert "no contest 7" in refusal(capsys, "open", cup, 7)
    assert 'no entrant "Zoe"' in refusal(capsys, "new", cup, "Best", "--entrant", "Zoe")
    assert "needs a title" in refusal(capsys, "new", cup, " ")
    run_json(capsys, "new", cup, "Best")
    assert "--sheet needs --address" in refusal(capsys, "codes", cup, 1, 2, "--sheet", tmp_path / "x.html")
    sheet = ("--sheet", tmp_path / "x.pdf", "--address", "http://x")
    assert "must end in .html" in refusal(capsys, "codes", cup, 1, 2, *sheet)
    assert "is not the address" in refusal(capsys, "codes", cup, 1, 2, "--address", "nonsense")
    assert "must end in .csv" in refusal(capsys, "codes", cup, 1, 2, "--csv", tmp_path / "x.txt")
    assert "0 codes cannot be created" in refusal(capsys, "codes", cup, 1, 0)
    assert run_json(capsys, "list", cup)[0]["codes"] == 0
    assert "never opened" in refusal(capsys, "close", cup, 1)
    run_json(capsys, "new", cup, "Open", "--voters", "open")
    assert "it has no codes" in refusal(capsys, "codes", cup, 2, 2)
    assert "Nobody voted" not in refusal(capsys, "results", cup, 2)


def test_a_list_and_a_warning_for_phones(cup: Path, tmp_path: Path, capsys: Captured) -> None:
    run_json(capsys, "new", cup, "Best")
    table = tmp_path / "codes.csv"
    words = [
        "contest",
        "codes",
        str(cup),
        "1",
        "2",
        "--csv",
        str(table),
        "--address",
        "http://localhost:8080",
    ]
    assert main(words) == 0
    said = capsys.readouterr()
    assert "no phone can reach http://localhost:8080" in said.err
    assert said.out == "2 codes\n"
    assert table.read_text().splitlines()[0] == "code"
    assert len(table.read_text().splitlines()) == 3
