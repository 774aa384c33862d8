"""The games that viewers can watch: live games, and the one that the organiser is showing.

Each is followed turn by turn, whether anybody watches or not, so that a new viewer sees it at once.
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
"""How long the last position of a shown game is visible before its result is."""
SOONEST_SECONDS: Final = 5.0
"""The most seconds until a requested game is shown."""
MOST_SAID: Final = 8


class Hands(StrEnum):
    """Whether viewers see the hands."""

    AUTO = "auto"
    """Open, unless a bot could watch too."""
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
    made: float = 0.0
    """The time of its last move, in seconds since 1970."""
    said: list[TableRemark] = field(default_factory=list)
    """Remarks since the last look."""

    def take(self, line: str, made: float) -> bool:
        """Append the next turn, and return whether it can be followed."""
        try:
            step = self.replay.append(line)
        except Exception:  # a game of other rules than ours, say: the cup goes on, and so do the other tables
            return False
        self.made = made
        titles = [str(seat["title"]) for seat in self.replay.seats]
        self.said = [*self.said, *_remarks(step, titles)][-MOST_SAID:]
        return True

    def scene(self) -> Scene | None:
        """Return the public scene; None before the first turn."""
        if not len(self.replay):
            return None
        scene = scene_at(self.replay, len(self.replay), self.perspective)
        # by address, not written into the picture: it is sent again whenever a seat changes
        return with_portraits(scene, self.portraits)


class Tables:
    """All tables that can be watched, by id."""

    def __init__(self, hands: Hands) -> None:
        self._hands: Final = hands
        self.watched: dict[str, WatchedTable] = {}
        self._broken: set[str] = set()
        """Tables that cannot be followed here."""

    @property
    def listed(self) -> tuple[Table, ...]:
        return tuple(one.table for one in self.watched.values())

    def clear(self) -> None:
        """Remove all tables, because live games are not public."""
        self.watched = {}

    # --- under way ---------------------------------------------------------------------------------

    def known_turns(self) -> dict[str, int | None]:
        """Return how many turns are known of each table; None for one that cannot be followed here."""
        known: dict[str, int | None] = {name: len(one.replay) for name, one in self.watched.items()}
        return known | dict.fromkeys(self._broken)

    def follow(
        self,
        games: Mapping[str, tuple[LiveGame, Sequence[LiveTurn]]],
        cup: Cup,
        labels: Mapping[tuple[str, str], Message],
    ) -> bool:
        """Follow the new turns of live games; return whether there are still more.

        `games` has each game with the turns after those of `known_turns`; `labels` are the names of series.
        """
        self._broken &= games.keys()
        watched: dict[str, WatchedTable] = {}
        more = False
        for name, (game, turns) in games.items():
            one = self.watched.get(name) or self._start_table(name, game, cup, labels)
            if one is None:
                continue
            watched[name] = one
            one.table = replace(one.table, ended=game.ended is not None)
            if not all(one.take(turn.line, turn.made) for turn in turns[:TURNS_AT_ONCE]):
                self._broken.add(name)
                del watched[name]
            more = more or len(turns) > TURNS_AT_ONCE
        self.watched = watched
        return more

    def _start_table(
        self, name: str, game: LiveGame, cup: Cup, labels: Mapping[tuple[str, str], Message]
    ) -> WatchedTable | None:
        if name in self._broken:
            return None
        try:
            replay = Replay.follow(_harmless(game.header, cup))
        except Exception:  # of a game that is not installed here
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

    # --- shown -------------------------------------------------------------------------------------

    def show(self, staged: StagedReveal, cup: Cup, now: float) -> bool:
        """Append the turns that are due, and return whether the whole game was shown."""
        showing = staged.showing
        if showing.began > now + SOONEST_SECONDS:  # the machine has been started again since
            return True
        name = f"show-{staged.series.number}-{staged.number}"
        turns = staged.lines[1:-1]
        watched = self.watched.get(name) or self._begun_showing(name, staged, cup)
        self.watched = {name: watched}
        due = min(len(turns), 1 + int(max(0.0, now - showing.began) / max(showing.pace, 0.001)))
        if now < showing.began:
            due = 0
        while (at := len(watched.replay)) < due:
            if not watched.take(turns[at], showing.began + at * showing.pace):
                return True
        return now >= showing.began + (len(turns) - 1) * showing.pace + LAST_SECONDS

    def _begun_showing(self, name: str, staged: StagedReveal, cup: Cup) -> WatchedTable:
        replay = Replay.follow(_harmless(json.loads(staged.lines[0]), cup))
        names = tuple(str(seat["name"]) for seat in replay.seats)
        series = staged.series
        table = Table(
            name, series.stage, staged.label, staged.number, names, staged.showing.began, shown=True
        )
        perspective: Perspective = None if self._hands is Hands.HIDDEN else OPEN
        return WatchedTable(table, replay, perspective, portrait_addresses(cup, names))


def _is_cut_off(seat: Mapping[str, Any]) -> bool:
    """Return whether this seat cannot watch: it is built in, or reaches nothing but its wire."""
    return "wire" not in seat or EnforcedLimit.NETWORK in seat.get("enforced", ())


def _harmless(header: Mapping[str, Any], cup: Cup) -> dict[str, Any]:
    """Return the header with the cup's own titles and without portraits, which might be invalid."""
    seats = [{**seat, "title": cup.title(str(seat["name"])), "portrait": ""} for seat in header["seats"]]
    return {**header, "seats": seats}


def _remarks(step: Step, names: Sequence[str]) -> list[TableRemark]:
    return [
        TableRemark(made.by, names[made.by], text)
        for made in step.turn
        if made.by >= 0
        for remark in made.remarks
        if remark.kind == "say" and (text := picture_text(str(remark.value), LONGEST_WORDS))
    ]
