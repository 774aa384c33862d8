"""Scenes: everything that is needed to draw one position.

A `Scene` is made only of views: the spectator's view for the table, and a seat's own view for its open hand.
So hidden things cannot be drawn. It contains plain values, so it can be stored, sent, or drawn elsewhere.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final, Literal, TypeAlias

from botequim.core.errors import InputError
from botequim.core.game import AnyGame, Outcome
from botequim.core.messages import Message, msg
from botequim.core.sanitize import picture_text
from botequim.core.titles import clean_title, unique_titles
from botequim.core.turn import PlayedMove, Step
from botequim.narration.narrator import FAULTS, Narrator, ending_sentences, narrate_turn, narrator_for
from botequim.records.replay import Replay
from botequim.render.renderer import Renderer, renderer_for

OPEN: Final = "open"
Perspective: TypeAlias = int | Literal["open"] | None
"""Whose hands are visible: all (`OPEN`), those of one seat, or none."""

LONGEST_NAME: Final = 80
LONGEST_WORDS: Final = 400
"""The most characters of a remark of a bot, or of the reason of a fault."""
MOST_PORTRAIT: Final = 200_000
_PORTRAIT: Final = re.compile(r"data:image/(png|jpeg|gif|webp);base64,([A-Za-z0-9+/=]+)", re.ASCII)
_ENDS: Final = {
    "png": (b"\x89PNG\r\n\x1a\n", b"IEND\xaeB`\x82"),
    "jpeg": (b"\xff\xd8\xff", b"\xff\xd9"),
    "gif": (b"GIF8", b"\x3b"),
    "webp": (b"RIFF", b""),
}
"""The first and last bytes of each image format."""


@dataclass(frozen=True, slots=True)
class Place:
    """One seat of a scene."""

    name: str
    team: int
    count: int | None = None
    """The number of tiles or cards; None if the game has none."""
    hand: tuple[str, ...] | None = None
    """The pieces as the game writes them; None if they are hidden."""
    score: str = ""
    to_move: bool = False
    note: Message | None = None
    """The last action of the seat, in a few words."""
    fault: bool = False
    """Whether the note is about a fault."""
    says: str = ""
    art: tuple[str, ...] = ()
    portrait: str = ""
    """An image as a `data:` URL; on a web page, a URL of the same site."""
    rank: int = 0
    """The place of its team, when the game is over."""
    shared: bool = False
    """Whether all teams share this place."""


@dataclass(frozen=True, slots=True)
class Scene:
    """One position."""

    game: str
    number: int
    """The number of the turn that led to the position, from 1; 0 before the first turn."""
    turns: int
    """The number of turns of the whole game; 0 if it is not known."""
    teams: int
    places: tuple[Place, ...]
    facts: Mapping[str, Any]
    """The values with which the renderer of the game draws the table, as JSON values."""
    narration: tuple[Message, ...]
    """The description of that turn in sentences."""
    numbered: bool = True
    """Whether seats are shown with their numbers."""

    def label(self, seat: int) -> str:
        """Return the name of a seat as it is shown."""
        name = self.places[seat].name
        return f"{seat + 1} {name}" if self.numbered else name

    def _repr_svg_(self) -> str:
        """Return the picture for a notebook."""
        from botequim.render.drawing import render_svg

        return render_svg(self)


def scene_of(
    game: AnyGame,
    options: Mapping[str, Any],
    seats: Sequence[Mapping[str, Any]],
    step: Step,
    *,
    perspective: Perspective = None,
    turns: int = 0,
    numbered: bool = True,
) -> Scene:
    """Return the position after a turn, from one perspective.

    Seats are shown with their numbers, unless `numbered` is false: then their names must differ.
    """
    renderer, narrator = renderer_for(game), narrator_for(game)
    short = [picture_text(name, LONGEST_NAME) for name in shown_names(seats)]
    view = game.view(step.after, perspective if isinstance(perspective, int) else None)
    outcome = game.outcome(step.after)
    teams = game.teams(options)
    team_of = {seat: team for team, members in enumerate(teams) for seat in members}
    movers = game.to_move(step.after)
    counts, scores = renderer.counts(view), renderer.scores(view)
    facts = renderer.facts(view)
    if perspective == OPEN:
        facts = {**facts, **renderer.open_facts(game, step.after, narrator)}
    places = []
    for seat, seat_fields in enumerate(seats):
        played_move = next((played_move for played_move in step.turn if played_move.by == seat), None)
        note, fault = _note(renderer, view, seat, played_move)
        place = Place(
            name=short[seat],
            team=team_of[seat],
            count=counts[seat] if counts else None,
            hand=_hand(renderer, game, step.after, seat) if perspective in (OPEN, seat) else None,
            score=scores[seat] if scores else "",
            to_move=seat in movers,
            note=note,
            fault=fault,
            says=picture_text(_last_remark(played_move, "say", ""), LONGEST_WORDS),
            art=tuple(_last_remark(played_move, "art", ())),
            portrait=_portrait(seat_fields.get("portrait")),
            rank=0 if outcome is None else outcome.places[team_of[seat]],
            shared=outcome is not None and len(set(outcome.places)) == 1,
        )
        places.append(place)
    words = turn_sentences(game, options, seats, step, perspective, numbered=numbered)
    return Scene(game.name, step.number, turns, len(teams), tuple(places), facts, words, numbered)


def turn_sentences(
    game: AnyGame,
    options: Mapping[str, Any],
    seats: Sequence[Mapping[str, Any]],
    step: Step,
    perspective: Perspective = None,
    *,
    numbered: bool = True,
) -> tuple[Message, ...]:
    """Return the description of a turn in sentences, from one perspective."""
    narrator = narrator_for(game)
    names = [picture_text(name, LONGEST_NAME) for name in shown_names(seats)]
    if numbered:
        names = [f"{number} {name}" for number, name in enumerate(names, start=1)]
    view = game.view(step.after, perspective) if perspective != OPEN else None
    words = narrate_turn(narrator, step, names, view)
    words += _ending(narrator, game.teams(options), names, game.outcome(step.after))
    return tuple(_sanitize(message) for message in words)


def shown_names(seats: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the name to show for each seat: its title, the name of its pair, or its own name."""
    names = [str(seat["name"]) for seat in seats]
    pairs = {name: str(seat.get("pair", "")) for name, seat in zip(names, seats, strict=True)}
    if not any(pairs.values()):
        return [str(seat.get("title") or name) for name, seat in zip(names, seats, strict=True)]
    titles = unique_titles({name: clean_title(pair) for name, pair in pairs.items()})
    return [str(seat.get("title") or titles[name]) for name, seat in zip(names, seats, strict=True)]


