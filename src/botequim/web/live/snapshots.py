"""A cup's files, read and counted: the heavy part, done by a thread of its own.

Only what is new is read; what is public of it is counted anew. Nothing here speaks any language, and nothing
that the curtain hides leaves here, but for the one game that the organiser is showing.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from botequim.core.errors import BotequimError, InputError
from botequim.core.messages import Message, msg
from botequim.core.record import LOG
from botequim.cup.absence import held
from botequim.cup.curtain import Curtain, PublicSeries, Showing, showing_in, shown_in
from botequim.cup.file import Cup
from botequim.cup.home import Home
from botequim.cup.reading import read
from botequim.cup.report.content import Content
from botequim.cup.stages import Progress
from botequim.cup.store import FaultNote, Store, Stored
from botequim.web.live.public import Coming, FaultSeen, fault_why, says_more


@dataclass(frozen=True)
class Screened:
    """The game that is being shown: the only one that is known here and not yet public."""

    showing: Showing
    series: PublicSeries
    """With the games before it, and none after."""
    number: int
    """From 1."""
    label: Message | None
    lines: tuple[str, ...]
    """Its record."""


@dataclass(frozen=True)
class Counted:
    """What is public of a cup's files."""

    cup: Cup
    content: Content | None = None
    series: tuple[PublicSeries, ...] = ()
    labels: dict[tuple[str, str], Message] = field(default_factory=dict)
    faults: tuple[FaultSeen, ...] = ()
    waiting: dict[tuple[str, str], Message] = field(default_factory=dict)
    """By stage and key: what the series are called that are not finished."""
    coming: tuple[Coming, ...] = ()
    """What could be played next, by the public results alone."""
    stage: str | None = None
    finished: int = 0
    known: int = 0
    held: bool = False
    shown: int = 0
    """Games that are public."""
    screened: Screened | None = None
    trouble: Message | None = None


class Counting:
    """Reads one cup. It belongs to the thread that uses it."""

    def __init__(self, cup: Cup) -> None:
        self._cup = cup
        self._home: Final = Home.of(cup.path)
        self._written: float | None = _written(cup.path)
        self._store: Store | None = None
        self._file: tuple[int, int] | None = None
        self._forget()
        self._last = Counted(cup)

    def _forget(self) -> None:
        self._played: list[Stored] = []
        self._faults: list[tuple[str, str, FaultNote]] = []
        self._fault = 0

    def close(self) -> None:
        if self._store is not None:
            self._store.close()
            self._store = None

    def count(self, slug: str) -> Counted:
        """How it is now. What cannot be read is said, beside what was known before."""
        try:
            self._read_cup()
            self._last = self._count(slug)
        except BotequimError as error:
            self._file = None  # next time it is opened again
            self._last = replace(self._last, trouble=_from_here(error.message, self._home.folder))
        except Exception as error:  # a cup file that does not fit its results, a format that is broken
            self._file = None
            why = f"{type(error).__name__}: {error}"[:200]
            self._last = replace(
                self._last, trouble=msg("the results of this cup cannot be counted: {why}", why=why)
            )
        return self._last

    # --- reading -----------------------------------------------------------------------------------

    def _read_cup(self) -> None:
        """The file may be mended while we serve."""
        written = _written(self._cup.path)
        if written is not None and written != self._written:
            self._written = written
            self._cup = read(self._cup.path)

    def _opened(self) -> Store | None:
        there = _identity(self._home.store)
        if there is None or there != self._file:
            self.close()
            self._forget()
            self._file = None
        if there is None:
            return None
        if self._store is None:
            self._store = Store.open(self._home.store, check=True)
            self._file = there
        return self._store

    def _count(self, slug: str) -> Counted:
        store = self._opened()
        if store is None or store.get("seed") is None:
            shown = shown_in(self._home.show)
            return Counted(self._cup, held=shown is not None)
        self._refuse_other_file(store)
        # what was played first: what is held from now on cannot be among what was read before
        self._played += store.played(after=self._played[-1].number if self._played else 0)
        self._fault, notes = store.faults_after(self._fault)
        self._faults += [(stage, key, replace(note, fault=_told(note.fault))) for stage, key, note in notes]
        curtain = Curtain(tuple(self._played), shown_in(self._home.show))
        cup = held(self._cup, store)
        progress = cup.progress(store.get("seed") or "", curtain.results())
        public = curtain.faults(self._faults)
        content = Content.of(cup, progress, store, records=False, notes=public)
        for stage in content.stages:  # here, and not when a page is asked for
            _ = stage.duels, stage.scores
        # records are asked for elsewhere, and the seed is nobody's before the end
        quiet = progress if content.over else replace(progress, seed="")
        content = replace(content, progress=quiet, kept=lambda stage, key, number: None)
        labels = _labels(content, progress, curtain)
        numbers = {(one.stage, one.key): one.number for one in curtain.public}
        faults = tuple(
            FaultSeen(
                slug,
                stage,
                key,
                numbers[stage, key],
                note.game + 1,
                note.turn,
                note.entrant,
                note.seat,
                note.kind,
                fault_why(json.loads(note.fault)),
            )
            for stage, key, note in public
        )
        at = _stage_now(progress)
        waiting = progress.pairings(at)
        return Counted(
            cup,
            content,
            curtain.public,
            labels,
            faults,
            {(plan.name, one.key): one.label for plan in cup.plans for one in progress.pairings(plan.name)},
            tuple(
                Coming(at, one.entrants, says_more(one.key, one.entrants, one.label), one.terms.games)
                for one in waiting
                if not curtain.sees(at, one.key, 0)
            ),
            at,
            len(progress.results.get(at, {})),
            len(progress.results.get(at, {})) + len(waiting),
            curtain.held,
            curtain.visible,
            self._screened(store, curtain, progress),
        )

    def _refuse_other_file(self, store: Store) -> None:
        if self._cup.digest() != store.get("digest") and store.games_played():
            raise InputError(msg("the cup file has been changed since the cup began: put it back as it was"))

    def _screened(self, store: Store, curtain: Curtain, progress: Progress) -> Screened | None:
        showing = showing_in(self._home.show)
        if showing is None or showing.shown != curtain.shown:
            return None
        more = Curtain(curtain.played, showing.shown + 1)
        if more.visible != showing.shown + 1:
            return None
        series = more.public[-1]
        number = len(series.result.games)
        lines = store.record_of(series.number, number - 1)
        label = next((one.label for one in progress.pairings(series.stage) if one.key == series.key), None)
        before = replace(series, result=replace(series.result, games=series.result.games[:-1]), whole=False)
        called = says_more(series.key, series.result.entrants, label)
        return Screened(showing, before, number, called, tuple(lines)) if lines else None


