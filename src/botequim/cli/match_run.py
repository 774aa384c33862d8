"""`botequim match`: play entrants against each other, and print one game, or the results of many.

What only some matches need is imported where it is used.
"""

from __future__ import annotations

import argparse
import json
import secrets
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from botequim.cli import bots
from botequim.cli.match_faults import (
    SILENT_GAMES,
    evidence_folder,
    faults_json,
    keep_few_evidence_folders,
    keep_first_evidence,
    print_faults,
)
from botequim.core import clock
from botequim.core.errors import InputError
from botequim.core.messages import msg
from botequim.core.wire import Restart
from botequim.engine.executors import Executor, InProcess, cores
from botequim.i18n import _, _n, number, percent, translate
from botequim.match.records import prepare_records
from botequim.match.runner import StopCondition, play_match
from botequim.match.spec import MatchSpec
from botequim.match.standings import MatchStandings

if TYPE_CHECKING:
    from rich.table import Table as RichTable

    from botequim.core.options import Options
    from botequim.core.turn import Step
    from botequim.engine.jobs import GameSetup, SeriesJob
    from botequim.engine.series import Series
    from botequim.match.sprt import Sprt
    from botequim.ratings import Ratings

MOST_GAMES_OF_A_TEST = 100_000
PLAIN_PROGRESS_SECONDS = 5


def run_match(arguments: argparse.Namespace) -> int:
    """Play and report."""
    with bots.ready(arguments.entrants, arguments.game, arguments) as ready:
        if arguments.transcript is None:
            return _play(arguments, ready, arguments.records)
        from botequim.cli.transcript import transcribing

        with transcribing(arguments.transcript, arguments.records) as records:
            return _play(arguments, ready, records)


