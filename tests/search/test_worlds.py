"""Hidden hands: every way is counted, and each is drawn as often as any other."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest

from botequim.core.rng import Rng
from botequim.search.chance import Dice, dice
from botequim.search.worlds import Worlds

TILES = [2, 5, 7, 11, 20, 54]
SIZES = [2, 1, 3]
MAY = [0b111, 0b101, 0b110, 0b111, 0b011, 0b111]


def by_hand() -> set[tuple[int, ...]]:
    """All worlds, found by trying everything."""
    found = set()
    for holders in product(range(len(SIZES)), repeat=len(TILES)):
        fits = all(MAY[at] >> holder & 1 for at, holder in enumerate(holders))
        if fits and [holders.count(holder) for holder in range(len(SIZES))] == SIZES:
            hands = [sum(1 << TILES[at] for at, one in enumerate(holders) if one == h) for h in range(3)]
            found.add(tuple(hands))
    return found


def test_all_worlds_are_counted_and_gone_through() -> None:
    worlds = Worlds(TILES, SIZES, MAY)
    every = list(worlds.every())
    found = [tuple(every[at : at + 3]) for at in range(0, len(every), 3)]
    assert worlds.count == len(found) == len(by_hand())
    assert set(found) == by_hand()


def test_worlds_are_drawn_fairly() -> None:
    worlds = Worlds(TILES, SIZES, MAY)
    chance = dice(Rng("worlds"))
    drawn: Counter[tuple[int, ...]] = Counter()
    for _ in range(20_000):
        worlds.draw(chance)
        drawn[tuple(worlds.hands)] += 1
    assert set(drawn) == by_hand()
    expected = 20_000 / len(by_hand())
    surprise = sum((count - expected) ** 2 / expected for count in drawn.values())
    degrees = len(by_hand()) - 1
    assert surprise < degrees + 4 * (2 * degrees) ** 0.5, "four deviations of a fair draw"


def test_worlds_of_a_whole_double_nine_set_keep_their_sizes() -> None:
    worlds = Worlds(range(55), [10, 10, 10, 25], [0b1111] * 55)
    worlds.draw(Dice(1, 2, 3, 4))
    hands = list(worlds.hands)
    assert [int(hand).bit_count() for hand in hands] == [10, 10, 10, 25]
    assert hands[0] | hands[1] | hands[2] | hands[3] == (1 << 55) - 1


def test_worlds_that_cannot_be_are_none() -> None:
    worlds = Worlds([0, 1], [1, 1], [0b01, 0b01])
    assert worlds.count == 0
    assert len(worlds.every()) == 0


def test_one_holder_has_all_that_is_left() -> None:
    worlds = Worlds([3, 4], [2], [1, 1])
    worlds.draw(Dice(1, 2, 3, 4))
    assert worlds.count == 1
    assert list(worlds.hands) == [0b11000]


def test_sizes_that_do_not_add_up_are_refused() -> None:
    with pytest.raises(ValueError, match="add up"):
        Worlds([1, 2, 3], [1, 1], [3, 3, 3])


def test_the_quick_generator_gives_the_same_everywhere() -> None:
    chance = dice(Rng("seed"))
    assert [chance.word() for _ in range(3)] == [1748834307, 2746138252, 1226199619]
    assert [chance.below(6) for _ in range(5)] == [2, 5, 1, 4, 4]
    assert chance.unit() == 0.6469706927921413
