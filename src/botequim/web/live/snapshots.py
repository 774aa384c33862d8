"""Reads a cup's files and computes its standings, in a thread of its own because it takes long.

Only new data is read. Nothing that is held back leaves this module, except the one game that the organiser is
showing move by move. Messages are not translated here.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from botequim.core.errors import BotequimError, InputError
from botequim.core.messages import Message, msg
from botequim.cup.config import Cup
from botequim.cup.config_parser import read
from botequim.cup.paths import CupPaths
from botequim.cup.report.content import Content
from botequim.cup.rounds import stored_state
from botequim.cup.stages import CupState
from botequim.cup.withdrawals import without_withdrawn
from botequim.storage.errors import SealedStore
from botequim.storage.protocol import CupStore
from botequim.storage.values import StagedGame, StoredSeries
from botequim.storage.visibility import PublicSeries, Visibility
from botequim.web.live.public import PublicFault, UpcomingSeries, distinct_label

MOVED: Final = msg("this cup was moved; ask the organiser for its new address")
"""What the public is told of a cup that is in another store now."""


@dataclass(frozen=True)
class StagedReveal:
    """The game that the organiser is showing, the only one here that is not yet public."""

    showing: StagedGame
    series: PublicSeries
    """The series up to the game before it."""
    number: int
    """From 1."""
    label: Message | None
    lines: tuple[str, ...]
    """Its record."""


@dataclass(frozen=True)
class CupSnapshot:
    """The public part of a cup's files."""

    cup: Cup
    content: Content | None = None
    series: tuple[PublicSeries, ...] = ()
    labels: dict[tuple[str, str], Message] = field(default_factory=dict)
    faults: tuple[PublicFault, ...] = ()
    waiting: dict[tuple[str, str], Message] = field(default_factory=dict)
    """By stage and key: the labels of unfinished series."""
    coming: tuple[UpcomingSeries, ...] = ()
    """The series that could be played next, by the public results alone."""
    stage: str | None = None
    finished: int = 0
    known: int = 0
    held: bool = False
    shown: int = 0
    """The number of public games."""
    staged: StagedReveal | None = None
    trouble: Message | None = None


