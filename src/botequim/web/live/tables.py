"""The games that viewers can watch: live games, and the one that the organiser is showing.

Each game is followed turn by turn even without viewers, so that a new viewer sees its position at once.
"""

from __future__ import annotations

import json
from collections import Counter, OrderedDict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from typing import Any, Final

from botequim.core.limits import EnforcedLimit
from botequim.core.messages import Message
from botequim.core.results import GameResult
from botequim.core.sanitize import picture_text, short_name
from botequim.core.turn import Step
from botequim.cup.config import Cup
from botequim.cup.live import LiveGame, LiveTurn
from botequim.records.replay import Replay
from botequim.render.scene import (
    LONGEST_WORDS,
    OPEN,
    Perspective,
    Scene,
    scene_at,
    turn_sentences,
    with_portraits,
)
from botequim.render.seats import is_acting
from botequim.web.live.portraits import portrait_addresses
from botequim.web.live.public import Table, distinct_label
from botequim.web.live.snapshots import StagedReveal

TURNS_AT_ONCE: Final = 300
"""The most turns of a long game that are read before other tables get their turn."""
LAST_SECONDS: Final = 4.0
"""How long the last position of a shown game is visible before its result becomes public."""
SOONEST_SECONDS: Final = 5.0
"""The most seconds between a request to show a game and its first move."""
MOST_REMARKS: Final = 8
MOST_MOVES: Final = 5
"""How many of the last moves are told."""
SHORT_NAME: Final = 18
"""The most characters of a name in the sentence of a move, so that the move is not cut."""
MOST_SERIES: Final = 200
"""The number of live series whose scores are remembered."""
MOST_WITH_SEATS: Final = 2
"""The most tables that the big screen draws with their seats."""


class Hands(StrEnum):
    """Whether viewers see the hands."""

    AUTO = "auto"
    """The hands are visible unless a bot could see the page."""
    OPEN = "open"
    HIDDEN = "hidden"


@dataclass(frozen=True, slots=True)
class TableRemark:
    """A remark of a bot to everybody."""

    seat: int
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class TableSide:
    """A player at a table, in this game so far."""

    acts: bool
    """Whether it is to move."""
    micros: int
    """The time that it has used."""
    faults: int


@dataclass
class WatchedTable:
    """A table with its position."""

    table: Table
    replay: Replay
    perspective: Perspective
    portraits: tuple[str, ...]
    """The addresses of portraits by seat, or ""."""
    moved_at: float = 0.0
    """The time of its last move, in seconds since 1970."""
    remarks: list[TableRemark] = field(default_factory=list)
    """Remarks since the last look."""
    micros: Counter[str] = field(default_factory=Counter)
    """The time that each player has used."""
    faults: Counter[str] = field(default_factory=Counter)
    _new_steps: deque[Step] = field(default_factory=lambda: deque(maxlen=MOST_MOVES))
    """The last turns that have no sentences yet."""
    _told: deque[Sequence[Message]] = field(default_factory=lambda: deque(maxlen=MOST_MOVES))
    """The sentences of the last turns."""

    def take(self, line: str, moved_at: float) -> bool:
        """Append the next turn. Return False if the game cannot be followed."""
        try:
            step = self.replay.append(line)
        except Exception:  # for example, the rules here are of another version; other tables are not affected
            return False
        self.moved_at = moved_at
        titles = [str(seat["title"]) for seat in self.replay.seats]
        self.remarks = [*self.remarks, *_remarks(step, titles)][-MOST_REMARKS:]
        self._new_steps.append(step)
        for move in step.turn:
            if move.by >= 0:
                self.micros[self.table.names[move.by]] += move.micros or 0
                self.faults[self.table.names[move.by]] += move.fault is not None
        return True

    def last_sentences(self) -> list[Sequence[Message]]:
        """Return the sentences of the last turns with short names, the newest first."""
        replay = self.replay
        seats = [{**seat, "title": short_name(str(seat["title"]), SHORT_NAME)} for seat in replay.seats]
        while self._new_steps:
            step = self._new_steps.popleft()
            self._told.append(turn_sentences(replay.game, replay.options, seats, step, self.perspective))
        return list(reversed(self._told))

    def sides(self, scene: Scene) -> list[TableSide]:
        """Return the players of the position, in the order of `table.players`."""
        acting = {name for seat, name in enumerate(self.table.names) if is_acting(scene, seat)}
        return [
            TableSide(name in acting, self.micros[name], self.faults[name]) for name in self.table.players
        ]

    def result(self) -> GameResult | None:
        """Return the result by player; None if the game is not over."""
        outcome, names = self.replay.outcome, self.table.names
        if outcome is None:
            return None
        place = {
            names[seat]: outcome.places[team]
            for team, seats in enumerate(self.replay.teams)
            for seat in seats
        }
        return GameResult(tuple(place[name] for name in self.table.players), outcome.how)

    def scene(self) -> Scene | None:
        """Return the public scene; None before the first turn."""
        if not len(self.replay):
            return None
        scene = scene_at(self.replay, len(self.replay), self.perspective)
        # portraits are addresses, not embedded, because a seat is sent again whenever it changes
        return with_portraits(scene, self.portraits)


