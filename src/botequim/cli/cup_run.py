"""`botequim cup run`, `rehearse` and `check`."""

from __future__ import annotations

import argparse
import json
import secrets
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.table import Table as RichTable
from rich.text import Text

from botequim import registry
from botequim.botcheck.speed import Range
from botequim.cli.bots import cup_sandbox, say_step
from botequim.cli.clusters import start_cluster
from botequim.cli.cup_reveal import hold, say_pace
from botequim.cli.cup_status import as_json, print_standings, standings_table
from botequim.cli.progress import doing
from botequim.cli.stores import read_cup
from botequim.core import clock
from botequim.core.errors import BotequimError, InputError
from botequim.core.messages import Message, msg, plain
from botequim.core.sanitize import printable
from botequim.core.suggestions import with_suggestion
from botequim.core.titles import clean_title
from botequim.cup.change_requests import with_bots_to_come
from botequim.cup.config import Cup, Entry, Withdrawal
from botequim.cup.config_parser import read
from botequim.cup.entrant_check import (
    Report,
    changed_files_problems,
    check_entrants,
    estimates,
    portrait_problems,
)
from botequim.cup.estimates import Remaining, stages_with_playoffs
from botequim.cup.paths import CupPaths
from botequim.cup.rounds import require_installed, stored_state
from botequim.cup.runner import Runner, RunStatus, begin
from botequim.cup.speeds import expected_seconds, store_speeds
from botequim.cup.stage_names import stage_name, stage_title
from botequim.cup.stages import SHORTEST_SECRET, commitment, is_guessable
from botequim.cup.titles import title_with_name
from botequim.cup.versions import note_version
from botequim.cup.withdrawals import CannotPlay, short_stages, without, without_withdrawn
from botequim.engine.executors import LocalProcesses, StartExecutor, cores
from botequim.i18n import _, error_text, translate
from botequim.storage.protocol import CupStorage
from botequim.storage.visibility import Visibility

PLAIN_PROGRESS_SECONDS = 5
REFRESH_SECONDS = 0.25
LOG_LINES = 5


@contextmanager
def _runner(
    cup: Cup, arguments: argparse.Namespace, *, trusted: bool, live: CupStorage | None = None
) -> Iterator[Runner]:
    place = cup_sandbox(with_bots_to_come(cup, CupPaths.of_cup(cup).storage), trusted=trusted)
    start_executor = _start_executor(cup, arguments, isolated=place.isolated)  # refuses wrong options
    with CupPaths.of_cup(cup).storage.open_results(write=True, check=True) as store:
        fresh = store.fact("seed") is None
        told_seed: str | None = getattr(arguments, "seed", None)
        if fresh and cup.commitment is not None and told_seed is not None and is_guessable(told_seed):
            print(
                _(
                    "The promised seed is too short: someone who tries all texts of fewer than "
                    "{least} characters can find it from its digest and predict every deal.",
                    least=SHORTEST_SECRET,
                ),
                file=sys.stderr,
            )
        seed = begin(cup, store, told_seed)
        if fresh and cup.seed is None:
            digest = commitment(seed)
            sentence = _("The seed is stored. Publish its digest now: {digest}", digest=digest)
            print(sentence, file=sys.stderr if arguments.json else sys.stdout)
        notice = note_version(store)
        if notice is not None:
            say_step(notice)
        cup = without_withdrawn(cup, store)
        yield Runner(
            cup,
            store,
            seed,
            place.sandbox,
            place.isolated,
            start_executor,
            on_prepare=say_preparing,
            tell=say_step,
            live=live,
        )


def _start_executor(cup: Cup, arguments: argparse.Namespace, *, isolated: bool) -> StartExecutor:
    """Return what starts the executor: on the cluster of the command line, or on this machine."""
    if "cluster" in arguments:
        start = start_cluster(arguments, isolated=isolated)
        if start is not None:
            return start
    return partial(LocalProcesses, _workers(cup, arguments))


def _workers(cup: Cup, arguments: argparse.Namespace) -> int:
    return arguments.workers or cup.workers or cores()


def say_preparing(entry: Entry) -> None:
    if entry.bot.startswith(("http://", "https://")):
        return
    print(_("preparing {name}", name=entry.name), file=sys.stderr, flush=True)


