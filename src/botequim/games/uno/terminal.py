"""uno at the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from botequim.core.messages import Message, msg
from botequim.games.cards.cards import Card, Suit
from botequim.games.uno.moves import WILD, Buy, Discard, Move, discard
from botequim.games.uno.state import State, View, cards_of
from botequim.i18n import _, _n, translate
from botequim.terminal.drawing import (
    FAINT,
    OWN,
    beside,
    card_back,
    face_down,
    in_rows,
    indexed_rows,
    numbered_rows,
    side_by_side,
    small_card,
    tall_card,
)
from botequim.terminal.ui import (
    CommandError,
    Hands,
    Help,
    Room,
    TerminalUI,
    command_index,
    reject_extra_words,
    unknown_command,
)

LETTERS = {"h": Suit.HEARTS, "d": Suit.DIAMONDS, "c": Suit.CLUBS, "s": Suit.SPADES}
SUITS = {**LETTERS, **{suit.value: suit for suit in Suit}}
SUIT_NAMES: dict[Suit, Message] = {
    Suit.HEARTS: msg("hearts"),
    Suit.DIAMONDS: msg("diamonds"),
    Suit.CLUBS: msg("clubs"),
    Suit.SPADES: msg("spades"),
}
TABLE_WIDTH = 14
"""The width of the drawing of the table card and the pile."""
EMOJI_MARK = "\ufe0f"


class UnoTerminalUI(TerminalUI):
    """Has the commands `m 0`, `m 0 h` with an A or C, and `d` or `d 2`; shows the hand sorted."""

    def help(self) -> Sequence[Help]:
        return (
            Help("m 0", msg("discard the card with that index")),
            Help("m 0 h", msg("discard an A or C and ask for a suit: h ♥, d ♦, c ♣, s ♠")),
            Help("d", msg("draw: buy a card, or what you owe; d 3 buys three")),
        )

    def parse_command(self, words: Sequence[str], view: View) -> Move:
        if words[0] == "d":
            reject_extra_words(words, 2)
            return Buy(_count(words[1])) if len(words) == 2 else Buy(view.debt or 1)
        if words[0] != "m":
            raise unknown_command(words[0])
        hand = sorted(view.hand)
        at = command_index(words, len(hand))
        card = hand[at]
        if card.rank not in WILD:
            reject_extra_words(words, 2)
            return discard(card)
        reject_extra_words(words, 3)
        if len(words) < 3:
            raise CommandError(
                msg(
                    "{card} asks for a suit: {command} h for ♥, or d ♦, c ♣, s ♠",
                    card=str(card),
                    command=f"m {at}",
                )
            )
        suit = SUITS.get(words[2].replace(EMOJI_MARK, ""))
        if suit is None:
            raise CommandError(msg('"{word}" is not a suit; use h ♥, d ♦, c ♣ or s ♠', word=words[2][:20]))
        return discard(card, suit)

    def move_text(self, move: Move) -> str:
        if isinstance(move, Discard):
            return str(move.card) if move.suit is None else f"{move.card} {move.suit.value}"
        if isinstance(move, Buy):
            return _n("buy {n} card", "buy {n} cards", move.count)
        return super().move_text(move)

    def action(self, move: Move, view: View) -> Message:
        match move:
            case Discard(card, None):
                return msg("discard {card}", card=str(card))
            case Discard(card, suit):
                return msg("discard {card} and ask for {suit}", card=str(card), suit=str(suit))
            case Buy(1):
                return msg("buy a card")
            case Buy(count):
                return msg("buy {count} cards", count=count)
        return super().action(move, view)

    def choices(self, view: View) -> Sequence[Help]:
        choices: dict[str, Help] = {}
        for move in self.moves(view):
            command = self.command_for(move, view)
            does = self.action(move, view)
            if isinstance(move, Discard) and move.suit is not None:
                does = msg("{action}; or d ♦, c ♣, s ♠", action=does)
            choices.setdefault(" ".join(command.split()[:2]), Help(command, does))
        return list(choices.values())

    def situation(self, view: View) -> Sequence[Message]:
        if view.debt:
            return [
                msg("It is your turn. You owe {debt} cards: buy them, and your turn is over.", debt=view.debt)
            ]
        if view.table is None:
            return []
        values = {"card": str(view.table), "rank": view.table.rank.value, "suit": str(view.suit)}
        if view.table.rank in WILD:
            fit = msg("{suit} was asked for with {card}, so every {suit} fits, and every A and C", **values)
        else:
            fit = msg("{card} is on the table, so every {rank}, {suit}, A and C fits", **values)
        return [msg("It is your turn. {fit}; or buy cards, and your turn is over.", fit=fit)]

    def is_forced(self, view: View) -> bool:
        return view.debt > 0  # otherwise any number of cards can be bought

    def signs(self, view: View) -> Sequence[Help]:
        reverse = msg("dama, the queen: the direction changes; with two players it does nothing")
        if view.two_player_reverse != "nothing":
            reverse = msg("dama, the queen: the direction changes; with two players you play again")
        return (
            Help("V", msg("valete, the jack: the next player buys 2 cards and loses the turn")),
            Help("D", reverse),
            Help("R", msg("rei, the king: the next player is skipped; with two players you play again")),
            Help("A", msg("the ace: you ask for a suit")),
            Help("C", msg("coringa, the joker: you ask for a suit, and the next player buys 4 cards")),
            Help("2-10", msg("no effect")),
            Help("♥ ♦ ♣ ♠", msg("hearts, diamonds, clubs, spades; type h, d, c, s")),
            Help("*", msg("the player whose turn it is")),
            Help("[7]", msg("the number of cards of a player")),
        )

    def command_for(self, move: Move, view: View) -> str:
        if isinstance(move, Discard):
            letter = next((f" {letter}" for letter, suit in LETTERS.items() if suit == move.suit), "")
            return f"m {sorted(view.hand).index(move.card)}{letter}"
        return f"d {move.count}" if isinstance(move, Buy) and move.count > 1 else "d"

    def all_hands(self, state: State) -> Hands:
        return [sorted(cards_of(hand)) for hand in state.hands]

    def visible_hands(self, view: View) -> Hands:
        return [sorted(view.hand) if at == view.seat else count for at, count in enumerate(view.counts)]

    def _label(self, view: View, seat: int, hand: Sequence[Card] | int) -> str:
        count = _("out") if seat in view.out else str(hand if isinstance(hand, int) else len(hand))
        return f"{self.name(seat)} [{count}]"

    def _state(self, view: View) -> list[str]:
        if view.table is None or view.suit is None:
            return []
        follow = _(
            "suit to follow: {suit} {name}", suit=view.suit.value, name=translate(SUIT_NAMES[view.suit])
        )
        order = " → ".join(self.names[seat] for seat in view.order)
        rows = [follow, _("pile: {count}", count=view.pile), _("order: {names}", names=order)]
        if view.debt:
            rows.append(_("cards to buy first: {debt}", debt=view.debt))
        return rows

    def lines(self, view: View, hands: Hands) -> list[str]:
        rows = []
        for seat, hand in enumerate(hands):
            text = "" if isinstance(hand, int) or seat == self.seat else " " + " ".join(map(str, hand))
            rows.append(self._label(view, seat, hand) + text)
        if view.table is not None:
            rows.append(_("table: {card}", card=f"[{view.table}]"))
        rows += self._state(view)
        if self.seat is not None:
            rows.append("   ".join(f"{at}: {card}" for at, card in enumerate(sorted(view.hand))))
        return rows

    def drawing(self, view: View, hands: Hands, room: Room) -> list[Text]:
        if room.tight and self.seat is not None:
            return self._tight(view, hands, room)
        rows: list[Text] = []
        wide = max((len(self._label(view, seat, hand)) for seat, hand in enumerate(hands)), default=0)
        for seat, hand in enumerate(hands):
            pieces = (
                []
                if room.low and (seat == self.seat or isinstance(hand, int))
                else [face_down("[ ]")] * hand
                if isinstance(hand, int)
                else [Text("…", style=FAINT)]
                if seat == self.seat
                else [small_card(card) for card in hand]
            )
            label = self._label(view, seat, hand).ljust(wide)
            rows += beside(label, pieces, room.width, style=OWN if seat == self.seat else "bold")
        if view.table is not None:
            words = [Text(line) for line in self._state(view)]
            pictures = [tall_card(view.table), card_back(view.pile)]
            if room.low:
                rows += [Text.assemble(small_card(view.table), "  ", words[0]), *words[1:]]
            elif max(line.cell_len for line in words) + TABLE_WIDTH > room.width:
                rows += [Text(), *side_by_side(pictures, gap="  "), *words, Text()]
            else:
                rows += [Text(), *side_by_side([*pictures, words], gap="  "), Text()]
        if self.seat is not None and room.low:
            return rows + _indexed_hand(view, room)
        if self.seat is not None:
            large = room.ample and len(view.hand) <= 14
            cards = [tall_card(card, large=large) for card in sorted(view.hand)]
            rows += numbered_rows(cards, room.width, playable=_playable(view))
        return rows

    def _tight(self, view: View, hands: Hands, room: Room) -> list[Text]:
        """Return a small drawing, with as many parts in a row as fit."""
        parts: list[Text] = []
        for seat, hand in enumerate(hands):
            open_hand = () if isinstance(hand, int) or seat == self.seat else hand
            label = Text(self._label(view, seat, hand), style=OWN if seat == self.seat else "bold")
            parts.append(Text(" ").join([label, *map(small_card, open_hand)]))
        parts += [] if view.table is None else [small_card(view.table)]
        parts += [Text(line) for line in self._state(view)]
        return [*in_rows(parts, room.width, gap="  "), *_indexed_hand(view, room)]


def _indexed_hand(view: View, room: Room) -> list[Text]:
    small = [small_card(card) for card in sorted(view.hand)]
    return indexed_rows(small, room.width, playable=_playable(view))


def _playable(view: View) -> list[int]:
    can = {move.card for move in view.legal if isinstance(move, Discard)}
    return [at for at, card in enumerate(sorted(view.hand)) if card in can]


def _count(word: str) -> int:
    if not (word.isascii() and word.isdigit()) or len(word) > 3:
        raise CommandError(msg('"{word}" is not a number of cards', word=word[:20]))
    return int(word)
