"""A built-in player that takes its time, in a process of its own.

Thinking holds the interpreter: in a process with an event loop, bots, people and pages would wait for it. So
where such a loop runs (`Series` with bots or people at the table), a player that `thinks` is asked here:
views go to a process over its standard input, moves come back over its standard output, both pickled. It is
the same player with the same seed, and gives the same moves.

`python -m botequim.thinking` is that process.
"""

from __future__ import annotations

import asyncio
import io
import os
import pickle
import signal
import sys
from contextlib import suppress
from dataclasses import fields, is_dataclass
from hashlib import sha256
from typing import Any, BinaryIO, Final

from botequim import registry
from botequim.core.errors import BotequimError, PlayerFault
from botequim.core.game import Outcome, View
from botequim.core.messages import msg
from botequim.core.player import InMemory, Reply
from botequim.core.rng import Rng, derive

_LENGTH: Final = 4


class Thinking:
    """A player for one seat: the built-in of that name, elsewhere. `begin` makes it anew for each game."""

    def __init__(self, game_name: str, name: str) -> None:
        registry.player(game_name, name)
        self._game: Final = game_name
        self._name: Final = name
        self._process: asyncio.subprocess.Process | None = None

    @property
    def process(self) -> int | None:
        """The number of its process, while there is one."""
        return self._process.pid if self._process is not None else None

    async def open(self, seat: int) -> None:
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "botequim.thinking",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            start_new_session=True,  # a Ctrl-C is for us; it ends when we do
        )

    async def begin(self, seed: str) -> None:
        """A new game: the player is made with a generator of this seed."""
        await self._said(("begin", self._game, self._name, seed))

    async def choose(self, view: View) -> Reply:
        answer = await self._said(("choose", view))
        return answer if isinstance(answer, Reply) else Reply(answer)

    async def advise(self, view: View) -> Any:
        """What it would do and why, an `Advice`; of a player that cannot say why, the move alone.

        It follows from the seed and the position alone, not from what was asked before; where a level counts
        seconds, also from how far it comes in them.
        """
        return await self._said(("advise", view))

    async def finish(self, view: View, outcome: Outcome) -> None:
        pass

    async def close(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        with suppress(ProcessLookupError):
            process.kill()
        assert process.stdin is not None
        process.stdin.close()
        with suppress(BrokenPipeError, ConnectionResetError):
            await process.stdin.wait_closed()
        await process.wait()

    async def _said(self, question: tuple[Any, ...]) -> Any:
        """What it answers; a fault of the player's is raised as it was there."""
        assert self._process is not None
        into, out = self._process.stdin, self._process.stdout
        assert into is not None
        assert out is not None
        try:
            into.write(_packed(question))
            await into.drain()
            length = int.from_bytes(await out.readexactly(_LENGTH), "big")
            answer = pickle.loads(await out.readexactly(length))
        except (OSError, asyncio.IncompleteReadError) as error:
            raise BotequimError(
                msg('the process in which "{name}" thinks ended unexpectedly', name=self._name)
            ) from error
        if isinstance(answer, Exception):
            raise answer
        return answer


class _Pickler(pickle.Pickler):
    """Our values are never changed, and rebuilt by their constructors; compiled ones only so."""

    def reducer_override(self, value: Any) -> Any:
        if is_dataclass(value) and not isinstance(value, type):
            return type(value), tuple(getattr(value, one.name) for one in fields(value) if one.init)
        if isinstance(value, PlayerFault):
            return _fault, (
                value.fault.kind,
                value.fault.reason,
                dict(value.fault.evidence),
                tuple(value.remarks),
                tuple(value.warnings),
                value.micros,
            )
        if isinstance(value, BotequimError):
            return type(value), (value.message,)
        return NotImplemented


def _fault(
    kind: Any, reason: Any, evidence: dict[str, Any], remarks: Any, warnings: Any, micros: int | None
) -> PlayerFault:
    fault = PlayerFault(kind, reason, **evidence)
    fault.remarks, fault.warnings, fault.micros = remarks, warnings, micros
    return fault


def _packed(value: Any) -> bytes:
    buffer = io.BytesIO()
    _Pickler(buffer).dump(value)
    body = buffer.getvalue()
    return len(body).to_bytes(_LENGTH, "big") + body


def main() -> None:
    """Answer questions until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    questions = sys.stdin.buffer
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever is printed is no answer
    player: InMemory | None = None
    advising: InMemory | None = None
    while (question := _heard(questions)) is not None:
        answer: Any = None
        try:
            if question[0] == "begin":
                _, game, name, seed = question
                player = InMemory(registry.player(game, name)(Rng(seed)))
                advising = InMemory(_Advising(game, name, seed))
            elif question[0] == "advise":
                assert advising is not None
                answer = advising.choose_now(question[1])
            else:
                assert player is not None
                answer = player.choose_now(question[1])
        except (PlayerFault, BotequimError) as error:
            answer = error
        answers.write(_packed(answer))
        answers.flush()


class _Advising:
    """A player that is asked for its advice, not only for its move.

    It is made anew for each question, and its chance follows from the seed and from all that the seat has
    seen: so the same position gets the same advice, however often and in whatever order it is asked about.
    """

    def __init__(self, game_name: str, name: str, seed: str) -> None:
        self._write: Final = registry.game(game_name).write
        self._make: Final = registry.player(game_name, name)
        self._seed: Final = seed

    def choose(self, view: View) -> Any:
        seen = "\n".join([f"{event.by} {self._write(event.move)}" for event in view.events])
        position = sha256(f"{view.seat}\n{seen}".encode()).hexdigest()
        player: Any = self._make(Rng(derive(self._seed, "advice", position)))
        return player.advise(view) if hasattr(player, "advise") else player.choose(view)


def _heard(questions: BinaryIO) -> Any:
    head = questions.read(_LENGTH)
    if len(head) < _LENGTH:
        return None
    return pickle.loads(questions.read(int.from_bytes(head, "big")))


if __name__ == "__main__":
    # what is pickled names its module, and nobody else has this one as __main__
    from botequim import thinking

    thinking.main()