def _labels(content: Content, progress: Progress, curtain: Curtain) -> dict[tuple[str, str], Message]:
    """What each public series is called, where that says more than who plays."""
    known: dict[tuple[str, str], Message] = {}
    for stage in content.stages:
        for key, label in stage.labels.items():
            known[stage.plan.name, key] = label
    partly = curtain.partly()
    if partly is not None:
        known |= {(partly.stage, one.key): one.label for one in progress.pairings(partly.stage)}
    found = {}
    for one in curtain.public:
        called = says_more(one.key, one.result.entrants, known.get((one.stage, one.key)))
        if called is not None:
            found[one.stage, one.key] = called
    return found


def _stage_now(progress: Progress) -> str:
    """The first that is not done; else the last that places anybody."""
    for plan in progress.plans:
        if not progress.done(plan.name):
            return plan.name
    return [plan.name for plan in progress.plans if not plan.beside][-1]


def _told(fault: str) -> str:
    """What is kept in memory of a fault: why, and not the evidence."""
    told: dict[str, Any] = json.loads(fault)
    return json.dumps({name: told[name] for name in ("kind", "why") if name in told})


def public_fault(fault: str) -> dict[str, Any]:
    """A stored fault as everybody may see it: its log is for its authors alone."""
    told: dict[str, Any] = json.loads(fault)
    evidence = told.get("evidence")
    if isinstance(evidence, dict):
        told["evidence"] = {name: value for name, value in evidence.items() if name != LOG}
    return told


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        known = path.stat()
    except OSError:
        return None
    return known.st_dev, known.st_ino


def _written(path: Path) -> float | None:
    try:
        return path.stat().st_mtime
    except OSError:
        return None


def _from_here(message: Message, folder: Path) -> Message:
    """Without the way to the cup's folder, which is nobody's business."""
    parents = (f"{folder}/", f"{folder.resolve()}/", f"{folder.parent}/", f"{folder.parent.resolve()}/")

    def shortened(value: object) -> object:
        if isinstance(value, Message):
            return _from_here(value, folder)
        if not isinstance(value, str):
            return value
        for parent in parents:
            if parent != "./":
                value = value.replace(parent, "")
        return value

    return Message(message.template, {name: shortened(value) for name, value in message.values.items()})
