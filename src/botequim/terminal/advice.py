"""Advice for a person: the move of the strongest built-in player, with its estimates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
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
"""The standard errors on either side of an estimate that make a 95% confidence interval."""
LIKELY: Final = 0.5
"""The least probability of a belief that is shown."""


def strongest(game_name: str) -> str:
    """Return the name of the strongest built-in player of a game."""
    names = registry.player_names(game_name)
    return next((name for name in STRONGEST if name in names), names[0])


class Adviser:
    """A built-in player that gives advice. It runs in its own process, started for the first advice."""

    def __init__(self, game_name: str, name: str, seed: str) -> None:
        """The seed is used in games in which several players move at once, so that nobody can predict the
        advice.

        In all other games the advice depends only on the position.
        """
        self.name: Final = name
        self._game: Final = game_name
        self._seed: Final = seed
        self._player: SubprocessPlayer | None = None

    async def lines(self, view: View, ui: TerminalUI) -> list[str]:
        """Return the advice for a person who types commands."""
        if ui.is_forced(view):
            command = _command_text(view.legal[0], view, ui)
            return [_("{command} is forced: no other move is possible.", command=command)]
        advice = await self.advice(view, ui)
        return advice_lines(self.name, advice, ui, partial(_command_text, view=view, ui=ui))

    async def advice(self, view: View, ui: TerminalUI) -> Any:
        """Return an `Advice`; of a player that gives no reasons, only its move."""
        if self._player is None:
            self._player = SubprocessPlayer(self._game, self.name)
            await self._player.open(0)
            await self._player.begin(self._seed if len(ui.to_move) > 1 else "")
        return await self._player.advise(view)

    async def close(self) -> None:
        if self._player is not None:
            await self._player.close()


def advice_lines(name: str, advice: Any, ui: TerminalUI, move_text: Callable[[Any], str]) -> list[str]:
    """Return the move of a player, its chances, and what the player believes, as far as it can say."""
    if not has_reasons(advice):
        return [_("{name} would play: {command}", name=name, command=move_text(advice))]
    return [*_chances(name, advice, ui, move_text), *_beliefs(advice.belief, ui)]


def has_reasons(advice: Any) -> bool:
    """Return whether an answer of `Adviser.advice` is an `Advice`, and not only a move."""
    return hasattr(advice, "chances")


def _chances(name: str, advice: Any, ui: TerminalUI, move_text: Callable[[Any], str]) -> list[str]:
    chances: Mapping[Any, float] = advice.chances
    best = move_text(advice.move)
    if advice.move not in chances:
        return [_("{name} would play: {command}", name=name, command=best)]
    chance = estimate_text(advice, advice.move)
    lines = [_("{name} would play: {command}, {chance} to win", name=name, command=best, chance=chance)]
    others = sorted((move for move in chances if move != advice.move), key=lambda move: -chances[move])
    texts = [f"{move_text(move)} {estimate_text(advice, move)}" for move in others[:MOVES]]
    if texts:
        lines.append(_("otherwise: {moves}", moves=", ".join(texts)))
    if len(ui.to_move) > 1:  # add that the advice is random, to be unpredictable
        lines.append(_("it varies its moves so that opponents cannot predict them"))
    return lines


def estimate_text(advice: Any, move: Any) -> str:
    """Return a chance with its 95% confidence interval, if it is an estimate: 53.6% ±2.1%."""
    text = percent(advice.chances[move])
    spread = advice.spread.get(move)
    return text if spread is None else f"{text} ±{percent(SURE * spread)}"


def _command_text(move: Any, view: View, ui: TerminalUI) -> str:
    text = ui.move_text(move)
    try:
        return f"{ui.command_for(move, view)} ({text})"
    except ValueError:  # the list of moves contains an equivalent move instead
        return text


def _beliefs(belief: Mapping[str, tuple[float, ...]], ui: TerminalUI) -> list[str]:
    """Return the hidden pieces with the seats where the player believes them to be, the most certain
    first."""
    beliefs = [
        (max(chances), piece, chances.index(max(chances)))
        for piece, chances in belief.items()
        if any(chances)
    ]
    likely = sorted((one for one in beliefs if one[0] >= LIKELY), key=lambda one: (-one[0], one[1]))[:BELIEFS]
    if not likely:
        return []
    text = ", ".join(f"{piece}: {ui.names[seat]} {percent(chance)}" for chance, piece, seat in likely)
    return [_("it believes: {beliefs}", beliefs=text)]
