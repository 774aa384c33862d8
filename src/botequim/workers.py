"""A match on all cores: jobs of some deals each, in processes of their own."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from itertools import islice
from multiprocessing.connection import Connection
from multiprocessing.util import Finalize
from typing import NamedTuple, ParamSpec, TypeAlias, TypeVar

from botequim import interrupts
from botequim.core import clock
from botequim.core.errors import BotequimError
from botequim.core.messages import msg
from botequim.core.wire import Restart
from botequim.match import Deal, Match, Played, Table, play_deals
from botequim.sandbox.bare import end_all

P = ParamSpec("P")
T = TypeVar("T")

JOB_SECONDS = 0.5
MOST_DEALS = 64
MOST_IN_A_ROW = 1000
"""Games that an instance plays at most where it lives through a series: havana's confronto has so many."""
DEALS_AHEAD = 4

Watch: TypeAlias = Callable[[Sequence[Played]], bool]
"""Is told the games of each deal, in the order of the deals, and says whether that is enough."""


def cores() -> int:
    """The processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Pool:
    """Processes that work for us and end with us. `with Pool(2) as pool: pool.submit(...)`

    Whoever leaves the block early, by an interrupt or an error, leaves no work behind: busy workers end at
    once, and the bots they run with them.
    """

    def __init__(self, workers: int, first: Callable[[], Callable[[], None]] | None = None) -> None:
        """`first` is what each process does before any work; what it gives, the process does
        last, maybe twice."""
        self._workers = workers
        self._first = first
        self._begin()

    def _begin(self) -> None:
        # spawned, not forked: the same on every system, and nothing of ours is inherited by accident
        context = multiprocessing.get_context("spawn")
        self._lifeline, self._ours = context.Pipe(duplex=False)
        self._begun, self._theirs = context.Pipe(duplex=False)
        self._pool = ProcessPoolExecutor(
            min(self._workers, 4 * cores()),
            mp_context=context,
            initializer=_begin_work,
            initargs=(self._lifeline, self._theirs, self._first),
        )

    def submit(self, work: Callable[P, T], *given: P.args, **named: P.kwargs) -> Future[T]:
        with interrupts.Blocked():
            return self._pool.submit(work, *given, **named)

    def begin_anew(self) -> None:
        """With other processes, after one of them was ended by somebody else."""
        self._end()
        self._begin()

    def _end(self) -> None:
        self._end_those_that_load()
        self._ours.close()  # workers that are still busy end at once
        # in the middle of an answer, too: while our own copy of its pipe is open, we would wait for the rest
        self._pool._result_queue._writer.close()  # type: ignore[attr-defined]
        self._pool.shutdown(wait=True, cancel_futures=True)
        for pipe in (self._lifeline, self._begun, self._theirs):
            pipe.close()

    def _end_those_that_load(self) -> None:
        """They have no bots yet, and would complain loudly when they find us gone."""
        begun = set()
        while self._begun.poll():
            begun.add(int(self._begun.recv_bytes()))
        for number, process in list((self._pool._processes or {}).items()):
            if number not in begun:
                process.kill()

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()


def play_match(match: Match, *, workers: int, watch: Watch | None = None) -> Iterator[Table]:
    """Play all of it, giving the growing table whenever some deals are done.

    With a `watch` it ends early when that has seen enough; then deals are counted in their order, up to the
    one that was enough, so that the result does not depend on who was fastest.
    """
    table = Table(match)
    jobs = _Jobs(match, workers, watch)
    if workers <= 1:
        for job in jobs:
            jobs.count(_play_job(match, job), table)
            yield table
            if jobs.enough:
                return
        return
    running: set[Future[Done]] = set()
    try:
        with Pool(workers) as pool:
            for job in jobs:
                running.add(pool.submit(_play_job, match, job))
                if len(running) >= 2 * workers:
                    running = jobs.collect(running, table)
                    yield table
                if jobs.enough:
                    return
            while running and not jobs.enough:
                running = jobs.collect(running, table)
                yield table
    except BrokenProcessPool as error:
        raise BotequimError(
            msg("a worker process ended unexpectedly; play again with --workers 1")
        ) from error
    finally:
        if match.records is not None:  # a worker may have been ended while it wrote
            for left in match.records.glob("*.partial"):
                left.unlink(missing_ok=True)


class Done(NamedTuple):
    """What comes back from a job."""

    first: int
    """The number of the first of its deals."""
    deals: list[list[Played]]
    seconds: float


class _Jobs:
    """Deals in handfuls that take about half a second each: worth sending, and soon counted.

    Bots that live through a series get long ones, so that starting them does not take most of the time;
    of those that live for a game, the next can be started while the last still plays.
    """

    def __init__(self, match: Match, workers: int, watch: Watch | None = None) -> None:
        self._match = match
        self._watch = watch
        self._early: dict[int, list[Played]] = {}
        """Deals that wait for one before them."""
        self._next = 0
        self.enough = False
        shortest = 1
        if match.lifetimes:
            share = -(-match.games // (len(match.entrants) * workers))
            longest = MOST_DEALS if watch is not None else MOST_IN_A_ROW
            shortest = min(share, longest if Restart.SERIES in match.lifetimes else DEALS_AHEAD)
        self._size = self._least = shortest
        self._most = max(shortest, match.games // (8 * workers))

    def __iter__(self) -> Iterator[list[Deal]]:
        deals = self._match.deals()
        while handful := list(islice(deals, self._size)):
            yield handful

    def count(self, done: Done, table: Table) -> None:
        table.in_a_row = max(table.in_a_row, len(done.deals))
        if self._watch is None:
            for played in done.deals:
                table.add_deal(played)
        else:
            self._early |= enumerate(done.deals, start=done.first)
            self._count_in_order(self._watch, table)
        wanted = int(len(done.deals) * JOB_SECONDS / max(done.seconds, 1e-6))
        self._size = max(self._least, min(wanted, 2 * self._size, self._most, MOST_DEALS))

    def _count_in_order(self, watch: Watch, table: Table) -> None:
        while self._next in self._early and not self.enough:
            played = self._early.pop(self._next)
            self._next += 1
            table.add_deal(played)
            self.enough = watch(played)

    def collect(self, running: Iterable[Future[Done]], table: Table) -> set[Future[Done]]:
        finished, rest = wait(running, return_when=FIRST_COMPLETED)
        for future in finished:
            self.count(future.result(), table)
        return rest


def _play_job(match: Match, job: Sequence[Deal]) -> Done:
    began = clock.now()
    return Done(job[0].number, interrupts.run(play_deals(match, job)), clock.now() - began)


def _begin_work(
    lifeline: Connection, begun: Connection, first: Callable[[], Callable[[], None]] | None
) -> None:
    """Make a worker of a new process.

    Ctrl-C is for the process that talks to the person. When that one ends, or lets go of the lifeline,
    the worker ends too, whatever it is doing. What players print is not mixed into our results.
    """
    # when one worker has ended, the pool ends the others by this: too soon, they have bots to end first
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    interrupts.leave_terminal()
    sys.stdout = sys.stderr
    last = first() if first is not None else None
    if last is not None:
        Finalize(None, last, exitpriority=1)  # it may be told to go before the lifeline is seen to be cut

    def watch() -> None:
        with suppress(EOFError, OSError):
            lifeline.recv_bytes()
        end_all()
        try:
            if last is not None:
                last()
        finally:
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    with suppress(OSError):
        begun.send_bytes(str(os.getpid()).encode())
