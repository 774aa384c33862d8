"""The pictures of positions in texts. `positions.toml` has their moves, which the rules play."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from botequim import i18n, registry
from botequim.core.errors import BrokenContract
from botequim.core.game import AnyGame
from botequim.core.messages import msg
from botequim.core.options import Options, resolve_options
from botequim.core.turn import PlayedMove, Step
from botequim.render.drawing import RenderOptions, render_svg
from botequim.render.layout import Shape
from botequim.render.scene import OPEN, Perspective, Scene, scene_of
from botequim.render.theme import Theme

FILE: Final = "positions.toml"
"""The name of the file in the folder of a game's texts."""
PLAYERS: Final = ("Ana", "Bento", "Carla", "Davi")
BETWEEN: Final = "/"
"""The separator of the moves of one turn."""


@dataclass(frozen=True, slots=True)
class Position:
    """A game up to a position."""

    game: AnyGame
    options: Options
    step: Step
    """The last turn, with the state after it."""
    perspective: Perspective

    def scene(self) -> Scene:
        seats = sum(map(len, self.game.teams(self.options)))
        names = [{"name": name} for name in PLAYERS[:seats]]
        return scene_of(self.game, self.options, names, self.step, perspective=self.perspective)


@cache
def _tables() -> Mapping[str, tuple[str, Mapping[str, Any]]]:
    """Return the game and the table of each position. The position NAME of a game is called `GAME-NAME`."""
    result: dict[str, tuple[str, Mapping[str, Any]]] = {}
    for game in (one.name for one in registry.plugins()):
        folder = registry.texts(game)
        if folder is not None and (folder / FILE).is_file():
            tables = tomllib.loads((folder / FILE).read_text(encoding="utf-8"))
            result |= {f"{game}-{name}": (game, table) for name, table in tables.items()}
    return result


def names() -> Sequence[str]:
    return tuple(_tables())


@cache
def position(name: str) -> Position:
    """Return a position, played by the rules. Raise BrokenContract if they refuse a move."""
    game_name, table = _tables()[name]
    game = registry.game(game_name)
    options = resolve_options(game.name, game.options, table.get("options", {}))
    state = game.start(options)
    step = Step(0, state, (), state)
    for number, texts in enumerate(table["moves"], start=1):
        state = step.after
        movers = sorted(game.to_move(state))
        moves = {}
        for by, text in zip(movers, texts.split(BETWEEN), strict=True):
            moves[by] = game.read(text.strip())
            wrong = game.check(state, by, moves[by])
            if wrong is not None:
                raise BrokenContract(msg("position {name}: {move}: {why}", name=name, move=text, why=wrong))
        turn = [PlayedMove(by, move) for by, move in moves.items()]
        step = Step(number, state, turn, game.apply(state, moves))
    perspective = table.get("sight")
    return Position(game, options, step, OPEN if perspective == "open" else perspective)


@cache
def position_svg(name: str, shape: Shape, language: str) -> str:
    """Return the picture of a position, a self-contained SVG."""
    with i18n.use_language(language):
        return render_svg(position(name).scene(), RenderOptions(shape, Theme.AUTO, words=False))
