"""What the strongest player there is would do, and why, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from botequim import registry
from botequim.core.game import View
from botequim.i18n import _, percent
from botequim.terminal.face import Face
from botequim.thinking import Thinking

STRONGEST: Final = ("champion", "greedy", "random")
MOVES: Final = 4
BELIEFS: Final = 5
SURE: Final = 1.96
"""Standard errors on either side: 95 of 100 estimates are no further off."""
LIKELY: Final = 0.5
"""What is less likely than that is not worth saying."""


def strongest(game_name: str) -> str:
    """The best built-in player that a game has."""
    known = registry.player_names(game_name)
    return next((name for name in STRONGEST if name in known), known[0])


class Adviser:
    """Thinks in a process of its own, which is started when the first advice is asked for."""

    def __init__(self, game_name: str, name: str, seed: str) -> None:
        """The seed is for games in which several move at once: there nobody may foresee what is advised.

        In all others advice follows from the position alone, and is the same in every game that comes there.
        """
        self.name: Final = name
        self._game: Final = game_name
        self._seed: Final = seed
        self._thinking: Thinking | None = None

    async def lines(self, view: View, face: Face) -> list[str]:
        """The advice for one turn."""
        if self._thinking is None:
            self._thinking = Thinking(self._game, self.name)
            await self._thinking.open(0)
            await self._thinking.begin(self._seed if len(face.to_move) > 1 else "")
        advice = await self._thinking.advise(view)
        if not hasattr(advice, "chances"):
            return [_("{name} would play: {command}", name=self.name, command=_typed(advice, view, face))]
        return [*self._chances(advice, view, face), *_beliefs(advice.belief, face)]

    def _chances(self, advice: Any, view: View, face: Face) -> list[str]:
        chances: Mapping[Any, float] = advice.chances
        best = _typed(advice.move, view, face)
        if advice.move not in chances:
            return [_("{name} would play: {command}", name=self.name, command=best)]
        chance = _estimate(advice, advice.move)
        lines = [
            _("{name} would play: {command}, {chance} to win", name=self.name, command=best, chance=chance)
        ]
        others = sorted((move for move in chances if move != advice.move), key=lambda move: -chances[move])
        shown = [f"{_typed(move, view, face)} {_estimate(advice, move)}" for move in others[:MOVES]]
        if shown:
            lines.append(_("otherwise: {moves}", moves=", ".join(shown)))
        if len(face.to_move) > 1:  # what the others cannot foresee is worth more than a little chance
            lines.append(_("it plays now one, now another, so that nobody can foresee it"))
        return lines

    async def close(self) -> None:
        if self._thinking is not None:
            await self._thinking.close()


def _estimate(advice: Any, move: Any) -> str:
    """A chance, and where it was estimated, within what it is 95 times of a hundred: 53.6% ±2.1%."""
    said = percent(advice.chances[move])
    spread = advice.spread.get(move)
    return said if spread is None else f"{said} ±{percent(SURE * spread)}"


def _typed(move: Any, view: View, face: Face) -> str:
    played = face.played(move)
    try:
        return f"{face.typed(move, view)} ({played})"
    except ValueError:  # a move that stands for another of the menu
        return played


def _beliefs(belief: Mapping[str, tuple[float, ...]], face: Face) -> list[str]:
    """Where it believes the pieces to be that matter most to know: those it is surest of."""
    sure = [
        (max(chances), piece, chances.index(max(chances)))
        for piece, chances in belief.items()
        if any(chances)
    ]
    likely = sorted((one for one in sure if one[0] >= LIKELY), key=lambda one: (-one[0], one[1]))[:BELIEFS]
    if not likely:
        return []
    shown = ", ".join(f"{piece}: {face.names[seat]} {percent(chance)}" for chance, piece, seat in likely)
    return [_("it believes: {beliefs}", beliefs=shown)]
