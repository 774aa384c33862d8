"""Moves for tiles that are dealt and drawn in secret, and the events that each seat sees.

A player with a `Draw` asks for a tile; CHANCE answers with a `DrawnTile`. In the events of a seat, the hands
dealt to others and the tiles they drew are None, in all rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, final

from botequim.core.game import CHANCE, Event
from botequim.core.rng import Rng
from botequim.games.dominoes.tiles import Deal, Hand, Tile, read_tile

Events: TypeAlias = tuple[Event[Any], ...]
Swap: TypeAlias = dict[Tile, Tile]
"""By tile, the tile that replaces it."""


@final
@dataclass(frozen=True)
class Draw:
    """A player asks for a tile from the boneyard."""


@final
@dataclass(frozen=True)
class DrawnTile:
    """The tile that CHANCE gives to the player who asked."""

    tile: Tile | None

    def __str__(self) -> str:
        return "draw ?" if self.tile is None else f"draw {self.tile}"


DRAW: Final = Draw()
UNSEEN: Final = DrawnTile(None)
_UNSEEN_DRAW: Final[Event[Any]] = Event(CHANCE, UNSEEN)


def read_drawn(word: str, highest: int) -> DrawnTile:
    return UNSEEN if word == "?" else DrawnTile(read_tile(word, highest))


# --- hidden tiles -----------------------------------------------------------------------------------


def events_seen_by(events: Events, seat: int | None) -> Events:
    """Return the events as one seat sees them. Seat None, a spectator, sees no tile before it is laid."""
    shown = list(events)
    for at, event in enumerate(events):
        move = event.move
        if event.by != CHANCE:
            continue
        if isinstance(move, Deal):
            shown[at] = Event(CHANCE, move.seen_by(seat))
        elif isinstance(move, DrawnTile) and events[at - 1].by != seat:
            shown[at] = _UNSEEN_DRAW
    return tuple(shown)


def resample_events(
    events: Events, seat: int | None, tiles: Hand, stay: Callable[[Events], Iterable[Tile]], rng: Rng
) -> tuple[Events, Swap]:
    """Return other events that look the same to the seat, and the replacements since the last deal.

    After each deal, the tiles that the seat has not seen are exchanged at random, except those that `stay`
    returns for the events from one deal to the next.
    """
    deals = [at for at, event in enumerate(events) if isinstance(event.move, Deal)]
    changed = list(events)
    swap: Swap = {}
    for start, stop in zip(deals, [*deals, len(events)][1:], strict=True):
        since = events[start:stop]
        known = {*stay(since), *_tiles_shown(events_seen_by(since, seat))}
        unseen = [tile for tile in tiles if tile not in known]
        swap = dict(zip(unseen, rng.shuffled(unseen), strict=True))
        for at, event in enumerate(since, start):
            if event.by == CHANCE:
                changed[at] = Event(CHANCE, _swapped_move(event.move, swap))
    return tuple(changed), swap


def swap_tiles(tiles: Hand, swap: Swap) -> Hand:
    return tuple([swap.get(tile, tile) for tile in tiles])


def _tiles_shown(events: Events) -> list[Tile]:
    """Return the tiles of the visible hands of a deal, and the `tile` of any other move."""
    tiles: list[Tile] = []
    for event in events:
        move = event.move
        if isinstance(move, Deal):
            tiles += [tile for hand in move.hands for tile in hand or ()]
        elif getattr(move, "tile", None) is not None:
            tiles.append(move.tile)
    return tiles


def _swapped_move(move: Any, swap: Swap) -> Any:
    if isinstance(move, Deal):
        return Deal(tuple([swap_tiles(hand or (), swap) for hand in move.hands]))
    if isinstance(move, DrawnTile) and move.tile is not None:
        return DrawnTile(swap.get(move.tile, move.tile))
    return move
