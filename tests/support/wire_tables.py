"""Games played over a wire without any transport: questions and answers as bytes, in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from botequim.core.errors import FaultKind, PlayerFault
from botequim.core.game import CHANCE_TURN, AnyGame
from botequim.core.options import resolve_options
from botequim.core.rng import Rng
from botequim.core.turn import Reply
from botequim.core.wire import Codec, GameContext, Question, Wire


def context(game: AnyGame, *names: str, **given: object) -> GameContext:
    """A table under these options; names that are not given are p0, p1, ..."""
    options = resolve_options(game.name, game.options, given)
    seats = sum(map(len, game.teams(options)))
    return GameContext(game, options, names or tuple(f"p{seat}" for seat in range(seats)))


def reply_to(wire: Wire, view: Any, table: GameContext, answer: bytes | str) -> Reply:
    """What the wire's codec reads in an answer."""
    raw = answer.encode() if isinstance(answer, str) else answer
    reply = wire.codec.decode_answer([raw], view, table)
    assert reply is not None
    return reply


def malformed_reason(wire: Wire, view: Any, table: GameContext, answer: bytes | str) -> str:
    """Why an answer is no move."""
    with pytest.raises(PlayerFault) as caught:
        reply_to(wire, view, table, answer)
    assert caught.value.fault.kind == FaultKind.MALFORMED
    return str(caught.value.fault.reason)


def views(game: AnyGame, seed: str = "1", **given: object) -> Iterator[tuple[int, Any]]:
    """Every view that is asked about in a game between random players, with its seat."""
    rng = Rng(seed)
    state = game.start(context(game, **given).options)
    while to_move := game.to_move(state):
        if to_move == CHANCE_TURN:
            moves = {to_move[0]: game.chance(state, rng)}
        else:
            for seat in to_move:
                yield seat, game.view(state, seat)
            moves = {seat: rng.choice(game.legal(state, seat)) for seat in to_move}
        state = game.apply(state, moves)


def play_over(
    codec: Codec,
    table: GameContext,
    seed: str,
    answer: Callable[[int, Question], bytes],
) -> Mapping[int, list[bytes]]:
    """One game in which every answer goes through the codec; all that each seat was told, by seat."""
    game = table.game
    rng = Rng(seed)
    state = game.start(table.options)
    seen = dict.fromkeys(range(len(table.names)), 0)
    told: dict[int, list[bytes]] = {seat: [] for seat in seen}
    while to_move := game.to_move(state):
        moves: dict[int, Any] = {}
        if to_move == CHANCE_TURN:
            moves[to_move[0]] = game.chance(state, rng)
            to_move = ()
        for seat in to_move:
            view = game.view(state, seat)
            question = codec.encode_question(view, seen[seat], table)
            seen[seat] = question.seen
            told[seat].append(question.body)
            reply = codec.decode_answer([answer(seat, question)], view, table)
            assert reply is not None
            why = game.check(state, seat, reply.move)
            assert why is None, str(why)
            moves[seat] = reply.move
        state = game.apply(state, moves)
    outcome = game.outcome(state)
    assert outcome is not None
    for seat in told:
        told[seat].append(codec.end(game.view(state, seat), seen[seat], table, outcome))
    return told
