"""uno: Uno with a French deck (the competition of the C bots).

Two to six players play with one deck of 54 cards, two to ten with two decks. Each player gets seven cards.
Then cards are turned up from the pile until there is a number card (2-10), which becomes the table card.
Action cards that were turned up before it go back under the pile. If there is no number card, the cards are
dealt again. A random player starts.

In its turn a player discards one card, or buys cards from the pile. A discard must have the value of the top
card, or the suit to follow: that of the top card, or if this is an A or C, the suit that its player asked
for. A and C always fit. The effects of a discard:

====== ==========================================================================================
``A``  the player asks for a suit; by default, the suit of the card
``C``  the player asks for a suit, and the next player must buy exactly 4
``V``  the next player must buy exactly 2; debts are neither passed on nor added up
``D``  reverses the direction; no effect with two players (`two_player_reverse = "skip"`: like ``R``)
``R``  skips the next player; with two players the same player plays again
====== ==========================================================================================

A player may buy any number of cards, up to all that exist, even if it has a card that fits. Then its turn
ends. The first player with an empty hand wins at once, whatever its last card is. If a card must be drawn and
the pile is empty, the game ends, and the player with the fewest cards wins. With `pile = "reshuffle"`, all
discards but the top card become the pile instead; the game ends only if there are none. The game also ends
after three full rounds without a valid action, and after 2,000 turns.

A player whose move is refused loses its turn. A player that does not answer, or has a debt and does not buy
exactly that number, is out of the game: its cards are not used any more, its debt is cancelled, and the last
player left wins. Players who are not out are ranked by their numbers of cards. After them come those who are
out, the latest first.

**The pile has no order.** The order of cards that nobody has seen does not matter, so each draw is a fair
random choice among them, which is made and recorded when the card is drawn. Only the action cards that went
back have a place: they are under all other cards, in the order in which they were turned up. No player sees
them.

The moves are in `botequim.games.uno.moves`, states and views in `botequim.games.uno.state`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, assert_never, final

from botequim.core.errors import Fault, FaultKind
from botequim.core.game import CHANCE, CHANCE_TURN, NOBODY, Outcome, Remark, check_say
from botequim.core.messages import Message, msg
from botequim.core.options import ChoiceOption, IntOption, Option, Options
from botequim.core.rng import Rng
from botequim.games.cards.cards import CARDS, SUITS, Card, Rank, Suit
from botequim.games.uno import moves as uno_moves
from botequim.games.uno.moves import (
    BUYS,
    DISCARDS,
    DRAWS,
    LOST,
    MOST_SEATS,
    OUT,
    STARTERS,
    WILD,
    Buy,
    Deal,
    Discard,
    Draw,
    Move,
    Out,
    Starter,
)
from botequim.games.uno.state import (
    ACTIONS,
    DECK,
    ONE,
    Ending,
    Middle,
    Numbers,
    Past,
    Rules,
    State,
    View,
    cards_of,
    following,
    numbers_of,
    redealt,
    sample,
    view_of,
    without,
)

MOST_TURNS: Final = 2000
IDLE_ROUNDS: Final = 3
DEBTS: Final = {Rank.JACK: 2, Rank.JOKER: 4}

_ALONE: Final[tuple[tuple[int, ...], ...]] = tuple([(seat,) for seat in range(MOST_SEATS)])
_ONLY_BUY: Final[tuple[tuple[Move, ...], ...]] = tuple([(buy,) for buy in BUYS])

# by the number of a card
_ALL: Final[Numbers] = bytes(range(DECK))
_SUIT: Final = bytes([SUITS.index(card.suit) for card in CARDS])
_WILD: Final = bytes([card.rank in WILD for card in CARDS])
_DEBT: Final = bytes([DEBTS.get(card.rank, 0) for card in CARDS])
_TURNS: Final = bytes([card.rank == Rank.QUEEN for card in CARDS])
_SKIPS: Final = bytes([card.rank == Rank.KING for card in CARDS])
_FITS: Final = tuple(
    [
        bytes([card.rank in WILD or card.rank == top.rank or card.suit == suit for card in CARDS])
        for top in CARDS
        for suit in SUITS
    ]
)
"""The cards that can be discarded, by the number of the top card * 4 + the suit to follow."""


# --- the rules -------------------------------------------------------------------------------------


@final
class Uno:
    """The rules of uno."""

    name: Final = "uno"
    options: Final[tuple[Option, ...]] = (
        IntOption("players", 2, 2, MOST_SEATS, msg("players at the table; more than six need two decks")),
        IntOption("decks", 1, 1, 2, msg("decks of 54 cards")),
        IntOption("hand_size", 7, 1, 20, msg("cards dealt to each")),
        ChoiceOption(
            "two_player_reverse",
            ("nothing", "skip"),
            msg("with two players left, a D does nothing, or skips the other player"),
        ),
        ChoiceOption(
            "pile",
            ("end", "reshuffle"),
            msg(
                "what happens when the pile is empty: the game ends, or the discards are shuffled "
                "into a new pile"
            ),
        ),
    )

    def teams(self, options: Options) -> tuple[tuple[int, ...], ...]:
        return _ALONE[: Rules(options).players]

    def start(self, options: Options) -> State:
        return State(Rules(options), Middle(b"", b"", b"", 0), (), (), 1, -1, 0, 0, 0, 0, None, None)

    def to_move(self, state: State) -> tuple[int, ...]:
        if state.ending is not None:
            return NOBODY
        if state.buying > 0 or state.seat < 0:
            return CHANCE_TURN
        return _ALONE[state.seat]

    def chance(self, state: State, rng: Rng) -> Move:
        if state.buying > 0:
            return _draw(state, rng)
        if state.hands:
            return STARTERS[rng.below(state.rules.players)]
        deal = _deal(state.rules, rng)
        while deal is None:
            deal = _deal(state.rules, rng)
        return deal

    def legal(self, state: State, seat: int) -> tuple[Move, ...]:
        if state.debt > 0:
            return _ONLY_BUY[state.debt]
        hand = state.hands[seat]
        fits = _fits(state.middle)
        two_decks = state.rules.decks > 1
        moves: list[Move] = []
        for at in range(len(hand)):
            number = hand[at]
            if fits[number] and not (two_decks and number in hand[:at]):
                if _WILD[number]:
                    moves.extend(DISCARDS[number])
                else:
                    moves.append(DISCARDS[number][0])
        moves.append(BUYS[1])
        return tuple(moves)

    def check(self, state: State, seat: int, move: object) -> Message | None:
        if seat == CHANCE:
            return _check_chance(state, move)
        if state.debt > 0 and not (isinstance(move, Buy) and move.count == state.debt):
            return msg("the debt must be paid: only buying exactly {debt} can be chosen", debt=state.debt)
        if isinstance(move, Buy):
            most = DECK * state.rules.decks
            if not 1 <= move.count <= most:
                return msg("1 to {most} cards can be bought, not {count}", most=most, count=move.count)
            return None
        if isinstance(move, Discard):
            return _check_discard(state, seat, move)
        return msg("only discarding or buying can be chosen")

    def on_fault(self, state: State, seat: int, fault: Fault) -> Move:
        match fault.kind:
            case FaultKind.TIMEOUT | FaultKind.CRASH | FaultKind.LIMIT:
                return OUT[state.debt]
            case FaultKind.ILLEGAL | FaultKind.MALFORMED:
                return OUT[state.debt] if state.debt > 0 else LOST
            case _:
                assert_never(fault.kind)

    def apply(self, state: State, moves: Mapping[int, Move]) -> State:
        if state.buying > 0 or state.seat < 0:
            return _by_chance(state, moves[CHANCE])
        move = moves[state.seat]
        if isinstance(move, Discard):
            return _after_discard(state, move)
        if isinstance(move, Buy):
            return _after_buy(state, move)
        return _at_fault(state, move)

    def outcome(self, state: State) -> Outcome | None:
        if state.ending is None:
            return None
        counts = tuple([len(hand) for hand in state.hands])
        standing = sorted([counts[seat] for seat in range(state.rules.players) if seat not in state.out])
        places: list[int] = []
        for seat in range(state.rules.players):
            if seat in state.out:
                places.append(state.rules.players - state.out.index(seat))
            else:
                places.append(1 + standing.index(counts[seat]))
        return Outcome(state.ending.value, tuple(places), counts)

    def view(self, state: State, seat: int | None) -> View:
        asked = seat is not None and self.to_move(state) == (seat,)
        return view_of(state, seat, self.legal(state, state.seat) if asked else ())

    def write(self, move: Move) -> str:
        return uno_moves.write(move)

    def read(self, text: str) -> Move:
        return uno_moves.read(text)

    def check_remark(self, remark: Remark) -> Message | None:
        return check_say(remark)

    def pieces(self, state: State) -> tuple[str, ...]:
        middle = state.middle
        everywhere = b"".join([*state.hands, middle.pile, middle.under, middle.discards])
        return tuple([str(card) for card in cards_of(everywhere)])

    def resample_hidden(self, state: State, seat: int | None, rng: Rng) -> State:
        return redealt(state, seat, rng) if state.hands else state


# --- chance ----------------------------------------------------------------------------------------


def _deal(rules: Rules, rng: Rng) -> Deal | None:
    """Return a deal, or None if there is no number card for the table."""
    size = rules.hand_size
    left = _ALL * rules.decks
    dealt = sample(left, rules.players * size, rng)
    left = without(left, dealt)
    hands = tuple([cards_of(dealt[at : at + size]) for at in range(0, len(dealt), size)])
    under: list[Card] = []
    while left:
        turned = sample(left, 1, rng)
        left = without(left, turned)
        card = CARDS[turned[0]]
        if card.rank not in ACTIONS:
            return Deal(hands, card, tuple(under))
        under.append(card)
    return None


def _draw(state: State, rng: Rng) -> Draw:
    middle = state.middle
    if state.buying == 1 and middle.pile:
        return DRAWS[middle.pile[rng.below(len(middle.pile))]]
    loose, below, shuffled = _sources(state)
    drawn = sample(middle.pile, loose, rng) + middle.under[:below]
    return Draw(cards_of(drawn + sample(middle.discards[:-1], shuffled, rng)))


def _sources(state: State) -> tuple[int, int, int]:
    """Return how many bought cards come from the pile, from under it, and from shuffled discards."""
    middle = state.middle
    wanted = state.buying
    loose = len(middle.pile)
    if wanted <= loose:
        return wanted, 0, 0
    below = min(wanted - loose, len(middle.under))
    if not state.rules.reshuffles:
        return loose, below, 0
    return loose, below, min(wanted - loose - below, len(middle.discards) - 1)


def _check_chance(state: State, move: object) -> Message | None:
    if state.buying > 0:
        return _check_draw(state, move)
    if state.hands:
        if isinstance(move, Starter) and 0 <= move.seat < state.rules.players:
            return None
        return msg("one of the {players} players must start", players=state.rules.players)
    if isinstance(move, Deal):
        return _check_deal(state.rules, move)
    return msg("the cards must be dealt first")


def _check_deal(rules: Rules, move: Deal) -> Message | None:
    hands = [hand for hand in move.hands if hand is not None and len(hand) == rules.hand_size]
    if len(move.hands) != rules.players or len(hands) != rules.players:
        return msg(
            "a deal gives {size} cards to each of {seats} seats", size=rules.hand_size, seats=rules.players
        )
    if move.table.rank in ACTIONS:
        return msg("the table card must be a number card, 2 to 10")
    if move.under is None or any(card.rank not in ACTIONS for card in move.under):
        return msg("only action cards that were turned go back under the pile")
    dealt = [card for hand in (*hands, move.under, (move.table,)) for card in hand]
    if any(dealt.count(card) > rules.decks for card in dealt):
        return msg("a deal holds each card as often as there are decks")
    return None


def _check_draw(state: State, move: object) -> Message | None:
    middle = state.middle
    loose, below, shuffled = _sources(state)
    count = loose + below + shuffled
    if not isinstance(move, Draw) or len(move.cards) != count or None in move.cards:
        return msg("cards that were bought must be drawn: {count}", count=count)
    drawn = numbers_of(move.cards)
    if (
        not _among(drawn[:loose], middle.pile)
        or drawn[loose : loose + below] != middle.under[:below]
        or not _among(drawn[loose + below :], middle.discards[:-1])
    ):
        return msg("cards must be drawn from the pile; those that lie under it come last, in their order")
    return None


def _among(some: Numbers, numbers: Numbers) -> bool:
    return len(without(numbers, some)) == len(numbers) - len(some)


def _by_chance(state: State, move: Move) -> State:
    rules = state.rules
    past = Past(CHANCE, move, state.past)
    if isinstance(move, Draw):
        return _after_draw(state, move, past)
    if isinstance(move, Starter):
        return State(rules, state.middle, state.hands, (), 1, move.seat, 0, 0, 0, 0, None, past)
    assert isinstance(move, Deal)
    hands = tuple([numbers_of(hand or ()) for hand in move.hands])
    under = numbers_of(move.under or ())
    table = ONE[move.table.number]
    pile = without(_ALL * rules.decks, b"".join(hands) + under + table)
    middle = Middle(pile, under, table, _SUIT[move.table.number])
    return State(rules, middle, hands, (), 1, -1, 0, 0, 0, 0, None, past)


def _after_draw(state: State, move: Draw, past: Past) -> State:
    rules, middle, seat, direction, turns = (
        state.rules,
        state.middle,
        state.seat,
        state.direction,
        state.turns,
    )
    drawn = numbers_of(move.cards)
    loose, below, shuffled = _sources(state)
    if loose == len(drawn):
        middle = Middle(without(middle.pile, drawn), middle.under, middle.discards, middle.suit)
    else:
        pile, discards = b"", middle.discards
        if shuffled > 0:
            pile, discards = without(discards[:-1], drawn[loose + below :]), discards[-1:]
        middle = Middle(pile, middle.under[below:], discards, middle.suit)
    hands = _with_hand(state.hands, seat, state.hands[seat] + drawn)
    ending = Ending.EMPTY_PILE if len(drawn) < state.buying else _too_long(turns)
    after = following(state, direction, seat)
    return State(rules, middle, hands, state.out, direction, after, 0, 0, 0, turns, ending, past)


# --- moves of players ------------------------------------------------------------------------------


def _fits(middle: Middle) -> bytes:
    """Return by number of a card whether it can be discarded now."""
    return _FITS[middle.discards[-1] * 4 + middle.suit]


def _check_discard(state: State, seat: int, move: Discard) -> Message | None:
    card: object = move.card
    suit: object = move.suit
    if not isinstance(card, Card) or card not in cards_of(state.hands[seat]):
        return msg("{card} is not in the hand", card=str(card))
    if suit is not None and not isinstance(suit, Suit):
        return msg("{suit} is not a suit", suit=str(suit))
    if not _fits(state.middle)[card.number]:
        return msg(
            "{card} does not fit: the table is {top} and the suit to follow {suit}",
            card=str(card),
            top=str(CARDS[state.middle.discards[-1]]),
            suit=SUITS[state.middle.suit].value,
        )
    return None


def _after_discard(state: State, move: Discard) -> State:
    rules = state.rules
    middle = state.middle
    seat = state.seat
    number = move.card.number
    suit = _SUIT[number]
    made = DISCARDS[number][0]
    if _WILD[number]:
        for at in range(4):
            if move.suit is SUITS[at]:
                suit = at
        made = DISCARDS[number][suit]
    direction = state.direction
    skips = _SKIPS[number] != 0
    if _TURNS[number]:
        if _still_in(state) > 2:
            direction = -direction
        else:
            skips = rules.reverse_skips
    after = following(state, direction, seat)
    if skips:
        after = following(state, direction, after)
    hand = state.hands[seat].replace(ONE[number], b"", 1)
    hands = _with_hand(state.hands, seat, hand)
    middle = Middle(middle.pile, middle.under, middle.discards + ONE[number], suit)
    turns = state.turns + 1
    ending = _too_long(turns) if hand else Ending.EMPTY_HAND
    past = Past(seat, made, state.past)
    return State(rules, middle, hands, state.out, direction, after, _DEBT[number], 0, 0, turns, ending, past)


def _after_buy(state: State, move: Buy) -> State:
    rules = state.rules
    middle = state.middle
    left = len(middle.pile) + len(middle.under)
    if rules.reshuffles:
        left += len(middle.discards) - 1
    buying = move.count if left else 0
    ending = None if left else Ending.EMPTY_PILE
    turns = state.turns + 1
    past = Past(state.seat, move, state.past)
    return State(
        rules, middle, state.hands, state.out, state.direction, state.seat, 0, buying, 0, turns, ending, past
    )


def _at_fault(state: State, move: Move) -> State:
    seat = state.seat
    out = state.out
    idle = state.idle + 1
    if isinstance(move, Out):
        # the player that is out had a turn in each full round so far, and these turns do not count any more
        idle = state.idle - state.idle // _still_in(state)
        out = (*out, seat)
    turns = state.turns + 1
    still_in = state.rules.players - len(out)
    ending = _too_long(turns)
    if still_in == 1:
        ending = Ending.LAST_ONE
    elif idle >= IDLE_ROUNDS * still_in:
        ending = Ending.STALLED
    after = following(state, state.direction, seat)
    past = Past(seat, move, state.past)
    return State(
        state.rules, state.middle, state.hands, out, state.direction, after, 0, 0, idle, turns, ending, past
    )


def _with_hand(hands: tuple[Numbers, ...], seat: int, hand: Numbers) -> tuple[Numbers, ...]:
    changed = list(hands)
    changed[seat] = hand
    return tuple(changed)


def _still_in(state: State) -> int:
    return state.rules.players - len(state.out)


def _too_long(turns: int) -> Ending | None:
    return Ending.STALLED if turns >= MOST_TURNS else None


GAME: Final = Uno()