def _sanitize(message: Message) -> Message:
    """Return a message whose values are safe to show in a picture."""
    values = {
        name: _sanitize(value)
        if isinstance(value, Message)
        else picture_text(value, LONGEST_WORDS)
        if isinstance(value, str)
        else value
        for name, value in message.values.items()
    }
    return Message(message.template, values)


def _hand(renderer: Renderer, game: AnyGame, state: Any, seat: int) -> tuple[str, ...] | None:
    hand = renderer.hand(game.view(state, seat))
    return None if hand is None else tuple(hand)


def _note(
    renderer: Renderer, view: Any, seat: int, played_move: PlayedMove | None
) -> tuple[Message | None, bool]:
    if played_move is not None and played_move.fault is not None:
        return FAULTS[played_move.fault.kind], True
    return renderer.note(view, seat), False


def _last_remark(played_move: PlayedMove | None, kind: str, nothing: Any) -> Any:
    remarks = (
        [remark.value for remark in played_move.remarks if remark.kind == kind]
        if played_move is not None
        else []
    )
    return remarks[-1] if remarks else nothing


def _portrait(address: object) -> str:
    """Return an image that the record itself contains, or "". A picture never loads images from elsewhere."""
    return address if isinstance(address, str) and _is_image(address) else ""


def _no_portrait(seat: int) -> Message:
    return msg(
        "the portrait of seat {seat} is not an image contained in the record "
        "(data:image/png;base64,..., at most {limit} characters)",
        seat=seat + 1,
        limit=MOST_PORTRAIT,
    )


@lru_cache(64)
def _is_image(address: str) -> bool:
    match = _PORTRAIT.fullmatch(address) if len(address) <= MOST_PORTRAIT else None
    if match is None:
        return False
    try:
        content = b64decode(match[2], validate=True)
    except ValueError:
        return False
    begins, ends = _ENDS[match[1]]
    if match[1] == "webp":
        return content[8:12] == b"WEBP" and int.from_bytes(content[4:8], "little") + 8 <= len(content)
    return content.startswith(begins) and content.rstrip(b"\0").endswith(ends)


def _ending(
    narrator: Narrator, teams: Sequence[Sequence[int]], names: Sequence[str], outcome: Outcome | None
) -> list[Message]:
    return [] if outcome is None else ending_sentences(narrator, teams, names, outcome)


# --- recorded games ----------------------------------------------------------------------------------------


def scene_at(replay: Replay, number: int, perspective: Perspective = None) -> Scene:
    """Return the position after a turn of a recorded game; turns are numbered from 1."""
    if isinstance(perspective, int) and not 0 <= perspective < len(replay.seats):
        raise InputError(
            msg(
                "there is no seat {seat} in this game: seats are 1 to {most}",
                seat=perspective + 1,
                most=len(replay.seats),
            )
        )
    if not 1 <= number <= len(replay):
        raise InputError(
            msg(
                "there is no move {number} in this game: moves are 1 to {most}",
                number=number,
                most=len(replay),
            )
        )
    turns = len(replay) if replay.complete else 0
    step = replay.step(number)
    return scene_of(replay.game, replay.options, replay.seats, step, perspective=perspective, turns=turns)


def with_portraits(scene: Scene, portraits: Sequence[str]) -> Scene:
    """Return a scene with these portraits by seat, which are URLs of the page's own site, or ""."""
    places = zip(scene.places, portraits, strict=True)
    return replace(scene, places=tuple(replace(place, portrait=where) for place, where in places))


def portrait_warnings(replay: Replay) -> list[Message]:
    """Return a warning for each portrait of a record that is not an image; pictures leave it out."""
    return [
        msg("{where}: {what}", where=replay.path, what=_no_portrait(seat))
        for seat, seat_fields in enumerate(replay.seats)
        if seat_fields.get("portrait") and not _portrait(seat_fields["portrait"])
    ]
