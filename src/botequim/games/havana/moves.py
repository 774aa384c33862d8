"""The moves of havana, and the conversion of answers to moves. `rules.py` describes the rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias, final

from botequim.core.messages import Message
from botequim.games.dominoes.tiles import Deal, Tile, require_tile, tile_set
from botequim.games.havana.sides import Side, kept_side, require_side, short_repr

HIGHEST: Final = 9
TILES: Final = tile_set(HIGHEST)


@final
@dataclass(frozen=True)
class First:
    """CHANCE chooses the seat that starts."""

    seat: int


@final
@dataclass(frozen=True)
class Lay:
    """A player lays a tile."""

    side: Side
    tile: Tile

    def __post_init__(self) -> None:
        require_side(self.side)
        require_tile(self.tile)


@final
@dataclass(frozen=True)
class Pass:
    """A player lays no tile, because none fits or because it does not want to."""

    side: Side

    def __post_init__(self) -> None:
        require_side(self.side)


@final
@dataclass(frozen=True)
class LostTurn:
    """The move of the rules after any fault, also if the answer of a player is not a tile."""

    side: Side
    tried: str = ""

    def __post_init__(self) -> None:
        require_side(self.side)


Move: TypeAlias = First | Deal | Lay | Pass | LostTurn

PASS: Final = Pass(0)
LAY_LEFT: Final[dict[object, Lay]] = {tile: Lay(0, tile) for tile in TILES}
LAY_RIGHT: Final[dict[object, Lay]] = {tile: Lay(1, tile) for tile in TILES}


def move_from_answer(side: object, tile: object, *, strict: bool) -> tuple[Move, Message | None]:
    """Return the move for the answer `side` and `tile`, and a warning if the history has another side."""
    kept, warning = kept_side(side, strict=strict)
    if tile is None:
        return (PASS if kept is PASS.side else Pass(kept)), warning
    told, lays = False, LAY_RIGHT
    if type(kept) is int and 0 <= kept <= 1:  # the usual values
        told, lays = True, LAY_RIGHT if kept else LAY_LEFT
    try:  # a reversed tuple is not a tile, nor is a list
        lay = lays.get(tile) if isinstance(tile, tuple) else None
    except TypeError:  # a tuple of unhashable values
        lay = None
    if lay is None:
        return LostTurn(kept, short_repr(tile)), warning
    return lay if told else Lay(kept, lay.tile), warning