def run_run(arguments: argparse.Namespace) -> int:
    """Play the cup, or continue it."""
    cup = read_cup(arguments.file, arguments.store, from_store=False)
    known = [plan.name for plan in cup.plans]
    for name in arguments.stage or []:
        if name not in known:
            problem = msg('unknown stage "{name}"; known: {known}', name=name, known=", ".join(known))
            raise InputError(with_suggestion(problem, name, known))
    try:
        home = CupPaths.of_cup(cup)
        with _runner(cup, arguments, trusted=arguments.trust, live=home.storage) as runner:
            if arguments.hold:
                hold(runner.store, home)
            _make_ready(runner, without_broken=arguments.without_broken)
            # how long a cluster takes is not known before its machines are
            workers = None if arguments.cluster else _workers(cup, arguments)
            _watch(runner, arguments.stage, home.storage, workers)
            if arguments.json:
                _print_json(runner, home)
            elif not arguments.quiet:
                _print_public(runner, home)
                _say_next(runner, arguments)
    except KeyboardInterrupt:
        print(_("Every series that is stored stays stored. To continue:"), file=sys.stderr)
        print("  " + _again(arguments), file=sys.stderr)
        raise
    return 0


def _print_json(runner: Runner, home: CupPaths | None = None) -> None:
    """Print the public result for programs; the whole result of a rehearsal."""
    curtain = None if home is None else Visibility.of(runner.store, home.storage)
    progress = (
        runner.progress if curtain is None else stored_state(runner.cup, runner.store, curtain.results())
    )
    result = as_json(runner.cup, progress) | ({} if curtain is None else {"held": curtain.held})
    print(json.dumps(result, ensure_ascii=False, indent=2))


def _print_public(runner: Runner, home: CupPaths) -> None:
    curtain = Visibility.of(runner.store, home.storage)
    print_standings(runner.cup, stored_state(runner.cup, runner.store, curtain.results()))
    if curtain.held:
        say_pace(runner.cup, curtain, runner.store)


def _make_ready(runner: Runner, *, without_broken: bool) -> None:
    """Prepare every entrant before the first game. Report those that cannot play, or leave them out."""
    broken = runner.make_ready()
    if not broken:
        return
    if not without_broken:
        error = CannotPlay(runner.cup, broken)
        error.details = "\n".join(line for absence in broken for line in _withdrawal_lines(absence))
        raise error
    runner.go_on_without(broken)
    for absence in broken:
        why = _("{name} did not start: {why}", name=absence.entry.name, why=absence.why)
        print(why, file=sys.stderr, flush=True)
    for stage, (left, wanted) in short_stages(runner.cup).items():
        sentence = _(
            "{stage}: only {left} entrants remain for {wanted} places",
            stage=stage_name(stage),
            left=left,
            wanted=wanted,
        )
        print(sentence, file=sys.stderr, flush=True)


def _withdrawal_lines(absence: Withdrawal) -> Iterator[str]:
    yield f"{absence.entry.name}: {translate(absence.why)}"
    for line in absence.log.splitlines()[-LOG_LINES:]:
        yield f"  {line}"


def _say_next(runner: Runner, arguments: argparse.Namespace) -> None:
    rest = [plan.name for plan in runner.cup.plans if not runner.progress.is_finished(plan.name)]
    if rest:
        words = ["botequim", "cup", "run", str(arguments.file), "--stage", rest[0]]
        words += ["--store", arguments.store] if arguments.store else []
        print(_("Next: {command}", command=shlex.join(words)))


def _again(arguments: argparse.Namespace) -> str:
    words = ["botequim", "cup", "run", str(arguments.file)]
    words += ["--store", arguments.store] if arguments.store else []
    for stage in arguments.stage or []:
        words += ["--stage", stage]
    words += ["--trust"] if arguments.trust else []
    words += ["--without-broken"] if arguments.without_broken else []
    words += ["--hold"] if arguments.hold else []
    words += ["--workers", str(arguments.workers)] if arguments.workers else []
    words += ["--cluster", arguments.cluster] if arguments.cluster else []
    words += ["--key-file", str(arguments.key_file)] if arguments.key_file else []
    words += ["--calibrate", f"{arguments.calibrate:g}"] if arguments.calibrate else []
    return shlex.join(words)


