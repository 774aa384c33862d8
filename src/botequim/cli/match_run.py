"""`botequim match`: play entrants against each other, and print one game, or the results of many.

What only some matches need is imported where it is used.
"""

from __future__ import annotations

import argparse
import json
import secrets
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from botequim import interrupts
from botequim.cli import bots
from botequim.cli.match_faults import (
    SILENT_GAMES,
    evidence_folder,
    keep_few_evidence_folders,
    keep_first_evidence,
    print_faults,
)
from botequim.cli.match_results import as_json, print_table, verdict
from botequim.core import clock
from botequim.core.errors import InputError
from botequim.core.messages import msg
from botequim.core.wire import Restart
from botequim.engine.executors import Executor, InProcess, cores
from botequim.i18n import _
from botequim.match.records import prepare_records
from botequim.match.round_robin import RoundRobinStandings, table_matches
from botequim.match.runner import StopCondition, play_tables
from botequim.match.spec import MatchSpec
from botequim.match.standings import MatchStandings

if TYPE_CHECKING:
    from botequim.core.options import Options
    from botequim.core.turn import Step
    from botequim.engine.jobs import GameSetup, SeriesJob
    from botequim.engine.series import Series
    from botequim.match.sprt import Sprt

MOST_GAMES_OF_A_TEST = 100_000
PLAIN_PROGRESS_SECONDS = 5


def run_match(arguments: argparse.Namespace) -> int:
    """Play and report."""
    with bots.ready(arguments.entrants, arguments.game, arguments) as ready, ExitStack() as opened:
        records: Path | None = arguments.records
        if arguments.transcript is not None:
            from botequim.cli.transcript import transcribing

            records = opened.enter_context(transcribing(arguments.transcript, records))
        if arguments.speed is not None and records is None:
            folder = opened.enter_context(tempfile.TemporaryDirectory(prefix="botequim-"))
            records = Path(folder) / "records"
        return _play(arguments, ready, records)


def _play(arguments: argparse.Namespace, ready: bots.Bots, records: Path | None) -> int:
    test = _test(arguments)
    matches = _matches(arguments, ready, records, test)
    if records is not None:
        prepare_records(records)
    games = sum(match.games for match in matches)
    narrated = _talks(arguments) and (arguments.verbose or games == 1) and arguments.cluster is None
    began = clock.now()
    latest = [MatchStandings(match) for match in matches]
    keep_few_evidence_folders()
    interrupted: KeyboardInterrupt | None = None
    try:
        play = _watch if arguments.speed is not None else _play_tables
        for tables in play(arguments, matches, test, narrated=narrated):
            latest = list(tables)
    except KeyboardInterrupt as interrupt:
        interrupted = interrupt
    keep_first_evidence(latest)
    _report(arguments, latest, clock.now() - began, test, narrated=narrated)
    if interrupted is not None:
        raise interrupted
    return 0


def _talks(arguments: argparse.Namespace) -> bool:
    return not arguments.quiet and not arguments.json and arguments.speed is None


