"""The referee, which is the only match loop in the project.

It asks every player who is to move, lets chance move by itself, replaces a faulty move by the move that the
rules provide for a fault, and records every turn. Simultaneous moves are asked for at the same time.
Verifying a record is this same loop, with the recorded answers as players.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final, TypeVar, final

from botequim.core.clock import nanosecond_counter
from botequim.core.errors import BrokenContract, Fault, FaultKind, PlayerFault
from botequim.core.game import CHANCE, AnyGame, Outcome, Remark
from botequim.core.messages import Message, msg
from botequim.core.options import Options
from botequim.core.player import LocalPlayer, Player, Reply
from botequim.core.rng import Rng
from botequim.core.turn import PlayedMove
from botequim.core.turn import Step as Step
from botequim.records.record import Record

T = TypeVar("T")


async def play(
    game: AnyGame,
    players: Sequence[Player],
    *,
    options: Options,
    seats: Sequence[Mapping[str, Any]],
    seed: str | None,
    chance: Callable[[Any], Any] | None = None,
    emit: Callable[[Step], None] | None = None,
    clock: Callable[[], int] | None = None,
    turns: list[Sequence[PlayedMove]] | None = None,
) -> Record:
    """Play one game among players that are already open.

    `options` are resolved, and `seats` describes the players for the record. Chance moves are sampled from
    `seed`, or made by `chance(state)` if they are already known. `emit` is called with every turn. `clock`
    counts nanoseconds; the default is the time of `core.clock`. `turns` is an empty list to which turns are
    added, so that another thread can read them at no cost.
    """
    written = turns if turns is not None else []
    counter = clock or nanosecond_counter()
    table = _Table(game, players, chance or _chance_from(game, seed), emit, counter, written)
    state = table.play_on(game.start(options))
    while to_move := game.to_move(state):
        asks = [table.ask(state, seat, players[seat]) for seat in to_move]
        turn = (await asks[0],) if len(asks) == 1 else await _together(asks)
        state = table.play_on(table.after(state, turn))
    outcome = game.outcome(state)
    if outcome is None:
        raise BrokenContract(
            msg("the rules of {game} say that nobody is to move, but give no outcome", game=game.name)
        )
    await _announce_end(game, state, players, outcome)
    return Record(game, options, seed, seats, table.turns, outcome)


@final
class _Table:
    """One game in progress: asks the players, judges their answers and records the turns."""

    def __init__(
        self,
        game: AnyGame,
        players: Sequence[Player],
        chance: Callable[[Any], Any],
        emit: Callable[[Step], None] | None,
        clock: Callable[[], int],
        turns: list[Sequence[PlayedMove]],
    ) -> None:
        self.game: Final = game
        # looked up once: a lookup on a game of unknown type costs as much as a simple rule
        self.to_move: Final = game.to_move
        self.view: Final = game.view
        self.check: Final = game.check
        self.apply: Final = game.apply
        self.local: Final = [player if isinstance(player, LocalPlayer) else None for player in players]
        self.chance: Final = chance
        self.emit: Final = emit
        self.clock: Final = clock
        self.turns: Final = turns

    def play_on(self, state: Any) -> Any:
        """Play without waiting, and return the first state in which a player must be waited for, or the last
        one.

        Chance and players in this process answer at once.
        """
        while True:
            to_move: tuple[int, ...] = self.to_move(state)
            if len(to_move) == 1:
                seat = to_move[0]
                if seat == CHANCE:
                    made = PlayedMove(CHANCE, self.chance(state))
                else:
                    player = self.local[seat]
                    if player is None:
                        return state
                    made = self.ask_now(state, seat, player)
                state = self.after(state, (made,))
            else:
                together = [player for seat in to_move if (player := self.local[seat]) is not None]
                if not to_move or len(together) < len(to_move):
                    return state
                turn = [self.ask_now(state, to_move[at], player) for at, player in enumerate(together)]
                state = self.after(state, tuple(turn))

    def ask_now(self, state: Any, seat: int, player: LocalPlayer) -> PlayedMove:
        """Ask a player that answers at once, and return its move."""
        view = self.view(state, seat)
        began = self.clock()
        try:
            answer = player.choose_now(view)
        except PlayerFault as failure:
            return self.judge(state, seat, failure, (self.clock() - began) // 1000)
        micros = (self.clock() - began) // 1000
        if isinstance(answer, Reply):
            return self.judge(state, seat, answer, micros)
        return self.try_move(state, seat, answer, micros, (), ())

    async def ask(self, state: Any, seat: int, player: Player) -> PlayedMove:
        """Ask a player that has to be waited for, and return its move."""
        view = self.view(state, seat)
        began = self.clock()
        said: Reply | PlayerFault
        try:
            said = await player.choose(view)
        except PlayerFault as failure:
            said = failure
        return self.judge(state, seat, said, (self.clock() - began) // 1000)

    def judge(self, state: Any, seat: int, said: Reply | PlayerFault, micros: int) -> PlayedMove:
        """Return the move that follows from an answer or a fault."""
        if said.micros is not None:
            micros = said.micros
        remarks, warnings = _check_remarks(self.game, said) if said.remarks else ((), said.warnings)
        if isinstance(said, Reply):
            made = self.try_move(state, seat, said.move, micros, remarks, warnings)
            if made.fault is None or said.evidence is None:
                return made
            fault = replace(made.fault, evidence={**said.evidence(), **made.fault.evidence})
            return PlayedMove(seat, made.move, micros, remarks, warnings, fault)
        lost = self.game.on_fault(state, seat, said.fault)
        return PlayedMove(seat, lost, micros, remarks, warnings, said.fault)

    def try_move(
        self,
        state: Any,
        seat: int,
        move: Any,
        micros: int,
        remarks: Sequence[Remark],
        warnings: Sequence[Message],
    ) -> PlayedMove:
        """Return the move if it is legal, or else the move that the rules provide for a fault."""
        refused = self.check(state, seat, move)
        if refused is None:
            return PlayedMove(seat, move, micros, remarks, warnings)
        fault = _refusal(self.game, state, seat, move, refused)
        return PlayedMove(seat, self.game.on_fault(state, seat, fault), micros, remarks, warnings, fault)

    def after(self, state: Any, turn: tuple[PlayedMove, ...]) -> Any:
        """Return the state after a turn, and record the turn."""
        after = self.apply(state, {made.by: made.move for made in turn})
        self.turns.append(turn)
        if self.emit is not None:
            self.emit(Step(len(self.turns), state, turn, after))
        return after


async def _announce_end(game: AnyGame, state: Any, players: Sequence[Player], outcome: Outcome) -> None:
    for seat, player in enumerate(players):
        if isinstance(player, LocalPlayer):
            continue
        with suppress(PlayerFault):  # the game is over: what a player does now cannot change it
            await player.finish(game.view(state, seat), outcome)


def _chance_from(game: AnyGame, seed: str | None) -> Callable[[Any], Any]:
    if seed is None:
        raise BrokenContract(msg("a game needs a seed or a source of random moves"))
    rng = Rng(seed)
    return lambda state: game.chance(state, rng)


def _check_remarks(game: AnyGame, said: Reply | PlayerFault) -> tuple[Sequence[Remark], Sequence[Message]]:
    """Return the remarks that the game allows, and warnings that include one for each other remark."""
    remarks = []
    warnings = list(said.warnings)
    for remark in said.remarks:
        reason = game.check_remark(remark)
        if reason is None:
            remarks.append(remark)
        else:
            warnings.append(msg("{kind} dropped: {reason}", kind=remark.kind, reason=reason))
    return remarks, warnings


def _refusal(game: AnyGame, state: Any, seat: int, move: Any, reason: Message) -> Fault:
    """Return the fault of a refused move.

    It is ILLEGAL if the rules also refuse the move as it would be read from the record; anything else is
    MALFORMED, because it is no move at all.
    """
    try:
        written = game.read(game.write(move))
        if game.check(state, seat, written) is not None:
            return Fault(FaultKind.ILLEGAL, reason, move=written)
    except Exception:  # the answer may be any object
        written = None
    try:
        described = repr(move)[:200]
    except Exception:  # its repr may fail
        described = type(move).__name__
    return Fault(FaultKind.MALFORMED, reason, {"answer": described})


async def _together(asks: Sequence[Coroutine[Any, Any, T]]) -> tuple[T, ...]:
    """Ask all at the same time. If one fails for a reason that is not a bot's, cancel the others."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(ask) for ask in asks]
    except ExceptionGroup as several:
        raise several.exceptions[0] from several
    return tuple([task.result() for task in tasks])
