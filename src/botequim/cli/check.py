"""`botequim check`: check whether a bot is ready for its competition."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from botequim import interrupts
from botequim.cli.options import add_bots, command, examples
from botequim.core.errors import InputError
from botequim.core.messages import msg
from botequim.core.sanitize import printable
from botequim.i18n import _, _n, number, translate

if TYPE_CHECKING:
    from botequim.botcheck.findings import Finding, Problem, State, Verdict
    from botequim.botcheck.table import CheckBench


def add(commands: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        "check",
        description=_(
            "Plays real games with a bot, isolated as in a competition, and examines every "
            "answer: whether the bot starts, answers in time, follows the rules in a hundred "
            "difficult positions and can play a second game, and how much time and memory it "
            "uses. After a fault it repeats the question in other ways to find the mistake. Exit "
            "code: 0 the bot is ready (perhaps with warnings), 1 it is not ready, 2 it could not "
            "be tried."
        ),
        epilog=examples("check"),
    )
    parser.add_argument(
        "bot", metavar=_("BOT"), help=_("a file, a folder, an archive, cmd:... or http://...")
    )
    parser.add_argument("--game", metavar=_("GAME"), required=True, help=_("the game that the bot plays"))
    parser.add_argument("--quick", action="store_true", help=_("fewer positions, for a first look"))
    parser.add_argument(
        "--seconds",
        metavar="N",
        type=_seconds,
        help=_("stop after N seconds (default: 120, with --quick 30, longer for a slow bot)"),
    )
    parser.add_argument(
        "--records",
        metavar=_("FOLDER"),
        type=Path,
        help=_("save the games with faults in this folder, for `botequim ask`"),
    )
    add_bots(parser)
    parser.add_argument("--json", action="store_true", help=_("the result as JSON"))
    parser.set_defaults(run=command(run))
    return parser


PLAIN_PROGRESS_SECONDS = 5
MOST_SHOWN = 2000
"""The most characters that are printed of a question, an answer or a log."""
COLOURS = {"OK": "green", "WARNING": "yellow", "FAILED": "red"}
QUICK_SECONDS = 30.0


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(_('"{text}" is not a positive number of seconds', text=text))
    return seconds


def run(arguments: argparse.Namespace) -> int:
    """Check the bot. The exit code says whether it is ready."""
    from botequim import registry
    from botequim.botcheck.examine import QUICK, SECONDS, WANTED, Examination
    from botequim.botcheck.findings import State
    from botequim.botcheck.recorders import RecordingSandbox
    from botequim.botcheck.table import CheckBench
    from botequim.cli import bots
    from botequim.engine.executors import cores
    from botequim.match.records import prepare_records

    game = registry.game(arguments.game)
    if arguments.records is not None:
        prepare_records(arguments.records)
    with bots.ready([arguments.bot], game.name, arguments) as ready:
        (entrant,) = ready.entrants
        if ready.sandbox is None or entrant.built_in:
            raise InputError(
                msg(
                    '"{name}" is a built-in player; `check` needs a bot. Give a folder, a file or '
                    "cmd:COMMAND. If you have a folder of that name, write ./{name}",
                    name=arguments.bot,
                )
            )
        bench = CheckBench(game, entrant, RecordingSandbox(ready.sandbox))
        with Narrator(arguments) as narrator:
            if not arguments.json:
                narrator.heading(bench)
            examination = Examination(
                bench,
                wanted=QUICK if arguments.quick else WANTED,
                usual_seconds=QUICK_SECONDS if arguments.quick else SECONDS,
                seconds=arguments.seconds,
                processors=cores(),
                records=arguments.records,
                report=narrator.finding,
                progress=narrator.progress,
            )
            verdict = interrupts.run(examination.run())
    if arguments.json:
        print(json.dumps(as_json(bench, verdict), ensure_ascii=False, indent=2))
    else:
        narrator.summary(verdict)
    return 1 if verdict.state is State.FAILED else 0


def as_json(bench: CheckBench, verdict: Verdict) -> dict[str, Any]:
    """Return the result as JSON."""
    from botequim.botcheck.findings import State

    return {
        "bot": bench.entrant.given,
        "game": bench.game.name,
        "wire": bench.wire.name,
        "sandbox": bench.sandbox.name,
        "ready": verdict.state is not State.FAILED,
        "state": verdict.state.value,
        "stopped": None if verdict.stopped is None else str(verdict.stopped),
        "mistakes": [problem.diagnosis.key for problem in verdict.problems],
        "checks": [finding.as_json() for finding in verdict.findings],
    }


class Narrator:
    """Prints the findings for people, each as soon as it is known."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        from rich.console import Console

        from botequim.core import clock

        self._arguments = arguments
        self._console = Console(highlight=False, soft_wrap=True)
        self._status = Console(stderr=True).status("") if sys.stderr.isatty() else None
        self._last = clock.now()

    def __enter__(self) -> Narrator:
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._status is not None:
            self._status.stop()

    def heading(self, bench: CheckBench) -> None:
        from rich.markup import escape

        values = {
            "bot": bench.entrant.given,
            "game": bench.game.name,
            "wire": bench.wire.name,
            "sandbox": bench.sandbox.name,
        }
        sentence = _("{bot} plays {game} (wire {wire}, isolated by {sandbox})", **values)
        if self._arguments.seconds is not None:
            sentence = _(
                "{bot} plays {game} (wire {wire}, isolated by {sandbox}) for at most {seconds} s",
                seconds=f"{self._arguments.seconds:g}",
                **values,
            )
        self._console.print(escape(sentence))

    def progress(self, questions: int) -> None:
        from botequim.core import clock

        if self._status is not None:
            self._status.update(_n("{n} question", "{n} questions", questions))
        elif clock.now() - self._last > PLAIN_PROGRESS_SECONDS:
            self._last = clock.now()
            print(_n("{n} question", "{n} questions", questions), file=sys.stderr, flush=True)

    def finding(self, finding: Finding) -> None:
        from rich.markup import escape

        if self._arguments.json:
            return
        self._console.print(f"{_sign(finding.state)} {escape(translate(finding.message))}")
        for detail in finding.details:
            self._console.print(f"           {escape(translate(detail))}")
        for problem in finding.new:
            self._problem(problem)
        for problem in finding.again:
            self._console.print(
                "           " + escape(_("again: {mistake}", mistake=problem.diagnosis.mistake))
            )

    def _problem(self, problem: Problem) -> None:
        from rich.markup import escape

        console, state = self._console, problem.state
        mistake, remedy = translate(problem.diagnosis.mistake), translate(problem.diagnosis.remedy)
        console.print(f"         [{COLOURS[state.name]}]→[/] [bold]{escape(mistake)}[/]")
        console.print(f"           {escape(remedy)}")
        if problem.note is not None:
            console.print(f"           {escape(translate(problem.note))}")
        if problem.fault is not None and problem.forgiven is not None:
            console.print("           " + escape(_("only a warning: {why}", why=problem.forgiven)))
        for title, text in _evidence(problem):
            console.print(f"           [dim]{escape(title)}[/] {escape(_block(text))}")
        if (command := self._how_to_ask_again(problem)) is not None:
            console.print(f"           {escape(command)}")

    def _how_to_ask_again(self, problem: Problem) -> str | None:
        from botequim.botcheck.findings import State

        if problem.turn is None or (problem.state is State.WARNING and problem.record is None):
            return None
        if problem.record is None:
            return _("Use --records FOLDER to keep the game; then `botequim ask` can repeat this question.")
        words = ["botequim", "ask", str(problem.record), "--turn", str(problem.turn)]
        words += ["--seat", str(problem.seat), self._arguments.bot]
        return _("Ask again: {command}", command=shlex.join(words))

    def summary(self, verdict: Verdict) -> None:
        """Print the result in one sentence."""
        from rich.markup import escape

        from botequim.botcheck.findings import State

        mistakes = [problem for problem in verdict.problems if problem.state is State.FAILED]
        warnings = sum(finding.state is State.WARNING for finding in verdict.findings)
        if verdict.stopped is not None:
            self._console.print(escape(_("Stopped early: {why}.", why=verdict.stopped)))
        for problem in mistakes:
            mistake = _n(
                "{mistake} (once)", "{mistake} ({n} times)", problem.count, mistake=_mistake(problem)
            )
            self._console.print(f"[red]✗[/] {escape(mistake)}")
        if verdict.state is State.FAILED and not mistakes:
            text = _("Not ready: the check could not try enough positions.")
        elif verdict.state is State.FAILED:
            text = _n("Not ready: {n} mistake to fix.", "Not ready: {n} mistakes to fix.", len(mistakes))
        elif warnings:
            text = _n("Ready, with {n} warning.", "Ready, with {n} warnings.", warnings)
        else:
            text = _("Ready.")
        self._console.print(f"[bold {COLOURS[verdict.state.name]}]{escape(text)}[/]")


