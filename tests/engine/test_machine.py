"""Machines: labels that may be published, speeds, those that are too slow, and the records of a job."""

from __future__ import annotations

import itertools
import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from botequim import registry
from botequim.bots.entrant import Entrant
from botequim.core.errors import InputError
from botequim.core.options import resolve_options
from botequim.engine.jobs import GameSetup, JobResult, SeriesJob, run_job
from botequim.engine.machine import (
    LONGEST_LABEL,
    NO_LABEL,
    REFERENCE_SECONDS,
    RUNS,
    Machine,
    measure_speed,
    too_slow,
)
from botequim.records.reader import parse
from botequim.records.record import Record
from botequim.records.verify import verify_record
from tests.support.bots import BARE, script

LAB = Machine("lab-3", 0.5)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("lab-3", "lab-3"),
        ("  sala   7 ", "sala 7"),
        ("lab-1.2.3", "lab-1.2.3"),
        ("v999.1.1.1", "v999.1.1.1"),
        ("red\x1b[31m\nlab", "red·[31m lab"),
        ("x" * 100, "x" * LONGEST_LABEL),
        ("", NO_LABEL),
        ("10.1.2.3", NO_LABEL),
        ("10.1.2.3:8786", NO_LABEL),
        ("lab (10.1.2.3)", NO_LABEL),
        ("ip-10-1-2-3", NO_LABEL),
        ("::1", NO_LABEL),
        ("[2001:db8::7]:8786", NO_LABEL),
        ("fe80::1%eth0", NO_LABEL),
        ("tls://lab-3:8786", NO_LABEL),
        ("x" * (LONGEST_LABEL - 4) + "10.1.2.3", NO_LABEL),
    ],
)
def test_a_label_is_printable_short_and_no_address(text: str, label: str) -> None:
    assert Machine(text, 1.0).label == label


@pytest.mark.parametrize("speed", [0.0, -1.0, float("nan"), float("inf")])
def test_a_speed_is_a_number_above_0(speed: float) -> None:
    with pytest.raises(InputError, match="speed"):
        Machine("lab-3", speed)


class Work:
    """Work that takes the seconds of a list, one after another, by its own clock."""

    def __init__(self, *seconds: float) -> None:
        self._seconds = itertools.cycle(seconds)
        self._now = 0.0
        self.done = 0

    def clock(self) -> float:
        return self._now

    def __call__(self) -> None:
        self._now += next(self._seconds)
        self.done += 1


def test_a_machine_that_takes_twice_as_long_has_half_the_speed() -> None:
    work = Work(2 * REFERENCE_SECONDS)
    assert measure_speed(clock=work.clock, work=work) == pytest.approx(0.5)
    assert work.done == RUNS


def test_a_short_disturbance_does_not_matter_but_a_busy_machine_is_slow() -> None:
    calm, busy = REFERENCE_SECONDS, 4 * REFERENCE_SECONDS
    most = RUNS // 2
    short = Work(*[busy] * most, *[calm] * (RUNS - most))
    assert measure_speed(clock=short.clock, work=short) == pytest.approx(1.0)
    long = Work(*[calm] * most, *[busy] * (RUNS - most))
    assert measure_speed(clock=long.clock, work=long) == pytest.approx(0.25)


def test_the_real_work_has_a_speed() -> None:
    assert measure_speed() > 0


def test_machines_far_below_the_median_are_too_slow() -> None:
    machines = [Machine("a", 1.0), Machine("b", 0.9), Machine("c", 0.4), Machine("d", 2.0), Machine("e", 0.5)]
    ((slow, message),) = too_slow(machines, 0.5)
    assert slow.label == "c"
    said = r"c is too slow: its speed is 0\.40, and the median of all machines is 0\.90; the least is 0\.5 "
    assert re.match(said, str(message))
    assert [one.label for one, _ in too_slow(machines, 1.0)] == ["c", "e"]
    assert too_slow([Machine("alone", 0.01)], 1.0) == []
    assert too_slow([], 0.5) == []