def _play(arguments: argparse.Namespace, ready: bots.Bots, records: Path | None) -> int:
    test = _test(arguments)
    match = MatchSpec.of(
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
    if match.records is not None:
        prepare_records(match.records)
    talk = not arguments.quiet and not arguments.json
    narrated = talk and (arguments.verbose or match.games == 1) and arguments.cluster is None
    began = clock.now()
    table = MatchStandings(match)
    keep_few_evidence_folders()
    interrupted: KeyboardInterrupt | None = None
    try:
        workers = min(arguments.workers or cores(), max(1, match.games // 8))
        with ExitStack() as opened:
            executor = _executor(match, arguments, narrated=narrated)
            if executor is not None:
                opened.enter_context(executor)
            tables = play_match(
                match, workers=workers, executor=executor, stop=_stop_condition(test), in_order=narrated
            )
            for standing in _with_progress(match, tables, test, show=talk and not narrated):
                table = standing
    except KeyboardInterrupt as interrupt:
        interrupted = interrupt
    seconds = clock.now() - began
    keep_first_evidence(table)
    if arguments.json:
        print(json.dumps(as_json(table, seconds, test, arguments.records), ensure_ascii=False, indent=2))
    elif table.games > 1 or (table.games and not narrated):
        print_table(table, seconds)
    if not arguments.json:
        print_faults(table, arguments.records)
    if test is not None and table.games and not arguments.json:
        print(verdict(match, test))
    if arguments.records is not None and table.games and not arguments.json:
        print(_("Records: {path}", path=arguments.records))
    if interrupted is not None:
        raise interrupted
    return 0


def _executor(match: MatchSpec, arguments: argparse.Namespace, *, narrated: bool) -> Executor | None:
    """Return where the games are played; None for worker processes of this machine, which `play_match` ends
    before it removes records that were only written in part."""
    if arguments.cluster is not None or arguments.calibrate is not None:
        from botequim.cli.clusters import start_cluster

        if arguments.verbose:
            raise InputError(msg("--verbose describes games that are played here, not on a cluster"))
        start = start_cluster(arguments, isolated=not arguments.trust)
        if start is not None:
            return start(None)
    return InProcess(Narration(match)) if narrated else None


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
    """Prints the games of a match."""

    def __init__(self, match: MatchSpec) -> None:
        self._match: Final = match

    @contextmanager
    def observe(
        self, job: SeriesJob[Any], setup: GameSetup, series: Series, options: Options
    ) -> Iterator[NarratedGame]:
        heading = _(
            "Game {number} of {game}, seed {seed}",
            number=setup.number + 1,
            game=job.game,
            seed=self._match.seed,
        )
        yield NarratedGame(heading, series, options)

    def close(self) -> None:
        pass


def _print(lines: Iterator[str]) -> None:
    for line in lines:
        print(line)


def _with_progress(
    match: MatchSpec, tables: Iterator[MatchStandings], test: Sprt | None, *, show: bool
) -> Iterator[MatchStandings]:
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    if not show:
        yield from tables
    elif console.is_terminal:
        fields = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
        )
        with Progress(*fields, console=console, transient=True) as progress:
            task = progress.add_task(_("games"), total=match.games)
            for table in tables:
                text = _("games") if test is None else verdict(match, test)
                progress.update(task, completed=table.games, description=escape(text))
                yield table
    else:
        last = clock.now()
        for table in tables:
            if clock.now() - last > PLAIN_PROGRESS_SECONDS:
                last = clock.now()
                text = _("{done} of {total} games", done=table.games, total=match.games)
                print(text if test is None else verdict(match, test), file=sys.stderr, flush=True)
            yield table


# --- the result ------------------------------------------------------------------------------------


def standings_table(table: MatchStandings, ratings: Ratings | None = None) -> RichTable:
    """Return the results, best first."""
    from rich.table import Table as RichTable

    from botequim.cli.console import name_column

    match = table.match
    options = ", ".join(f"{name}={value}" for name, value in match.options.items())
    result = RichTable(title=f"{match.game} ({options})", title_justify="left")
    result.add_column(_("player"), **name_column(table.titles))
    counts = (_("games"), _("won"), _("drawn"), _("lost"))
    for heading in (*counts, _("win rate"), _("95 % interval"), _("faults")):
        result.add_column(heading, justify="right", no_wrap=True)
    if ratings is not None:
        result.add_column(_("rating"), justify="right", no_wrap=True)
    rating_texts = {} if ratings is None else _rating_texts(ratings)
    rows = zip(match.labels, table.titles, table.scores, strict=True)
    for label, title, score in sorted(rows, key=lambda row: -row[2].rate):
        interval = score.interval()
        result.add_row(
            title,
            str(score.games),
            str(score.won),
            str(score.drawn),
            str(score.lost),
            percent(score.rate),
            f"{percent(interval[0])} – {percent(interval[1])}" if interval else "–",
            str(score.faults),
            *([rating_texts[label]] if label in rating_texts else []),
        )
    return result


def _rating_texts(ratings: Ratings) -> dict[str, str]:
    from botequim.ratings.texts import rating_text

    return {name: rating_text(rating) for name, rating in ratings.by_entrant().items()}


def print_table(table: MatchStandings, seconds: float) -> None:
    from botequim.cli.console import print_wrapped, table_console

    ratings = table.ratings()
    table_console().print(standings_table(table, ratings))
    if table.deals:
        print_wrapped(
            _n(
                "{n} deal was played from every side. A draw counts as half a win. Intervals are "
                "computed per deal.",
                "{n} deals were played from every side. A draw counts as half a win. Intervals are "
                "computed per deal.",
                table.deals,
            )
        )
    if ratings is not None:
        from botequim.ratings.texts import scale_text

        titles = dict(zip(table.match.labels, table.titles, strict=True))
        print_wrapped(scale_text(ratings, titles.__getitem__))
    if Restart.SERIES in table.match.lifetimes:
        print_wrapped(
            _n(
                "Each process of a bot played {n} game and was then restarted.",
                "Each process of a bot played up to {n} games in a row and was then restarted.",
                table.in_a_row,
            )
        )
    print(_pace(table, seconds))


def _pace(table: MatchStandings, seconds: float) -> str:
    """Return the speed in a readable unit."""
    seed, games = table.match.seed, table.games
    if games >= seconds:
        rate = f"{games / seconds:.0f}" if seconds else "-"
        return _("Seed {seed}; {rate} games a second.", seed=seed, rate=rate)
    each = number(f"{seconds / games:.1f}")
    return _("Seed {seed}; {each} seconds a game.", seed=seed, each=each)


def verdict(match: MatchSpec, test: Sprt) -> str:
    """Return the verdict about the first of two entrants."""
    first, second = match.labels
    return _(
        "{first} against {second}: {verdict}",
        first=first,
        second=second,
        verdict=test.verdict_message(number),
    )


def as_json(
    table: MatchStandings, seconds: float, test: Sprt | None = None, records: Path | None = None
) -> dict[str, Any]:
    """Return the result for programs."""
    match = table.match
    result = _table_json(match, table, seconds) | {"faults": faults_json(table, records)}
    if test is None:
        return result
    return result | {
        "sprt": {
            "verdict": test.verdict.value,
            "gain": test.gain,
            "difference": round(test.difference, 6),
            "margin": round(test.margin, 6),
            "games": test.games,
            "deals": test.deals,
            "said": translate(test.verdict_message(number)),
        }
    }


def _table_json(match: MatchSpec, table: MatchStandings, seconds: float) -> dict[str, Any]:
    ratings = table.ratings()
    return {
        "game": match.game,
        "options": dict(match.options),
        "seed": match.seed,
        "games": table.games,
        "deals": table.deals,
        "turns": table.turns,
        **({"in_a_row": table.in_a_row} if Restart.SERIES in match.lifetimes else {}),
        "seconds": round(seconds, 3),
        "entrants": [
            {
                "name": label,
                "title": title,
                "games": score.games,
                "won": score.won,
                "drawn": score.drawn,
                "lost": score.lost,
                "rate": round(score.rate, 6) if score.games else None,
                "interval": [round(edge, 6) for edge in score.interval() or ()] or None,
                "faults": score.faults,
            }
            for label, title, score in zip(match.labels, table.titles, table.scores, strict=True)
        ],
        **({"ratings": ratings.as_json()} if ratings is not None else {}),
    }


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
