"""The network of cubos: what it sees, what it makes of it, and that it learns."""

from __future__ import annotations

from math import exp
from random import Random

import pytest

from botequim.games.cubos.search.decision import Decision
from botequim.games.cubos.search.history import History
from botequim.games.cubos.search.numbers import PAIR, SEARCHER
from botequim.games.cubos.search.policy import ANYTHING, GREEDY, SEARCHES, UNITS, WIDTH, MoveModel, Network
from botequim.games.cubos.search.self_play import SelfPlay
from botequim.games.cubos.search.settings import PLAIN
from botequim.games.cubos.search.solver import Solver
from botequim.games.cubos.search.training import Trainer
from botequim.search.chance import Dice

TILES = [(low, high) for low in range(7) for high in range(low, 7)]
Turn = tuple[int, bool]


def at_random(seed: str) -> tuple[int, list[int], list[Turn]]:
    """Who opened, the hands after it, and turns that anybody might make."""
    rng = Random(seed)
    tiles = rng.sample(range(28), 28)
    hands = [sum(1 << tile for tile in tiles[seat * 7 : seat * 7 + 7]) for seat in range(4)]
    opener = next(seat for seat in range(4) if hands[seat] >> 27 & 1)
    hands[opener] ^= 1 << 27
    past, held, turns = History(opener), list(hands), list[Turn]()
    for _ in range(12):
        seat = int(past.seat)
        fitting = [
            (tile, left)
            for tile in range(28)
            for left in (True, False)
            if held[seat] >> tile & 1 and (past.left if left else past.right) in TILES[tile]
        ]
        if fitting:
            tile, left = rng.choice(fitting)
            past.lay(tile, left)
            held[seat] &= ~(1 << tile)
            turns.append((tile, left))
            if not held[seat]:
                break
        else:
            past.pass_turn()
            turns.append((-1, False))
    return opener, hands, turns


def history_of(opener: int, turns: list[Turn]) -> History:
    past = History(opener)
    for tile, left in turns:
        if tile < 0:
            past.pass_turn()
        else:
            past.lay(tile, left)
    return past


def move_likelihoods(past: History, turn: int, hand: int, network: Network) -> dict[int, float]:
    """By move, how one who searches likes it."""
    model = MoveModel(past, network)
    left, right = past.covered[turn], past.kept[turn]
    count = int(model.list_moves(hand, left, right))
    model.prepare(turn)
    model.score(turn, hand, left, right, count)
    return {int(model.moves[at]): float(model.scores[at]) for at in range(count)}


@pytest.mark.parametrize("seed", range(20))
def test_it_does_not_matter_which_number_is_which(seed: int) -> None:
    opener, hands, turns = at_random(f"alike {seed}")
    numbers = [*Random(seed).sample(range(6), 6), 6]  # the game opens with 6-6

    def renamed(tile: int) -> int:
        low, high = sorted(numbers[half] for half in TILES[tile])
        return TILES.index((low, high))

    network = Network(PAIR)
    past = history_of(opener, turns)
    other = history_of(opener, [(renamed(tile) if tile >= 0 else -1, left) for tile, left in turns])
    held = list(hands)
    for turn, (tile, _) in enumerate(turns):
        seat = int(past.by[turn])
        hand = held[seat]
        theirs = sum(1 << renamed(one) for one in range(28) if hand >> one & 1)
        mine = move_likelihoods(past, turn, hand, network)
        yours = move_likelihoods(other, turn, theirs, network)
        assert {renamed(move >> 1) * 2 + (move & 1): score for move, score in mine.items()} == pytest.approx(
            yours
        )
        if tile >= 0:
            held[seat] &= ~(1 << tile)