@pytest.mark.parametrize("least", [0.0, -1.0, 1.01, float("nan")])
def test_a_least_speed_is_a_part_of_the_median(least: float) -> None:
    with pytest.raises(InputError, match="least speed"):
        too_slow([LAB], least)


# --- jobs and their records ---------------------------------------------------------------------------


def keep_record(job: SeriesJob[Record]) -> Callable[[GameSetup, Record], Record]:
    return lambda setup, record: record


def play(*entrants: Entrant, machine: Machine | None) -> JobResult[Record]:
    game = registry.game("rps")
    options = resolve_options(game.name, game.options, {"rounds": 3})
    run = tuple(GameSetup(number, (0, 1), f"seed {number}") for number in range(2))
    job = SeriesJob("stage", "a | b", "rps", options, entrants, ("a", "b"), (run,), keep_record, BARE)
    return run_job(job, machine=machine)


BUILT_IN = (Entrant("random", "random"), Entrant("random", "random"))


def header(record: Record) -> dict[str, object]:
    found: dict[str, object] = json.loads(next(record.lines()))
    return found


def last_line(record: Record) -> dict[str, object]:
    *_, last = record.lines()
    found: dict[str, object] = json.loads(last)
    return found


def require_valid(record: Record) -> None:
    (raw,) = parse([line.encode() for line in record.lines()], "test.jsonl")
    assert verify_record(raw).ok


def test_the_records_of_a_job_name_its_machine() -> None:
    result = play(*BUILT_IN, machine=LAB)
    assert result.machine == "lab-3"
    for record in result.games:
        assert header(record)["machine"] == {"label": "lab-3", "speed": 0.5}
        assert "waited" not in last_line(record), "built-in players do not wait"
        require_valid(record)


def test_without_a_machine_records_are_as_they_always_were(tmp_path: Path) -> None:
    result = play(*BUILT_IN, machine=None)
    assert result.machine == ""
    bots = play(bot(tmp_path), BUILT_IN[0], machine=None)
    for record in (*result.games, *bots.games):
        assert "machine" not in header(record)
        assert "waited" not in last_line(record)


ROCK = """
import json, sys
for line in sys.stdin:
    if "legal" in json.loads(line):
        print(json.dumps({"move": "rock"}), flush=True)
"""


BUSY_ROCK = """
import json, os, sys, time
os.sched_setaffinity(0, {CORE})
for line in sys.stdin:
    if "legal" in json.loads(line):
        end = time.process_time() + 0.2
        while time.process_time() < end:
            pass
        print(json.dumps({"move": "rock"}), flush=True)
"""


def bot(folder: Path, source: str = ROCK) -> Entrant:
    wire = registry.wire("rps", "arena-lines")
    entrant = Entrant.bot("rock", "rock.py", wire, script(folder, source))
    return entrant.with_limits({"move": 120.0, "start": 120.0})


def test_the_wait_of_a_bot_is_known_and_that_of_a_built_in_player_is_not(tmp_path: Path) -> None:
    result = play(bot(tmp_path), BUILT_IN[0], machine=LAB)
    for record in result.games:
        assert not any(made.fault for turn in record.turns for made in turn)
        waited, unknown = record.waited
        assert isinstance(waited, float)
        assert waited >= 0
        assert unknown is None
        assert last_line(record)["waited"] == [waited, None]
        require_valid(record)


def test_two_bots_that_want_the_same_processor_wait_for_it(tmp_path: Path) -> None:
    core = str(min(os.sched_getaffinity(0)))
    busy = bot(tmp_path, BUSY_ROCK.replace("CORE", core))
    first, *_ = play(busy, busy, machine=LAB).games
    waits = [wait for wait in first.waited if wait is not None]
    assert len(waits) == 2
    assert sum(waits) > 0.2, "three times, both were asked at once and needed 0.2 seconds"
