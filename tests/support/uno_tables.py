"""Games of uno set up and played by text, for the tests."""

from __future__ import annotations

from botequim.core.errors import Fault, FaultKind
from botequim.core.game import CHANCE, CHANCE_TURN, NOBODY, Outcome
from botequim.core.messages import msg
from botequim.core.options import Options, resolve_options
from botequim.core.rng import Rng
from botequim.games.uno.moves import Move
from botequim.games.uno.rules import GAME
from botequim.games.uno.state import State


def options(**given: object) -> Options:
    return resolve_options(GAME.name, GAME.options, given)


def deal_hands(hands: str, table: str, *, under: str = "", starter: int = 0, **given: object) -> State:
    """A game that begins with these hands, `2♥ 9♠ | V♦ 3♣`."""
    sizes = [len(hand.split()) for hand in hands.split("|")]
    start = GAME.start(options(players=len(sizes), hand_size=sizes[0], **given))
    below = f" | under {under}" if under else ""
    return play(start, f"deal {hands} | table {table}{below}", f"starter {starter}")


def play(state: State, *texts: str) -> State:
    """The moves of whoever is to move, in turn; the name of a fault is a fault."""
    for text in texts:
        (by,) = GAME.to_move(state)
        if text in list(FaultKind):
            move = GAME.on_fault(state, by, fault(FaultKind(text)))
        else:
            move = GAME.read(text)
            assert GAME.check(state, by, move) is None, f"{text}: {GAME.check(state, by, move)}"
        state = GAME.apply(state, {by: move})
    return state


def fault(kind: FaultKind) -> Fault:
    return Fault(kind, msg("at fault"))


def to_move(state: State) -> int:
    (seat,) = GAME.to_move(state)
    assert seat != CHANCE
    return seat


def menu(state: State) -> list[str]:
    return [GAME.write(move) for move in GAME.legal(state, to_move(state))]


def is_refused(state: State, text: str) -> bool:
    return GAME.check(state, GAME.to_move(state)[0], GAME.read(text)) is not None


def hand(state: State, seat: int) -> str:
    return " ".join(map(str, GAME.view(state, seat).hand))


def outcome_of(state: State) -> Outcome:
    assert GAME.to_move(state) == NOBODY
    outcome = GAME.outcome(state)
    assert outcome is not None
    return outcome


def random_move(state: State, rng: Rng, *, faults: bool = False) -> tuple[int, Move]:
    """Who is to move, and any move from the menu; with faults, one in twelve turns is one."""
    (by,) = GAME.to_move(state)
    if (by,) == CHANCE_TURN:
        return by, GAME.chance(state, rng)
    if faults and rng.below(12) == 0:
        return by, GAME.on_fault(state, by, fault(rng.choice(list(FaultKind))))
    return by, rng.choice(GAME.legal(state, by))


def random_game(given: Options, seed: str, *, faults: bool = False) -> list[State]:
    """Every state of a game between random players."""
    rng = Rng(seed)
    states = [GAME.start(given)]
    while GAME.to_move(states[-1]):
        by, move = random_move(states[-1], rng, faults=faults)
        states.append(GAME.apply(states[-1], {by: move}))
    return states
