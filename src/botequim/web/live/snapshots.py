"""Reads the stores of a cup and computes its standings. It takes long, so it runs in a thread of its own.

Only new data is read. Games that are not public never leave this module, except the one that the organiser is
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
"""The message for the public if the cup is in another store now."""


@dataclass(frozen=True)
class StagedReveal:
    """The game that the organiser is showing, the only one in a snapshot that is not yet public."""

    showing: StagedGame
    series: PublicSeries
    """The series up to the game before this one."""
    number: int
    """From 1."""
    label: Message | None
    lines: tuple[str, ...]
    """The record of the game."""


@dataclass(frozen=True)
class CupSnapshot:
    """The public part of a cup's stores."""

    cup: Cup
    content: Content | None = None
    series: tuple[PublicSeries, ...] = ()
    labels: dict[tuple[str, str], Message] = field(default_factory=dict)
    faults: tuple[PublicFault, ...] = ()
    waiting: dict[tuple[str, str], Message] = field(default_factory=dict)
    """By stage and key: the labels of unfinished series."""
    coming: tuple[UpcomingSeries, ...] = ()
    """The series that could be played next after the public results."""
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
        self._paths: Final = CupPaths.of_cup(cup)
        self._storage: Final = self._paths.storage
        self._file_time: float | None = _modification_time(cup.path)
        self._store: CupStore | None = None
        self._forget()
        self._last = CupSnapshot(cup)

    def _forget(self) -> None:
        self._series: list[StoredSeries] = []
        self._faults: list[PublicFault] = []
        self._fault = 0
        self._effects_of_changes: dict[str, tuple[Message, ...]] = {}

    def close(self) -> None:
        if self._store is not None:
            self._store.close()
            self._store = None

    def count(self, slug: str) -> CupSnapshot:
        """Return the current state. If it cannot be read, return the state before, with the reason."""
        try:
            self._read_cup()
            self._last = self._count(slug)
        except SealedStore:
            self.close()
            self._last = replace(self._last, trouble=MOVED)
        except BotequimError as error:
            self.close()  # open it again next time
            self._last = replace(self._last, trouble=_without_paths(error.message, self._paths))
        except Exception as error:  # for example, the cup file and the results differ, or a format has a bug
            self.close()
            why = f"{type(error).__name__}: {error}"[:200]
            self._last = replace(
                self._last, trouble=msg("the results of this cup cannot be counted: {why}", why=why)
            )
        return self._last

    # --- reading -----------------------------------------------------------------------------------

    def _read_cup(self) -> None:
        """Read the cup file again if it was changed."""
        file_time = _modification_time(self._cup.path)
        if file_time is not None and file_time != self._file_time:
            self._file_time = file_time
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
        # Faults are read before series, so that the series of every fault is known.
        self._fault, new_faults = store.faults_after(self._fault)
        # Series are read before the visibility, so that games held back after this line are not shown.
        self._series += store.series(after=self._series[-1].number if self._series else 0)
        numbers = {(one.stage, one.result.key): one.number for one in self._series}
        self._faults += [PublicFault.of(slug, numbers[fault.stage, fault.key], fault) for fault in new_faults]
        visibility = Visibility(tuple(self._series), self._storage.shown_games())
        results = visibility.results()
        cup = without_withdrawn(self._cup, store, results)
        progress = stored_state(cup, store, results)
        faults = [one for one in self._faults if visibility.sees(one.stage, one.key, one.game - 1)]
        content = Content.of(
            cup, progress, store, records=False, faults=faults, effects=self._effects_of_changes
        )
        for stage in content.stages:  # compute them in this thread, not during a request
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
        shown_label = distinct_label(series.key, series.result.entrants, label)
        return StagedReveal(showing, before, number, shown_label, tuple(lines)) if lines else None


def _labels(content: Content, progress: CupState, visibility: Visibility) -> dict[tuple[str, str], Message]:
    """Return the labels of public series that say more than the names of the entrants."""
    all_labels: dict[tuple[str, str], Message] = {}
    for stage in content.stages:
        for key, label in stage.labels.items():
            all_labels[stage.plan.name, key] = label
        for result, _ in stage.void_series:
            text = content.cup.series_text(stage.plan.name, result.key)
            all_labels.setdefault((stage.plan.name, result.key), text)
    partly = visibility.partly()
    if partly is not None:
        all_labels |= {(partly.stage, one.key): one.label for one in progress.pairings(partly.stage)}
    labels = {}
    for one in visibility.public:
        new_label = distinct_label(one.key, one.result.entrants, all_labels.get((one.stage, one.key)))
        if new_label is not None:
            labels[one.stage, one.key] = new_label
    return labels


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


def _without_paths(message: Message, paths: CupPaths) -> Message:
    """Return the message without the path of the cup's folder or database, which is not public."""
    if paths.store is not None and paths.store.url in str(message):
        return msg("the database of this cup cannot be used at the moment")
    folder = paths.folder
    parents = (f"{folder}/", f"{folder.resolve()}/", f"{folder.parent}/", f"{folder.parent.resolve()}/")

    def without_path(value: object) -> object:
        if isinstance(value, Message):
            return _without_paths(value, paths)
        if not isinstance(value, str):
            return value
        for parent in parents:
            if parent != "./":
                value = value.replace(parent, "")
        return value

    return Message(message.template, {name: without_path(value) for name, value in message.values.items()})
