"""How long a cup takes: learned from its check, given as a range, corrected while it is played."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path

import pytest

from botequim import registry
from botequim.botcheck.patience import Patience
from botequim.botcheck.speed import (
    NO_TIME,
    Range,
    Speed,
    Turns,
    game_seconds,
    rehearse,
    series_seconds,
    silent_turns,
)
from botequim.core import clock
from botequim.core.options import resolve_options
from botequim.core.wire import Restart
from botequim.cup.config import Cup
from botequim.cup.config_parser import read
from botequim.cup.entrant_check import Report, estimates
from botequim.cup.estimates import Remaining, stage_seconds, stages_with_playoffs
from botequim.cup.paths import CupPaths
from botequim.cup.speeds import FILE
from botequim.i18n import translate, use_language
from botequim.testing import ManualClock
from tests.support import seeded
from tests.support.bot_time import MODULE, MOVE, START, bot_time
from tests.support.cup_commands import Captured, cup, run

ONE_SECOND = Speed(0.0, Range(1.0, 1.0))


def rps_cup(folder: Path, count: int, stages: str) -> Cup:
    entrants = {f"e{number}": "random" for number in range(count)}
    path = cup(folder / "c.toml", entrants, game="rps", stages=stages)
    return read(path)


def test_players_who_are_asked_at_the_same_time_think_at_the_same_time() -> None:
    game = registry.game("rps")
    turns = asyncio.run(rehearse(game, resolve_options("rps", game.options, {"rounds": 50})))
    assert game_seconds(turns, [ONE_SECOND, ONE_SECOND]) == Range(50.0, 50.0)
    assert game_seconds(turns, [NO_TIME, ONE_SECOND]) == Range(50.0, 50.0)


@pytest.mark.parametrize(("name", "asked"), [("uno", 1), ("cubos", 1), ("rps", 50)])
def test_the_rules_say_how_often_a_silent_bot_is_asked(name: str, asked: int) -> None:
    game = registry.game(name)
    options = resolve_options(name, game.options, {})
    assert asyncio.run(silent_turns(game, options)) == [asked] * len(game.teams(options))


def test_late_answers_cost_no_more_than_the_rules_let_there_be() -> None:
    silent = Speed(0.0, Range(0.0, 0.0), late=1.0, wait=5.0)
    turns: list[Turns] = [{(0,): 20.0, (1,): 20.0}]
    assert game_seconds(turns, [silent, NO_TIME], [1, 1]) == Range(5.0, 5.0)
    assert game_seconds(turns, [silent, NO_TIME], [20, 20]) == Range(100.0, 100.0)
    rarely_late = Speed(0.0, Range(1.0, 1.0), late=0.1, wait=5.0)
    assert game_seconds(turns, [rarely_late, NO_TIME], [20, 20]) == Range(30.0, 30.0)


def test_a_bot_that_is_not_asked_after_a_few_late_answers_costs_no_more() -> None:
    silent = Speed(0.0, Range(0.0, 0.0), late=1.0, wait=1.0, most_late=5)
    turns: list[Turns] = [{(0,): 20.0, (1,): 20.0}]
    series = series_seconds(turns, [silent, NO_TIME], [2, 2], (10, 10), live_on=True, silent=[20, 20])
    assert series.high == pytest.approx(2 * 5), "five late answers of each of its two seats"


def test_a_league_is_shared_out_to_workers(tmp_path: Path) -> None:
    stages = '[[stages]]\nname = "groups"\nformat = "round_robin"\ngames = 2\n'
    played = rps_cup(tmp_path, 4, stages)
    speeds = {entry.name: ONE_SECOND for entry in played.entrants}
    (seconds,) = stage_seconds(played, speeds, {}, workers=2).values()
    assert seconds.low == 6 / 2 * 2 * 50, "six pairings of two games with fifty rounds"
    assert 0 <= seconds.high - seconds.low <= 5


def test_a_stage_whose_entrants_are_not_known_yet(tmp_path: Path) -> None:
    stages = (
        '[[stages]]\nname = "groups"\nformat = "round_robin"\ngames = 2\n'
        '[[stages]]\nname = "finals"\nfrom = "groups"\ntop = 4\nformat = "knockout"\ngames = 1\n'
    )
    played = rps_cup(tmp_path, 5, stages)
    speeds = {entry.name: ONE_SECOND for entry in played.entrants}
    seconds = stage_seconds(played, speeds, {}, workers=8)
    assert list(seconds) == ["groups", "finals"]
    assert seconds["finals"].low >= 2 * 50, "semi-finals at the same time, then the final"


def test_the_slowest_entrants_may_reach_a_later_stage(tmp_path: Path) -> None:
    stages = (
        '[[stages]]\nname = "groups"\nformat = "round_robin"\ngames = 2\n'
        '[[stages]]\nname = "finals"\nfrom = "groups"\ntop = 2\nformat = "knockout"\ngames = 1\n'
    )
    played = rps_cup(tmp_path, 6, stages)
    for slow in ("e0", "e5"):
        speeds = {entry.name: NO_TIME for entry in played.entrants} | {slow: ONE_SECOND}
        finals = stage_seconds(played, speeds, {}, workers=8)["finals"]
        assert finals.low < 50 <= finals.high, slow


def test_who_cannot_be_started_has_no_estimate(tmp_path: Path) -> None:
    stages = '[[stages]]\nname = "groups"\nformat = "round_robin"\ngames = 1\n'
    played = rps_cup(tmp_path, 3, stages)
    two = {"e0": ONE_SECOND, "e1": ONE_SECOND}
    assert stage_seconds(played, two, {}, workers=1)["groups"].low == 50, "only one of three pairings"


@pytest.mark.parametrize(
    ("terms", "needs"),
    [
        ('format = "round_robin"\ngames = 2\n', True),
        ('format = "round_robin"\ngames = 2\nplayoff = "none"\n', False),
        ('format = "round_robin"\ngames = 2\nplayoff = "cut"\n', False),
        ('format = "knockout"\ngames = 2\n', True),
        ('format = "knockout"\ngames = 2\nreplays = 0\n', False),
    ],
)
def test_stages_whose_equals_may_play_on(tmp_path: Path, terms: str, needs: bool) -> None:
    played = rps_cup(tmp_path, 4, f'[[stages]]\nname = "groups"\n{terms}')
    assert stages_with_playoffs(played) == ["groups"] * needs


def test_a_later_stage_whose_equals_may_play_on(tmp_path: Path) -> None:
    stages = (
        '[[stages]]\nname = "groups"\nformat = "round_robin"\ngames = 2\nplayoff = "none"\n'
        '[[stages]]\nname = "finals"\nfrom = "groups"\ntop = 4\nformat = "knockout"\ngames = 2\n'
    )
    assert stages_with_playoffs(rps_cup(tmp_path, 5, stages)) == ["finals"]


def test_only_broken_entrants_are_left_out(tmp_path: Path) -> None:
    stages = '[[stages]]\nname = "groups"\nformat = "round_robin"\ngames = 1\n'
    played = rps_cup(tmp_path, 4, stages)
    good, also_good, crashes, broken = played.entrants
    reports = [
        Report(good, ready=True, speed=ONE_SECOND),
        Report(also_good, ready=True, speed=ONE_SECOND),
        Report(crashes, ready=False, speed=Speed.of([0.2], [])),
        Report(broken, ready=False, broken=True),
    ]
    assert estimates(played, reports, 1)["groups"].low == 3 * 50, "three of the four play"


def test_a_bot_that_does_not_start_is_started_a_few_times_in_a_series() -> None:
    absent = Speed(30.0, Range(0.0, 0.0), most_starts=3)
    turns: list[Turns] = [{(0,): 5.0, (1,): 5.0}]
    for live_on in (False, True):
        series = series_seconds(turns, [absent, NO_TIME], [1, 1], (30, 30), live_on=live_on)
        assert series == Range(90.0, 90.0)
    assert series_seconds(turns, [absent, NO_TIME], [1, 1], (2, 2), live_on=False) == Range(60.0, 60.0)


def test_instances_that_live_through_a_series_are_started_once() -> None:
    slow_start = Speed(10.0, Range(1.0, 1.0))
    turns: list[Turns] = [{(0,): 5.0, (1,): 5.0}]
    speeds = [slow_start, ONE_SECOND]
    through = series_seconds(turns, speeds, [1, 1], (4, 4), live_on=True)
    each = series_seconds(turns, speeds, [1, 1], (4, 4), live_on=False)
    assert through == Range(10 + 40, 10 + 40)
    assert each == Range(4 * 10, 4 * (10 + 10)), "started while the last game is played, or after it"


def test_the_rest_is_estimated_better_and_better() -> None:
    remaining = Remaining(workers=2)
    assert remaining.estimate(10) is None
    remaining.add(4.0)
    first = remaining.estimate(10)
    assert first is not None
    assert first.low < 20 < first.high
    for _ in range(50):
        remaining.add(4.0)
    later = remaining.estimate(10)
    assert later is not None
    assert first.low < later.low < 20 < later.high < first.high
    for _ in range(200):
        remaining.add(8.0)  # the check was wrong, or the machine has become slower
    corrected = remaining.estimate(10)
    assert corrected is not None
    assert corrected.middle > later.middle


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (Range(0.1, 0.4), "less than 1 s"),
        (Range(2, 2.04), "2 s"),
        (Range(12.2, 40), "12 to 40 s"),
        (Range(90, 400), "1.5 to 6.7 min"),
        (Range(3600, 36000), "1 to 10 h"),
    ],
)
def test_a_range_in_words(seconds: Range, told: str) -> None:
    assert str(seconds.message()) == told


def test_a_range_has_the_decimal_sign_of_the_language() -> None:
    seconds = Range(3.6, 9.7).message()
    assert translate(seconds) == "3.6 to 9.7 s"
    with use_language("pt_BR"):
        assert translate(seconds) == "de 3,6 a 9,7 s"


def test_the_time_for_a_check_follows_the_speed_of_the_bot() -> None:
    with clock.use_clock(ManualClock()) as manual:
        quick, slow = Patience(100, 120, strict=False), Patience(100, 120, strict=False)
        strict = Patience(100, 120, strict=True)
        for _ in range(50):
            manual.advance(2)
            slow.count()
            strict.count()
        for _ in range(5000):
            quick.count()
        assert (slow.wanted, slow.is_over) == (30, False)
        assert slow.limit == 240
        assert (quick.wanted, quick.limit) == (100, 120)
        manual.advance(50)
        assert strict.is_over
        assert not slow.is_over
        assert slow.usual_is_over


def test_a_check_of_slow_and_of_broken_entrants(tmp_path: Path, capsys: Captured) -> None:
    with bot_time() as passing:
        slow, dead = tmp_path / "slow", tmp_path / "dead"
        for folder, files in ((slow, seeded.UNO_SLOW), (dead, {"bot.py": "raise SystemExit('no')"})):
            folder.mkdir()
            for name, text in files.items():
                (folder / name).write_text(text, encoding="utf-8")
        (slow / MODULE).write_text(passing.source, encoding="utf-8")
        broken = str(tmp_path / "missing")
        entrants = {"slow": str(slow), "dead": str(dead), "greedy": "greedy", "broken": broken}
        path = cup(tmp_path / "c.toml", entrants, game="uno")
        path.write_text(path.read_text() + f"[limits]\nmove = {MOVE:g}\nstart = {START:g}\n")
        code, out, _ = run(capsys, "check", str(path), "--json")
        assert code == 1
        told = json.loads(out)
        assert {row["name"]: row["ready"] for row in told["entrants"]} == {
            "slow": True,
            "dead": False,
            "greedy": True,
            "broken": False,
        }
        assert told["estimated_without"] == ["broken"]
        low, high = told["seconds"]["league"]
        assert 6 * 2 * 4 < low < high, "six games, in each more than four answers of two seconds"
        code, out, _ = run(capsys, "check", str(path), "--seconds", "20")
        assert code == 1
        assert "✘ slow  only" in out
        assert "This does not include the games of broken." in out
        assert "May still play, although slow or faulty: slow, dead. What is wrong is above." in out
        assert "The estimate does not include tie-break series: league." in out


def test_a_cup_says_how_long_it_still_takes(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("botequim.cli.cup_run.PLAIN_PROGRESS_SECONDS", 0)
    path = cup(tmp_path / "c.toml", dict.fromkeys("abcd", "random"), game="rps")
    code, _, err = run(capsys, "run", str(path))
    assert code == 0
    assert re.search(r"^league: 1 of 6 series, .* s left$", err, re.MULTILINE)
    assert "league: 6 of 6 series\n" in err


def test_a_cup_starts_from_the_estimate_of_its_check(tmp_path: Path, capsys: Captured) -> None:
    path = cup(tmp_path / "c.toml", dict.fromkeys("abcd", "random"), game="rps")
    code, out, _ = run(capsys, "check", str(path))
    assert code == 0
    (estimate,) = re.findall(r"^league: .* on this machine$", out, re.MULTILINE)
    code, _, err = run(capsys, "run", str(path))
    assert code == 0
    assert estimate in err.splitlines()
    assert "on this machine" not in run(capsys, "run", str(path))[2], "the stage is over"


@pytest.mark.parametrize("change", ["another bot", "one more", "damaged"])
def test_an_estimate_that_does_not_fit_the_cup_is_not_used(
    tmp_path: Path, capsys: Captured, change: str
) -> None:
    entrants = dict.fromkeys("abcd", "random")
    path = cup(tmp_path / "c.toml", entrants, game="rps")
    assert run(capsys, "check", str(path))[0] == 0
    if change == "damaged":
        (CupPaths.of(path).folder / FILE).write_text('{"botequim_speeds": 1, "entrants": {"a": {"bot": []}}}')
    else:
        cup(path, entrants | {"a" if change == "another bot" else "e": "greedy"}, game="rps")
    code, _, err = run(capsys, "run", str(path))
    assert code == 0
    assert "on this machine" not in err


def test_no_instance_of_a_cup_that_restarts_for_every_game_lives_on(tmp_path: Path) -> None:
    stages = '[[stages]]\nname = "groups"\nformat = "round_robin"\ngames = 10\n'
    played = rps_cup(tmp_path, 2, stages)
    slow_start = Speed(100.0, Range(0.01, 0.01))
    speeds = {entry.name: slow_start for entry in played.entrants}
    lives = stage_seconds(played, speeds, dict.fromkeys(speeds, Restart.SERIES), workers=1)["groups"]
    anew = stage_seconds(played, speeds, dict.fromkeys(speeds, Restart.GAME), workers=1)["groups"]
    assert lives.high < 300 < 1000 <= anew.low
