"""`botequim cup change`: every kind of change, what it says before and after, and who is asked."""

from __future__ import annotations

import io
import json
import os
import shutil
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from botequim.cli import main
from botequim.cup.change_requests import request_change, requests
from botequim.cup.changes import LateEntrant
from botequim.cup.paths import CupPaths
from tests.support.cup_commands import Captured, cup, run
from tests.support.cup_files import results_file

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
        (("revoke", "3"), "change 3 is revoked: Bia withdraws; its results are annulled."),
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
        if ".pt-BR" in name:
            assert "liga: posição" in text
            assert "finals:" not in text
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
    (eva,) = (feedback.parent / "pt-BR").glob("Eva*.md")
    assert "(liga, " in eva.read_text(encoding="utf-8")
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
        (("replay", "league", "Ana – Bai"), "did you mean Ana – Bia?"),
        (("replay", "league", "round 1"), "are several series"),
        (("disqualify", "Zoe"), 'there is no entrant "Zoe"'),
        (("add", "Ana", "greedy"), "already used"),
        (("fix", "Ana", "--from", "league"), "begun"),
        (("fix", "Ana", "--from", "final"), "did you mean finals?"),
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
    assert "take part" not in err
    err = change(capsys, path, "withdraw", "Eva", "--unrevealed")[2]
    assert "Results are hidden" not in err
    assert "finals: does not take part: Eva, takes part now: Ana" in " ".join(err.split())
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


def test_a_stage_that_waits_again_is_not_called_unplayed(path: Path, capsys: Captured) -> None:
    """The finals wait until the late entrant has played the league."""
    code, out, err = change(capsys, path, "add", "Rui", "greedy")
    assert code == 0
    effect = " ".join(err.split())
    assert "finals: series that wait for an earlier stage: 1" in effect
    assert "not played" not in effect
    assert f"Next: botequim cup run {path} --stage league" in out
    code, _, err = run(capsys, "run", str(path), "--stage", "finals", "--quiet")
    assert code == 2
    assert "--stage league" in err


def test_series_that_no_longer_count_keep_their_labels(path: Path, capsys: Captured) -> None:
    assert change(capsys, path, "replay", "league", "Leo – Eva")[0] == 0
    assert "Leo – Eva (round 3)" in run(capsys, "change", str(path), "list")[1]
    assert "league: round 3: Leo" in run(capsys, "status", str(path), "--series")[1]
    assert change(capsys, path, "withdraw", "Eva", "--annul")[0] == 0
    listed = run(capsys, "status", str(path), "--series")[1]
    assert "Leo – Eva (round 3)" in " ".join(listed.split())
    assert " | " not in listed
    assert listed.count("does not count") == 3


def test_nobody_learns_from_a_refusal_who_plays_a_hidden_final(path: Path, capsys: Captured) -> None:
    with CupPaths.of(path).storage.open_visibility() as show:
        show.hold(at=12)
    assert run(capsys, "run", str(path), "--quiet")[0] == 0
    for wanted in ("finale", "Ana – Bia"):
        code, _, err = change(capsys, path, "replay", "finals", wanted)
        assert code == 2
        assert "did you mean" not in err
    with CupPaths.of(path).storage.open_results() as store:
        first, *_, last = [one.number for one in store.series() if one.stage == "finals"]
    code, _, err = change(capsys, path, "replay", "finals", str(first))
    assert (code, "depends on what would change" in err) == (2, True), "the final was tied, and repeated"
    assert "a series that is still hidden" in err
    assert "…" not in err
    assert not [name for name in NAMES if name in err]
    code, _, err = change(capsys, path, "replay", "finals", str(last))
    assert (code, "a hidden series of the stage" in err) == (0, True), err
    assert not [name for name in NAMES if name in err]
    listed = run(capsys, "change", str(path), "list")[1]
    assert "a hidden series" in listed
    assert not [name for name in NAMES if name in listed]
    assert "a hidden series" not in run(capsys, "change", str(path), "list", "--unrevealed")[1]


def test_a_coordinator_says_which_change_it_applied(path: Path, capsys: Captured) -> None:
    with CupPaths.of(path).storage.open_results(write=True):
        assert change(capsys, path, "withdraw", "Eva")[0] == 0
    assert "Change 1 is applied." in run(capsys, "run", str(path), "--quiet")[2]


def test_a_coordinator_says_which_request_it_refused_and_why(path: Path, capsys: Captured) -> None:
    wanted = LateEntrant("Tia", "./naoexiste")
    request_change(CupPaths.of(path).storage, wanted, who="jury", why="she was ill")
    code, _, err = run(capsys, "run", str(path), "--stage", "league", "--quiet", "--trust")
    said = " ".join(err.split())
    assert code == 0
    assert "A request is refused (Tia joins the cup): " in said
    assert "without isolation, because all its entrants were built-in players" in said


def test_a_revealed_game_is_named_by_its_entrants_and_its_match(path: Path, capsys: Captured) -> None:
    with CupPaths.of(path).storage.open_visibility() as show:
        show.hold(at=12)
    assert run(capsys, "run", str(path), "--quiet")[0] == 0
    out = run(capsys, "reveal", str(path))[1]
    assert " (final), game 1: " in out


def test_the_public_votes_for_a_late_entrant_too(path: Path, capsys: Captured) -> None:
    assert change(capsys, path, "add", "Rui", "greedy")[0] == 0
    assert main(["contest", "new", str(path), "Best", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["entrants"] == [*NAMES, "Rui"]


@pytest.mark.parametrize(
    ("words", "is_refused"),
    [(("add", "Rui", "greedy"), True), (("fix", "Leo", "greedy", "--from", "finals"), False)],
)
def test_a_repair_that_would_contradict_the_log_is_refused(
    path: Path, tmp_path: Path, capsys: Captured, words: tuple[str, ...], is_refused: bool
) -> None:
    assert change(capsys, path, *words)[0] == 0
    file = results_file(path)
    with closing(sqlite3.connect(file)) as store:
        store.execute("UPDATE series SET result = 'nonsense' WHERE number = 5")
        store.commit()
    before = file.read_bytes()
    code, _, err = run(capsys, "repair", str(path))
    if is_refused:
        assert (code, "change 1 of the cup depends on" in err) == (2, True), err
        assert "botequim cup restore" in err
        assert file.read_bytes() == before
        assert not list(file.parent.glob("*damaged*")) + list(file.parent.glob("*repaired*"))
        return
    assert code == 0, err
    assert run(capsys, "run", str(path), "--quiet")[0] == 0
    assert run(capsys, "report", str(path), "--bundle", str(tmp_path / "rinha.zip"))[0] == 0
    assert main(["verify", str(tmp_path / "rinha.zip")]) == 0, capsys.readouterr()


def test_a_series_before_a_finished_stage_of_a_changed_cup_is_not_dropped(
    path: Path, capsys: Captured
) -> None:
    assert change(capsys, path, "fix", "Leo", "greedy", "--from", "finals")[0] == 0
    assert run(capsys, "run", str(path), "--quiet")[0] == 0
    with closing(sqlite3.connect(results_file(path))) as store:
        store.execute("UPDATE series SET result = 'nonsense' WHERE number = 5")
        store.commit()
    code, _, err = run(capsys, "repair", str(path))
    assert (code, "change 1 of the cup depends on" in err) == (2, True), err
