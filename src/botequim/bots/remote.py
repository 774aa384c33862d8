"""A bot as a `Player`: a codec over a transport, with one instance at a time.

An instance that dies, hangs or writes too much is replaced by a new one if the game lets its seat play on.
The new instance receives all events from the beginning of the game. After some failed starts, no more are
tried.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final

from botequim.bots.transports import Transport
from botequim.bots.waits import WaitMeter
from botequim.core.errors import BotequimError, FaultKind, PlayerFault
from botequim.core.game import Outcome, View
from botequim.core.limits import Limits
from botequim.core.messages import Message, msg
from botequim.core.turn import Reply
from botequim.core.wire import GameContext, Restart, TransportKind, Wire

MOST_FAILED_STARTS: Final = 3
"""The number of failed starts in a series after which no more are tried."""


class RemotePlayer:
    """One seat of a bot, for a series of games."""

    def __init__(
        self,
        wire: Wire,
        transport: Callable[[], Transport],
        context: GameContext,
        limits: Limits,
        *,
        games: int = 1,
        restart: Restart | None = None,
        measures_waits: bool = False,
    ) -> None:
        self._wire: Final = wire
        self._create_transport: Final = transport
        self.context = context
        """The context of the current game."""
        self._limits: Final = limits
        self._restart: Final = restart or wire.restart
        self._games_left = games
        self._current_session: _Session | None = None
        self._next_session: _Session | None = None
        self._failed_starts = 0
        self._start_fault: PlayerFault | None = None
        self._timeouts = 0
        self._thinking = 0
        self._waits: Final = WaitMeter() if measures_waits else None
        self.introduced: Mapping[str, str] = {}
        """The introduction of the bot, if its wire has a greeting."""

    @property
    def has_memory(self) -> bool:
        """Whether its instances live longer than a question, so that they may remember earlier ones."""
        return self._wire.transport is not TransportKind.ONCE

    async def open(self, seat: int) -> None:
        self._current_session = _Session(self._create_transport())
        self._current_session.begin()

    async def choose(self, view: View) -> Reply:
        self._require_within_limits()
        session = await self._session()
        if self._waits is not None:
            self._waits.begin(session.transport)
        codec, context = self._wire.codec, self.context
        waiting = session.transport.take_unsolicited()
        question = codec.encode_question(view, session.seen, context)
        try:
            reply = await session.transport.exchange(
                question, lambda answer: codec.decode_answer(answer, view, context)
            )
        except PlayerFault as fault:
            self._count(fault.micros, late=fault.fault.kind is FaultKind.TIMEOUT)
            if waiting:
                remarks, warnings = codec.decode_unsolicited(waiting, view)
                fault.remarks = (*remarks, *fault.remarks)
                fault.warnings = (*warnings, *fault.warnings)
            if session.transport.usable:
                session.seen = question.seen
            else:
                self._current_session = None
                if self._waits is not None:
                    self._waits.end_instance()
                await session.close()
            raise
        session.seen = question.seen
        self._count(reply.micros, late=False)
        self._start_next()
        if not waiting:
            return reply
        remarks, warnings = codec.decode_unsolicited(waiting, view)
        remarks, warnings = (*remarks, *reply.remarks), (*warnings, *reply.warnings)
        return Reply(reply.move, remarks, warnings, reply.micros, reply.evidence)

    async def finish(self, view: View, outcome: Outcome) -> None:
        self._games_left -= 1
        if self._waits is not None and (self._restart is Restart.GAME or self._games_left <= 0):
            self._waits.end_instance()
        elif self._waits is not None:
            self._waits.end_game()
        self._start_fault = None
        session = self._current_session
        if session is not None and session.is_started and session.transport.usable:
            session.transport.send(self._wire.codec.end(view, session.seen, self.context, outcome))
            session.seen = 0
        if self._restart is Restart.GAME:
            self._current_session, self._next_session = self._next_session, None
            if session is not None:
                await session.close()

    def take_wait(self) -> float | None:
        """Return the seconds that it waited for a processor in the game that ended, if they were measured."""
        return None if self._waits is None else self._waits.take()

    async def close(self) -> None:
        for session in (self._current_session, self._next_session):
            if session is not None:
                await session.close()
        self._current_session = self._next_session = None

    # --- instances ---------------------------------------------------------------------------------

    async def _session(self) -> _Session:
        """Return the instance to ask, when it is ready."""
        if self._start_fault is not None:
            raise _same_fault(self._start_fault)
        if self._current_session is None:
            self._current_session = _Session(self._create_transport())
        session = self._current_session
        try:
            await session.ready()
        except PlayerFault as fault:
            self._current_session = None
            await session.close()
            self._failed_starts += 1
            self._start_fault = fault
            raise
        if session.seen == 0:
            self.introduced = session.transport.greeting
        return session

    def _start_next(self) -> None:
        """Start the instance of the next game during this one."""
        if self._restart is Restart.GAME and self._games_left > 1 and self._next_session is None:
            self._next_session = _Session(self._create_transport())
            self._next_session.begin()

    # --- patience ----------------------------------------------------------------------------------

    def _count(self, micros: int | None, *, late: bool) -> None:
        self._timeouts += late
        self._thinking += micros or 0
        if self._waits is not None:
            self._waits.add_answer(micros or 0)

    def _require_within_limits(self) -> None:
        """Raise PlayerFault if the bot has failed too often, or used up its time."""
        limits = self._limits
        reason: Message | None = None
        if self._failed_starts >= MOST_FAILED_STARTS:
            reason = msg("not asked: it failed to start {count} times", count=self._failed_starts)
        elif limits.timeouts is not None and self._timeouts >= limits.timeouts:
            reason = msg("not asked: it was too slow {count} times", count=self._timeouts)
        elif limits.thinking is not None and self._thinking >= limits.thinking * 1e6:
            reason = msg("not asked: it has used up its {seconds} seconds", seconds=f"{limits.thinking:g}")
        if reason is not None:
            raise PlayerFault(FaultKind.LIMIT, reason)


class _Session:
    """One instance, with the number of events that it has received."""

    def __init__(self, transport: Transport) -> None:
        self.transport: Final = transport
        self.seen = 0
        self._starting: asyncio.Task[None] | None = None

    @property
    def is_started(self) -> bool:
        return self._starting is not None and self._starting.done()

    def begin(self) -> None:
        if self._starting is None:
            self._starting = asyncio.get_running_loop().create_task(self.transport.start())

    async def ready(self) -> None:
        self.begin()
        assert self._starting is not None
        if not self._starting.done():
            await asyncio.shield(self._starting)
        else:
            self._starting.result()

    async def close(self) -> None:
        if self._starting is not None and not self._starting.done():
            self._starting.cancel()
        if self._starting is not None:
            # a failed start was reported with the first question, or nobody needs to know of it
            with suppress(PlayerFault, BotequimError, asyncio.CancelledError):
                await self._starting
        await self.transport.close()


def _same_fault(fault: PlayerFault) -> PlayerFault:
    """Return the same fault for another turn, without its evidence."""
    return PlayerFault(fault.fault.kind, fault.fault.reason)
