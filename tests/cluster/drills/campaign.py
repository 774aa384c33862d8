"""One cup with all its drills, and what is true afterwards."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from botequim.core.errors import BotequimError
from tests.cluster.drills.cup import DrillCup, PlayedCup
from tests.cluster.drills.kinds import GUEST, KINDS, Event, PlannedDrill
from tests.cluster.drills.site import BOTEQUIM, SLOTS, WORKERS, Site, last_lines, open_site
from tests.support import processes
from tests.support.lab import LabProcess

END_SECONDS: Final = 900.0
"""How long the cup may take after the last drill."""
IDLE_SECONDS: Final = 60.0
"""How long it may take until all bots have ended after the last game."""
PROGRESS: Final = re.compile(r"^\S+: \d+ of \d+ series|^preparing ")
NUMBERS: Final = re.compile(r"\b[0-9a-f]*\d[0-9a-f]*(\.\d+)*\b")
DASK: Final = re.compile(r" - distributed\.\S+ - ")
TRACEBACK: Final = "Traceback (most recent call last)"


def play_reference(cup: DrillCup, folder: Path) -> PlayedCup:
    """Play the cup without a cluster, with bots that do not wait before they play the same moves."""
    cup.write_bots(folder / "quick-bots", think=0)
    file = cup.write_file(folder / "reference" / "cup.toml", folder / "quick-bots")
    began = time.monotonic()
    words = ("cup", "run", str(file), "--quiet", "--workers", str(SLOTS * len(WORKERS)))
    subprocess.run([*BOTEQUIM, *words], check=True, stderr=subprocess.DEVNULL)
    played = PlayedCup.in_folder(file)
    print(f"without a cluster: {len(played.series)} series in {time.monotonic() - began:.0f} s", flush=True)
    assert not played.faults()
    return played


@dataclass
class Campaign:
    """What happened in one cup."""

    seed: int
    events: list[Event] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    messages: Counter[str] = field(default_factory=Counter)
    """What programs said, by program; numbers are replaced."""
    seconds: float = 0.0
    runs: dict[str, int] = field(default_factory=dict)
    """How often each program was started."""

    def table(self) -> Iterator[str]:
        yield f"{'at':>6}  {'drill':18}  {'target':20}  {'stored':>6}  effect"
        for event in self.events:
            stored = "-" if event.stored is None else str(event.stored)
            head = f"{event.at:5.0f}s  {event.kind:18}  {event.target:20}  {stored:>6}  "
            effects = event.effects or [""]
            yield head + effects[0]
            yield from (" " * len(head) + effect for effect in effects[1:])


def run_campaign(
    folder: Path,
    bots: Path,
    cup: DrillCup,
    drills: Sequence[PlannedDrill],
    reference: PlayedCup,
    *,
    seed: int = 0,
    workers: Sequence[str] = WORKERS,
) -> Campaign:
    """Play the cup on a cluster, do the drills, and compare everything with the reference."""
    campaign = Campaign(seed)
    file = cup.write_file(folder / "cup.toml", bots)
    with open_site(folder / "lab", file, workers) as site:
        try:
            began = time.monotonic()
            site.start()
            _drill(site, drills, campaign, began)
            finished = site.wait(END_SECONDS, lambda: site.coordinator.is_over)
            campaign.seconds = time.monotonic() - began
            site.settle()
            if not finished:
                lines = last_lines(site.coordinator.output(), 5)
                campaign.problems.append(f"the cup was not finished; the coordinator said: {lines}")
            else:
                campaign.problems += _cup_problems(site, cup, reference)
            campaign.problems += _left(site, cup)
            site.stop()
        finally:
            campaign.runs = {one.name: len(one.runs) for one in site.services}
            campaign.messages = _messages(site)
            campaign.problems += _message_problems(site)
    return campaign


def _drill(site: Site, drills: Sequence[PlannedDrill], campaign: Campaign, began: float) -> None:
    if not site.wait(END_SECONDS, lambda: bool(site.stored_series())):
        campaign.problems.append("no series was stored before the first drill")
        return
    for number, drill in enumerate(drills):
        if site.wait(drill.pause, lambda: site.coordinator.is_over):
            campaign.problems.append(f"the cup ended before drill {number + 1} of {len(drills)}")
            return
        event = Event(time.monotonic() - began, drill.kind, "", site.stored_series())
        campaign.events.append(event)
        KINDS[drill.kind](site, random.Random(drill.seed), event)
        print(f"  {event.at:5.0f} s: {event.kind}, {event.target}", file=sys.stderr, flush=True)


def _cup_problems(site: Site, cup: DrillCup, reference: PlayedCup) -> Iterator[str]:
    """Yield what is wrong with the finished cup."""
    try:
        played = PlayedCup.read(site.storage)
    except BotequimError as error:
        yield f"the store cannot be read: {error}"
        return
    if len(set(played.series)) != len(played.series):
        yield "a series is stored twice"
    if difference := played.difference(reference):
        yield f"the cup differs from the one that was played without a cluster: {difference}"
    if faults := played.faults():
        yield f"bots were charged with faults: {faults}"
    labels = {label for label in played.machines if label}
    if not labels or not labels <= {one.name for one in site.workers}:
        yield f"machines of the records: {labels}"
    yield from _bundle_problems(site)


def _bundle_problems(site: Site) -> Iterator[str]:
    bundle = site.cup.parent / "bundle.zip"
    desk = site.coordinator.machine
    report = ("cup", "report", str(site.cup), "--store", site.url, "--replays", "0", "--bundle", str(bundle))
    for words in (report, ("verify", str(bundle), "--json")):
        process = desk.start([*BOTEQUIM, *words], site.environment)
        if process.wait() != 0:
            yield f"{' '.join(words[:2])} ended with {process.wait()}: {last_lines(process.output())}"


def _left(site: Site, cup: DrillCup) -> Iterator[str]:
    """Yield the bots that still run although nothing is played."""
    if not site.wait(IDLE_SECONDS, lambda: not processes.with_argument(cup.mark)):
        for process in processes.with_argument(cup.mark):
            yield f"a bot is left: {processes.command(process)}"


# --- messages ------------------------------------------------------------------------------------------


def _messages(site: Site) -> Counter[str]:
    found: Counter[str] = Counter()
    for process in site.logs():
        lines = (line.strip() for line in process.output().splitlines())
        said = {NUMBERS.sub("N", line) for line in lines if line and not PROGRESS.match(line)}
        if process.words[len(BOTEQUIM)] not in ("cup", "scheduler", "worker"):
            continue
        of_dask = {line for line in said if DASK.search(line)}
        found["(lines of Dask)"] += len(of_dask)
        said -= of_dask
        found.update(f"{_program(process)}: {line}" for line in said)
    return found


def _program(process: LabProcess) -> str:
    name = process.words[len(BOTEQUIM)]
    return f"{name} of another version" if process.machine.name == GUEST else name


def _message_problems(site: Site) -> Iterator[str]:
    known: set[str] = set()
    for process in site.logs():
        found = re.search(rf"{re.escape(TRACEBACK)}.*?^\S.*?$.*?^(\S.*?)$", process.output(), re.S | re.M)
        what = NUMBERS.sub("N", found[1]) if found else ""
        if found and what not in known:
            known.add(what)
            at = found.start()
            text = process.output()[max(0, at - 500) : at + 3000]
            yield f"a traceback of {_program(process)} ({process.log}):\n{text}"
    for service, process in site.exits:
        if not any("botequim: " in line for line in process.output().splitlines()):
            lines = last_lines(process.output())
            yield f"{service.name} ended with {process.wait()} without a message; its last lines: {lines}"


def write_messages(campaign: Campaign, path: Path) -> None:
    path.write_text(json.dumps(campaign.messages, indent=1, ensure_ascii=False, sort_keys=True))
