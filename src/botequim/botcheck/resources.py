"""Time and memory used by a bot, compared with its limits."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from statistics import median
from typing import Final

from botequim.botcheck.findings import Finding, State
from botequim.botcheck.speed import NO_TIME, Range, Speed, rehearse, series_seconds, silent_turns
from botequim.botcheck.table import CheckBench
from botequim.bots.entrant import Entrant
from botequim.bots.trees import printable
from botequim.core import clock
from botequim.core.game import AnyGame
from botequim.core.limits import MB, Limits
from botequim.core.messages import Figure, Message, msg, plain
from botequim.core.options import resolve_options
from botequim.core.process import Process

ENDING: Final = 3.0
"""The seconds in which a program should end after the end of its input."""
LEAGUE: Final = 10
"""The number of bots in the example of a cup."""
MOST_LINKS: Final = 5
"""The most links that are listed by name."""
NEAR: Final = 0.8
"""The share of a limit from which there is a warning."""


def time_finding(micros: Sequence[int], limits: Limits, *, late: int = 0) -> Finding | None:
    """Return the finding about the times of answers; `late` is the number of those that came too late."""
    if not micros:
        return None
    slowest, middle = max(micros) / 1e6, median(micros) / 1e6
    values: dict[str, object] = {
        "slowest": Figure(f"{slowest:.3f}"),
        "middle": Figure(f"{middle:.3f}"),
        "allowed": Figure(f"{limits.move:g}"),
    }
    message = msg(
        "answers in time: the slowest answer took {slowest} s, the median was {middle} s (limit: "
        "{allowed} s)",
        **values,
    )
    details, state = [], State.OK
    if late:
        state = State.FAILED
        message = msg(
            "does not always answer in time (late answers: {late}); of the other answers, the "
            "slowest took {slowest} s, and the median was {middle} s (limit: {allowed} s)",
            late=late,
            **values,
        )
    elif slowest > limits.move / 2:
        state = State.WARNING
        details = [msg("that is more than half of the limit: on a slower machine it may be too late")]
    numbers = {
        "slowest": round(slowest, 6),
        "median": round(middle, 6),
        "allowed": limits.move,
        "late": late,
    }
    return Finding("in-time", state, message, details, numbers=numbers)


def links(entrant: Entrant) -> Finding | None:
    """Return the finding about links in the bot's folder whose targets the bot cannot see."""
    broken = entrant.lost_links
    if not broken:
        return None
    details = [
        msg(
            "{path} points to {target}",
            path=plain(printable(link.path)),
            target=plain(printable(link.target)),
        )
        for link in broken[:MOST_LINKS]
    ]
    advice = msg("Copy the files into the bot's folder: it cannot see other files of this machine.")
    message = msg("has symbolic links to files that it cannot see: {count}", count=len(broken))
    return Finding("links", State.WARNING, message, [*details, advice], numbers={"links": len(broken)})


def environment_finding(environment: str) -> Finding | None:
    """Return the finding that names the virtual environment whose Python starts the bot."""
    if not environment:
        return None
    message = msg("runs with the Python of its own environment {environment}", environment=plain(environment))
    return Finding("environment", State.OK, message, numbers={"environment": environment})


async def duration_finding(game: AnyGame, speed: Speed | None, processors: int) -> Finding | None:
    """Return how long a game with the bot takes, and a cup of such bots with one game per processor."""
    if speed is None:
        return None
    options = resolve_options(game.name, game.options, {})
    seats = [len(team) for team in game.teams(options)]
    turns = await rehearse(game, options)
    silent = await silent_turns(game, options) if speed.late else None
    against_instant = [speed, *[NO_TIME] * (len(seats) - 1)]
    alone = series_seconds(turns, against_instant, seats, (1, 1), live_on=False, silent=silent)
    among = series_seconds(turns, [speed] * len(seats), seats, (1, 1), live_on=False, silent=silent)
    games = comb(LEAGUE, len(seats))
    cup = Range(games * among.low / processors, games * among.high / processors)
    message = msg(
        "a game takes {game}; a league of {count} such bots ({games} games) would take {cup} on this machine",
        game=alone.message(),
        count=LEAGUE,
        games=games,
        cup=cup.message(),
    )
    numbers = {"game": _json(alone), "league": _json(cup), "league_games": games}
    return Finding("duration", State.OK, message, numbers=numbers)


def _json(seconds: Range) -> list[float]:
    return [round(seconds.low, 3), round(seconds.high, 3)]


def usage_finding(bench: CheckBench, resident: int) -> Finding | None:
    """Return the finding about the peak of memory and the processor time of all instances.

    `resident` is the resident memory of an instance while it played, as other tools show it. The limit is
    compared with another figure, which excludes shared libraries and includes files in /tmp.
    """
    usages = [process.usage for process in bench.sandbox.started]
    memory = max((usage.memory for usage in usages if usage.memory), default=None)
    cpu = max((usage.cpu for usage in usages if usage.cpu), default=None)
    if memory is None:
        return None
    most = bench.limits.memory
    values: dict[str, object] = {
        "memory": _megabytes(memory),
        "allowed": most // MB,
        "cpu": Figure(f"{cpu or 0:.2f}"),
    }
    message = msg(
        "uses at most {memory} MB of memory (limit: {allowed} MB) and {cpu} s of processor time",
        **values,
    )
    if resident:
        message = msg(
            "uses {resident} MB of resident memory and {cpu} s of processor time; the memory that "
            "counts for the limit is {memory} MB (limit: {allowed} MB)",
            resident=_megabytes(resident),
            **values,
        )
    state = State.WARNING if memory > NEAR * most else State.OK
    numbers = {
        "memory": memory,
        "resident": resident or None,
        "memory_allowed": most,
        "cpu": cpu,
        "instances": len(usages),
    }
    return Finding("resources", state, message, numbers=numbers)


def _megabytes(size: int) -> Message:
    """Return a size in bytes as a whole number of megabytes, but never as 0."""
    return plain(f"{size / MB:.0f}") if size >= MB else msg("less than 1")


async def ends_by_itself(process: Process) -> bool:
    """Return whether the process ends after the end of its input."""
    process.end_input()
    try:
        async with clock.timeout(ENDING):
            await process.wait_exit()
    except TimeoutError:
        return False
    return True
