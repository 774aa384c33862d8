"""The public state of a cup in one value. Pages, the API and events are made of it.

A `PublicSnapshot` contains only what is public by the cup's `Visibility`, so nothing that is made of it can
reveal more. It is immutable: for every change there is a new one. Templates receive it as `public`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from itertools import zip_longest
from typing import Any, Final, Protocol
from urllib.parse import quote

from botequim.core.messages import Message, plain
from botequim.core.results import GameResult
from botequim.core.sanitize import picture_text
from botequim.cup.config import Cup, Entry
from botequim.cup.explanations import ExplainedChange
from botequim.cup.pairing import SEPARATOR
from botequim.cup.report.content import Content, StageContent, image_problem
from botequim.ratings import Ratings
from botequim.records.record import redacted_evidence
from botequim.storage.values import StoredFault
from botequim.storage.visibility import PublicSeries

MOST_NEXT: Final = 12
MOST_BOARDS: Final = 4
"""The most boards beyond which a game that has just ended has no board."""
LONGEST_NAME: Final = 80
"""The longest title on a page."""
PODIUM: Final = 3
_PLAIN_NAME: Final = re.compile(r"[\w .()'+*=&,!-]+")
r"""Names that can be part of an address: no `/`, `~`, `%`, `?`, `#` or `\\`, and nothing invisible."""


class _Pairing(Protocol):
    @property
    def key(self) -> str: ...
    @property
    def entrants(self) -> tuple[str, ...]: ...
    @property
    def label(self) -> Message: ...


class State(StrEnum):
    """The public state of a cup."""

    WAITING = "waiting"
    """Nothing was played yet."""
    LIVE = "live"
    """It is being played, and shown live."""
    RESTING = "resting"
    """It is shown live, but not being played now."""
    HELD = "held"
    """Games are revealed one after another; whether it is being played is not public."""
    OVER = "over"
    """Everything was played and is public."""


@dataclass(frozen=True, slots=True)
class Pace:
    """The progress of a cup."""

    state: State = State.WAITING
    games: int = 0
    """The number of public games."""
    stage: str | None = None
    """The current stage, or the last one."""
    finished: int = 0
    """The number of finished series of that stage."""
    known: int = 0
    """The number of those and of all series that can be played now."""


@dataclass(frozen=True, slots=True)
class PublicGame:
    """A finished game with its address."""

    slug: str
    series: PublicSeries
    number: int
    """The number in its series, from 1, as in addresses."""
    label: Message | None = None
    """The label of its series, if it says more than the names of the entrants."""

    @property
    def result(self) -> GameResult:
        return self.series.result.games[self.number - 1]

    @property
    def address(self) -> str:
        return game_address(self.slug, self.series.number, self.number)

    @property
    def record(self) -> str:
        return f"{self.address}.jsonl"

    @property
    def one_page(self) -> str:
        return f"{self.address}.html"

    @property
    def gif(self) -> str:
        return f"{self.address}.gif"

    @property
    def entrants(self) -> tuple[str, ...]:
        return self.series.result.entrants

    @property
    def faults(self) -> tuple[int, ...]:
        """The number of faults by entrant."""
        return self.result.faults or (0,) * len(self.entrants)

    @property
    def places(self) -> dict[str, int]:
        """The places by entrant; 1 is best."""
        return dict(zip(self.entrants, self.result.places, strict=True))

    @property
    def winners(self) -> tuple[str, ...]:
        """The winners; several share the first place."""
        return tuple(name for name, place in self.places.items() if place == 1)

    @property
    def drawn(self) -> bool:
        """Whether all share the first place."""
        return set(self.result.places) == {1}


@dataclass(frozen=True, slots=True)
class Table:
    """A game to watch: a live game, or one that the organiser is showing."""

    id: str
    """Letters, digits and dashes, for addresses and attributes."""
    stage: str
    key: str
    """The key of its series."""
    label: Message | None
    """The label of its series, if it says more than the names of the entrants."""
    number: int
    """The number in its series, from 1."""
    names: tuple[str, ...]
    """The names by seat."""
    began: float
    """Seconds since 1970."""
    shown: bool = False
    """Whether it was played before and is being revealed."""
    ended: bool = False
    score: tuple[Fraction, ...] = ()
    """The wins of each player in the series, in the order of `players`; empty if they are not known."""

    @property
    def players(self) -> tuple[str, ...]:
        """The names, each once, because partners may be the same bot."""
        return tuple(dict.fromkeys(self.names))

    @property
    def sides(self) -> list[tuple[str, Fraction | None]]:
        """The players with their wins in the series, if these are known."""
        return list(zip_longest(self.players, self.score))


@dataclass(frozen=True, slots=True)
class UpcomingSeries:
    """A series that is to be played, or revealed, soon."""

    stage: str
    key: str
    entrants: tuple[str, ...]
    label: Message | None
    games: int
    """The maximum number of games."""

    @classmethod
    def of(cls, stage: str, series: _Pairing, games: int) -> UpcomingSeries:
        label = distinct_label(series.key, series.entrants, series.label)
        return cls(stage, series.key, series.entrants, label, games)


@dataclass(frozen=True, slots=True)
class PublicFault:
    """The public form of a fault in a public game. It never contains the player's log."""

    slug: str
    stage: str
    key: str
    series: int
    game: int
    """The number in the series, from 1."""
    move: int
    """From 1."""
    entrant: str
    seat: int
    """From 0."""
    kind: str
    why: Message
    evidence: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """Filled only on request, because it may be large."""

    @classmethod
    def of(cls, slug: str, series: int, row: StoredFault, *, with_evidence: bool = False) -> PublicFault:
        """Return what the public may see of a stored fault of the series of this number."""
        fault = row.value()
        evidence: dict[str, Any] = {}
        if with_evidence:
            values = redacted_evidence(fault.evidence) | {"refused": fault.move}
            evidence = {name: value for name, value in values.items() if value not in ("", None)}
        return cls(
            slug=slug,
            stage=row.stage,
            key=row.key,
            series=series,
            game=row.game + 1,
            move=row.turn,
            entrant=row.entrant,
            seat=row.seat,
            kind=row.kind,
            why=fault.reason,
            evidence=evidence,
        )

    @property
    def address(self) -> str:
        """The address of the replay, at that move."""
        return f"{game_address(self.slug, self.series, self.game)}/{self.move}"


