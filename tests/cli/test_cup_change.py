"""`botequim cup change`: every kind of change, what it says before and after, and who is asked."""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from botequim.cli import main
from botequim.cup.change_requests import requests
from botequim.cup.paths import CupPaths
from tests.support.cup_commands import Captured, cup, run

STAGES = """
[options]
rounds = 2
[[stages]]
name = "league"
format = "round_robin"
games = 2
[[stages]]
name = "finals"
format = "knockout"
from = "league"
top = 2
"""
NAMES = {"Ana": "random", "Bia": "greedy", "Leo": "random", "Eva": "markov"}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a cup whose league was played."""
    folder = tmp_path_factory.mktemp("played")
    written = cup(folder / "rinha.toml", NAMES, game="rps", stages=STAGES)
    assert main(["cup", "run", str(written), "--stage", "league", "--quiet"]) == 0
    return folder


@pytest.fixture
def path(played: Path, tmp_path: Path) -> Path:
    """The cup file of a copy of it."""
    shutil.copytree(played, tmp_path, dirs_exist_ok=True)
    return tmp_path / "rinha.toml"


def change(capsys: Captured, path: Path, *words: str, why: str = "a reason") -> tuple[int, str, str]:
    return run(capsys, "change", str(path), *words, "--why", why)


def changes(capsys: Captured, path: Path) -> dict[str, Any]:
    code, out, _ = run(capsys, "change", str(path), "list", "--json")
    assert code == 0
    found: dict[str, Any] = json.loads(out)
    return found


def test_a_cup_that_was_changed_in_every_way_explains_each_change_and_verifies(
    path: Path, tmp_path: Path, capsys: Captured
) -> None:
    for words, told in (
        (("add", "Rui", "greedy"), "Rui joins the cup."),
        (("disqualify", "Ana"), "Ana is disqualified; its results are kept."),
        (("withdraw", "Bia", "--annul"), "Bia withdraws; its results are annulled."),
        (
            ("fix", "Leo", "greedy", "--from", "finals"),
            'Leo plays with new files from the stage "finals" on.',
        ),
        (("replay", "league", "Leo – Eva"), 'Leo – Eva (round 3) of the stage "league" is played again.'),
        (("revoke", "3"), "3 is revoked."),
    ):
        code, out, err = change(capsys, path, *words, why=f"because of {words[0]}")
        assert code == 0, err
        assert told in err
        assert "is applied." in out
    assert run(capsys, "run", str(path), "--quiet")[0] == 0
    status = " ".join(run(capsys, "status", str(path), "--series")[1].split())
    assert "Change 2: Ana is disqualified; its results are kept. Reason: because of disqualify" in status
    assert "does not count: it was played again" in status
    assert "attempt 2" in status
    bundle = tmp_path / "rinha.zip"
    assert run(capsys, "report", str(path), "--bundle", str(bundle))[0] == 0
    assert main(["verify", str(bundle)]) == 0, capsys.readouterr()
    public = tmp_path / "rinha.cup" / "report" / "public"
    for name in ("index.en.html", "index.pt-BR.html", "report.en.md", "report.pt-BR.md"):
        text = (public / name).read_text(encoding="utf-8")
        for word in ("add", "disqualify", "withdraw", "fix", "replay", "revoke"):
            assert f"because of {word}" in text, (name, word)
    page = (public / "report.en.md").read_text(encoding="utf-8")
    assert "## Changes during the cup" in page
    assert "Revoked by change 6." in page
    assert "Played, but counted for nobody" in page
    assert "Not played, because somebody left the cup" in page
    report = json.loads((public / "report.json").read_text(encoding="utf-8"))
    assert [one["revoked_by"] for one in report["changes"]] == [None, None, 6, None, None, None]
    league = report["stages"][0]
    assert [one["why"] for one in league["void"]] == ["it was played again"]
    assert league["void"][0]["games"][0]["record"]
    assert [one["winner"] for one in league["walkovers"]] == ["Rui"]
    feedback = tmp_path / "rinha.cup" / "report" / "private" / "feedback" / "en"
    (ana,), (rui,) = feedback.glob("Ana*.md"), feedback.glob("Rui*.md")
    assert "because of disqualify" in ana.read_text(encoding="utf-8")
    assert "because of disqualify" not in rui.read_text(encoding="utf-8")


class Keyboard(io.StringIO):
    """The standard input, or error output, of a person."""

    def isatty(self) -> bool:
        return True


def test_a_person_is_told_the_effect_and_asked(path: Path, capsys: Captured, monkeypatch: Any) -> None:
    words = ["cup", "change", str(path), "disqualify", "Leo", "--why", "x"]
    for typed, code in (("n\n", 1), ("y\n", 0)):
        with monkeypatch.context() as patched:
            screen = Keyboard()
            patched.setattr(sys, "stdin", Keyboard(typed))
            patched.setattr(sys, "stderr", screen)
            assert main(words) == code
        assert "league: places:" in screen.getvalue()
        assert "Go on? [y/N]" in screen.getvalue()
        capsys.readouterr()
        assert len(changes(capsys, path)["changes"]) == 1 - code


def test_what_is_not_possible_is_refused_with_a_suggestion(path: Path, capsys: Captured) -> None:
    for words, remedy in (
        (("replay", "leage", "Ana – Bia"), "did you mean league?"),
        (("replay", "league", "Ana – Bai"), "did you mean Ana | Bia?"),
        (("replay", "league", "round 1"), "are several series"),
        (("disqualify", "Zoe"), 'there is no entrant "Zoe"'),
        (("add", "Ana", "greedy"), "already used"),
        (("fix", "Ana", "--from", "league"), "begun"),
        (("revoke", "7"), "7"),
    ):
        code, _, err = change(capsys, path, *words)
        assert (code, remedy in err) == (2, True), (words, err)
    code, out, err = run(capsys, "change", str(path), "disqualify", "Ana", "--yes", "--why", " ")
    assert (code, out) == (2, ""), "the reason is missing, so nothing else is said"
    assert "give a reason" in err
    assert changes(capsys, path) == {"changes": [], "requests": []}
    assert "This cup was not changed." in run(capsys, "change", str(path), "list")[1]


def test_the_effect_does_not_tell_of_hidden_results(path: Path, capsys: Captured) -> None:
    with CupPaths.of(path).storage.open_visibility() as show:
        show.hold(at=0)
    err = change(capsys, path, "disqualify", "Leo")[2]
    assert "Results are hidden" in err
    assert "places" not in err
    err = change(capsys, path, "withdraw", "Eva", "--unrevealed")[2]
    assert "Results are hidden" not in err
    assert "places" in err
    assert "Change 1" not in run(capsys, "status", str(path))[1]
    assert "Change 1" in run(capsys, "status", str(path), "--unrevealed")[1]
    assert "changes" not in json.loads(run(capsys, "status", str(path), "--json")[1])


def test_a_change_waits_while_the_cup_is_played(path: Path, capsys: Captured) -> None:
    storage = CupPaths.of(path).storage
    with storage.open_results(write=True):
        code, out, _ = change(capsys, path, "withdraw", "Eva")
        assert code == 0
        assert "applied between two series" in out
        assert "waiting: Eva withdraws" in run(capsys, "change", str(path), "list")[1]
    assert [one.entry for one in requests(storage)] == [None]
    assert run(capsys, "run", str(path), "--quiet")[0] == 0
    assert [one.entry for one in requests(storage)] == [1]


def test_a_path_is_read_from_where_the_command_is_typed(
    path: Path, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    bots = tmp_path / "bots"
    (bots / "rui").mkdir(parents=True)
    (bots / "rui" / "bot.py").write_text("""print('{"move": "ROCK"}')""")
    monkeypatch.chdir(bots)
    there = os.path.relpath(path, bots)
    words = ("cup", "change", there, "add", "Rui", "./rui", "--why", "late", "--trust", "--json")
    assert main(words) == 0
    asked = json.loads(capsys.readouterr().out)
    assert asked["change"]["bot"] == "bots/rui"
    assert (asked["state"], asked["entry"]) == ("applied", 1)
