"""The games that viewers can watch: live games, and the one that the organiser is showing.

Each game is followed turn by turn even without viewers, so that a new viewer sees its position at once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final

from botequim.core.limits import EnforcedLimit
from botequim.core.messages import Message
from botequim.core.sanitize import picture_text
from botequim.core.turn import Step
from botequim.cup.config import Cup
from botequim.cup.live import LiveGame, LiveTurn
from botequim.records.replay import Replay
from botequim.render.scene import LONGEST_WORDS, OPEN, Perspective, Scene, scene_at, with_portraits
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

    def take(self, line: str, moved_at: float) -> bool:
        """Append the next turn. Return False if the game cannot be followed."""
        try:
            step = self.replay.append(line)
        except Exception:  # for example, the rules here are of another version; other tables are not affected
            return False
        self.moved_at = moved_at
        titles = [str(seat["title"]) for seat in self.replay.seats]
        self.remarks = [*self.remarks, *_remarks(step, titles)][-MOST_REMARKS:]
        return True

    def scene(self) -> Scene | None:
        """Return the public scene; None before the first turn."""
        if not len(self.replay):
            return None
        scene = scene_at(self.replay, len(self.replay), self.perspective)
        # portraits are addresses, not embedded, because a seat is sent again whenever it changes
        return with_portraits(scene, self.portraits)


class Tables:
    """All tables that can be watched, by id."""

    def __init__(self, hands: Hands) -> None:
        self._hands: Final = hands
        self.by_id: dict[str, WatchedTable] = {}
        self._broken: set[str] = set()
        """The tables that cannot be followed here."""

    @property
    def public_tables(self) -> tuple[Table, ...]:
        return tuple(one.table for one in self.by_id.values())

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
            more = more or len(turns) > TURNS_AT_ONCE
        self.by_id = by_id
        return more

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
        table = Table(name, game.stage, label, game.number + 1, names, game.began)
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
            name, series.stage, reveal.label, reveal.number, names, reveal.showing.began, shown=True
        )
        perspective: Perspective = None if self._hands is Hands.HIDDEN else OPEN
        return WatchedTable(table, replay, perspective, portrait_addresses(cup, names))


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
