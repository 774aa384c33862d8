"""`botequim match`: entrants against each other, one game told or many games counted."""

from __future__ import annotations

import argparse
import json
import secrets
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table as RichTable

from botequim import interrupts, registry
from botequim.cli.doing import bots
from botequim.cli.doing.console import name_column, print_wrapped, table_console
from botequim.cli.doing.match_faults import (
    SILENT_GAMES,
    evidence_folder,
    faults_json,
    keep_few_evidence_folders,
    keep_first_evidence,
    print_faults,
)
from botequim.cli.doing.transcript import transcribing
from botequim.core import clock
from botequim.core.errors import InputError
from botequim.core.messages import msg
from botequim.core.wire import Restart
from botequim.i18n import _, _n, number, percent, say
from botequim.match import Match, Silence, Table, play_deals, prepare_records
from botequim.referee import Step
from botequim.show.telling import Story
from botequim.show.wrapping import columns
from botequim.sprt import Sprt, Verdict
from botequim.workers import Watch, cores, play_match

MOST_GAMES_OF_A_TEST = 100_000
PLAIN_PROGRESS_SECONDS = 5


def run(arguments: argparse.Namespace) -> int:
    """Play and report."""
    with bots.ready(arguments.entrants, arguments.game, arguments) as ready:
        return _run(arguments, ready)


def _run(arguments: argparse.Namespace, ready: bots.Bots) -> int:
    if arguments.transcript is None:
        return _play(arguments, ready, arguments.records)
    with transcribing(arguments.transcript, arguments.records) as records:
        return _play(arguments, ready, records)


def _play(arguments: argparse.Namespace, ready: bots.Bots, records: Path | None) -> int:
    test = _test(arguments)
    match = Match.of(
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
    began = clock.now()
    table = Table(match)
    keep_few_evidence_folders()
    interrupted: KeyboardInterrupt | None = None
    try:
        if talk and (arguments.verbose or match.games == 1):
            interrupts.run(_tell_all(match, table, _watch(test)))
        else:
            workers = min(arguments.workers or cores(), max(1, match.games // 8))
            tables = play_match(match, workers=workers, watch=_watch(test))
            for standing in _with_progress(match, tables, test, show=talk):
                table = standing
    except KeyboardInterrupt as interrupt:
        interrupted = interrupt
    seconds = clock.now() - began
    keep_first_evidence(table)
    if arguments.json:
        print(json.dumps(as_json(table, seconds, test, arguments.records), ensure_ascii=False, indent=2))
    elif table.games > 1 or (table.games and arguments.quiet):
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


# --- while it is played ----------------------------------------------------------------------------


async def _tell_all(match: Match, table: Table, watch: Watch | None) -> None:
    silence = Silence(match)
    for deal in match.deals():
        stories = [_story(match, turned) for turned in range(deal.games)]

        def tell(number: int, step: Step, stories: list[Story] = stories, first: int = deal.first) -> None:
            _tell(match, number, stories[number - first], step)

        played = (await play_deals(match, [deal], tell))[0]
        table.add_deal(played)
        for game in played:
            silence.add(game)
        if watch is not None and watch(played):
            return


def _story(match: Match, turned: int) -> Story:
    return Story(registry.game(match.game), match.teams, match.seats(turned=turned), width=columns())


def _tell(match: Match, number: int, story: Story, step: Step) -> None:
    if step.number == 1:
        heading = _(
            "Game {number} of {game}, seed {seed}", number=number + 1, game=match.game, seed=match.seed
        )
        print(heading)
        _print(story.opening())
    _print(story.turn(step))
    outcome = registry.game(match.game).outcome(step.after)
    if outcome is not None:
        _print(story.ending(outcome))
        print()


def _print(lines: Iterator[str]) -> None:
    for line in lines:
        print(line)


def _with_progress(
    match: Match, tables: Iterator[Table], test: Sprt | None, *, show: bool
) -> Iterator[Table]:
    console = Console(stderr=True)
    if not show:
        yield from tables
    elif console.is_terminal:
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=console, transient=True) as progress:
            task = progress.add_task(_("games"), total=match.games)
            for table in tables:
                said = _("games") if test is None else verdict(match, test)
                progress.update(task, completed=table.games, description=escape(said))
                yield table
    else:
        last = clock.now()
        for table in tables:
            if clock.now() - last > PLAIN_PROGRESS_SECONDS:
                last = clock.now()
                said = _("{done} of {total} games", done=table.games, total=match.games)
                print(said if test is None else verdict(match, test), file=sys.stderr, flush=True)
            yield table


# --- the result ------------------------------------------------------------------------------------


def drawn(table: Table) -> RichTable:
    """Who won how often, best first."""
    match = table.match
    options = ", ".join(f"{name}={value}" for name, value in match.options.items())
    result = RichTable(title=f"{match.game} ({options})", title_justify="left")
    result.add_column(_("player"), **name_column(table.titles))
    counts = (_("games"), _("won"), _("drawn"), _("lost"))
    for heading in (*counts, _("win rate"), _("95 % interval"), _("faults")):
        result.add_column(heading, justify="right", no_wrap=True)
    for title, score in sorted(zip(table.titles, table.scores, strict=True), key=lambda row: -row[1].rate):
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
        )
    return result


def print_table(table: Table, seconds: float) -> None:
    """The result for people."""
    table_console().print(drawn(table))
    if table.deals:
        print_wrapped(
            _n(
                "{n} deal was played from every side; a draw is a shared win; intervals are of deals.",
                "{n} deals were played from every side; a draw is a shared win; intervals are of deals.",
                table.deals,
            )
        )
    if Restart.SERIES in table.match.lifetimes:
        print_wrapped(
            _n(
                "A bot's instance played {n} game, then it was started anew.",
                "A bot's instance played up to {n} games in a row, then it was started anew.",
                table.in_a_row,
            )
        )
    print(_pace(table, seconds))


def _pace(table: Table, seconds: float) -> str:
    """How fast it went, in a unit that leaves a figure to read."""
    seed, games = table.match.seed, table.games
    if games >= seconds:
        rate = f"{games / seconds:.0f}" if seconds else "-"
        return _("Seed {seed}; {rate} games a second.", seed=seed, rate=rate)
    each = number(f"{seconds / games:.1f}")
    return _("Seed {seed}; {each} seconds a game.", seed=seed, each=each)


def verdict(match: Match, test: Sprt) -> str:
    """What can be said of the first of two, for its author."""
    first, second = match.labels
    return _("{first} against {second}: {verdict}", first=first, second=second, verdict=test.said(number))


def as_json(
    table: Table, seconds: float, test: Sprt | None = None, records: Path | None = None
) -> dict[str, Any]:
    """The result for programs."""
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
            "said": say(test.said(number)),
        }
    }


def _table_json(match: Match, table: Table, seconds: float) -> dict[str, Any]:
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
    }


# --- arguments -------------------------------------------------------------------------------------


def _test(arguments: argparse.Namespace) -> Sprt | None:
    """The test that was asked for."""
    if arguments.sprt is None:
        return None
    if len(arguments.entrants) != 2:
        raise InputError(msg("--sprt compares two entrants, not {count}", count=len(arguments.entrants)))
    if arguments.games is not None and arguments.games % 2:
        raise InputError(msg("--sprt plays every deal from both sides: give an even number of --games"))
    return Sprt(gain=arguments.sprt / 100)


def _watch(test: Sprt | None) -> Watch | None:
    if test is None:
        return None
    return lambda played: test.add_deal([game.shares[0] for game in played]) is not Verdict.UNDECIDED
