"""A built-in player in a process of its own, so that nobody waits while it thinks.

A player that searches holds the interpreter, and an event loop in the same process could not hear bots,
people or browsers meanwhile. Where such a loop runs (`Series` with bots or people at the table), a player
that `thinks` is asked in a helper process. The same player with the same seed gives the same moves there.
"""

from __future__ import annotations

import io
import pickle
from dataclasses import fields, is_dataclass
from hashlib import sha256
from typing import Any, Final

from botequim import registry
from botequim.core.errors import BotequimError, PlayerFault
from botequim.core.game import Outcome, View
from botequim.core.messages import msg
from botequim.core.player import LocalPlayer, Reply
from botequim.core.rng import Rng, derive
from botequim.engine.helper_process import HelperEnded, HelperProcess


class SubprocessPlayer:
    """A player for one seat: the built-in player of that name, in another process."""

    def __init__(self, game_name: str, name: str) -> None:
        registry.player(game_name, name)
        self._game: Final = game_name
        self._name: Final = name
        self._helper: HelperProcess | None = None

    @property
    def process(self) -> int | None:
        """The id of its process, while there is one."""
        return self._helper.pid if self._helper is not None else None

    async def open(self, seat: int) -> None:
        self._helper = HelperProcess(_PlayerProcess)

    async def begin(self, seed: str) -> None:
        """Make the player anew for a game, with a generator of this seed."""
        await self._ask(("begin", self._game, self._name, seed))

    async def choose(self, view: View) -> Reply:
        answer = await self._ask(("choose", view))
        return answer if isinstance(answer, Reply) else Reply(answer)

    async def advise(self, view: View) -> Any:
        """Return what it would do and why, an `Advice`; of a player that cannot say why, the move alone.

        It follows from the seed and the position alone, not from what was asked before; where a level counts
        seconds, also from how far it comes in them.
        """
        return await self._ask(("advise", view))

    async def finish(self, view: View, outcome: Outcome) -> None:
        pass

    async def close(self) -> None:
        helper, self._helper = self._helper, None
        if helper is not None:
            helper.kill()

    async def _ask(self, question: tuple[Any, ...]) -> Any:
        """Return its answer, or raise the player's fault."""
        assert self._helper is not None
        try:
            answer = pickle.loads(await self._helper.ask_async(pack(question)))
        except HelperEnded as error:
            raise BotequimError(
                msg('the process of the player "{name}" ended unexpectedly', name=self._name)
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


def pack(value: Any) -> bytes:
    """Return a pickle of a view, a reply or a fault; compiled values are rebuilt by their constructors."""
    buffer = io.BytesIO()
    _Pickler(buffer).dump(value)
    return buffer.getvalue()


class _PlayerProcess:
    """Answers the questions in the helper process."""

    def __init__(self) -> None:
        self._player: LocalPlayer | None = None
        self._adviser: LocalPlayer | None = None

    def handle(self, request: bytes) -> bytes:
        try:
            return pack(self._answer(*pickle.loads(request)))
        except (PlayerFault, BotequimError) as error:
            return pack(error)

    def _answer(self, question: str, *values: Any) -> Any:
        if question == "begin":
            game, name, seed = values
            self._player = LocalPlayer(registry.player(game, name)(Rng(seed)))
            self._adviser = LocalPlayer(Adviser(PositionPlayer(game, name, seed)))
            return None
        asked = self._adviser if question == "advise" else self._player
        assert asked is not None
        return asked.choose_now(*values)

    def close(self) -> None:
        pass


class PositionPlayer:
    """A player without memory: it is made anew for each position.

    Its chance follows from the seed and from all that the seat has seen. So it gives the same answer in the
    same position, however often and in whatever order it is asked.
    """

    def __init__(self, game_name: str, name: str, seed: str) -> None:
        self._write: Final = registry.game(game_name).write
        self._make: Final = registry.player(game_name, name)
        self._seed: Final = seed

    def choose(self, view: View) -> Any:
        """Return the move of the player."""
        return self._player(view, "move").choose(view)

    def advise(self, view: View) -> Any:
        """Return the advice of the player; of one that gives no reasons, only its move."""
        player = self._player(view, "advice")
        return player.advise(view) if hasattr(player, "advise") else player.choose(view)

    def _player(self, view: View, purpose: str) -> Any:
        seen = "\n".join([f"{event.by} {self._write(event.move)}" for event in view.events])
        position = sha256(f"{view.seat}\n{seen}".encode()).hexdigest()
        return self._make(Rng(derive(self._seed, purpose, position)))


class Adviser:
    """A strategy whose moves are the advice of a player."""

    def __init__(self, player: PositionPlayer) -> None:
        self.choose: Final = player.advise