class SnapshotReader:
    """Reads one cup. It belongs to the thread that uses it."""

    def __init__(self, cup: Cup) -> None:
        self._cup = cup
        self._home: Final = CupPaths.of_cup(cup)
        self._storage: Final = self._home.storage
        self._written: float | None = _modification_time(cup.path)
        self._store: CupStore | None = None
        self._forget()
        self._last = CupSnapshot(cup)

    def _forget(self) -> None:
        self._played: list[StoredSeries] = []
        self._faults: list[PublicFault] = []
        self._fault = 0

    def close(self) -> None:
        if self._store is not None:
            self._store.close()
            self._store = None

    def count(self, slug: str) -> CupSnapshot:
        """Return the current state. If something cannot be read, return the state before, with the reason."""
        try:
            self._read_cup()
            self._last = self._count(slug)
        except SealedStore:
            self.close()
            self._last = replace(self._last, trouble=MOVED)
        except BotequimError as error:
            self.close()  # open it again next time
            self._last = replace(self._last, trouble=_from_here(error.message, self._home))
        except Exception as error:  # a cup file that does not fit its results, a format that is broken
            self.close()
            why = f"{type(error).__name__}: {error}"[:200]
            self._last = replace(
                self._last, trouble=msg("the results of this cup cannot be counted: {why}", why=why)
            )
        return self._last

    # --- reading -----------------------------------------------------------------------------------

    def _read_cup(self) -> None:
        """Read the cup file again if it was changed."""
        written = _modification_time(self._cup.path)
        if written is not None and written != self._written:
            self._written = written
            self._cup = replace(read(self._cup.path), store=self._cup.store)

    def _open_store(self) -> CupStore | None:
        if self._store is not None and not self._store.is_current():
            self.close()
        if self._store is None and self._storage.has_results():
            self._forget()
            self._store = self._storage.open_results(check=True)
        return self._store

    def _count(self, slug: str) -> CupSnapshot:
        store = self._open_store()
        if store is None or store.fact("seed") is None:
            shown = self._storage.shown_games()
            return CupSnapshot(self._cup, held=shown is not None)
        self._refuse_other_file(store)
        # faults first: the series of all of them are there when these are read
        self._fault, stored = store.faults_after(self._fault)
        # what was played before what is shown: what is held from now on cannot be among it
        self._played += store.series(after=self._played[-1].number if self._played else 0)
        numbers = {(one.stage, one.result.key): one.number for one in self._played}
        self._faults += [PublicFault.of(slug, numbers[fault.stage, fault.key], fault) for fault in stored]
        visibility = Visibility(tuple(self._played), self._storage.shown_games())
        cup = without_withdrawn(self._cup, store)
        progress = stored_state(cup, store, visibility.results())
        faults = [one for one in self._faults if visibility.sees(one.stage, one.key, one.game - 1)]
        content = Content.of(cup, progress, store, records=False, faults=faults)
        for stage in content.stages:  # here, and not when a page is asked for
            _ = stage.duels, stage.scores
        # without records, and without the seed before the end of the cup
        quiet = progress if content.over else replace(progress, seed="")
        content = replace(content, progress=quiet, kept=lambda stage, key, number: None)
        _ = content.ratings
        labels = _labels(content, progress, visibility)
        at = _stage_now(progress)
        waiting = progress.pairings(at)
        return CupSnapshot(
            cup,
            content,
            visibility.public,
            labels,
            tuple(faults),
            {(plan.name, one.key): one.label for plan in cup.plans for one in progress.pairings(plan.name)},
            tuple(
                UpcomingSeries.of(at, one, one.terms.games)
                for one in waiting
                if not visibility.sees(at, one.key, 0)
            ),
            at,
            len(progress.results.get(at, {})),
            max(progress.length(at), len(progress.results.get(at, {})) + len(waiting)),
            visibility.held,
            visibility.visible,
            self._staged_reveal(store, visibility, progress),
        )

    def _refuse_other_file(self, store: CupStore) -> None:
        if self._cup.digest() != store.fact("digest") and store.count_games():
            raise InputError(msg("the cup file has changed since the cup began: restore it"))

    def _staged_reveal(
        self, store: CupStore, visibility: Visibility, progress: CupState
    ) -> StagedReveal | None:
        showing = self._storage.staged_game()
        if showing is None or showing.shown != visibility.shown:
            return None
        more = Visibility(visibility.played, showing.shown + 1)
        if more.visible != showing.shown + 1:
            return None
        series = more.public[-1]
        number = len(series.result.games)
        lines = store.record(series.stage, series.key, number - 1)
        label = next((one.label for one in progress.pairings(series.stage) if one.key == series.key), None)
        before = replace(series, result=replace(series.result, games=series.result.games[:-1]), whole=False)
        called = distinct_label(series.key, series.result.entrants, label)
        return StagedReveal(showing, before, number, called, tuple(lines)) if lines else None


def _labels(content: Content, progress: CupState, visibility: Visibility) -> dict[tuple[str, str], Message]:
    """Return the labels of public series that say more than the names of the entrants."""
    known: dict[tuple[str, str], Message] = {}
    for stage in content.stages:
        for key, label in stage.labels.items():
            known[stage.plan.name, key] = label
    partly = visibility.partly()
    if partly is not None:
        known |= {(partly.stage, one.key): one.label for one in progress.pairings(partly.stage)}
    found = {}
    for one in visibility.public:
        called = distinct_label(one.key, one.result.entrants, known.get((one.stage, one.key)))
        if called is not None:
            found[one.stage, one.key] = called
    return found


def _stage_now(progress: CupState) -> str:
    """Return the first unfinished stage, or else the last one that counts for the ranking."""
    for plan in progress.plans:
        if not progress.is_finished(plan.name):
            return plan.name
    return [plan.name for plan in progress.plans if not plan.beside][-1]


def _modification_time(path: Path) -> float | None:
    try:
        return path.stat().st_mtime
    except OSError:
        return None


def _from_here(message: Message, home: CupPaths) -> Message:
    """Return the message without the path of the cup's folder or database, which is not public."""
    if home.store is not None and home.store.url in str(message):
        return msg("the database of this cup cannot be used at the moment")
    folder = home.folder
    parents = (f"{folder}/", f"{folder.resolve()}/", f"{folder.parent}/", f"{folder.parent.resolve()}/")

    def shortened(value: object) -> object:
        if isinstance(value, Message):
            return _from_here(value, home)
        if not isinstance(value, str):
            return value
        for parent in parents:
            if parent != "./":
                value = value.replace(parent, "")
        return value

    return Message(message.template, {name: shortened(value) for name, value in message.values.items()})
