"""uno in the browser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from botequim.core.messages import Message, msg, plain
from botequim.core.options import Value
from botequim.games.cards.cards import Card, Rank, read_card
from botequim.games.cards.picture import card_symbol, sorted_cards
from botequim.games.cards.symbols import CARD_HEIGHT, CARD_WIDTH
from botequim.games.uno.moves import WILD, Buy, Discard, Move
from botequim.games.uno.picture import card_boxes
from botequim.games.uno.state import MOST_WITH_ONE_DECK, View
from botequim.games.uno.terminal import SUIT_NAMES
from botequim.render.drawing import table_box
from botequim.render.layout import Shape
from botequim.render.scene import Scene
from botequim.render.svg import Box, use
from botequim.tables.controls import Choice, HandPiece, TableControls

MOST_OFFERED = 5
"""The most cards that a button buys. The rules allow more."""
RANK_NAMES: Mapping[Rank, Message] = {
    Rank.ACE: msg("ace"),
    Rank.JACK: msg("jack"),
    Rank.QUEEN: msg("queen"),
    Rank.KING: msg("king"),
    Rank.JOKER: msg("joker"),
}


class UnoControls(TableControls):
    """Cards are discarded, an A or C with the suit that it asks for, or cards are bought."""

    @staticmethod
    def usual_options(seats: int) -> Mapping[str, Value]:
        return {"decks": 2} if seats > MOST_WITH_ONE_DECK else {}

    def hand(self, view: View) -> Sequence[HandPiece]:
        return [
            HandPiece(card, use(card_symbol(card)), CARD_WIDTH, CARD_HEIGHT, card_name(read_card(card)))
            for card in sorted_cards(map(str, view.hand))
        ]

    def choices(self, view: View) -> Sequence[Choice]:
        more = range(2, MOST_OFFERED + 1) if view.legal and not view.debt else ()
        return [self._choice(move, view) for move in (*view.legal, *map(Buy, more))]

    def _choice(self, move: Move, view: View) -> Choice:
        written, label = self.game.write(move), self.ui.action(move, view)
        match move:
            case Discard(card, None):
                return Choice(written, label, str(card))
            case Discard(card, suit) if suit is not None:
                return Choice(written, label, str(card), suit.value, SUIT_NAMES[suit])
            case Buy(count):
                return Choice(written, label, rare=count > 1 and not view.debt)
        return Choice(written, label)

    def misfit(self, piece: str, view: View) -> Message:
        if view.debt:
            return msg("You owe {debt} cards: buy them first.", debt=view.debt)
        assert view.table is not None
        values = {
            "card": piece,
            "top": str(view.table),
            "rank": view.table.rank.value,
            "suit": str(view.suit),
        }
        if view.table.rank in WILD:
            return msg("{card} does not fit: {suit} was asked for with {top}.", **values)
        return msg(
            "{card} has neither the suit {suit} nor the value {rank} of the card on the table.", **values
        )

    def question(self, piece: HandPiece) -> Message:
        return msg("{card}: which suit do you ask for?", card=piece.label)

    def target_boxes(self, view: View, scene: Scene, shape: Shape) -> Mapping[str, Box]:
        """Return the discards and, for every number of cards to buy, the pile. An A or C has no box, because
        its suit must be chosen too."""
        pile, discards = card_boxes(table_box(scene, shape), shape)
        return {
            choice.move: discards if choice.piece else pile
            for choice in self.choices(view)
            if not choice.target and not choice.rare
        }

    def goal(self) -> Message:
        return msg("Get rid of your cards: the first empty hand wins.")


def card_name(card: Card) -> Message:
    """Return the name of a card in words: `jack of hearts`."""
    rank = RANK_NAMES.get(card.rank, plain(card.rank.value))
    return msg("{rank} of {suit}", rank=rank, suit=SUIT_NAMES[card.suit])
