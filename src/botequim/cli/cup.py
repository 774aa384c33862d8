"""`botequim cup`: from one file to a champion."""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.table import Table as RichTable

from botequim import i18n, registry
from botequim.cli.bots import Prepared, sandbox_for, say_step
from botequim.core.errors import InputError, os_reason
from botequim.core.messages import msg
from botequim.cup import importing, templates
from botequim.cup.bundle import write_bundle
from botequim.cup.checking import checked, durations
from botequim.cup.file import Cup, Entry
from botequim.cup.format import Standings
from botequim.cup.home import Home
from botequim.cup.reading import read
from botequim.cup.report import write_report
from botequim.cup.runner import Runner, Told, begin
from botequim.cup.stages import Progress, commitment
from botequim.cup.store import Store
from botequim.i18n import _, _n, say
from botequim.workers import cores

PLAIN_PROGRESS_SECONDS = 5
REFRESH_SECONDS = 0.25


def add(commands: Any) -> argparse.ArgumentParser:
    """The command's options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "cup",
        help=_("hold a cup: leagues, brackets and finals from one file"),
        description=_(
            "Holds a cup that a file describes. What was played is never lost: run again to go on."
        ),
        epilog=_(
            "Examples:\n"
            "  botequim cup new cubos rinha.toml        a file to fill in\n"
            "  botequim cup import PARTICIPANTS.md --template cubos rinha.toml\n"
            "  botequim cup check rinha.toml            is every entrant ready?\n"
            "  botequim cup rehearse rinha.toml         all of it with stand-ins, in a minute\n"
            "  botequim cup run rinha.toml --stage league\n"
            "  botequim cup status rinha.toml\n"
            "  botequim cup report rinha.toml --bundle rinha.zip"
        ),
    )
    parser.set_defaults(run=lambda arguments: _explain(parser))
    actions = parser.add_subparsers(metavar=_("ACTION"), title=_("actions"))
    _add_new(actions)
    _add_import(actions)
    for name, help_text, run in (
        ("check", _("try every entrant"), run_check),
        ("run", _("play, or go on playing"), run_run),
        ("rehearse", _("play all of it with built-in stand-ins"), run_rehearse),
        ("status", _("how it stands"), run_status),
        ("report", _("write pages, tables, feedback sheets and grades"), run_report),
    ):
        action = actions.add_parser(name, help=help_text, description=help_text)
        action.add_argument("file", metavar=_("FILE"), type=Path, help=_("a cup file"))
        if name in ("run", "rehearse"):
            action.add_argument(
                "--workers", metavar="N", type=int, help=_("games at the same time (one per core)")
            )
        if name == "run":
            action.add_argument("--quiet", action="store_true", help=_("no tables"))
            action.add_argument(
                "--stage", metavar=_("NAME"), action="append", help=_("only this stage; may be repeated")
            )
            action.add_argument("--seed", metavar="S", help=_("the seed that was promised"))
        if name in ("run", "check"):
            action.add_argument(
                "--trust", action="store_true", help=_("run bots without isolation, as your own programs")
            )
        if name == "report":
            action.add_argument(
                "--to", metavar=_("FOLDER"), type=Path, help=_("where to (beside the cup's file)")
            )
            action.add_argument(
                "--bundle",
                metavar=_("FILE.zip"),
                type=Path,
                help=_("also everything that `botequim verify` needs to referee the cup again"),
            )
        if name == "status":
            action.add_argument("--json", action="store_true", help=_("the result as JSON"))
        action.set_defaults(run=run)
    return parser


def _explain(parser: argparse.ArgumentParser) -> int:
    parser.print_help()
    return 0


# --- new and import --------------------------------------------------------------------------------


def _add_new(actions: Any) -> None:
    known = ", ".join(templates.TEMPLATES)
    action = actions.add_parser("new", help=_("write a cup file to fill in"))
    action.add_argument("template", metavar=_("TEMPLATE"), help=_("a competition: {known}", known=known))
    action.add_argument("file", metavar=_("FILE"), type=Path, help=_("a cup file that is not there yet"))
    action.add_argument("--name", help=_("the cup's name"))
    action.add_argument("--seed", metavar="S", help=_("any text; else it is drawn when the cup begins"))
    action.add_argument(
        "--promise", metavar="S", help=_("only the digest of this seed is written: reveal it after the cup")
    )
    action.set_defaults(run=run_new)


def run_new(arguments: argparse.Namespace) -> int:
    template = templates.named(arguments.template)
    text = templates.written(
        template,
        name=arguments.name or "",
        seed=arguments.seed,
        commitment=commitment(arguments.promise) if arguments.promise else None,
    )
    _write_new(arguments.file, text)
    print(_("{path} is written. Fill in the entrants, then: botequim cup check {path}", path=arguments.file))
    return 0


def _add_import(actions: Any) -> None:
    action = actions.add_parser("import", help=_("write a cup file for those who have entered"))
    action.add_argument(
        "source", metavar=_("SOURCE"), type=Path, help=_("PARTICIPANTS.md, a folder of bots or of archives")
    )
    action.add_argument("file", metavar=_("FILE"), type=Path, help=_("a cup file that is not there yet"))
    action.add_argument("--template", default="cubos", help=_("the competition (cubos)"))
    action.add_argument("--name", help=_("the cup's name"))
    action.set_defaults(run=run_import)


def run_import(arguments: argparse.Namespace) -> int:
    template = templates.named(arguments.template)
    found = importing.imported(arguments.source, cup=arguments.file)
    _write_new(
        arguments.file, templates.written(template, name=arguments.name or "", entrants=found.entrants)
    )
    print(_n("{n} entrant", "{n} entrants", len(found.entrants)))
    for left_out in found.left_out:
        print(f"  – {left_out.what}: {say(left_out.why)}")
    print(_("{path} is written. Look at it, then: botequim cup check {path}", path=arguments.file))
    return 0


def _write_new(path: Path, text: str) -> None:
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise InputError(
            msg("{path} cannot be written: {why}", path=str(path), why=os_reason(error))
        ) from error


# --- playing ---------------------------------------------------------------------------------------


@contextmanager
def _runner(cup: Cup, arguments: argparse.Namespace, *, trusted: bool) -> Iterator[Runner]:
    needs = any(entry.bot not in registry.player_names(cup.game) for entry in cup.entrants)
    place: Prepared = sandbox_for(strangers=needs, trusted=trusted)
    workers = arguments.workers or cup.workers or cores()
    with Store.open(Home.of(cup.path).store, write=True) as store:
        fresh = store.get("seed") is None
        seed = begin(cup, store, getattr(arguments, "seed", None))
        if fresh and cup.seed is None:
            digest = commitment(seed)
            print(_("The seed is kept; its digest, to be published now: {digest}", digest=digest))
        yield Runner(
            cup, store, seed, place.sandbox, place.isolated, workers, on_prepare=_say_preparing, tell=say_step
        )


def _say_preparing(entry: Entry) -> None:
    if entry.bot.startswith(("http://", "https://")):
        return
    print(_("getting {name} ready", name=entry.name), file=sys.stderr, flush=True)


def run_run(arguments: argparse.Namespace) -> int:
    """Play, whatever was played before."""
    cup = read(arguments.file)
    for name in arguments.stage or []:
        if name not in [plan.name for plan in cup.plans]:
            known = ", ".join(plan.name for plan in cup.plans)
            raise InputError(msg('unknown stage "{name}"; known: {known}', name=name, known=known))
    with _runner(cup, arguments, trusted=arguments.trust) as runner:
        try:
            _watch(cup, runner, arguments.stage)
        except KeyboardInterrupt:
            print(_("What was played is kept. To go on:"), file=sys.stderr)
            print("  " + _again(arguments), file=sys.stderr)
            raise
        if not arguments.quiet:
            _print_standings(cup, runner.progress)
            rest = [plan.name for plan in cup.plans if not runner.progress.done(plan.name)]
            if rest:
                words = ["botequim", "cup", "run", str(arguments.file), "--stage", rest[0]]
                print(_("Next: {command}", command=shlex.join(words)))
    return 0


def _again(arguments: argparse.Namespace) -> str:
    words = ["botequim", "cup", "run", str(arguments.file)]
    for stage in arguments.stage or []:
        words += ["--stage", stage]
    words += ["--trust"] if arguments.trust else []
    words += ["--workers", str(arguments.workers)] if arguments.workers else []
    return shlex.join(words)


def run_rehearse(arguments: argparse.Namespace) -> int:
    """The whole cup with built-in players in place of the bots, in a folder that is thrown away."""
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
        rehearsed = replace(cup, path=place / "rehearsal.toml", entrants=entries, plans=plans, restart=None)
        print(
            _("A rehearsal: built-in players in place of the bots, at most {n} games a series.", n=REHEARSED)
        )
        with _runner(rehearsed, arguments, trusted=True) as runner:
            _watch(rehearsed, runner, None)
            _print_standings(rehearsed, runner.progress)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return 0


REHEARSED = 20


def _watch(cup: Cup, runner: Runner, stages: list[str] | None) -> None:
    console = Console(stderr=True)
    last = time.monotonic()
    if console.is_terminal:
        waiting = _("the first series are being played")
        with Live(waiting, console=console, refresh_per_second=4, transient=True) as live:
            began, played, stage = last, 0, ""
            for told in runner.play(stages):
                if told.stage != stage:
                    began, played, stage = last, 0, told.stage
                played += told.last is not None
                _complain(told)
                if played == 1 or time.monotonic() - last > REFRESH_SECONDS:
                    last = time.monotonic()
                    live.update(_live(cup, told, (last - began) / max(played, 1)))
        return
    for told in runner.play(stages):
        _complain(told)
        if time.monotonic() - last > PLAIN_PROGRESS_SECONDS:
            last = time.monotonic()
            line = _(
                "{stage}: {done} of {known} series", stage=told.stage, done=told.finished, known=told.known
            )
            print(line, file=sys.stderr, flush=True)


def _complain(told: Told) -> None:
    if told.again is not None:
        print(say(told.again), file=sys.stderr, flush=True)


def _live(cup: Cup, told: Told, each: float) -> RichTable:
    standings = told.progress.standings(told.stage)
    assert standings is not None
    table = drawn(cup, told.stage, standings)
    left = each * (told.known - told.finished)
    table.caption = _(
        "{done} of {known} series, about {left} s left",
        done=told.finished,
        known=told.known,
        left=f"{left:.0f}",
    )
    return table


# --- how it stands ---------------------------------------------------------------------------------


def drawn(cup: Cup, stage: str, standings: Standings) -> RichTable:
    """A stage's table."""
    table = RichTable(title=f"{cup.name}: {stage}", title_justify="left")
    table.add_column("#", justify="right", no_wrap=True)
    table.add_column(_("player"), no_wrap=True)
    for column in standings.columns:
        table.add_column(say(column.heading), justify="right")
    table.add_column("")
    for row in standings.rows:
        figures = [_figure(row.figures.get(column.name, 0)) for column in standings.columns]
        table.add_row(str(row.place), row.entrant, *figures, say(row.why) if row.why else "")
    return table


