"""Prepares, checks and times every entrant before a cup begins."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from botequim import interrupts, registry
from botequim.botcheck.examine import QUICK, Examination
from botequim.botcheck.findings import State
from botequim.botcheck.recorders import RecordingSandbox
from botequim.botcheck.speed import NO_TIME, Range, Speed
from botequim.botcheck.table import CheckBench
from botequim.bots.entrant import Entrant
from botequim.bots.prepare import prepare
from botequim.bots.routing import sandbox_for
from botequim.bots.tree_files import temporary_folder
from botequim.core.errors import InputError
from botequim.core.messages import Message, msg, plain
from botequim.core.process import Sandbox
from botequim.core.titles import clean_title
from botequim.core.wire import Restart
from botequim.cup.changes import effective, entries
from botequim.cup.config import Cup, Entry
from botequim.cup.estimates import stage_seconds
from botequim.cup.paths import files_in_stage, with_limits
from botequim.cup.report.content import image_problem
from botequim.cup.stage_changes import pin_name
from botequim.cup.stage_names import stage_name
from botequim.cup.titles import title_with_name
from botequim.engine.series import Series, seat_assignments
from botequim.storage.errors import StoreUnusable
from botequim.storage.protocol import CupStorage

SECONDS: Final = 30.0
"""The time limit for the check of one entrant, unless it is slow."""


@dataclass(frozen=True, slots=True)
class Report:
    """The result of checking one entrant."""

    entry: Entry
    ready: bool
    reason: Message | None = None
    """Why it is not ready, or a warning."""
    speed: Speed | None = None
    """None if it was never asked."""
    lifetime: Restart = Restart.GAME
    """How long its instances live in this cup."""
    broken: bool = False
    """Whether it could not be prepared."""
    log: str = ""
    """The output of its build."""
    title: str = ""
    """Its title in the cup file, or the name that it gives itself; "" if there is none."""
    files: str = ""
    """The digest of its sources, or of its files if it is not built; "" if they were not copied."""

    @property
    def shown(self) -> str:
        """Its title, with its name in the cup file if that differs."""
        return title_with_name(self.title or self.entry.name, self.entry.name)


def check_entrants(
    cup: Cup,
    sandbox: Sandbox,
    *,
    isolated: bool,
    seconds: float | None = None,
    on_entry: Callable[[Entry], None] = lambda entry: None,
    tell: Callable[[Message], None] = lambda message: None,
) -> Iterator[Report]:
    """Check every entrant, one after the other.

    `on_entry` is called before each, and `tell` while it is prepared. One check takes at most `seconds`; by
    default, as many as a bot of its speed needs.
    """
    with temporary_folder() as folder:
        for entry in cup.entrants:
            on_entry(entry)
            title = clean_title(entry.title)
            try:
                entrant = interrupts.run(
                    prepare(
                        cup.bot_reference(entry),
                        cup.game,
                        sandbox,
                        workshop=folder,
                        isolated=isolated,
                        build_seconds=cup.limits.get("build"),
                        tell=tell,
                    )
                )
            except InputError as error:
                yield Report(
                    entry, ready=False, title=title, reason=error.message, broken=True, log=error.details
                )
                continue
            entrant = with_limits(cup, entrant)
            if entrant.built_in:
                yield Report(
                    entry, ready=True, title=title, speed=interrupts.run(_built_in_speed(cup, entrant))
                )
            else:
                yield _check_bot(
                    cup, entry, entrant, sandbox_for(sandbox, [entrant], isolated=isolated), seconds
                )


def _check_bot(cup: Cup, entry: Entry, entrant: Entrant, sandbox: Sandbox, seconds: float | None) -> Report:
    bench = CheckBench(registry.game(cup.game), entrant, RecordingSandbox(sandbox))
    examination = Examination(bench, wanted=QUICK, usual_seconds=SECONDS, seconds=seconds)
    verdict = interrupts.run(examination.run())
    worst = [finding for finding in verdict.findings if finding.state is State.FAILED]
    problems = [problem for finding in worst for problem in (*finding.new, *finding.again)]
    reason = None
    if problems:
        reason = problems[0].diagnosis.mistake
    elif worst:
        reason = worst[0].message
    lifetime = cup.restart or bench.wire.restart
    title = clean_title(entry.title) or verdict.pair
    files = pinned_digest(entrant.digest, None if entrant.sources is None else entrant.sources.digest)
    return Report(entry, not worst, reason, verdict.speed, lifetime, title=title, files=files)


def pinned_digest(files: str | None, sources: str | None) -> str:
    """Return the digest by which files are recognised: a build may give other files each time."""
    return sources or files or ""


async def _built_in_speed(cup: Cup, entrant: Entrant) -> Speed | None:
    """Return the speed of a built-in player, measured in one game against random players."""
    game = registry.game(cup.game)
    options = cup.game_options(cup.plans[0])
    names = [entrant.name, *["random"] * (len(game.teams(options)) - 1)]
    assignments = seat_assignments(game.teams(options), [Entrant(name, name) for name in names], names)
    async with Series(game, assignments, games=1) as series:
        record = await series.play("check", options)
    own = {at for at, assignment in enumerate(assignments) if assignment.entrant.name == entrant.name}
    times = [(move.micros or 0) / 1e6 for turn in record.turns for move in turn if move.by in own]
    return Speed.of((), [times])


def portrait_problems(cup: Cup) -> Iterator[Message]:
    """Yield a message for each picture that the report cannot show, with file and line."""
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


def changed_files_problems(cup: Cup, storage: CupStorage, reports: Sequence[Report]) -> Iterator[Message]:
    """Yield a message for each entrant whose files are not those with which a cup that has begun plays."""
    try:
        if not storage.has_results():
            return
        with storage.open_results() as store:
            results, pins, log = store.results(), store.entrants(), entries(store)
    except StoreUnusable:
        return  # what is stored elsewhere does not matter for the check of files
    stages = [plan.name for plan in cup.plans if not results.get(plan.name)]
    if not any(results.values()):
        return  # before the first series, files are pinned again
    for report in reports:
        name = report.entry.name
        last = stages[0] if stages else cup.plans[-1].name
        changed = files_in_stage(cup, effective(log), name, last)
        pin = pins.get(name if changed is None else pin_name(report.entry.twin_of, changed.number), {})
        known = pinned_digest(pin.get("digest"), pin.get("sources", {}).get("digest"))
        if report.entry.null or not report.files or not known or report.files == known:
            continue
        if not stages:
            yield msg(
                'the files of "{name}" have changed since the cup began. It plays with the old ones, and no '
                "stage is left that could begin with the new ones",
                name=name,
            )
            continue
        words = ["botequim", "cup", "change", str(cup.path), "fix", name, "--from", stages[0], "--why", "..."]
        yield msg(
            'the files of "{name}" have changed since the cup began. It plays with the old ones; to let it '
            'play with the new ones from the stage "{stage}" on: {command}',
            name=name,
            stage=stage_name(stages[0]),
            command=shlex.join(words),
        )


def estimates(cup: Cup, reports: Sequence[Report], workers: int) -> dict[str, Range]:
    """Return how long each stage takes without broken entrants; an empty dict if too few are left.

    Entrants that crash play too: their games count with the time that they took in the check.
    """
    speeds = {report.entry.name: report.speed or NO_TIME for report in reports if not report.broken}
    if len(speeds) < 2:
        return {}
    lifetimes = {report.entry.name: report.lifetime for report in reports}
    return stage_seconds(cup, speeds, lifetimes, workers)
