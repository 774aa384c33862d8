"""The rules of rps and uno in `search/` and in `games/` are the same: see `tests.support.search_agrees`."""

from __future__ import annotations

from botequim.core.game import CHANCE
from botequim.core.options import resolve_options
from botequim.core.rng import Rng
from botequim.games.cards.cards import CARDS, SUITS
from botequim.games.rps import rules as rps
from botequim.games.rps.search.value import payoff
from botequim.games.uno import rules as uno
from botequim.games.uno.moves import Buy, Deal, Discard, Draw, Move, Starter
from botequim.games.uno.search.table import Table
from botequim.games.uno.state import State
from botequim.search.chance import Dice, dice


def rps_agrees(seed: str) -> None:
    """Check the winner of each round, computed from the differences of the counts alone."""
    rng = Rng(seed)
    state = rps.GAME.start(resolve_options("rps", rps.GAME.options, {}))
    ahead = 0
    while to_move := rps.GAME.to_move(state):
        if to_move == (CHANCE,):
            state = rps.GAME.apply(state, {CHANCE: rps.GAME.chance(state, rng)})
            ahead += 1 if state.rounds[-1].winner == 0 else -1
            continue
        hands = rng.choice(rps.HANDS), rng.choice(rps.HANDS)
        own, other = state.counts
        won = payoff(own[0] - other[0], own[1] - other[1], rps.AT[hands[0]], rps.AT[hands[1]])
        state = rps.GAME.apply(state, {0: hands[0], 1: hands[1]})
        assert (won == 0) == (rps.GAME.to_move(state) == (CHANCE,))
        if won != 0:
            assert state.rounds[-1].winner == (0 if won > 0 else 1)
        ahead += int(won)
    assert ahead == state.wins[0] - state.wins[1]


def uno_agrees(seed: str) -> None:
    """Check every menu, hand and turn, and the outcome; the table's pile decides what chance draws in the
    game."""
    rng = Rng(seed)
    players = 2 + rng.below(9)
    options = resolve_options(
        "uno",
        uno.GAME.options,
        {
            "players": players,
            "decks": 2 if players > 6 else 1 + rng.below(2),
            "hand_size": 1 + rng.below(8),
            "two_player_reverse": rng.choice(("nothing", "skip")),
            "pile": rng.choice(("end", "reshuffle")),
        },
    )
    state = uno.GAME.start(options)
    deal = uno.GAME.chance(state, rng)
    assert isinstance(deal, Deal)
    state = uno.GAME.apply(state, {CHANCE: deal})
    starter = uno.GAME.chance(state, rng)
    assert isinstance(starter, Starter)
    state = uno.GAME.apply(state, {CHANCE: starter})
    table = _deal_table(state, deal, starter, rng)
    quick = dice(rng)
    while not table.over:
        _same(state, table)
        seat = state.seat
        move = _any_move(state, rng)
        had = table.counts[seat]
        ready = [table.pile[at] for at in range(table.drawn, table.stock)]
        _make(table, move, quick)
        state = uno.GAME.apply(state, {seat: move})
        if uno.GAME.to_move(state) == (CHANCE,):
            draw = _draw_of(ready, table.counts[seat] - had, table)
            assert uno.GAME.check(state, CHANCE, draw) is None
            state = uno.GAME.apply(state, {CHANCE: draw})
    assert uno.GAME.to_move(state) == ()
    outcome = uno.GAME.outcome(state)
    assert outcome is not None
    shares = [float(share) for share in outcome.shares()]
    assert shares == [table.share(seat) for seat in range(players)]


def _deal_table(state: State, deal: Deal, starter: Starter, rng: Rng) -> Table:
    rules = state.rules
    table = Table(rules.players, reverse_skips=rules.reverse_skips, reshuffles=rules.reshuffles)
    table.clear()
    for seat, hand in enumerate(deal.hands):
        for card in hand or ():
            table.give(seat, card.number)
    for number in (*rng.shuffled(state.middle.pile), *state.middle.under):
        table.stack(number)
    table.lay(deal.table.number)
    table.middle(deal.table.number, SUITS.index(deal.table.suit), 0)
    table.turn(starter.seat, 1, 0)
    return table


def _same(state: State, table: Table) -> None:
    assert (state.seat, state.direction, state.debt) == (table.seat, table.direction, table.debt)
    assert (state.middle.discards[-1], state.middle.suit) == (table.top, table.suit)
    assert [len(hand) for hand in state.hands] == [table.counts[seat] for seat in range(table.players)]
    assert sorted(state.hands[state.seat]) == _hand_of(table, state.seat)
    assert len(state.middle.pile) + len(state.middle.under) == table.stock - table.drawn
    if state.debt == 0:
        menu = {move.card.number for move in uno.GAME.legal(state, state.seat) if isinstance(move, Discard)}
        assert menu == {number for number in range(54) if table.playable() >> number & 1}


def _hand_of(table: Table, seat: int) -> list[int]:
    first, second = table.first[seat], table.second[seat]
    return sorted(number for number in range(54) for deck in (first, second) if deck >> number & 1)


def _any_move(state: State, rng: Rng) -> Move:
    menu = uno.GAME.legal(state, state.seat)
    discards = [move for move in menu if isinstance(move, Discard)]
    if state.debt or (discards and rng.below(5)):
        return rng.choice(discards or menu)
    return Buy(1 + (rng.below(12) if rng.below(4) == 0 else 0))


def _make(table: Table, move: Move, quick: Dice) -> None:
    if isinstance(move, Buy):
        table.buy(move.count, quick)
    else:
        assert isinstance(move, Discard)
        suit = move.suit or move.card.suit
        table.discard(move.card.number, SUITS.index(suit))


def _draw_of(ready: list[int], count: int, table: Table) -> Draw:
    """Return the drawn cards: first those that were in the pile, then those of a reshuffled one."""
    came = (ready + [table.pile[at] for at in range(table.drawn)])[:count]
    return Draw(tuple(CARDS[number] for number in came))