def _figure(value: Any) -> str:
    return str(value) if isinstance(value, int) or value == int(value) else f"{float(value):.2f}"


def _print_standings(cup: Cup, progress: Progress) -> None:
    console = Console(highlight=False)
    for plan in cup.plans:
        standings = progress.standings(plan.name)
        if standings is not None and progress.results.get(plan.name):
            console.print(drawn(cup, plan.name, standings))
    if progress.over:
        for row in progress.overall():
            if row.place > 3:
                break
            print(_("{place}. {name}", place=row.place, name=row.entrant))


def run_status(arguments: argparse.Namespace) -> int:
    """What is known now, also while it is played."""
    cup = read(arguments.file)
    with Store.open(Home.of(cup.path).store) as store:
        progress = cup.progress(store.get("seed") or "", store.results())
        if arguments.json:
            print(json.dumps(_as_json(cup, progress), ensure_ascii=False, indent=2))
            return 0
        _print_standings(cup, progress)
        for plan in cup.plans:
            finished, seconds = store.seconds(plan.name)
            state = _("over") if progress.done(plan.name) else _("not over")
            line = _(
                "{stage}: {n} series in {seconds} s of play",
                stage=plan.name,
                n=finished,
                seconds=f"{seconds:.0f}",
            )
            print(f"{line}, {state}")
        print(_("digest of the seed: {digest}", digest=store.get("commitment") or "–"))
        faults = store.faults()
    if faults:
        print(_n("{n} fault", "{n} faults", len(faults)))
    return 0


