"""A person at a table, as a player: waits for the move that a browser sends.

If the person has left, is away for long, or has used up the time for a move, a stand-in makes this move. It
does so only while other people wait; otherwise the game pauses until the person is back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from typing import Any, Final

from botequim.core import clock
from botequim.core.errors import InputError
from botequim.core.game import Outcome, View
from botequim.core.messages import msg
from botequim.core.player import Reply

AWAY_SECONDS: Final = 60.0
"""How long others wait for a person whose connection is lost, before a stand-in moves."""


@dataclass(frozen=True, slots=True)
class Question:
    """A position in which a person is asked for a move."""

    game: int
    """The number of the game, from 1."""
    turn: int
    """The number of turns before this one."""
    view: View
    until: float | None
    """The moment at which the time for the move is over; None without a limit."""


class PersonPlayer:
    """The player of a person's seat."""

    def __init__(
        self,
        *,
        move_seconds: int,
        position: Callable[[], tuple[int, int]],
        others_wait: Callable[[], bool],
        stand_in: Callable[[View], Awaitable[Reply]],
        has_left: bool,
        on_change: Callable[[], None],
    ) -> None:
        """`position` returns the number of the game and of its turns so far; `others_wait` whether another
        person is at the table now; `on_change` is called when the person is asked, or replaced."""
        self.question: Question | None = None
        self.has_left = has_left
        self._answered = (0, 0)
        self._is_stand_in_thinking = False
        self._streams = 0
        self._away_since = clock.now()
        self._move_seconds: Final = move_seconds
        self._position: Final = position
        self._others_wait: Final = others_wait
        self._stand_in: Final = stand_in
        self._on_change: Final = on_change
        self._reply: Reply | None = None
        self._wake: Final = asyncio.Event()

    # --- the person ------------------------------------------------------------------------------------

    @property
    def is_here(self) -> bool:
        """Whether a browser of the person is connected, and the person has not left."""
        return self._streams > 0 and not self.has_left

    @property
    def is_replaced(self) -> bool:
        """Whether a stand-in plays for the person now."""
        is_away = self.has_left or self._seconds_of_absence() >= AWAY_SECONDS
        return self._is_stand_in_thinking or (is_away and self._others_wait())

    def has_answered(self, game: int, turn: int) -> bool:
        """Whether the person has answered in a position, which lasts until the others have moved, too."""
        return self._answered == (game, turn)

    def connect(self) -> None:
        """Count a browser that shows this seat. A clock that stood still while nobody was here starts
        again."""
        question = self.question
        stood_still = not self._streams and not self._others_wait()
        if question is not None and question.until is not None and stood_still:
            self.question = replace(question, until=clock.now() + self._move_seconds)
        self._streams += 1
        self._wake.set()

    def disconnect(self) -> None:
        self._streams -= 1
        self._away_since = clock.now()
        self._wake.set()

    def leave(self) -> None:
        """Let a stand-in play until the person returns."""
        self.has_left = True
        self._wake.set()

    def come_back(self) -> None:
        self.has_left = False
        self._away_since = clock.now()
        self._wake.set()

    def wake(self) -> None:
        """Check again who waits, because another person came or left."""
        self._wake.set()

    def answer(self, game: int, turn: int, reply: Reply) -> None:
        """Give the answer to the question. Raise OutdatedMove if it is not the one that was asked."""
        question = self.question
        if question is None or (question.game, question.turn) != (game, turn) or self._reply is not None:
            raise OutdatedMove
        self._reply, self._answered = reply, (game, turn)
        self.question = None
        self._wake.set()
        self._on_change()

    # --- the player ------------------------------------------------------------------------------------

    async def open(self, seat: int) -> None:
        pass

    async def choose(self, view: View) -> Reply:
        game, turn = self._position()
        until = clock.now() + self._move_seconds if self._move_seconds else None
        self.question, self._reply = Question(game, turn, view, until), None
        self._on_change()
        try:
            while self._reply is None:
                seconds = self._seconds_until_stand_in()
                if seconds is not None and seconds <= 0:
                    self.question, self._is_stand_in_thinking = None, True
                    self._on_change()
                    return await self._stand_in(view)
                self._wake.clear()
                with suppress(TimeoutError):
                    async with nullcontext() if seconds is None else clock.timeout(seconds):
                        await self._wake.wait()
            return self._reply
        finally:
            self.question, self._is_stand_in_thinking = None, False

    def _seconds_until_stand_in(self) -> float | None:
        """Return the seconds until a stand-in has to move; None if the table can wait for ever."""
        limits = []
        if self._others_wait():
            if self.has_left:
                return 0.0
            if not self._streams:
                limits.append(AWAY_SECONDS - self._seconds_of_absence())
        until = None if self.question is None else self.question.until
        if until is not None and (self._streams or self._others_wait()):
            limits.append(until - clock.now())
        return min(limits, default=None)

    def _seconds_of_absence(self) -> float:
        return 0.0 if self._streams else clock.now() - self._away_since

    async def finish(self, view: View, outcome: Outcome) -> None:
        pass

    async def close(self) -> None:
        pass


class PooledPlayer:
    """A built-in player that thinks in the pool of the server."""

    def __init__(self, choose: Callable[[View], Awaitable[Reply]]) -> None:
        self._choose: Final = choose

    async def open(self, seat: int) -> None:
        pass

    async def choose(self, view: View) -> Any:
        return await self._choose(view)

    async def finish(self, view: View, outcome: Outcome) -> None:
        pass

    async def close(self) -> None:
        pass


class OutdatedMove(InputError):
    """A move for a position that is not the current one."""

    def __init__(self) -> None:
        super().__init__(msg("the game has moved on; look at the table again"))