@pytest.mark.parametrize("seed", range(10))
def test_chances_are_shares_of_one(seed: int) -> None:
    opener, hands, turns = at_random(f"shares {seed}")
    past = history_of(opener, turns)
    network = Network(PAIR)
    for turn, (tile, _) in enumerate(turns):
        if tile < 0:
            continue
        hand = hands[int(past.by[turn])] & ~int(past.table[turn])
        scores = move_likelihoods(past, turn, hand, network)
        if len(scores) < 2:
            continue
        model = MoveModel(past, network)
        model.log_likelihoods(turn, hand)
        chance = exp(scores[tile * 2]) / sum(exp(score) for score in scores.values())
        assert exp(model.logs[SEARCHES]) == pytest.approx(chance)
        assert exp(model.logs[ANYTHING]) == pytest.approx(1 / len(scores))
        heaviest = max(sum(TILES[move >> 1]) for move in scores)
        assert (exp(model.logs[GREEDY]) > 0.2) == (sum(TILES[tile]) == heaviest)


def test_it_learns_whatever_is_done() -> None:
    """Here: of all that fits, a double."""
    games = []
    for number in range(200):
        opener, hands, turns = at_random(f"learn {number}")
        past = history_of(opener, turns)
        held = list(hands)
        for turn, (tile, _) in enumerate(turns):
            seat = int(past.by[turn])
            if tile >= 0 and TILES[tile][0] == TILES[tile][1]:
                games.append((past, turn, held[seat]))
            if tile >= 0:
                held[seat] &= ~(1 << tile)
    rng = Random("weights")
    first = [rng.uniform(-0.2, 0.2) if at % WIDTH < UNITS else 0.0 for at in range(len(PAIR))]
    first[-1] = 1.0
    trainer = Trainer(Network(first))
    losses = []
    for _ in range(30):
        lost = [
            trainer.learn_from(past, MoveModel(past, trainer.network), turn, hand)
            for past, turn, hand in games
        ]
        trainer.step(0.02)
        losses.append(sum(lost) / len(lost))
    assert losses[-1] < losses[0] / 3


@pytest.mark.parametrize("seed", range(10))
def test_a_plain_searcher_takes_the_first_of_equals(seed: int) -> None:
    opener, hands, turns = at_random(f"plain {seed}")
    past = history_of(opener, turns)
    hand = hands[int(past.seat)] & ~int(past.laid)
    model = MoveModel(past, Network(SEARCHER))
    if model.list_moves(hand, past.left, past.right) == 0:
        return
    decision = Decision(
        past, hand, Solver(False), model, MoveModel(past, Network(PAIR)), Dice(1, 2, 3, seed), PLAIN
    )
    decision.search(1)  # one world: a move wins, loses or draws, so many are equal
    chances = [decision.chance(at) for at in range(decision.moves)]
    assert decision.best() == chances.index(max(chances))


def test_what_everybody_has_shown_and_hidden_is_known_at_every_turn() -> None:
    past = history_of(0, [(TILES.index((2, 6)), True), (-1, False), (TILES.index((2, 2)), True)])
    past.note_turn()
    first, third = 1 << (1 * 7 + 2), 1 << (3 * 7 + 2)
    assert [int(past.shown[turn]) for turn in range(4)] == [0, first, first, first | third]
    assert [int(past.hidden[turn]) for turn in range(4)] == [0, *[1 << (1 * 7 + 6)] * 3], "no double hides"


def test_a_pair_learns_by_playing() -> None:
    rng = Random("self_play")
    numbers = [rng.uniform(-0.1, 0.1) if at % WIDTH < UNITS else 0.0 for at in range(len(PAIR))]
    numbers[-1] = 1.0
    trainer = Trainer(Network(numbers))
    self_play = SelfPlay(trainer.network, Network(SEARCHER), Dice(1, 2, 3, 4))
    before = self_play.match(1000, ANYTHING)
    for step in range(80):
        self_play.train(trainer, 16, 4, step % 2 == 0)
        trainer.step(0.02)
    assert self_play.match(1000, ANYTHING) > before + 0.05


def test_the_pair_is_better_than_searchers_at_first_sight() -> None:
    self_play = SelfPlay(Network(PAIR), Network(SEARCHER), Dice(5, 6, 7, 8))
    assert self_play.match(2000, SEARCHES) > 0.55
