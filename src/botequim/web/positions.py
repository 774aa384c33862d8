"""Positions that texts show: written down as moves, played by the real rules, drawn as all pictures are."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final

from botequim import i18n, registry
from botequim.core.errors import BrokenContract
from botequim.core.game import AnyGame
from botequim.core.messages import msg
from botequim.core.options import Options, settle
from botequim.core.turn import Made, Step
from botequim.picture import OPEN, Look, Scene, Shape, Sight, Theme, picture, scene_of

FILE: Final = resources.files("botequim.web") / "texts" / "positions.toml"
PLAYERS: Final = ("Ana", "Bento", "Carla", "Davi")
BETWEEN: Final = "/"
"""Parts the moves of one turn."""


@dataclass(frozen=True, slots=True)
class Position:
    """A game as far as it was played."""

    game: AnyGame
    options: Options
    step: Step
    """The last turn, with the state after it."""
    sight: Sight

    def scene(self) -> Scene:
        seats = sum(map(len, self.game.teams(self.options)))
        names = [{"name": name} for name in PLAYERS[:seats]]
        return scene_of(self.game, self.options, names, self.step, sight=self.sight)


@cache
def _written() -> Mapping[str, Mapping[str, Any]]:
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def names() -> Sequence[str]:
    """Of all that there are."""
    return tuple(_written())


@cache
def position(name: str) -> Position:
    """One of them, played out: a move that the rules refuse is a mistake of ours."""
    written = _written()[name]
    game = registry.game(written["game"])
    options = settle(game.name, game.options, written.get("options", {}))
    state = game.start(options)
    step = Step(0, state, (), state)
    for number, texts in enumerate(written["moves"], start=1):
        state = step.after
        movers = sorted(game.to_move(state))
        moves = {}
        for by, text in zip(movers, texts.split(BETWEEN), strict=True):
            moves[by] = game.read(text.strip())
            wrong = game.check(state, by, moves[by])
            if wrong is not None:
                raise BrokenContract(msg("position {name}: {move}: {why}", name=name, move=text, why=wrong))
        turn = [Made(by, move) for by, move in moves.items()]
        step = Step(number, state, turn, game.apply(state, moves))
    sight = written.get("sight")
    return Position(game, options, step, OPEN if sight == "open" else sight)


@cache
def drawn(name: str, shape: Shape, language: str) -> str:
    """Its picture, an SVG that needs nothing from elsewhere."""
    with i18n.speaking(language):
        return picture(position(name).scene(), Look(shape, Theme.AUTO, words=False))