def _as_json(cup: Cup, progress: Progress) -> dict[str, Any]:
    return {
        "name": cup.name,
        "game": cup.game,
        "over": progress.over,
        "stages": [
            {
                "name": plan.name,
                "done": progress.done(plan.name),
                "series": len(progress.results.get(plan.name, {})),
                "standings": [
                    {"place": row.place, "entrant": row.entrant}
                    | {name: float(value) for name, value in row.figures.items()}
                    for row in standings.rows
                ]
                if (standings := progress.standings(plan.name)) is not None
                else None,
            }
            for plan in cup.plans
        ],
    }


def run_report(arguments: argparse.Namespace) -> int:
    """What is published of a cup, and what its entrants are told."""
    cup = read(arguments.file)
    folder = arguments.to or Home.of(cup.path).folder / "report"
    with Store.open(Home.of(cup.path).store) as store:
        progress = cup.progress(store.get("seed") or "", store.results())
        written = write_report(cup, progress, store, folder)
        spoken = i18n.language()
        for other in i18n.LANGUAGES:  # feedback is for whoever wrote the bot, in either language
            if other != spoken:
                i18n.use(other)
                write_report(cup, progress, store, folder / other, records=False)
        i18n.use(spoken)
        print(_("The report is {path}", path=written[0]))
        print(_("For the organiser alone: {path}", path=folder / "private"))
        if arguments.bundle is not None:
            digest = write_bundle(cup, progress, store, arguments.bundle)
            print(_("The bundle {path} has the digest {digest}", path=arguments.bundle, digest=digest))
    return 0


# --- check -----------------------------------------------------------------------------------------


def run_check(arguments: argparse.Namespace) -> int:
    """Every entrant made ready and tried."""
    cup = read(arguments.file)
    needs = any(entry.bot not in registry.player_names(cup.game) for entry in cup.entrants)
    place = sandbox_for(strangers=needs, trusted=arguments.trust)
    console = Console(highlight=False)
    reports = []
    for report in checked(cup, place.sandbox, isolated=place.isolated, tell=say_step):
        reports.append(report)
        colour, sign = ("green", "✔") if report.ready else ("red", "✘")
        console.print(f"[{colour}]{sign}[/{colour}] {escape(report.entry.name)}", end="")
        console.print(f"  {escape(say(report.reason))}" if report.reason is not None else "")
    ready = sum(report.ready for report in reports)
    print(_("{ready} of {all} entrants are ready.", ready=ready, all=len(reports)))
    for stage, seconds in durations(cup, reports, cup.workers or cores()):
        print(_("{stage}: about {seconds} s on this machine", stage=stage, seconds=f"{seconds:.0f}"))
    return 0 if ready == len(reports) else 1
