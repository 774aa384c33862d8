"""What one picture shows: everything that is needed to draw a position, and nothing else.

A `Scene` is made of views only: of the spectator's for the table, of a seat's own for a hand that is open. So
what is not meant to be seen cannot be drawn. It is small and holds plain values, so that it can be kept, sent
or drawn elsewhere.
"""

from __future__ import annotations

import re
import unicodedata
from base64 import b64decode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Literal, TypeAlias

from botequim.core.errors import InputError, RecordError
from botequim.core.game import AnyGame, Outcome
from botequim.core.messages import Message, harmless, msg
from botequim.core.reading import Found
from botequim.core.titles import clean_title, unique_titles
from botequim.core.turn import Made
from botequim.picture.painter import Painter, painter_of
from botequim.referee import Step
from botequim.show.telling import FAULTS, Teller, last_words, teller_of, told
from botequim.verify import Departure, replay, rules_blamed, table

OPEN: Final = "open"
Sight: TypeAlias = int | Literal["open"] | None
"""Whose hands are shown: those of all, of one seat, or nobody's."""

LONGEST_NAME: Final = 40
LONGEST_WORDS: Final = 400
"""Of what a bot says, or of why it failed."""
MOST_MARKS: Final = 2
"""Accents on one letter; languages that are written so need no more."""
MOST_PORTRAIT: Final = 200_000
_PORTRAIT: Final = re.compile(r"data:image/(png|jpeg|gif|webp);base64,([A-Za-z0-9+/=]+)", re.ASCII)
_ENDS: Final = {
    "png": (b"\x89PNG\r\n\x1a\n", b"IEND\xaeB`\x82"),
    "jpeg": (b"\xff\xd8\xff", b"\xff\xd9"),
    "gif": (b"GIF8", b"\x3b"),
    "webp": (b"RIFF", b""),
}
"""How an image of each kind begins and ends."""


@dataclass(frozen=True, slots=True)
class Place:
    """One seat of a scene."""

    name: str
    team: int
    count: int | None = None
    """Of tiles or cards; None where there are none."""
    hand: tuple[str, ...] | None = None
    """As the game writes them; None: not to be seen."""
    score: str = ""
    to_move: bool = False
    note: Message | None = None
    """What it did, in few words."""
    fault: bool = False
    """Whether the note tells of a failure."""
    says: str = ""
    art: tuple[str, ...] = ()
    portrait: str = ""
    """An image as a `data:` address; in a page of a site, the address of one on that site."""
    rank: int = 0
    """Its team's place once the game is over."""
    shared: bool = False
    """Whether that is everybody's place."""


@dataclass(frozen=True, slots=True)
class Scene:
    """One position."""

    game: str
    number: int
    """Of the turn that led to it, from 1; 0: nothing has happened yet."""
    turns: int
    """Of the whole game, as far as it is known."""
    teams: int
    places: tuple[Place, ...]
    facts: Mapping[str, Any]
    """What the game's painter wants to know about the table: values that JSON can hold."""
    told: tuple[Message, ...]

    def _repr_svg_(self) -> str:
        """What a notebook shows."""
        from botequim.picture.drawing import picture

        return picture(self)


def scene_of(
    game: AnyGame,
    options: Mapping[str, Any],
    seats: Sequence[Mapping[str, Any]],
    step: Step,
    *,
    sight: Sight = None,
    turns: int = 0,
) -> Scene:
    """The position after a turn, as one sees it."""
    painter, teller = painter_of(game), teller_of(game)
    short = [tamed(name, LONGEST_NAME) for name in shown_names(seats)]
    names = [f"{number} {name}" for number, name in enumerate(short, start=1)]
    view = game.view(step.after, sight if isinstance(sight, int) else None)
    outcome = game.outcome(step.after)
    teams = game.teams(options)
    team_of = {seat: team for team, members in enumerate(teams) for seat in members}
    movers = game.to_move(step.after)
    counts, scores = painter.counts(view), painter.scores(view)
    facts = painter.facts(view)
    if sight == OPEN:
        facts = {**facts, **painter.open_facts(game, step.after, teller)}
    places = []
    for seat, known in enumerate(seats):
        made = next((made for made in step.turn if made.by == seat), None)
        note, fault = _note(painter, view, seat, made)
        place = Place(
            name=short[seat],
            team=team_of[seat],
            count=counts[seat] if counts else None,
            hand=_hand(painter, game, step.after, seat) if sight in (OPEN, seat) else None,
            score=scores[seat] if scores else "",
            to_move=seat in movers,
            note=note,
            fault=fault,
            says=tamed(_shown(made, "say", ""), LONGEST_WORDS),
            art=tuple(_shown(made, "art", ())),
            portrait=_portrait(seat, known.get("portrait", "")),
            rank=0 if outcome is None else outcome.places[team_of[seat]],
            shared=outcome is not None and len(set(outcome.places)) == 1,
        )
        places.append(place)
    words = told(teller, step, names, game.view(step.after, sight) if sight != OPEN else None)
    words += _ending(teller, teams, names, outcome)
    words = [_tamed(message) for message in words]
    return Scene(game.name, step.number, turns, len(teams), tuple(places), facts, tuple(words))


