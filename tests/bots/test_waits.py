"""The wait for a processor, counted by game: what is read when, and whose wait it is."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, cast

import pytest

from botequim.bots.remote import RemotePlayer
from botequim.bots.transports import Transport
from botequim.bots.transports.process import BotProcess, Stopwatch
from botequim.bots.waits import LEAST_MICROS, WaitMeter
from botequim.core.errors import FaultKind, PlayerFault
from botequim.core.process import Process
from botequim.core.wire import Restart
from tests.support.scripted_transports import END, SEATING, VIEW, WIRE, ScriptedTransport, ask_player

SECOND = 10**9
Schedule = Mapping[int, tuple[int, int]]


class Instance:
    """An instance of which only the schedule is known: one reading after another."""

    def __init__(self, *readings: Schedule) -> None:
        self.readings = list(readings)

    def schedule(self) -> Schedule:
        return self.readings.pop(0)


def transport(*readings: Schedule) -> Transport:
    return cast(Transport, Instance(*readings))


def wait(before: Schedule, after: Schedule, answers: float = 10.0) -> float | None:
    """Return the wait of a game in which the answers took so many seconds."""
    meter = WaitMeter()
    meter.begin(transport(before, after))
    meter.add_answer(round(answers * 1e6))
    meter.end_instance()
    return meter.take()


@pytest.mark.parametrize(
    ("before", "after", "answers", "expected"),
    [
        ({}, {}, 10.0, None),
        ({7: (5 * SECOND, SECOND)}, {7: (6 * SECOND, 3 * SECOND)}, 10.0, 2.0),
        ({7: (0, 0)}, {7: (SECOND, 9 * SECOND)}, 4.0, 3.0),
        ({7: (0, 0)}, {7: (SECOND, SECOND), 8: (SECOND, 2 * SECOND)}, 10.0, 2.0),
        ({7: (0, 0)}, {7: (2 * SECOND, 2 * SECOND), 8: (2 * SECOND, 2 * SECOND)}, 4.0, 0.0),
        ({7: (0, 0)}, {7: (5 * SECOND, SECOND)}, 4.0, 0.0),
        ({7: (0, 0)}, {7: (0, 1_234_567)}, 10.0, 0.001),
    ],
    ids=[
        "unknown",
        "since it began",
        "within its answers",
        "the longest",
        "for itself",
        "pondering",
        "rounded",
    ],
)
def test_only_waiting_for_others_counts(
    before: Schedule, after: Schedule, answers: float, expected: float | None
) -> None:
    assert wait(before, after, answers) == expected


def test_quick_games_of_one_instance_are_read_together() -> None:
    instance = Instance({7: (0, 0)}, {7: (0, SECOND // 100)}, {7: (0, SECOND)})
    meter = WaitMeter()
    found = []
    for answers in (LEAST_MICROS // 2, LEAST_MICROS // 2, 2 * 10**6):
        meter.begin(cast(Transport, instance))
        meter.add_answer(answers)
        meter.end_game()
        found.append(meter.take())
    assert found == [0.0, 0.01, 0.99]
    assert instance.readings == [], "once at the start, once for two quick games, once for a long one"


def test_a_second_instance_in_a_game_adds_its_wait() -> None:
    meter = WaitMeter()
    for _ in range(2):
        meter.begin(transport({7: (0, SECOND)}, {7: (0, 2 * SECOND)}))
        meter.add_answer(3 * 10**6)
        meter.end_instance()
    assert meter.take() == 2.0
    assert meter.take() is None, "nobody was asked since"


# --- in a player --------------------------------------------------------------------------------------


class CountedTransport(ScriptedTransport):
    """Waits a tenth of a second for each answer, and runs hardly ever."""

    asked = 0

    def schedule(self) -> Schedule:
        self.log.append(f"read {self.name}")
        return {7: (1, SECOND + self.asked * SECOND // 10)}

    async def exchange(self, *question: Any) -> Any:
        self.asked += 1
        return await super().exchange(*question)


def games(restart: Restart, *deeds: list[Any], measures_waits: bool = True) -> tuple[list[Any], list[str]]:
    """Return the waits of two games with two answers each, and what happened to the instances."""
    log: list[str] = []
    names = iter(range(1, 9))
    instances = iter(deeds)

    def make() -> Any:
        return CountedTransport(next(instances, []), log, next(names))

    async def play() -> list[Any]:
        bot = RemotePlayer(
            WIRE, make, SEATING, WIRE.limits, games=2, restart=restart, measures_waits=measures_waits
        )
        await bot.open(0)
        waits = []
        for _ in range(2):
            for _ in range(2):
                await ask_player(bot)
            await bot.finish(VIEW, END)
            waits.append(bot.take_wait())
        await bot.close()
        return waits

    return asyncio.run(play()), log


@pytest.mark.parametrize("restart", [Restart.SERIES, Restart.GAME])
def test_each_game_has_its_wait_whoever_plays_it(restart: Restart) -> None:
    waits, log = games(restart)
    assert waits == [0.2, 0.2]
    reads = [line for line in log if "read" in line]
    assert reads == (["read 1"] * 3 if restart is Restart.SERIES else ["read 1"] * 2 + ["read 2"] * 2)
    for name in (1, 2):
        if f"close {name}" in log:
            assert f"read {name}" not in log[log.index(f"close {name}") :], "not after its end"


def test_the_wait_of_an_instance_that_was_late_is_counted_too() -> None:
    waits, _ = games(Restart.SERIES, [PlayerFault(FaultKind.TIMEOUT)])
    assert waits == [0.2, 0.2]


def test_nothing_is_read_if_nobody_wants_to_know() -> None:
    waits, log = games(Restart.SERIES, measures_waits=False)
    assert waits == [None, None]
    assert not [line for line in log if "read" in line]


def test_what_was_known_of_a_process_is_known_after_its_end() -> None:
    instance = object.__new__(BotProcess)
    readings = Instance({7: (1, 2)}, {7: (3, 4), 8: (5, 6)}, {})
    instance.process = cast(Process, readings)  # type: ignore[misc]
    instance.note_schedule()
    instance.scheduling_delay(Stopwatch(1.0))
    assert instance.schedule() == {7: (3, 4), 8: (5, 6)}
