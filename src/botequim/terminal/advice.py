"""Advice for a person: the move of the strongest built-in player, with its estimates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from botequim import registry
from botequim.core.game import View
from botequim.engine.subprocess_player import SubprocessPlayer
from botequim.i18n import _, percent
from botequim.terminal.ui import TerminalUI

STRONGEST: Final = ("champion", "greedy", "random")
MOVES: Final = 4
BELIEFS: Final = 5
SURE: Final = 1.96
"""Standard errors on either side of an estimate: a 95% confidence interval."""
LIKELY: Final = 0.5
"""Less likely beliefs are not shown."""


def strongest(game_name: str) -> str:
    """Return the name of the strongest built-in player of a game."""
    known = registry.player_names(game_name)
    return next((name for name in STRONGEST if name in known), known[0])


class Adviser:
    """A built-in player that gives advice. It runs in its own process, started for the first advice."""

    def __init__(self, game_name: str, name: str, seed: str) -> None:
        """Use the seed in games where several players move at once, so that nobody can predict the advice.

        In all other games the advice depends only on the position.
        """
        self.name: Final = name
        self._game: Final = game_name
        self._seed: Final = seed
        self._thinking: SubprocessPlayer | None = None

    async def lines(self, view: View, ui: TerminalUI) -> list[str]:
        if self._thinking is None:
            self._thinking = SubprocessPlayer(self._game, self.name)
            await self._thinking.open(0)
            await self._thinking.begin(self._seed if len(ui.to_move) > 1 else "")
        advice = await self._thinking.advise(view)
        if not hasattr(advice, "chances"):
            return [
                _("{name} would play: {command}", name=self.name, command=_command_text(advice, view, ui))
            ]
        return [*self._chances(advice, view, ui), *_beliefs(advice.belief, ui)]

    def _chances(self, advice: Any, view: View, ui: TerminalUI) -> list[str]:
        chances: Mapping[Any, float] = advice.chances
        best = _command_text(advice.move, view, ui)
        if advice.move not in chances:
            return [_("{name} would play: {command}", name=self.name, command=best)]
        chance = _estimate(advice, advice.move)
        lines = [
            _("{name} would play: {command}, {chance} to win", name=self.name, command=best, chance=chance)
        ]
        others = sorted((move for move in chances if move != advice.move), key=lambda move: -chances[move])
        shown = [f"{_command_text(move, view, ui)} {_estimate(advice, move)}" for move in others[:MOVES]]
        if shown:
            lines.append(_("otherwise: {moves}", moves=", ".join(shown)))
        if len(ui.to_move) > 1:  # being unpredictable is worth more than a slightly better move
            lines.append(_("it varies its moves so that opponents cannot predict them"))
        return lines

    async def close(self) -> None:
        if self._thinking is not None:
            await self._thinking.close()


def _estimate(advice: Any, move: Any) -> str:
    """Return a chance with its 95% confidence interval, if it is an estimate: 53.6% ±2.1%."""
    text = percent(advice.chances[move])
    spread = advice.spread.get(move)
    return text if spread is None else f"{text} ±{percent(SURE * spread)}"


def _command_text(move: Any, view: View, ui: TerminalUI) -> str:
    played = ui.move_text(move)
    try:
        return f"{ui.command_for(move, view)} ({played})"
    except ValueError:  # the menu contains an equivalent move instead
        return played


def _beliefs(belief: Mapping[str, tuple[float, ...]], ui: TerminalUI) -> list[str]:
    """Return where the player believes hidden pieces to be, the most certain first."""
    sure = [
        (max(chances), piece, chances.index(max(chances)))
        for piece, chances in belief.items()
        if any(chances)
    ]
    likely = sorted((one for one in sure if one[0] >= LIKELY), key=lambda one: (-one[0], one[1]))[:BELIEFS]
    if not likely:
        return []
    shown = ", ".join(f"{piece}: {ui.names[seat]} {percent(chance)}" for chance, piece, seat in likely)
    return [_("it believes: {beliefs}", beliefs=shown)]
