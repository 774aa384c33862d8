"""`botequim check`: is this bot ready for its competition?"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.markup import escape

from botequim import interrupts, registry
from botequim.checking.examine import QUICK, SECONDS, WANTED, Examination
from botequim.checking.findings import Finding, Problem, State, Verdict
from botequim.checking.table import Bench
from botequim.checking.watching import Watching
from botequim.cli.doing import bots
from botequim.core import clock
from botequim.core.errors import InputError
from botequim.core.messages import harmless, msg
from botequim.i18n import _, _n, say
from botequim.match import prepare_records
from botequim.workers import cores

PLAIN_PROGRESS_SECONDS = 5
MOST_SHOWN = 2000
"""Characters of a question, an answer or a log."""
COLOURS = {State.OK: "green", State.WARNING: "yellow", State.FAILED: "red"}
QUICK_SECONDS = 30.0


def run(arguments: argparse.Namespace) -> int:
    """Check, and say by the exit code whether the bot is ready."""
    game = registry.game(arguments.game)
    if arguments.records is not None:
        prepare_records(arguments.records)
    with bots.ready([arguments.bot], game.name, arguments) as ready:
        (entrant,) = ready.entrants
        if ready.sandbox is None or entrant.built_in:
            raise InputError(
                msg(
                    '"{name}" is a built-in player: only bots can be checked. Name a folder, a file or '
                    "cmd:COMMAND; your own folder of that name is ./{name}",
                    name=arguments.bot,
                )
            )
        bench = Bench(game, entrant, Watching(ready.sandbox))
        with Teller(arguments) as teller:
            if not arguments.json:
                teller.heading(bench)
            examination = Examination(
                bench,
                wanted=QUICK if arguments.quick else WANTED,
                usual_seconds=QUICK_SECONDS if arguments.quick else SECONDS,
                seconds=arguments.seconds,
                processors=cores(),
                records=arguments.records,
                report=teller.finding,
                progress=teller.progress,
            )
            verdict = interrupts.run(examination.run())
    if arguments.json:
        print(json.dumps(as_json(bench, verdict), ensure_ascii=False, indent=2))
    else:
        teller.summary(verdict)
    return 1 if verdict.state is State.FAILED else 0


def as_json(bench: Bench, verdict: Verdict) -> dict[str, Any]:
    """The result for programs."""
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


class Teller:
    """The list for people, a line as soon as it is known."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._arguments = arguments
        self._console = Console(highlight=False, soft_wrap=True)
        self._status = Console(stderr=True).status("") if sys.stderr.isatty() else None
        self._last = clock.now()

    def __enter__(self) -> Teller:
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._status is not None:
            self._status.stop()

    def heading(self, bench: Bench) -> None:
        values = {
            "bot": bench.entrant.given,
            "game": bench.game.name,
            "wire": bench.wire.name,
            "sandbox": bench.sandbox.name,
        }
        said = _("{bot} plays {game} (wire {wire}, isolated by {sandbox})", **values)
        if self._arguments.seconds is not None:
            said = _(
                "{bot} plays {game} (wire {wire}, isolated by {sandbox}) for {seconds} s at most",
                seconds=f"{self._arguments.seconds:g}",
                **values,
            )
        self._console.print(escape(said))

    def progress(self, asked: int) -> None:
        if self._status is not None:
            self._status.update(_n("{n} question", "{n} questions", asked))
        elif clock.now() - self._last > PLAIN_PROGRESS_SECONDS:
            self._last = clock.now()
            print(_n("{n} question", "{n} questions", asked), file=sys.stderr, flush=True)

    def finding(self, finding: Finding) -> None:
        if self._arguments.json:
            return
        self._console.print(f"{_sign(finding.state)} {escape(say(finding.told))}")
        for detail in finding.details:
            self._console.print(f"           {escape(say(detail))}")
        for problem in finding.new:
            self._problem(problem)
        for problem in finding.again:
            self._console.print(
                "           " + escape(_("again: {mistake}", mistake=problem.diagnosis.mistake))
            )

    def _problem(self, problem: Problem) -> None:
        console, state = self._console, problem.state
        mistake, remedy = say(problem.diagnosis.mistake), say(problem.diagnosis.remedy)
        console.print(f"         [{COLOURS[state]}]→[/] [bold]{escape(mistake)}[/]")
        console.print(f"           {escape(remedy)}")
        if problem.note is not None:
            console.print(f"           {escape(say(problem.note))}")
        if problem.fault is not None and problem.forgiven is not None:
            console.print("           " + escape(_("only a warning: {why}", why=problem.forgiven)))
        for title, text in _evidence(problem):
            console.print(f"           [dim]{escape(title)}[/] {escape(_block(text))}")
        if (command := self._asking_again(problem)) is not None:
            console.print(f"           {escape(command)}")

    def _asking_again(self, problem: Problem) -> str | None:
        if problem.turn is None or (problem.state is State.WARNING and problem.record is None):
            return None
        if problem.record is None:
            return _("With --records FOLDER the game is kept, and this question can be asked again.")
        words = ["botequim", "ask", str(problem.record), "--turn", str(problem.turn)]
        words += ["--seat", str(problem.seat), self._arguments.bot]
        return _("Ask again: {command}", command=shlex.join(words))

    def summary(self, verdict: Verdict) -> None:
        """One sentence."""
        failed = [problem for problem in verdict.problems if problem.state is State.FAILED]
        warned = sum(finding.state is State.WARNING for finding in verdict.findings)
        if verdict.stopped is not None:
            self._console.print(escape(_("Stopped early: {why}.", why=verdict.stopped)))
        for problem in failed:
            mistake = _n(
                "{mistake} (once)", "{mistake} ({n} times)", problem.count, mistake=_mistake(problem)
            )
            self._console.print(f"[red]✗[/] {escape(mistake)}")
        if verdict.state is State.FAILED and not failed:
            text = _("Not ready: too little of it could be tried.")
        elif verdict.state is State.FAILED:
            text = _n("Not ready: {n} mistake to mend.", "Not ready: {n} mistakes to mend.", len(failed))
        elif warned:
            text = _n("Ready, with {n} warning.", "Ready, with {n} warnings.", warned)
        else:
            text = _("Ready.")
        self._console.print(f"[bold {COLOURS[verdict.state]}]{escape(text)}[/]")