class SeriesScores:
    """The results of the games of live series, as far as they were followed here."""

    def __init__(self) -> None:
        self._games: Final[OrderedDict[object, dict[int, dict[str, Fraction]]]] = OrderedDict()

    def score(self, series: object, watched_table: WatchedTable) -> tuple[Fraction, ...]:
        """Return the wins of each player up to this game; empty if a game before it was not followed."""
        table = watched_table.table
        games = self._games.setdefault(series, {})
        self._games.move_to_end(series)
        while len(self._games) > MOST_SERIES:
            self._games.popitem(last=False)
        games.pop(table.number, None)
        result = watched_table.result() if table.ended else None
        if result is not None:
            games[table.number] = {name: result.share(at) for at, name in enumerate(table.players)}
        if not all(number in games for number in range(1, table.number)):
            return ()
        numbers = [number for number in games if number <= table.number]
        return tuple(
            sum((games[number].get(name, Fraction()) for number in numbers), Fraction())
            for name in table.players
        )


class Tables:
    """All tables that can be watched, by id."""

    def __init__(self, hands: Hands) -> None:
        self._hands: Final = hands
        self.by_id: dict[str, WatchedTable] = {}
        self._broken: set[str] = set()
        """The tables that cannot be followed here."""
        self._scores: Final = SeriesScores()

    @property
    def public_tables(self) -> tuple[Table, ...]:
        return tuple(one.table for one in self.by_id.values())

    @property
    def crowded(self) -> bool:
        """Whether there are so many tables that the big screen draws them without their seats."""
        return len(self.by_id) > MOST_WITH_SEATS

    def clear(self) -> None:
        """Remove all tables, because live games are not public."""
        self.by_id = {}

    # --- live games --------------------------------------------------------------------------------

    def known_turns(self) -> dict[str, int | None]:
        """Return the number of turns of each table so far; None for a table that cannot be followed here."""
        counts: dict[str, int | None] = {name: len(one.replay) for name, one in self.by_id.items()}
        return counts | dict.fromkeys(self._broken)

    def follow(
        self,
        games: Mapping[str, tuple[LiveGame, Sequence[LiveTurn]]],
        cup: Cup,
        labels: Mapping[tuple[str, str], Message],
    ) -> bool:
        """Follow the new turns of live games. Return whether there are still more.

        `games` has each game with the turns after those of `known_turns`; `labels` are those of the series.
        """
        self._broken &= games.keys()
        by_id: dict[str, WatchedTable] = {}
        more = False
        for name, (game, turns) in games.items():
            one = self.by_id.get(name) or self._start_table(name, game, cup, labels)
            if one is None:
                continue
            by_id[name] = one
            one.table = replace(one.table, ended=game.ended is not None)
            if not all(one.take(turn.line, turn.made) for turn in turns[:TURNS_AT_ONCE]):
                self._broken.add(name)
                del by_id[name]
            else:
                one.table = replace(one.table, score=self._scores.score(_series(name, game), one))
            more = more or len(turns) > TURNS_AT_ONCE
        self.by_id = by_id
        return more

    def finish(self, games: Mapping[str, tuple[LiveGame, Sequence[LiveTurn]]]) -> None:
        """Take the last turns of games that are not shown any more; their results belong to the score."""
        for name, (game, turns) in games.items():
            one = self.by_id.get(name)
            if one is not None and all(one.take(turn.line, turn.made) for turn in turns):
                one.table = replace(one.table, ended=True)
                self._scores.score(_series(name, game), one)

    def _start_table(
        self, name: str, game: LiveGame, cup: Cup, labels: Mapping[tuple[str, str], Message]
    ) -> WatchedTable | None:
        if name in self._broken:
            return None
        try:
            replay = Replay.follow(_with_cup_titles(game.header, cup))
        except Exception:  # for example, the game is not installed here
            self._broken.add(name)
            return None
        names = tuple(str(seat["name"]) for seat in replay.seats)
        label = distinct_label(game.key, tuple(dict.fromkeys(names)), labels.get((game.stage, game.key)))
        table = Table(name, game.stage, game.key, label, game.number + 1, names, game.began)
        perspective: Perspective = OPEN if self.opens(cup, replay.seats) else None
        return WatchedTable(table, replay, perspective, portrait_addresses(cup, names))

    def opens(self, cup: Cup, seats: Sequence[Mapping[str, Any]]) -> bool:
        """Return whether the hands of a table are visible while it is played."""
        if self._hands is not Hands.AUTO:
            return self._hands is Hands.OPEN
        by_address = any(entry.bot.startswith(("http://", "https://")) for entry in cup.entrants)
        return not by_address and all(_is_cut_off(seat) for seat in seats)

    # --- the game that the organiser shows ---------------------------------------------------------

    def show(self, reveal: StagedReveal, cup: Cup, now: float) -> bool:
        """Append the turns that are due. Return whether the whole game has been shown."""
        showing = reveal.showing
        if (
            showing.began > now + SOONEST_SECONDS
        ):  # the machine was restarted, and with it the monotonic clock
            return True
        name = f"show-{reveal.series.number}-{reveal.number}"
        turns = reveal.lines[1:-1]
        watched_table = self.by_id.get(name) or self._start_showing(name, reveal, cup)
        self.by_id = {name: watched_table}
        due = min(len(turns), 1 + int(max(0.0, now - showing.began) / max(showing.pace, 0.001)))
        if now < showing.began:
            due = 0
        while (at := len(watched_table.replay)) < due:
            if not watched_table.take(turns[at], showing.began + at * showing.pace):
                return True
        return now >= showing.began + (len(turns) - 1) * showing.pace + LAST_SECONDS

    def _start_showing(self, name: str, reveal: StagedReveal, cup: Cup) -> WatchedTable:
        replay = Replay.follow(_with_cup_titles(json.loads(reveal.lines[0]), cup))
        names = tuple(str(seat["name"]) for seat in replay.seats)
        series = reveal.series
        table = Table(
            name,
            series.stage,
            series.key,
            reveal.label,
            reveal.number,
            names,
            reveal.showing.began,
            shown=True,
        )
        totals = series.result.totals()
        table = replace(table, score=tuple(totals[name].share for name in table.players if name in totals))
        perspective: Perspective = None if self._hands is Hands.HIDDEN else OPEN
        return WatchedTable(table, replay, perspective, portrait_addresses(cup, names))


def _series(table: str, game: LiveGame) -> tuple[str, str, str]:
    """Return what identifies the series of a live game; another run plays it again."""
    return table.rpartition("-")[0], game.stage, game.key


def _is_cut_off(seat: Mapping[str, Any]) -> bool:
    """Return whether this seat cannot see the page: it is built in, or has no network but its wire."""
    return "wire" not in seat or EnforcedLimit.NETWORK in seat.get("enforced", ())


def _with_cup_titles(header: Mapping[str, Any], cup: Cup) -> dict[str, Any]:
    """Return the header with the titles of the cup and without portraits, which might be invalid."""
    seats = [{**seat, "title": cup.title(str(seat["name"])), "portrait": ""} for seat in header["seats"]]
    return {**header, "seats": seats}


def _remarks(step: Step, names: Sequence[str]) -> list[TableRemark]:
    return [
        TableRemark(move.by, names[move.by], text)
        for move in step.turn
        if move.by >= 0
        for remark in move.remarks
        if remark.kind == "say" and (text := picture_text(str(remark.value), LONGEST_WORDS))
    ]