def _play_tables(
    arguments: argparse.Namespace, matches: Sequence[MatchSpec], test: Sprt | None, *, narrated: bool
) -> Iterator[Sequence[MatchStandings]]:
    """Play, and show the progress. Yield the standings whenever they change."""
    workers = min(arguments.workers or cores(), max(1, sum(match.games for match in matches) // 8))
    with ExitStack() as opened:
        executor = _executor(matches, arguments, narrated=narrated)
        if executor is not None:
            opened.enter_context(executor)
        standings = play_tables(
            matches, workers=workers, executor=executor, stop=_stop_condition(test), in_order=narrated
        )
        yield from _with_progress(matches, standings, test, show=_talks(arguments) and not narrated)


def _watch(
    arguments: argparse.Namespace, matches: Sequence[MatchSpec], test: Sprt | None, *, narrated: bool
) -> Iterator[Sequence[MatchStandings]]:
    """Play, and draw every game. Yield the standings at the end, also if the person leaves."""
    from botequim.cli.match_watch import WatchedMatch

    if arguments.cluster is not None or test is not None:
        raise InputError(msg("--speed draws games that are played here; omit --cluster and --sprt"))
    match = WatchedMatch(matches)
    try:
        interrupts.run(match.show(arguments.speed))
    finally:
        yield match.tables


def _matches(
    arguments: argparse.Namespace, ready: bots.Bots, records: Path | None, test: Sprt | None
) -> list[MatchSpec]:
    """Return one match, or one for each pairing if there are more players than a table has."""
    return table_matches(
        arguments.game,
        ready.entrants,
        games=arguments.games or (1 if test is None else MOST_GAMES_OF_A_TEST),
        seed=arguments.seed if arguments.seed is not None else secrets.token_hex(4),
        options=bots.read_options(arguments.option),
        records=records,
        sandbox=ready.sandbox,
        restart=Restart(arguments.restart) if arguments.restart else None,
        evidence=evidence_folder(arguments.game) if arguments.records is None and ready.sandbox else None,
        patience=SILENT_GAMES,
    )


def _report(
    arguments: argparse.Namespace,
    tables: Sequence[MatchStandings],
    seconds: float,
    test: Sprt | None,
    *,
    narrated: bool,
) -> None:
    """Print the results, and where the records are."""
    games = sum(table.games for table in tables)
    if arguments.json:
        result = _json(tables, seconds, test, arguments.records)
        print(json.dumps(result, ensure_ascii=False, indent=2))
        return
    if games and len(tables) > 1:
        from botequim.cli.match_round_robin import print_round_robin

        print_round_robin(RoundRobinStandings(tables), _seed(tables), seconds)
    elif games > 1 or (games and not narrated):
        print_table(tables[0], seconds)
    print_faults(tables, arguments.records)
    if test is not None:  # also if the first deal, before which nothing counts, is not finished
        print(verdict(tables[0].match, test))
    if arguments.records is not None and games:
        print(_("Records: {path}", path=arguments.records))


def _json(
    tables: Sequence[MatchStandings], seconds: float, test: Sprt | None, records: Path | None
) -> dict[str, Any]:
    if len(tables) == 1:
        return as_json(tables[0], seconds, test, records)
    from botequim.cli.match_round_robin import round_robin_json

    return round_robin_json(RoundRobinStandings(tables), _seed(tables), seconds, records)


def _seed(tables: Sequence[MatchStandings]) -> str:
    """Return the seed of several matches, from which theirs follow."""
    return tables[0].match.seed.rpartition("-")[0]


def _executor(
    matches: Sequence[MatchSpec], arguments: argparse.Namespace, *, narrated: bool
) -> Executor | None:
    """Return where the games are played; None for worker processes of this machine, which `play_tables` ends
    before it removes records that were only written in part."""
    if arguments.cluster is not None or arguments.calibrate is not None:
        from botequim.cli.clusters import start_cluster

        if arguments.verbose:
            raise InputError(msg("--verbose describes games that are played here, not on a cluster"))
        start = start_cluster(arguments, isolated=not arguments.trust)
        if start is not None:
            return start(None)
    return InProcess(Narration(matches)) if narrated else None


# --- while it is played ----------------------------------------------------------------------------


class NarratedGame:
    """Prints a game while it is played."""

    turns: None = None

    def __init__(self, heading: str, series: Series, options: Options) -> None:
        from botequim.narration.narrator import Transcript
        from botequim.narration.wrapping import columns

        self._game: Final = series.game
        teams = series.game.teams(options)
        self._transcript: Final = Transcript(series.game, teams, series.seats, width=columns())
        self._heading: Final = heading

    def emit(self, step: Step) -> None:
        if step.number == 1:
            print(self._heading)
            _print(self._transcript.opening())
        _print(self._transcript.turn(step))
        outcome = self._game.outcome(step.after)
        if outcome is not None:
            _print(self._transcript.ending(outcome))
            print()


class Narration:
    """Prints the games of matches."""

    def __init__(self, matches: Sequence[MatchSpec]) -> None:
        self._matches: Final = matches

    @contextmanager
    def observe(
        self, job: SeriesJob[Any], setup: GameSetup, series: Series, options: Options
    ) -> Iterator[NarratedGame]:
        match = self._matches[int(job.stage or 0)]
        heading = _(
            "Game {number} of {game}, seed {seed}",
            number=match.first_game + setup.number + 1,
            game=job.game,
            seed=match.seed,
        )
        yield NarratedGame(heading, series, options)

    def close(self) -> None:
        pass


def _print(lines: Iterator[str]) -> None:
    for line in lines:
        print(line)


def _with_progress(
    matches: Sequence[MatchSpec],
    standings: Iterator[Sequence[MatchStandings]],
    test: Sprt | None,
    *,
    show: bool,
) -> Iterator[Sequence[MatchStandings]]:
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    total = sum(match.games for match in matches)
    if not show:
        yield from standings
    elif console.is_terminal:
        fields = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
        )
        with Progress(*fields, console=console, transient=True) as progress:
            task = progress.add_task(_("games"), total=total)
            for tables in standings:
                text = _("games") if test is None else verdict(matches[0], test)
                done = sum(table.games for table in tables)
                progress.update(task, completed=done, description=escape(text))
                yield tables
    else:
        last = clock.now()
        for tables in standings:
            if clock.now() - last > PLAIN_PROGRESS_SECONDS:
                last = clock.now()
                done = sum(table.games for table in tables)
                text = _("{done} of {total} games", done=done, total=total)
                print(text if test is None else verdict(matches[0], test), file=sys.stderr, flush=True)
            yield tables


# --- arguments -------------------------------------------------------------------------------------


def _test(arguments: argparse.Namespace) -> Sprt | None:
    """Return the test of the command line, if any."""
    from botequim.match.sprt import Sprt

    if arguments.sprt is None:
        return None
    if len(arguments.entrants) != 2:
        raise InputError(msg("--sprt compares two entrants, not {count}", count=len(arguments.entrants)))
    if arguments.games is not None and arguments.games % 2:
        raise InputError(
            msg("--sprt plays each deal twice with sides swapped; give an even number of --games")
        )
    return Sprt(gain=arguments.sprt / 100)


def _stop_condition(test: Sprt | None) -> StopCondition | None:
    from botequim.match.sprt import Verdict

    if test is None:
        return None
    return lambda played: test.add_deal([game.shares[0] for game in played]) is not Verdict.UNDECIDED