def run_rehearse(arguments: argparse.Namespace) -> int:
    """Play the whole cup with built-in players instead of the bots, in a temporary folder."""
    cup = read(arguments.file)
    stand_ins = [name for name in ("greedy", "random", "dummy") if name in registry.player_names(cup.game)]
    entries = tuple(
        replace(entry, bot=stand_ins[at % len(stand_ins)], wire=None) for at, entry in enumerate(cup.entrants)
    )
    place = Path(tempfile.mkdtemp(prefix="botequim-rehearsal-"))
    try:
        plans = tuple(
            replace(plan, terms=replace(plan.terms, games=min(plan.terms.games, REHEARSED)))
            for plan in cup.plans
        )
        rehearsed = replace(
            cup,
            path=place / "rehearsal.toml",
            entrants=entries,
            plans=plans,
            seed=cup.seed or secrets.token_hex(16),  # nobody publishes the digest of this one
            commitment=None,
            restart=None,
            store=None,
        )
        sentence = _(
            "A rehearsal: built-in players in place of the bots, at most {n} games per series.", n=REHEARSED
        )
        print(sentence, file=sys.stderr if arguments.json else sys.stdout)
        with _runner(rehearsed, arguments, trusted=True) as runner:
            _watch(runner, None, None, _workers(rehearsed, arguments))
            if arguments.json:
                _print_json(runner)
            else:
                print_standings(rehearsed, runner.progress)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return 0


REHEARSED = 20


def _watch(runner: Runner, stages: list[str] | None, storage: CupStorage | None, workers: int | None) -> None:
    """Print the progress; for a cup that is held back, without results."""
    expected = {} if workers is None else _expected(runner, stages, workers)
    for stage, seconds in expected.items():
        print(_estimate(stage, seconds), file=sys.stderr, flush=True)
    console = Console(stderr=True)
    last = clock.now()
    complaints = _Complaints()
    if console.is_terminal:
        waiting = _("the first series are being played")
        with Live(waiting, console=console, refresh_per_second=4, transient=True) as live:
            for status, left in _with_remaining(runner, stages, expected):
                complaints.print(status)
                if status.finished == 1 or clock.now() - last > REFRESH_SECONDS:
                    last = clock.now()
                    shown = _how_far(status, left)
                    live.update(Text(shown) if _is_held(storage) else _live(runner.cup, status, shown))
        return
    for status, left in _with_remaining(runner, stages, expected):
        complaints.print(status)
        if clock.now() - last > PLAIN_PROGRESS_SECONDS:
            last = clock.now()
            print(_how_far(status, left), file=sys.stderr, flush=True)


def _expected(runner: Runner, stages: list[str] | None, workers: int) -> dict[str, Range]:
    """Return how long the stages take that begin now, if the cup was checked before."""
    begun = runner.progress.results
    return {
        stage: seconds
        for stage, seconds in expected_seconds(runner.cup, workers).items()
        if not begun.get(stage) and (stages is None or stage in stages)
    }


def _with_remaining(
    runner: Runner, stages: list[str] | None, expected: Mapping[str, Range]
) -> Iterator[tuple[RunStatus, Range | None]]:
    """Yield every step of a cup with an estimate of the rest of its stage."""
    by_stage: dict[str, Remaining] = {}
    for status in runner.play(stages):
        remaining = by_stage.setdefault(status.stage, Remaining(status.slots, expected.get(status.stage)))
        if status.last is not None:
            remaining.add(status.last.seconds)
        yield status, remaining.estimate(status.known - status.finished)


def _is_held(storage: CupStorage | None) -> bool:
    """Return whether results are held back; False if the file cannot be read, so that the cup goes on."""
    try:
        return storage is not None and storage.shown_games() is not None
    except BotequimError:
        return True


def _how_far(status: RunStatus, left: Range | None) -> str:
    values = {"stage": stage_name(status.stage), "done": status.finished, "known": status.known}
    if left is None or status.finished == status.known:
        return _("{stage}: {done} of {known} series", **values)
    return _("{stage}: {done} of {known} series, {left} left", left=left.message(), **values)


class _Complaints:
    """Prints why series are played again, each reason once in a row: a lost scheduler has many."""

    def __init__(self) -> None:
        self._last: Message | None = None

    def print(self, status: RunStatus) -> None:
        if status.again is not None and status.again != self._last:
            print(translate(status.again), file=sys.stderr, flush=True)
        if status.again is not None or status.last is not None:
            self._last = status.again


def _live(cup: Cup, status: RunStatus, how_far: str) -> RichTable:
    standings = status.progress.standings(status.stage)
    assert standings is not None
    table = standings_table(cup, status.stage, standings)
    table.caption = how_far
    return table


# --- check -----------------------------------------------------------------------------------------