def _mistake(problem: Problem) -> str:
    return translate(problem.diagnosis.mistake)


def _sign(state: State) -> str:
    from botequim.botcheck.findings import State

    words = {State.OK: _("ok"), State.WARNING: _("warning"), State.FAILED: _("FAILED")}
    signs = {State.OK: "✓", State.WARNING: "!", State.FAILED: "✗"}
    return f"[{COLOURS[state.name]}]{signs[state]} {words[state]:<8}[/]"


def _evidence(problem: Problem) -> list[tuple[str, str]]:
    parts = [
        (_("question:"), problem.question),
        (_("answer:"), problem.answer or (_("(nothing)") if problem.question else "")),
    ]
    fault = problem.fault
    if fault is None and problem.forgiven is not None:
        parts.append((_("warning:"), translate(problem.forgiven)))
    elif fault is not None:
        parts += [(_("fault:"), f"{fault.kind.upper()}: {translate(fault.reason)}"), *_traces(fault.evidence)]
    return [(title, text) for title, text in parts if text]


def _traces(evidence: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the output and exit status of the program that are part of a fault, with titles."""
    return [
        (_("exit code:"), str(evidence.get("exit", ""))),
        (_("seconds:"), number(str(evidence.get("seconds", "")))),
        (_("its log:"), str(evidence.get("stderr", "")).strip()),
        (_("its output:"), str(evidence.get("stdout", "")).strip()),
    ]


def _block(text: str) -> str:
    """Return a text of the bot in printable form, indented; of a long text, only the end."""
    short = text if len(text) <= MOST_SHOWN else "[...] " + text[-MOST_SHOWN:]
    lines = [printable(line) for line in short.splitlines()]
    return lines[0] if len(lines) == 1 else "".join(f"\n             {line}" for line in lines)
