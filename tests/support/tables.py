"""Sits players down for tests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from botequim import registry
from botequim.core.errors import FaultKind, PlayerFault
from botequim.core.game import AnyGame, Remark, View
from botequim.core.options import resolve_options
from botequim.core.player import LocalPlayer, Player, Reply
from botequim.core.rng import Rng
from botequim.engine.random_player import Random
from botequim.engine.referee import play
from botequim.records.reader import RawRecord, parse
from botequim.records.record import Record


def stopped_clock() -> int:
    return 0


def table(game: AnyGame, options: Mapping[str, object] | None = None) -> tuple[dict[str, Any], int]:
    """Settled options and how many seats they make."""
    settled = resolve_options(game.name, game.options, options or {})
    return settled, sum(map(len, game.teams(settled)))


def play_game(
    game: AnyGame,
    make: Callable[[int], Player],
    *,
    seed: str = "1",
    options: Mapping[str, object] | None = None,
    **arguments: Any,
) -> Record:
    """One game; `make(seat)` gives each player."""
    settled, count = table(game, options)
    arguments.setdefault("clock", stopped_clock)
    return asyncio.run(
        play(
            game,
            [make(seat) for seat in range(count)],
            options=settled,
            seats=[{"name": f"p{seat}"} for seat in range(count)],
            seed=seed,
            **arguments,
        )
    )


def built_in(game: AnyGame, names: Sequence[str], seed: str = "1") -> Callable[[int], Player]:
    """Built-in players, in turn round the table."""

    def make(seat: int) -> Player:
        name = names[seat % len(names)]
        return LocalPlayer(registry.player(game.name, name)(Rng(f"{seed}/{seat}")))

    return make


class Clumsy:
    """A random player that does everything wrong now and then, and talks."""

    def __init__(self, rng: Rng) -> None:
        self.rng = rng
        self.plain = Random(rng)

    def choose(self, view: View) -> Any:
        move = self.plain.choose(view)
        match self.rng.below(16):
            case 0:
                raise PlayerFault(self.rng.choice(list(FaultKind)), stderr="boom\n\x1b[31m")
            case 1:
                return "nonsense"
            case 2:
                return Reply(move, [Remark("say", "Olá! ♥ <b>\u202e")])
            case 3:
                return Reply(move, [Remark("art", ["♥" * 61]), Remark("art", 7), Remark("say", "x" * 1000)])
            case 4:
                raise RuntimeError("broken bot")
            case 5:
                return Reply(move, [Remark("art", [" ** ** ", "*******", " ***** ", "  ***  ", "   *   "])])
        return move


def clumsy(seed: str) -> Callable[[int], Player]:
    return lambda seat: LocalPlayer(Clumsy(Rng(f"{seed}/{seat}")))


def found(record: Record) -> RawRecord:
    """A record as if it were read from a file."""
    return next(parse([line.encode() for line in record.lines()], "test.jsonl"))
