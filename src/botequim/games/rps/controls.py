"""rps in the browser."""

from __future__ import annotations

from collections.abc import Sequence

from botequim.core.messages import Message, msg
from botequim.games.rps.narration import WORDS
from botequim.games.rps.rules import HANDS, Hand, View
from botequim.games.rps.symbols import HAND_SIZE
from botequim.games.rps.terminal import BOTH_CHOOSE, RpsTerminalUI, winner_if_equal
from botequim.render.svg import use
from botequim.tables.controls import Choice, HandPiece, TableControls


class RpsControls(TableControls):
    """The hand has the three hands that can be shown, in every round."""

    ui: RpsTerminalUI
    options_for_bots = ("forfeit_history",)

    def hand(self, view: View) -> Sequence[HandPiece]:
        return [HandPiece(hand.value, use(hand.value), HAND_SIZE, HAND_SIZE, WORDS[hand]) for hand in HANDS]

    def choices(self, view: View) -> Sequence[Choice]:
        return [
            Choice(self.game.write(move), self.ui.action(move, view), move.value)
            for move in view.legal
            if isinstance(move, Hand)
        ]

    def situation(self, view: View) -> Sequence[Message]:
        """Return who wins with equal hands, in fewer words than the terminal has room for."""
        if not view.legal:
            return ()
        winners: dict[int | None, list[Hand]] = {}
        for hand in HANDS:
            decision = winner_if_equal(hand, view.counts)
            winners.setdefault(None if decision is None else decision[0], []).append(hand)
        return [BOTH_CHOOSE, *(self._if_equal(hands, seat) for seat, hands in winners.items())]

    def _if_equal(self, hands: Sequence[Hand], winner: int | None) -> Message:
        who = "" if winner is None else self.ui.names[winner]
        match [WORDS[hand] for hand in hands]:
            case [hand]:
                if winner is None:
                    return msg("If both show {hand}, a coin decides.", hand=hand)
                return msg("If both show {hand}, {who} wins.", hand=hand, who=who)
            case [hand, other]:
                if winner is None:
                    return msg("If both show {hand} or {other}, a coin decides.", hand=hand, other=other)
                return msg("If both show {hand} or {other}, {who} wins.", hand=hand, other=other, who=who)
        if winner is None:
            return msg("If both show the same hand, a coin decides.")
        return msg("If both show the same hand, {who} wins.", who=who)

    def goal(self) -> Message:
        return msg(
            "Win more rounds than the other player; if both show the same hand, the rounds before it decide."
        )
