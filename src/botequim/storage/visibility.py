"""What the public may see of a cup.

The public games are always a *prefix* of the played games, in the order of (number of the series, number of
the game). Normally all games are public as they happen. If games are held back, the first `shown` games are
public, and nothing that depends on a later one. So one number is enough to play a cup in advance and reveal
it game by game, or to freeze it before its final.

`Visibility` is a pure function of the finished series and `shown`. `VisibilityStore` stores `shown`;
organisers and servers write it, the coordinator of a cup never does::

    with storage.open_results() as store:
        visibility = Visibility.of(store, storage)
    state = stored_state(cup, store, visibility.results())

    with storage.open_visibility() as stored:
        stored.hold(at=0)                                         # play in advance
        stored.reveal(to=visibility.next_game(), expected=visibility.shown)
        stored.release()                                          # everything is public as it happens
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from botequim.core.results import GameResult, SeriesResult
from botequim.storage.protocol import CupStorage, CupStore
from botequim.storage.values import StoredFault, StoredSeries


@dataclass(frozen=True, slots=True)
class PublicSeries:
    """The public part of a series."""

    number: int
    """Its number in the store, from 1; the URLs of its games contain it."""
    stage: str
    result: SeriesResult
    """The result with its public games only."""
    whole: bool
    """Whether all its games are public. Otherwise it does not count for standings and brackets."""

    @property
    def key(self) -> str:
        return self.result.key


@dataclass(frozen=True, slots=True)
class PublicGame:
    """A public game."""

    series: PublicSeries
    number: int
    """Its number in the series, from 0."""

    @property
    def result(self) -> GameResult:
        return self.series.result.games[self.number]


@dataclass(frozen=True)
class Visibility:
    """Which games are public, and which come next."""

    played: Sequence[StoredSeries]
    """Every finished series, in the order of their numbers; only the organiser may see it."""
    shown: int | None = None
    """How many games are public; None: all, and those that are being played."""

    @classmethod
    def of(cls, store: CupStore, storage: CupStorage, *, unrevealed: bool = False) -> Visibility:
        """Read it from the stores. With `unrevealed`, for the organiser, everything is public."""
        # series first: games that are held back from now on cannot be among those that were read before
        played = store.series()
        return cls(played, None if unrevealed else storage.shown_games())

    @property
    def held(self) -> bool:
        """Whether games become public only when they are revealed. Then no live game is public."""
        return self.shown is not None

    # --- what the public sees ----------------------------------------------------------------------

    @cached_property
    def public(self) -> tuple[PublicSeries, ...]:
        """Every series with at least one public game. At most the last one is not `whole`."""
        return tuple(self._cut())

    def _cut(self) -> Iterator[PublicSeries]:
        left = self.count if self.shown is None else self.shown
        for one in self.played:
            if left <= 0:
                return
            games = one.result.games
            if len(games) <= left:
                yield PublicSeries(one.number, one.stage, one.result, True)
            else:
                yield PublicSeries(one.number, one.stage, replace(one.result, games=games[:left]), False)
            left -= len(games)

    @property
    def visible(self) -> int:
        """How many games are public."""
        return sum(len(one.result.games) for one in self.public)

    def results(self) -> dict[str, dict[str, SeriesResult]]:
        """Return the results of the series that are `whole`, by stage and key, for `Cup.state`."""
        found: dict[str, dict[str, SeriesResult]] = {}
        for one in self.public:
            if one.whole:
                found.setdefault(one.stage, {})[one.key] = one.result
        return found

    def partly(self) -> PublicSeries | None:
        """Return the series that is being revealed game by game."""
        return next((one for one in self.public if not one.whole), None)

    def games(self) -> Iterator[PublicGame]:
        """Return the public games in the order in which they became public."""
        for one in self.public:
            for number in range(len(one.result.games)):
                yield PublicGame(one, number)

    def series(self, number: int) -> PublicSeries | None:
        """Return a series by its number; None if it is not public or does not exist."""
        return self._by_number.get(number)

    def sees(self, stage: str, key: str, game: int) -> bool:
        """Return whether a game (from 0) is public."""
        one = self._by_key.get((stage, key))
        return one is not None and 0 <= game < len(one.result.games)

    def record(self, store: CupStore, series: int, game: int) -> list[str] | None:
        """Return the lines of the record of a game (from 0), None if it is not public."""
        one = self.series(series)
        public = one is not None and 0 <= game < len(one.result.games)
        return store.record(one.stage, one.key, game) if one is not None and public else None

    def faults(self, stored: Iterable[StoredFault]) -> list[StoredFault]:
        """Return the faults that happened in public games."""
        return [fault for fault in stored if self.sees(fault.stage, fault.key, fault.game)]

    def seconds(self, stage: str) -> tuple[int, float]:
        """Return how many series of a stage are public, and how long they took together."""
        whole = {one.number for one in self.public if one.whole and one.stage == stage}
        return len(whole), sum(one.seconds for one in self.played if one.number in whole)

    @cached_property
    def _by_number(self) -> dict[int, PublicSeries]:
        return {one.number: one for one in self.public}

    @cached_property
    def _by_key(self) -> dict[tuple[str, str], PublicSeries]:
        return {(one.stage, one.key): one for one in self.public}

    # --- what only the organiser knows -------------------------------------------------------------

    @cached_property
    def count(self) -> int:
        """How many games were played."""
        return sum(len(one.result.games) for one in self.played)

    @property
    def hides(self) -> bool:
        """Whether any played game is not public."""
        return self.shown is not None and self.shown < self.count

    def next_game(self) -> int | None:
        """Return what to reveal up to for one more game; None if there is nothing to reveal."""
        return self.shown + 1 if self.shown is not None and self.hides else None

    def rest_of_series(self) -> int | None:
        """Return what to reveal up to for the rest of the next game's series."""
        ends = self._ends_after_shown()
        return ends[0][0] if ends else None

    def rest_of_stage(self) -> int | None:
        """Return what to reveal up to for the next game's stage, until a series of another stage."""
        ends = self._ends_after_shown()
        last = None
        for end, stage in ends:
            if stage != ends[0][1]:
                break
            last = end
        return last

    def _ends_after_shown(self) -> list[tuple[int, str]]:
        """Return, for each series that is not `whole`, the number of games up to its end, and its stage."""
        if self.shown is None:
            return []
        found, end = [], 0
        for one in self.played:
            end += len(one.result.games)
            if end > self.shown:
                found.append((end, one.stage))
        return found
