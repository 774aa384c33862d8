"""Plays games of uno between styles. `scripts/tune_uno.py` selects styles by the results."""

from __future__ import annotations

from botequim.core.compiling import i64, vec
from botequim.games.uno.search.table import PACK, Table, kinds, value_of
from botequim.search.chance import Dice


def deal(table: Table, size: i64, dice: Dice) -> None:
    """Shuffle one deck, deal `size` cards to each seat, and turn up the first card."""
    table.clear()
    pack: vec[i64] = vec[i64]([card for card in range(54)])  # noqa: C416 (compiles to no list)
    dice.shuffle(pack, 0, PACK)
    at: i64 = 0
    while at < table.players * size:
        table.give(at % table.players, pack[at])
        at += 1
    _turn_up(table, pack, at)
    table.turn(dice.below(table.players), 1, 0)


def _turn_up(table: Table, pack: vec[i64], first: i64) -> None:
    """Put the first number card on the table and the rest into the pile; the action cards before it come
    last."""
    kind = kinds()
    shown: i64 = first
    while shown < PACK and (kind[value_of(pack[shown])] != 0):
        shown += 1
    if shown == PACK:
        table.over = True
        return
    at: i64 = shown + 1
    while at < PACK:
        table.stack(pack[at])
        at += 1
    at = first
    while at < shown:
        table.stack(pack[at])
        at += 1
    table.lay(pack[shown])
    table.middle(pack[shown], pack[shown] // 13, 0)


def contest(numbers: list[list[int]], deals: int, seed: int) -> list[float]:
    """Return the share of wins of each style in `deals` deals, each played from every side."""
    styles = [vec[i64](style) for style in numbers]
    players = len(styles)
    table = Table(players, reverse_skips=False, reshuffles=False)
    dealt = Table(players, reverse_skips=False, reshuffles=False)
    dice = Dice(seed, 2, 3, 4)
    won = [0.0] * players
    for _ in range(deals):
        deal(dealt, 7, dice)
        for turned in range(players):
            table.become(dealt)
            for at in range(players):
                table.style((at + turned) % players, styles[at])
            while not table.over:
                table.step(dice)
            for at in range(players):
                won[at] += table.share((at + turned) % players)
    return [share / (deals * players) for share in won]