def run_check(arguments: argparse.Namespace) -> int:
    cup = read(arguments.file)
    require_installed(cup)
    place = cup_sandbox(cup, trusted=arguments.trust)
    reports: list[Report] = []
    with doing() as tell:

        def told(entry: Entry) -> None:
            at = len(reports) + 1
            name = title_with_name(clean_title(entry.title) or entry.name, entry.name)
            tell(_("checking {name}, {at} of {all}", name=name, at=at, all=len(cup.entrants)))

        tried = check_entrants(
            cup,
            place.sandbox,
            isolated=place.isolated,
            seconds=arguments.seconds,
            on_entry=told,
            tell=say_step,
        )
        for report in tried:
            tell("")
            reports.append(report)
            if not arguments.json:
                _print_report(report)
    store_speeds(cup, reports)
    problems = list(portrait_problems(cup))
    problems += changed_files_problems(cup, CupPaths.of_cup(cup).storage, reports)
    ready = sum(report.ready for report in reports)
    if arguments.json:
        print(json.dumps(_check_json(cup, reports, problems), ensure_ascii=False, indent=2))
    else:
        _print_check(arguments.file, cup, reports, problems)
    return 0 if ready == len(reports) and not problems else 1


def _check_json(cup: Cup, reports: list[Report], problems: list[Message]) -> dict[str, Any]:
    return {
        "entrants": [
            {
                "name": report.entry.name,
                "title": report.title or report.entry.name,
                "ready": report.ready,
                "broken": report.broken,
                "reason": translate(report.reason) if report.reason else None,
                "answer_seconds": None if report.speed is None else _range_json(report.speed.answer, 6),
                "start_seconds": None if report.speed is None else round(report.speed.start, 3),
            }
            for report in reports
        ],
        "problems": [translate(problem) for problem in problems],
        "seconds": {
            stage: _range_json(seconds, 1)
            for stage, seconds in estimates(cup, reports, cup.workers or cores()).items()
        },
        "estimated_without": [report.entry.name for report in _broken(reports)],
        "playoffs_not_counted": stages_with_playoffs(cup),
    }


def _range_json(seconds: Range, digits: int) -> list[float]:
    return [round(seconds.low, digits), round(seconds.high, digits)]


def _broken(reports: list[Report]) -> list[Report]:
    """Return the reports on the entrants that cannot play at all."""
    return [report for report in reports if report.broken]


def _how_to_go_on(file: Path, cup: Cup, broken: list[Report]) -> str:
    """Return how to run the cup without the entrants that cannot play, or why that is not possible."""
    try:
        without(cup, [Withdrawal(report.entry, report.reason or plain("")) for report in broken])
    except InputError as error:
        return _("Their bots must be fixed: {why}.", why=error_text(error))
    return _(
        "To run the cup without them: botequim cup run {file} --without-broken", file=shlex.quote(str(file))
    )


def _print_check(file: Path, cup: Cup, reports: list[Report], problems: list[Message]) -> None:
    for problem in problems:
        print(translate(problem))
    ready = sum(report.ready for report in reports)
    print(_("{ready} of {all} entrants are ready.", ready=ready, all=len(reports)))
    broken = ", ".join(printable(report.shown) for report in _broken(reports))
    if broken:
        print(_("Cannot play: {names}.", names=broken))
        print(_how_to_go_on(file, cup, _broken(reports)))
    flawed = [printable(report.shown) for report in reports if not report.ready and not report.broken]
    if flawed:
        print(
            _(
                "May still play, although slow or faulty: {names}. What is wrong is above.",
                names=", ".join(flawed),
            )
        )
    timed = estimates(cup, reports, cup.workers or cores())
    for stage, seconds in timed.items():
        print(_estimate(stage, seconds))
    if timed and broken:
        print(_("This does not include the games of {names}.", names=broken))
    if timed and (stages := stages_with_playoffs(cup)):
        print(
            _(
                "The estimate does not include tie-break series: {stages}.",
                stages=", ".join(map(stage_title, stages)),
            )
        )


def _estimate(stage: str, seconds: Range) -> str:
    return _("{stage}: {seconds} on this machine", stage=stage_name(stage), seconds=seconds.message())


def _print_report(report: Report) -> None:
    console = Console(highlight=False)
    colour, sign = ("green", "✔") if report.ready else ("red", "✘")
    console.print(f"[{colour}]{sign}[/{colour}] {escape(printable(report.shown))}", end="")
    console.print(f"  {escape(translate(report.reason))}" if report.reason is not None else "")
    for line in report.log.splitlines()[-LOG_LINES:]:
        console.print(f"    {escape(printable(line))}")
