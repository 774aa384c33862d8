"""What one picture shows: everything that is needed to draw a position, and nothing else.

A `Scene` is made of views only: of the spectator's for the table, of a seat's own for a hand that is open. So
what is not meant to be seen cannot be drawn. It is small and holds plain values, so that it can be kept, sent
or drawn elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from botequim.core.errors import BotequimError, BrokenContract, InputError, RecordError
from botequim.core.game import AnyGame, Outcome
from botequim.core.messages import Message, msg
from botequim.core.reading import Found
from botequim.core.turn import Made
from botequim.picture.painter import Painter, painter_of
from botequim.referee import Step
from botequim.show.telling import FAULTS, Teller, last_words, teller_of, told
from botequim.verify import Departure, replay, table

OPEN: Final = "open"
Sight: TypeAlias = int | Literal["open"] | None
"""Whose hands are shown: those of all, of one seat, or nobody's."""

MOST_PORTRAIT: Final = 200_000
_PORTRAIT: Final = re.compile(r"data:image/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+", re.ASCII)


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
    """An image as a `data:` address."""
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
    names = [f"{number} {seat['name']}" for number, seat in enumerate(seats, start=1)]
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
            name=str(known["name"]),
            team=team_of[seat],
            count=counts[seat] if counts else None,
            hand=_hand(painter, game, step.after, seat) if sight in (OPEN, seat) else None,
            score=scores[seat] if scores else "",
            to_move=seat in movers,
            note=note,
            fault=fault,
            says=_shown(made, "say", ""),
            art=tuple(_shown(made, "art", ())),
            portrait=_portrait(seat, known.get("portrait", "")),
            rank=0 if outcome is None else outcome.places[team_of[seat]],
            shared=outcome is not None and len(set(outcome.places)) == 1,
        )
        places.append(place)
    words = told(teller, step, names, game.view(step.after, sight) if sight != OPEN else None)
    words += _ending(teller, teams, names, outcome)
    return Scene(game.name, step.number, turns, len(teams), tuple(places), facts, tuple(words))


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
    if isinstance(address, str) and len(address) <= MOST_PORTRAIT and _PORTRAIT.fullmatch(address):
        return address
    raise InputError(
        msg(
            "the portrait of seat {seat} is not an image written into the record "
            "(data:image/png;base64,..., at most {limit} characters)",
            seat=seat,
            limit=MOST_PORTRAIT,
        )
    )


def _ending(
    teller: Teller, teams: Sequence[Sequence[int]], names: Sequence[str], outcome: Outcome | None
) -> list[Message]:
    return [] if outcome is None else last_words(teller, teams, names, outcome)


# --- a whole game ------------------------------------------------------------------------------------------


class Played:
    """A record played again, and each of its positions."""

    def __init__(self, found: Found) -> None:
        self.steps: list[Step] = []
        try:
            self.game, self.options, self.seats = table(found)
            self.record = replay(found, self.steps.append)
        except Departure as departure:
            raise RecordError(departure.sentence(), path=found.path) from departure
        except BotequimError:
            raise
        except Exception as error:
            raise BrokenContract(
                msg(
                    "{path}: the rules of {game} broke down on this record: {why}",
                    path=found.path,
                    game=found.game,
                    why=f"{type(error).__name__}: {error}"[:300],
                )
            ) from error

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
