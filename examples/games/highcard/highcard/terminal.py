"""highcard for a person at the terminal: `c 14` shows the card 14."""

from __future__ import annotations

from collections.abc import Sequence

from botequim import TerminalUI, msg
from botequim.terminal.ui import CommandError, Hands, Help
from highcard.rules import Show, View


class HighCardTerminalUI(TerminalUI):
    """Cards are typed by their number."""

    def help(self) -> Sequence[Help]:
        return (Help("c 14", msg("show the card 14")),)

    def parse_command(self, words: Sequence[str], view: View) -> Show:
        if len(words) != 2 or words[0] != "c" or words[1] not in map(str, view.hand):
            raise CommandError(msg("type c and a card of your hand"))
        return Show(int(words[1]))

    def command_for(self, move: Show, view: View) -> str:
        return f"c {move.card}"

    def lines(self, view: View, hands: Hands) -> list[str]:
        wins = " ".join(f"{name}: {won}" for name, won in zip(self.names, view.wins, strict=False))
        return [f"Cards: {' '.join(map(str, view.hand))}", f"Rounds won: {wins}"]
