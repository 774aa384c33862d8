"""`python -m benchmarks.strength [GAME ...] [--rows TEXT] [--full]`: champions measured with held-out seeds.

The point estimate decides; intervals of 95 % are shown. Without --full the whole table takes at most half an
hour on two cores: a row that is not through in its share of it is cut off, and says how many games it has.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable

from benchmarks.strength.duel import Measured, Row, rows
from botequim.engine.executors import cores

MINUTES = 30.0
FULL = 10
"""Times as many games overnight: a third of the interval."""
WIDTH = 52


def main() -> int:
    """Measure and print; the exit code says whether all of it holds."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("games", metavar="GAME", nargs="*", help="only these")
    parser.add_argument("--rows", metavar="TEXT", default="", help="only those that have it in their title")
    parser.add_argument("--full", action="store_true", help="ten times as many games, however long it takes")
    parser.add_argument("--minutes", type=float, default=MINUTES, help="for the whole table (30)")
    parser.add_argument("--workers", type=int, default=min(2, cores()))
    arguments = parser.parse_args()
    wanted = [row for row in rows() if not arguments.games or row.game in arguments.games]
    wanted = [row for row in wanted if arguments.rows in row.title]
    until = time.monotonic() + 60 * arguments.minutes
    print(f"{'champion':{WIDTH}} {'rate':>5}  {'interval':>11} {'games':>6}  least   aim")
    failed = []
    for at, row in enumerate(wanted):
        share = row.minutes / sum(other.minutes for other in wanted[at:])
        seconds = 1e9 if arguments.full else max(10.0, share * (until - time.monotonic()))
        times = FULL if arguments.full else 1
        seen = row.measure(workers=arguments.workers, times=times, seconds=seconds, tell=_narrator(row))
        holds = seen.rate >= row.at_least and not seen.faults
        print(_line(row, seen) + ("" if holds else "  DOES NOT HOLD"), flush=True)
        if not holds:
            failed.append(row)
    print(f"{len(wanted) - len(failed)} of {len(wanted)} rows hold")
    return 1 if failed else 0


def _line(row: Row, seen: Measured) -> str:
    interval = f"{seen.low:.3f}-{seen.high:.3f}"
    faults = f"  {seen.faults} FAULTS" if seen.faults else ""
    note = f"  {seen.note}" if seen.note else ""
    title = f"{row.game}: {row.title}"
    return (
        f"{title:{WIDTH}} {seen.rate:.3f}  {interval:>11} {seen.games:>6}  {row.at_least:5.2f} {row.aim:5.2f}"
        f"{faults}{note}"
    )


def _narrator(row: Row) -> Callable[[Measured], None]:
    """Progress on a terminal; nothing elsewhere."""
    return lambda seen: print(f"\r{_line(row, seen)}", end="\r", flush=True) if sys.stderr.isatty() else None


if __name__ == "__main__":
    sys.exit(main())