@dataclass(frozen=True, slots=True)
class PublicEntrant:
    """The public part of an entrant."""

    name: str
    """The name in the cup file."""
    key: str
    """The name in addresses."""
    title: str
    """The name that is shown."""
    authors: tuple[str, ...]
    null: bool
    """Whether it is a copy of another entrant, which shows how much is noise."""
    address: str


@dataclass(frozen=True, slots=True)
class PodiumStep:
    """A place on the podium, and all who share it."""

    place: int
    names: tuple[str, ...]


@dataclass(frozen=True)
class PublicSnapshot:
    """The public state of a cup."""

    slug: str
    """The name in addresses."""
    cup: Cup
    """The cup without entrants that did not start."""
    pace: Pace = field(default_factory=Pace)
    content: Content | None = None
    """The counted series; None if there is nothing to count."""
    series: tuple[PublicSeries, ...] = ()
    """In the order in which they became public; only the last may be incomplete."""
    labels: Mapping[tuple[str, str], Message] = field(default_factory=dict)
    """By stage and key: the label of a series, if it says more than the names of the entrants."""
    tables: tuple[Table, ...] = ()
    """Live games, or the one that is being shown."""
    next: tuple[UpcomingSeries, ...] = ()
    all_faults: tuple[PublicFault, ...] = ()
    """The faults in the order in which they happened."""
    trouble: Message | None = None
    """Why nothing, or nothing new, can be shown now."""

    # --- live games --------------------------------------------------------------------------------

    @property
    def boards(self) -> Sequence[Table]:
        """The tables with their boards: all where a game is played, and some where it has just ended."""
        ended = [table.id for table in self.tables if table.ended]
        left = max(MOST_BOARDS - (len(self.tables) - len(ended)), 0)
        last_ended = ended[max(len(ended) - left, 0) :]
        return [table for table in self.tables if not table.ended or table.id in last_ended]

    @property
    def without_boards(self) -> Sequence[Table]:
        """The other tables, whose games have just ended. Each is one line of the page."""
        boards = self.boards
        return [table for table in self.tables if table not in boards]

    # --- addresses ---------------------------------------------------------------------------------

    @property
    def address(self) -> str:
        return f"/cups/{quote(self.slug, safe='')}"

    def entrant_address(self, name: str) -> str:
        return f"{self.address}/entrants/{quote(entrant_key(name), safe='')}"

    def title(self, name: str) -> str:
        """Return the title of an entrant, shortened for pages."""
        return picture_text(self.cup.title(name), LONGEST_NAME)

    def portrait_address(self, name: str, member: int | None = None) -> str | None:
        """Return the address of an entrant's picture, or of a member's own, if there is one."""
        entry = self.entry(name)
        path = None if entry is None else self.cup.portrait(entry, member)
        if entry is None or path is None or image_problem(path) is not None:
            return None
        address = f"{self.entrant_address(name)}/portrait"
        return address if path == self.cup.portrait(entry) else f"{address}?member={member}"

    def game_address(self, series: int, game: int) -> str:
        """Return the address of a game; `game` counts from 1."""
        return game_address(self.slug, series, game)

    # --- series and games --------------------------------------------------------------------------

    @property
    def partly(self) -> PublicSeries | None:
        """The series that is being revealed game by game; it is not counted yet."""
        return self.series[-1] if self.series and not self.series[-1].whole else None

    @cached_property
    def _by_number(self) -> Mapping[int, PublicSeries]:
        return {one.number: one for one in self.series}

    def series_by_number(self, series: int) -> PublicSeries | None:
        """Return the series with this number; None if it does not exist or is not public."""
        return self._by_number.get(series)

    def game(self, series: int, game: int) -> PublicGame | None:
        """Return the game with this number, from 1; None if it does not exist or is not public."""
        one = self.series_by_number(series)
        if one is None or not 1 <= game <= len(one.result.games):
            return None
        return PublicGame(self.slug, one, game, self.label(one))

    def label(self, series: PublicSeries) -> Message | None:
        """Return the label of a series, if it says more than the names of the entrants."""
        return self.labels.get((series.stage, series.key))

    @property
    def changes(self) -> Sequence[ExplainedChange]:
        """The changes since the cup began that are public, the oldest first."""
        return self.content.changes if self.content is not None else ()

    @cached_property
    def _reasons(self) -> Mapping[tuple[str, str], Message]:
        stages = self.content.stages if self.content is not None else ()
        return {(stage.plan.name, result.key): why for stage in stages for result, why in stage.void_series}

    def void_reason(self, series: PublicSeries) -> Message | None:
        """Return why a series counts for nobody; None if it counts."""
        return self._reasons.get((series.stage, series.key))

    def latest(self, most: int) -> list[PublicGame]:
        """Return the latest public games, the newest first."""
        games: list[PublicGame] = []
        for one in reversed(self.series):
            for number in range(len(one.result.games), 0, -1):
                if len(games) == most:
                    return games
                games.append(PublicGame(self.slug, one, number, self.label(one)))
        return games

    def neighbours(self, game: PublicGame) -> tuple[PublicGame | None, PublicGame | None]:
        """Return the games that became public before and after it."""
        before = self.game(game.series.number, game.number - 1)
        after = self.game(game.series.number, game.number + 1)
        at = self.series.index(game.series)
        if before is None and at > 0:
            one = self.series[at - 1]
            before = self.game(one.number, len(one.result.games))
        if after is None and at + 1 < len(self.series):
            after = self.game(self.series[at + 1].number, 1)
        return before, after

    # --- standings ---------------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        return self.pace.state is State.OVER

    @property
    def stages(self) -> Sequence[StageContent]:
        """The stages that count for the ranking."""
        return [stage for stage in self.content.stages if not stage.plan.beside] if self.content else ()

    @property
    def stage(self) -> StageContent | None:
        """The current stage, or the last one."""
        return next((one for one in self.stages if one.plan.name == self.pace.stage), None)

    @property
    def ratings(self) -> Ratings:
        """The ratings by the finished series; the one that is being revealed does not count yet."""
        return self.content.ratings if self.content is not None else Ratings()

    @cached_property
    def podium(self) -> tuple[PodiumStep, ...]:
        """The first three places at the end; entrants that share a place are together."""
        if not self.over or self.content is None:
            return ()
        rows = [row for row in self.content.overall if row.place <= PODIUM]
        places = sorted({row.place for row in rows})
        return tuple(
            PodiumStep(place, tuple(row.entrant for row in rows if row.place == place)) for place in places
        )

    def entry(self, name: str) -> Entry | None:
        """Return an entrant of the cup, even if it did not start."""
        return next((entry for entry in self._entries if entry.name == name), None)

    def entry_of_key(self, key: str) -> Entry | None:
        """Return the entrant with this key of addresses."""
        return next((entry for entry in self._entries if entrant_key(entry.name) == key), None)

    def entrant(self, entry: Entry) -> PublicEntrant:
        name = entry.name
        address = self.entrant_address(name)
        return PublicEntrant(name, entrant_key(name), self.title(name), entry.authors, entry.null, address)

    @property
    def _entries(self) -> Sequence[Entry]:
        return (*self.cup.entrants, *(absence.entry for absence in self.cup.absent))


def entrant_key(name: str) -> str:
    """Return the key of an entrant in addresses, which is one segment and unique.

    It is the name itself if browsers, proxies and routes do not change it. Otherwise, as for `..` or
    `a/portrait`, it is a `~` and a part of the name's SHA-256.
    """
    if _PLAIN_NAME.fullmatch(name) and any(sign.isalnum() for sign in name):
        return name
    return "~" + sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def game_address(slug: str, series: int, game: int) -> str:
    """Return the address of a game's replay; `game` counts from 1."""
    return f"/cups/{quote(slug, safe='')}/games/{series}/{game}"


def distinct_label(key: str, entrants: Sequence[str], label: Message | None) -> Message | None:
    """Return the label of a series, if it says more than the names of the entrants."""
    if key == SEPARATOR.join(sorted(entrants)):
        return None
    return plain(key) if label is None else label
