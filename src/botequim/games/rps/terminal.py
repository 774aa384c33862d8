"""rps at the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from botequim.core.messages import Message, msg
from botequim.games.rps.narration import WORDS
from botequim.games.rps.rules import AT, BEATEN_BY, HANDS, Counts, Hand, Move, Round, View
from botequim.i18n import _, translate
from botequim.terminal.drawing import FAINT, OWN, indexed_rows, side_by_side
from botequim.terminal.ui import (
    Hands,
    Help,
    Room,
    TerminalUI,
    command_index,
    reject_extra_words,
    unknown_command,
)

BOTH_CHOOSE = msg("It is your turn. The other player chooses at the same time.")
PICTURES: dict[Hand | None, tuple[str, ...]] = {
    Hand.ROCK: ("            ", "   ▄████▄   ", "  ████████▄ ", "  █████████ ", "   ▀█████▀  "),
    Hand.PAPER: ("  ┌──────┐  ", "  │ ≡≡≡≡ │  ", "  │ ≡≡≡≡ │  ", "  │ ≡≡   │  ", "  └──────┘  "),
    Hand.SCISSORS: ("  ╲      ╱  ", "    ╲  ╱    ", "     ╳╳     ", "   ╭╮  ╭╮   ", "   ╰╯  ╰╯   "),
    None: ("            ", "            ", "     –      ", "            ", "            "),
}
STYLES: dict[Hand | None, str] = {
    Hand.ROCK: "#b08968",
    Hand.PAPER: "#e9e3cf",
    Hand.SCISSORS: "#7fb7d8",
    None: FAINT,
}


class RpsTerminalUI(TerminalUI):
    """Has the commands `m 0`, `m 1`, `m 2`, or the first letter of the hand; shows the last round, the counts
    and the score."""

    def help(self) -> Sequence[Help]:
        return (
            Help("m 0", msg("show rock (also m r)")),
            Help("m 1", msg("show paper (also m p)")),
            Help("m 2", msg("show scissors (also m s)")),
        )

    def parse_command(self, words: Sequence[str], view: View) -> Move:
        if words[0] != "m":
            raise unknown_command(words[0])
        reject_extra_words(words, 2)
        for hand in HANDS:
            if words[1:] == [hand.value[0]]:
                return hand
        return HANDS[command_index(words, len(HANDS))]

    def move_text(self, move: Move) -> str:
        return translate(WORDS[move]) if isinstance(move, Hand) else super().move_text(move)

    def action(self, move: Move, view: View) -> Message:
        return msg("show {hand}", hand=WORDS[move]) if isinstance(move, Hand) else super().action(move, view)

    def situation(self, view: View) -> Sequence[Message]:
        return [
            BOTH_CHOOSE,
            *(self._if_equal(hand, view.counts) for hand in HANDS),
        ]

    def signs(self, view: View) -> Sequence[Help]:
        return (
            Help("rp2", msg("a round: rock against paper, won by player 2 (r rock, p paper, s scissors)")),
            Help("◀ ▶ ·", msg("rounds that player 1 won, that player 2 won, and that nobody won")),
        )

    def _if_equal(self, hand: Hand, counts: tuple[Counts, Counts]) -> Message:
        """Return who wins the round if both show this hand."""
        if (decision := winner_if_equal(hand, counts)) is None:
            return msg("If both show {hand}, a coin decides.", hand=WORDS[hand])
        seat, shown = decision
        return msg(
            "If both show {hand}, {who} wins: it has shown {shown} more often.",
            hand=WORDS[hand],
            who=self.names[seat],
            shown=WORDS[shown],
        )

    def command_for(self, move: Move, view: View) -> str:
        return f"m {HANDS.index(move)}" if isinstance(move, Hand) else ""

    def _score(self, view: View, seat: int) -> str:
        counts = ", ".join(
            f"{translate(WORDS[hand])} {count}" for hand, count in zip(HANDS, view.counts[seat], strict=True)
        )
        return _("{who}: {wins} won ({counts})", who=self.names[seat], wins=view.wins[seat], counts=counts)

    def lines(self, view: View, hands: Hands) -> list[str]:
        rows = [self._score(view, seat) for seat in (0, 1)]
        rows.insert(0, self._heading(view))
        if view.rounds:
            rows.append(_("rounds so far: {rounds}", rounds=view.history.replace(";", " ")))
        if view.legal:
            rows.append("   ".join(f"{at}: {translate(WORDS[hand])}" for at, hand in enumerate(HANDS)))
        return rows

    def _heading(self, view: View) -> str:
        if len(view.rounds) == view.length:
            return _("All {length} rounds are played", length=view.length)
        return _("Round {number} of {length}", number=len(view.rounds) + 1, length=view.length)

    def drawing(self, view: View, hands: Hands, room: Room) -> list[Text]:
        rows = [Text(self._heading(view), style="bold")]
        for seat in (0, 1):
            rows.append(Text(self._score(view, seat), style=OWN if seat == self.seat else ""))
        blank = [] if room.tight else [Text()]
        rows += blank
        if view.rounds:
            rows += [] if room.low else self._last(view.rounds[-1])
            rows += [self._dots(view, room.width), *blank]
        if view.legal and room.low:
            rows += indexed_rows(
                [Text(translate(WORDS[hand])) for hand in HANDS], room.width, playable=range(3)
            )
        elif view.legal:
            blocks = [
                [*_picture(hand), Text(f"{at} {translate(WORDS[hand])}".center(12), style=OWN)]
                for at, hand in enumerate(HANDS)
            ]
            rows += side_by_side(blocks, gap="  ")
        return rows

    def _last(self, one: Round) -> list[Text]:
        left, right = one.hands
        names = Text.assemble(
            (f"{self.names[0]:^12}", "bold" if one.winner == 0 else FAINT),
            "        ",
            (f"{self.names[1]:^12}", "bold" if one.winner == 1 else FAINT),
        )
        sign = {0: "  ◀───  ", 1: "  ───▶  ", None: "   ──   "}[one.winner]
        middle = [Text(" " * 8), Text(" " * 8), Text(sign, style=OWN), Text(" " * 8), Text(" " * 8)]
        return [*side_by_side([_picture(left), middle, _picture(right)], gap=""), names]

    def _dots(self, view: View, width: int) -> Text:
        """Return a sign for every round, which shows who won it."""
        dots = Text()
        for one in view.rounds[-(width - 2) :]:
            mine = one.winner is not None and one.winner == (self.seat or 0)
            style = FAINT if one.winner is None else OWN if mine else "#d06a6a"
            dots.append({0: "◀", 1: "▶", None: "·"}[one.winner], style=style)
        return dots


def _picture(hand: Hand | None) -> list[Text]:
    return [Text(line, style=STYLES[hand]) for line in PICTURES[hand]]


def winner_if_equal(hand: Hand, counts: tuple[Counts, Counts]) -> tuple[int, Hand] | None:
    """Return who wins the round if both show this hand, and the hand that decides it because this player has
    shown it more often; None if a coin decides."""
    for shown in (hand, BEATEN_BY[hand]):
        first, second = counts[0][AT[shown]], counts[1][AT[shown]]
        if first != second:
            return (0 if first > second else 1), shown
    return None
