"""The games that can be looked on at: those under way, and the one that is being shown.

Each is followed turn by turn, whether somebody looks or not, so that whoever comes later sees it at once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final

from botequim.core.limits import Enforced
from botequim.core.messages import Message
from botequim.core.turn import Step
from botequim.cup.file import Cup
from botequim.cup.live import Following, Live, LiveGame
from botequim.picture.scene import LONGEST_WORDS, OPEN, Scene, Sight, scene_of, tamed
from botequim.web.live.counting import Screened
from botequim.web.live.public import Public, Table, says_more

MOST_TABLES: Final = 24
"""Under way at the same time, that are shown."""
TURNS_AT_ONCE: Final = 300
"""Taken up before others have their turn, when we come late to a long game."""
LAST_SECONDS: Final = 4.0
"""How long the last position of a shown game is to be seen before its result is."""
SOONEST_SECONDS: Final = 5.0
"""A game is shown within so long from when that was asked for."""
MOST_SAID: Final = 8


class Hands(StrEnum):
    """Whether those who look on see the hands."""

    AUTO = "auto"
    """Unless a bot could look on too."""
    OPEN = "open"
    HIDDEN = "hidden"


@dataclass(frozen=True, slots=True)
class Said:
    """What a bot said to all."""

    seat: int
    name: str
    text: str


@dataclass
class Watched:
    """A table with its position."""

    table: Table
    following: Following
    sight: Sight
    portraits: tuple[str, ...]
    """By seat, where they are found; nothing where there is none."""
    made: float = 0.0
    """When its last move was, in seconds since 1970."""
    said: list[Said] = field(default_factory=list)
    """Since the last time that somebody looked."""

    def take(self, line: str, made: float) -> bool:
        """The next turn; whether it can be followed."""
        try:
            step = self.following.take(line)
        except Exception:  # a game of other rules than ours, say: the cup goes on, and so do the other tables
            return False
        self.made = made
        titles = [str(seat["title"]) for seat in self.following.seats]
        self.said = [*self.said, *_said(step, titles)][-MOST_SAID:]
        return True

    def scene(self) -> Scene | None:
        """As the public sees it; None before the first turn."""
        step = self.following.step
        if step is None:
            return None
        scene = scene_of(
            self.following.game, self.following.options, self.following.seats, step, sight=self.sight
        )
        # by address, not written into the picture: it is sent again whenever a seat changes
        places = zip(scene.places, self.portraits, strict=True)
        return replace(scene, places=tuple(replace(place, portrait=where) for place, where in places))


class Tables:
    """All of them, by id."""

    def __init__(self, hands: Hands) -> None:
        self._hands: Final = hands
        self.watched: dict[str, Watched] = {}
        self._broken: set[str] = set()
        """Those that cannot be followed here."""

    @property
    def listed(self) -> tuple[Table, ...]:
        return tuple(one.table for one in self.watched.values())

    def clear(self) -> None:
        """Nothing under way is public."""
        self.watched = {}

    # --- under way ---------------------------------------------------------------------------------

    def follow(self, live: Live, cup: Cup, labels: Mapping[tuple[str, str], Message]) -> bool:
        """Take up what is new; whether there is still more. `labels` say what series are called."""
        run = round((live.began or 0) * 10) % 16**6  # numbers of games may begin anew with a run
        games = {f"live-{run:x}-{game.id}": game for game in _worth_showing(live.games())}
        self._broken &= games.keys()
        watched: dict[str, Watched] = {}
        more = False
        for name, game in games.items():
            one = self.watched.get(name) or self._begun(name, game, cup, labels)
            if one is None:
                continue
            watched[name] = one
            one.table = replace(one.table, ended=game.ended is not None)
            if game.turns > one.following.number:
                turns = live.turns(game.id, after=one.following.number)
                if not all(one.take(turn.line, turn.made) for turn in turns[:TURNS_AT_ONCE]):
                    self._broken.add(name)
                    del watched[name]
                more = more or len(turns) > TURNS_AT_ONCE
        self.watched = watched
        return more

    def _begun(
        self, name: str, game: LiveGame, cup: Cup, labels: Mapping[tuple[str, str], Message]
    ) -> Watched | None:
        if name in self._broken:
            return None
        try:
            following = Following(_harmless(game.header, cup))
        except Exception:  # of a game that is not installed here
            self._broken.add(name)
            return None
        names = tuple(str(seat["name"]) for seat in following.seats)
        label = says_more(game.key, tuple(dict.fromkeys(names)), labels.get((game.stage, game.key)))
        table = Table(name, game.stage, label, game.number + 1, names, game.began)
        sight: Sight = OPEN if self.opens(cup, following.seats) else None
        return Watched(table, following, sight, _portraits(cup, names))

    def opens(self, cup: Cup, seats: Sequence[Mapping[str, Any]]) -> bool:
        """Whether the hands of a table are shown while it is played."""
        if self._hands is not Hands.AUTO:
            return self._hands is Hands.OPEN
        by_address = any(entry.bot.startswith(("http://", "https://")) for entry in cup.entrants)
        return not by_address and all(_is_cut_off(seat) for seat in seats)

    # --- shown -------------------------------------------------------------------------------------

    def show(self, screened: Screened, cup: Cup, now: float) -> bool:
        """Put out the turns that are due; whether the game has been shown to its end."""
        showing = screened.showing
        if showing.began > now + SOONEST_SECONDS:  # the machine has been started again since
            return True
        name = f"show-{screened.series.number}-{screened.number}"
        turns = screened.lines[1:-1]
        watched = self.watched.get(name) or self._begun_showing(name, screened, cup)
        self.watched = {name: watched}
        due = min(len(turns), 1 + int(max(0.0, now - showing.began) / max(showing.pace, 0.001)))
        if now < showing.began:
            due = 0
        while (at := watched.following.number) < due:
            if not watched.take(turns[at], showing.began + at * showing.pace):
                return True
        return now >= showing.began + (len(turns) - 1) * showing.pace + LAST_SECONDS

    def _begun_showing(self, name: str, screened: Screened, cup: Cup) -> Watched:
        following = Following(_harmless(json.loads(screened.lines[0]), cup))
        names = tuple(str(seat["name"]) for seat in following.seats)
        series = screened.series
        table = Table(
            name, series.stage, screened.label, screened.number, names, screened.showing.began, shown=True
        )
        sight: Sight = None if self._hands is Hands.HIDDEN else OPEN
        return Watched(table, following, sight, _portraits(cup, names))


def _worth_showing(games: Sequence[LiveGame]) -> list[LiveGame]:
    """Those under way; and the last position of the others, until their series has gone on."""
    last: dict[tuple[str, str], LiveGame] = {}
    for game in games:
        last[game.stage, game.key] = game
    found = sorted(last.values(), key=lambda game: (game.ended is not None, game.id))[:MOST_TABLES]
    return sorted(found, key=lambda game: game.id)


def _is_cut_off(seat: Mapping[str, Any]) -> bool:
    """Whether who sits there cannot look on: it is built in, or reaches nothing but its wire."""
    return "wire" not in seat or Enforced.NETWORK in seat.get("enforced", ())


def _portraits(cup: Cup, names: Sequence[str]) -> tuple[str, ...]:
    """Of those who sit there, as the cup has them: what a record says is not asked."""
    public = Public(cup.path.stem, cup)
    members = [names[:seat].count(name) for seat, name in enumerate(names)]
    return tuple(
        public.portrait_address(name, member) or "" for name, member in zip(names, members, strict=True)
    )


def _harmless(header: Mapping[str, Any], cup: Cup) -> dict[str, Any]:
    """With the cup's own titles, and without portraits: one that is none would break every picture."""
    seats = [{**seat, "title": cup.title(str(seat["name"])), "portrait": ""} for seat in header["seats"]]
    return {**header, "seats": seats}


def _said(step: Step, names: Sequence[str]) -> list[Said]:
    return [
        Said(made.by, names[made.by], text)
        for made in step.turn
        if made.by >= 0
        for remark in made.remarks
        if remark.kind == "say" and (text := tamed(str(remark.value), LONGEST_WORDS))
    ]
