"""Tries every entrant of a cup before it begins: it is made ready, checked, and timed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from botequim import interrupts, registry
from botequim.checking.examine import QUICK, Examination
from botequim.checking.findings import State
from botequim.checking.table import Bench
from botequim.checking.watching import Watching
from botequim.core import clock
from botequim.core.errors import InputError
from botequim.core.limits import Limits
from botequim.core.messages import Message, msg, plain
from botequim.core.process import Sandbox
from botequim.cup.file import Cup, Entry
from botequim.cup.home import with_limits
from botequim.cup.pairing import Pairing, Terms
from botequim.cup.playing import Task, play_task
from botequim.cup.report.content import image_problem
from botequim.entrants.entrant import Entrant
from botequim.entrants.housing import housed
from botequim.entrants.prepare import prepare
from botequim.entrants.trees import temporary_folder

SECONDS: Final = 30.0
"""That the check of one entrant may take."""


@dataclass(frozen=True, slots=True)
class Report:
    """What came of one entrant."""

    entry: Entry
    ready: bool
    reason: Message | None = None
    """Why not; or what is odd."""
    seconds: float = 0.0
    """That a game with it took."""
    broken: bool = False
    """It cannot even be made ready."""
    log: str = ""
    """What its build said."""


def checked(
    cup: Cup,
    sandbox: Sandbox,
    *,
    isolated: bool,
    on_entry: Callable[[Entry], None] = lambda entry: None,
    tell: Callable[[Message], None] = lambda said: None,
) -> Iterator[Report]:
    """Every entrant, one after the other; `on_entry` is told before each, `tell` how it is prepared."""
    with temporary_folder() as place:
        for entry in cup.entrants:
            on_entry(entry)
            try:
                entrant = interrupts.run(
                    prepare(
                        cup.given(entry),
                        cup.game,
                        sandbox,
                        workshop=place,
                        isolated=isolated,
                        build_seconds=cup.limits.get("build"),
                        tell=tell,
                    )
                )
            except InputError as error:
                yield Report(entry, ready=False, reason=error.message, broken=True, log=error.details)
                continue
            yield _tried(cup, entry, with_limits(cup, entrant), housed(sandbox, [entrant], isolated=isolated))


def _tried(cup: Cup, entry: Entry, entrant: Entrant, sandbox: Sandbox) -> Report:
    ready, reason = True, None
    if not entrant.built_in:
        bench = Bench(registry.game(cup.game), entrant, Watching(sandbox))
        verdict = interrupts.run(Examination(bench, wanted=QUICK, seconds=SECONDS).run())
        worst = [finding for finding in verdict.findings if finding.state is State.FAILED]
        ready = not worst
        problems = [problem for finding in worst for problem in (*finding.new, *finding.again)]
        if problems:
            reason = problems[0].diagnosis.mistake
        elif worst:
            reason = worst[0].told
    return Report(entry, ready, reason, _game_seconds(cup, entrant, sandbox) if ready else 0.0)


def _game_seconds(cup: Cup, entrant: Entrant, sandbox: Sandbox) -> float:
    """One game against built-in players."""
    plan = cup.plans[0]
    options = cup.game_options(plan)
    teams = registry.game(cup.game).teams(options)
    names = ("it", *(f"other {at}" for at in range(1, len(teams))))
    others = {name: Entrant("random", "random") for name in names[1:]}
    pairing = Pairing("check", names, Terms(), msg("a trial"))
    began = clock.now()
    entrants = {"it": replace(entrant, name=entrant.name), **others}
    play_task(Task("check", pairing, "check", cup.game, options, entrants, sandbox, patient=False))
    return clock.now() - began


def portrait_problems(cup: Cup) -> Iterator[Message]:
    """Pictures that the report could not show, with file and line."""
    for entry in cup.entrants:
        path = None if entry.null else cup.portrait(entry)
        why = None if path is None else image_problem(path)
        if why is not None:
            where = plain(f"{cup.path}:{entry.portrait_line}")
            yield msg(
                '{where}: the portrait "{portrait}" cannot be shown: {why}',
                where=where,
                portrait=entry.portrait,
                why=why,
            )


def durations(cup: Cup, reports: Sequence[Report], workers: int) -> Iterator[tuple[str, float]]:
    """By stage, how long it should take; of stages whose entrants are not known yet, as of those before."""
    slowest = float(cup.limits.get("start", Limits().start))
    seconds = {report.entry.name: report.seconds if report.ready else slowest for report in reports}
    progress = cup.progress("durations")
    each = sum(seconds.values()) / max(1, len(seconds))
    for plan in cup.plans:
        stage = progress.stage(plan.name)
        if stage is not None:
            pairings = progress.form(plan.name).pairings(stage)
            total = sum(
                one.terms.games * sum(seconds.get(name, each) for name in one.entrants) for one in pairings
            )
        else:
            total = max(1, (plan.top or 2) - 1) * plan.terms.games * 2 * each
        yield plan.name, total / workers
