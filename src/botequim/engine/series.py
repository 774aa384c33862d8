"""Games in a row between the same entrants, who keep their seats.

Bots are opened once, and live as long as their wire says: for a game, or for the series. Built-in players are
made anew for each game, with a generator of their own, so that a game does not depend on those before it. One
that takes its time has a process of its own where bots sit at the table, which must be heard meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, Final

from botequim import registry
from botequim.core.errors import BrokenContract
from botequim.core.game import AnyGame
from botequim.core.messages import msg
from botequim.core.options import Options
from botequim.core.player import InMemory, Player
from botequim.core.process import Sandbox
from botequim.core.record import Record
from botequim.core.rng import Rng, private
from botequim.core.turn import Made
from botequim.core.wire import Restart, Seating
from botequim.entrants.entrant import Entrant
from botequim.entrants.seat import described, seat
from botequim.referee import Step, play
from botequim.remote import RemotePlayer
from botequim.thinking import Thinking


@dataclass(frozen=True, slots=True)
class Chair:
    """Who sits on a seat."""

    entrant: Entrant
    label: str
    """Its name at this table."""
    member: int
    """Which of its team's seats it is: 0, 1, ..."""


def chairs(teams: Sequence[Sequence[int]], entrants: Sequence[Entrant], labels: Sequence[str]) -> list[Chair]:
    """By seat: `entrants` and `labels` are by team."""
    by_seat = {
        at: Chair(entrants[team], labels[team], member)
        for team, members in enumerate(teams)
        for member, at in enumerate(members)
    }
    return [by_seat[at] for at in sorted(by_seat)]


class Series:
    """`async with Series(...) as series: record = await series.play(...)`, as often as said."""

    def __init__(
        self,
        game: AnyGame,
        chairs: Sequence[Chair],
        *,
        games: int,
        sandbox: Sandbox | None = None,
        restart: Restart | None = None,
        people: Mapping[int, Player] | None = None,
    ) -> None:
        """The sandbox is needed when any of them is a program; `people` sit on their seats in person."""
        self._game: Final = game
        self._chairs: Final = list(chairs)
        self._games: Final = games
        self._sandbox: Final = sandbox
        self._restart: Final = restart
        self._names: Final = tuple(chair.label for chair in self._chairs)
        self._people: Final = dict(people or {})
        self._remote: dict[int, RemotePlayer] = {}
        self._thinking: dict[int, Thinking] = {}
        self._opened = AsyncExitStack()
        self.seats: Final[Sequence[Mapping[str, Any]]] = [
            {"name": chair.label}
            | (described(chair.entrant, sandbox, game.name) if sandbox is not None else {})
            for chair in self._chairs
        ]
        """By seat, who sits there, as the record says it."""

    async def __aenter__(self) -> Series:
        async with AsyncExitStack() as opening:
            for at, chair in enumerate(self._chairs):
                player: Player
                if at in self._people:
                    player = self._people[at]
                elif not chair.entrant.built_in:
                    player = self._remote[at] = self._seat(chair)
                elif self._keeps_waiting(chair):
                    name = registry.member_name(chair.entrant.name, chair.member)
                    player = self._thinking[at] = Thinking(self._game.name, name)
                else:
                    continue
                opening.push_async_callback(player.close)
                await player.open(at)
            self._opened = opening.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._opened.__aexit__(kind, error, trace)

    async def close(self) -> None:
        """Leave the table before the block is left; can be called again."""
        await self._opened.aclose()

    @property
    def waits(self) -> bool:
        """Whether its games wait for anybody outside of this process."""
        return bool(self._people or self._remote or self._thinking)

    def _keeps_waiting(self, seated: Chair) -> bool:
        """Whether a built-in player takes its time where bots or people must be heard meanwhile."""
        others = bool(self._people) or any(not chair.entrant.built_in for chair in self._chairs)
        name = registry.member_name(seated.entrant.name, seated.member)
        return others and registry.thinks(self._game.name, name)

    def _seat(self, chair: Chair) -> RemotePlayer:
        if self._sandbox is None:
            raise BrokenContract(msg("a bot needs a sandbox to run in"))
        return seat(
            chair.entrant,
            self._sandbox,
            Seating(self._game, {}, self._names),
            member=chair.member,
            games=self._games,
            restart=self._restart,
        )

    async def play(
        self,
        seed: str,
        options: Options,
        *,
        turned: int = 0,
        emit: Callable[[Step], None] | None = None,
        seated: Callable[[int, Player], Player] = lambda at, player: player,
        turns: list[Sequence[Made]] | None = None,
    ) -> Record:
        """The next game. `turned` sets apart the games that are played from the same seed.

        `seated` may put something between a player and the referee: what it answered before, say. `emit` and
        `turns` are the referee's.
        """
        players: list[Player] = []
        for at, chair in enumerate(self._chairs):
            own_seed = private(seed, "game", turned, "seat", at)
            if at in self._people:
                players.append(self._people[at])
            elif at in self._remote:
                self._remote[at].seating = Seating(self._game, options, self._names)
                players.append(self._remote[at])
            elif at in self._thinking:
                await self._thinking[at].begin(own_seed)
                players.append(self._thinking[at])
            else:
                name = registry.member_name(chair.entrant.name, chair.member)
                make = registry.player(self._game.name, name)
                players.append(InMemory(make(Rng(own_seed))))
        players = [seated(at, player) for at, player in enumerate(players)]
        record = await play(
            self._game, players, options=options, seats=self.seats, seed=seed, emit=emit, turns=turns
        )
        return replace(record, seats=[self._introduced(at, seat) for at, seat in enumerate(record.seats)])

    def _introduced(self, at: int, seat: Mapping[str, Any]) -> Mapping[str, Any]:
        """With the name that a pair gives itself: that is known once it has started."""
        player = self._remote.get(at)
        pair = "" if player is None else player.introduced.get("pair", "")
        return {**seat, "pair": pair} if pair else seat