def _mistake(problem: Problem) -> str:
    return say(problem.diagnosis.mistake)


def _sign(state: State) -> str:
    words = {State.OK: _("ok"), State.WARNING: _("warning"), State.FAILED: _("FAILED")}
    signs = {State.OK: "✓", State.WARNING: "!", State.FAILED: "✗"}
    return f"[{COLOURS[state]}]{signs[state]} {words[state]:<8}[/]"


def _evidence(problem: Problem) -> list[tuple[str, str]]:
    """What there is to see, by title."""
    shown = [
        (_("question:"), problem.question),
        (_("answer:"), problem.answer or (_("(nothing)") if problem.question else "")),
    ]
    fault = problem.fault
    if fault is None and problem.forgiven is not None:
        shown.append((_("warning:"), say(problem.forgiven)))
    elif fault is not None:
        shown += [(_("fault:"), f"{fault.kind.upper()}: {say(fault.reason)}"), *_traces(fault.evidence)]
    return [(title, text) for title, text in shown if text]


def _traces(evidence: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What the program left behind."""
    return [
        (_("exit code:"), str(evidence.get("exit", ""))),
        (_("seconds:"), str(evidence.get("seconds", ""))),
        (_("its log:"), str(evidence.get("stderr", "")).strip()),
        (_("its output:"), str(evidence.get("stdout", "")).strip()),
    ]


def _block(text: str) -> str:
    """A text of a stranger, each line indented; of a long one the end."""
    short = text if len(text) <= MOST_SHOWN else "[...] " + text[-MOST_SHOWN:]
    lines = [harmless(line) for line in short.splitlines()]
    return lines[0] if len(lines) == 1 else "".join(f"\n             {line}" for line in lines)