def shown_names(seats: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return by seat how who sits there is shown: its title, what a pair calls itself, or its name."""
    names = [str(seat["name"]) for seat in seats]
    pairs = {name: str(seat.get("pair", "")) for name, seat in zip(names, seats, strict=True)}
    if not any(pairs.values()):
        return [str(seat.get("title") or name) for name, seat in zip(names, seats, strict=True)]
    titles = unique_titles({name: clean_title(pair) for name, pair in pairs.items()})
    return [str(seat.get("title") or titles[name]) for name, seat in zip(names, seats, strict=True)]


@lru_cache(2000)
def tamed(text: str, most: int) -> str:
    """A text from outside that cannot deface a picture: so long at most, no control signs, few accents."""
    kept: list[str] = []
    marks = 0
    read = most * (MOST_MARKS + 2)  # further than can be seen
    # what can be written as one sign is one
    for sign in unicodedata.normalize("NFC", harmless(text[:read])):
        marks = marks + 1 if unicodedata.category(sign)[0] == "M" else 0
        if marks <= MOST_MARKS:
            kept.append(sign)
    seen = [at for at, sign in enumerate(kept) if unicodedata.category(sign)[0] != "M"]
    if len(seen) > most or len(text) > read:
        return "".join(kept[: seen[most - 1] if len(seen) >= most else None]).rstrip() + "…"
    return "".join(kept)


def _tamed(message: Message) -> Message:
    """The same for all that fills a message."""
    values = {
        name: _tamed(value)
        if isinstance(value, Message)
        else tamed(value, LONGEST_WORDS)
        if isinstance(value, str)
        else value
        for name, value in message.values.items()
    }
    return Message(message.template, values)


def _hand(painter: Painter, game: AnyGame, state: Any, seat: int) -> tuple[str, ...] | None:
    hand = painter.hand(game.view(state, seat))
    return None if hand is None else tuple(hand)


def _note(painter: Painter, view: Any, seat: int, made: Made | None) -> tuple[Message | None, bool]:
    if made is not None and made.fault is not None:
        return FAULTS[made.fault.kind], True
    return painter.note(view, seat), False


def _shown(made: Made | None, kind: str, nothing: Any) -> Any:
    remarks = [remark.value for remark in made.remarks if remark.kind == kind] if made is not None else []
    return remarks[-1] if remarks else nothing


def _portrait(seat: int, address: object) -> str:
    """Only images that the record itself holds: a picture loads nothing from anywhere."""
    if not address:
        return ""
    if isinstance(address, str) and _is_image(address):
        return address
    raise InputError(_no_portrait(seat))


def _no_portrait(seat: int) -> Message:
    return msg(
        "the portrait of seat {seat} is not an image written into the record "
        "(data:image/png;base64,..., at most {limit} characters)",
        seat=seat + 1,
        limit=MOST_PORTRAIT,
    )


@lru_cache(64)
def _is_image(address: str) -> bool:
    found = _PORTRAIT.fullmatch(address) if len(address) <= MOST_PORTRAIT else None
    if found is None:
        return False
    try:
        content = b64decode(found[2], validate=True)
    except ValueError:
        return False
    begins, ends = _ENDS[found[1]]
    if found[1] == "webp":
        return content[8:12] == b"WEBP" and int.from_bytes(content[4:8], "little") + 8 <= len(content)
    return content.startswith(begins) and content.rstrip(b"\0").endswith(ends)


def _ending(
    teller: Teller, teams: Sequence[Sequence[int]], names: Sequence[str], outcome: Outcome | None
) -> list[Message]:
    return [] if outcome is None else last_words(teller, teams, names, outcome)


# --- a whole game ------------------------------------------------------------------------------------------


class Played:
    """A record played again, and each of its positions.

    A portrait that is none is left out, and a warning says so: nobody's game is unseen for that.
    """

    def __init__(self, found: Found) -> None:
        self.steps: list[Step] = []
        self.warnings: list[Message] = []
        try:
            with rules_blamed(found):
                self.game, self.options, seats = table(found)
                self.seats = [self._seat(found.path, seat, known) for seat, known in enumerate(seats)]
                self.record = replay(found, self.steps.append)
        except Departure as departure:
            raise RecordError(departure.sentence(), path=found.path) from departure

    def _seat(self, path: str, seat: int, known: Mapping[str, Any]) -> Mapping[str, Any]:
        try:
            _portrait(seat, known.get("portrait", ""))
        except InputError as error:
            self.warnings.append(msg("{where}: {what}", where=path, what=error.message))
            return {**known, "portrait": ""}
        return known

    def scene(self, number: int, sight: Sight = None) -> Scene:
        """The position after turn `number`, from 1."""
        if isinstance(sight, int) and not 0 <= sight < len(self.seats):
            raise InputError(
                msg(
                    "there is no seat {seat} in this game: seats are 1 to {most}",
                    seat=sight + 1,
                    most=len(self.seats),
                )
            )
        if not 1 <= number <= len(self.steps):
            raise InputError(
                msg(
                    "there is no move {number} in this game: moves are 1 to {most}",
                    number=number,
                    most=len(self.steps),
                )
            )
        step = self.steps[number - 1]
        return scene_of(self.game, self.options, self.seats, step, sight=sight, turns=len(self.steps))
