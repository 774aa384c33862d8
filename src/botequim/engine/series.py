"""Consecutive games between the same entrants on the same seats.

Bots are opened once and live for a game or for the series, as their wire says. Built-in players are created
for each game with a generator of their own, so a game does not depend on earlier games. At a table with bots
or people, a built-in player that thinks for long runs in a process of its own, so that the others are heard
meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, Final

from botequim import registry
from botequim.bots.entrant import Entrant
from botequim.bots.remote import RemotePlayer
from botequim.bots.seat import record_header_fields, remote_player
from botequim.core.errors import BrokenContract
from botequim.core.game import AnyGame
from botequim.core.messages import msg
from botequim.core.options import Options
from botequim.core.player import LocalPlayer, Player
from botequim.core.process import Sandbox
from botequim.core.rng import Rng, private
from botequim.core.turn import PlayedMove
from botequim.core.wire import GameContext, Restart
from botequim.engine.machine import Machine
from botequim.engine.referee import Step, play
from botequim.engine.subprocess_player import SubprocessPlayer
from botequim.records.record import Record


@dataclass(frozen=True, slots=True)
class SeatAssignment:
    """The entrant on a seat."""

    entrant: Entrant
    label: str
    """The name of the entrant at this table."""
    member: int
    """The index of this seat among those of the team: 0, 1, ..."""


def seat_assignments(
    teams: Sequence[Sequence[int]], entrants: Sequence[Entrant], labels: Sequence[str]
) -> list[SeatAssignment]:
    """Return the assignments by seat. `entrants` and `labels` are by team."""
    by_seat = {
        at: SeatAssignment(entrants[team], labels[team], member)
        for team, members in enumerate(teams)
        for member, at in enumerate(members)
    }
    return [by_seat[at] for at in sorted(by_seat)]


class Series:
    """A series: `async with Series(...) as series: record = await series.play(...)`, up to `games` times."""

    def __init__(
        self,
        game: AnyGame,
        seat_assignments: Sequence[SeatAssignment],
        *,
        games: int,
        sandbox: Sandbox | None = None,
        restart: Restart | None = None,
        people: Mapping[int, Player] | None = None,
        machine: Machine | None = None,
    ) -> None:
        """`sandbox` is required if an entrant is a program. `people` are by seat.

        Records name the `machine`, if it is given, and say how long bots waited for one of its processors.
        """
        self.game: Final = game
        self._assignments: Final = list(seat_assignments)
        self._games: Final = games
        self._sandbox: Final = sandbox
        self._restart: Final = restart
        self._names: Final = tuple(assignment.label for assignment in self._assignments)
        self._people: Final = dict(people or {})
        self._machine: Final = machine
        self._remote: dict[int, RemotePlayer] = {}
        self._thinking: dict[int, SubprocessPlayer] = {}
        self._opened = AsyncExitStack()
        self.seats: Final[Sequence[Mapping[str, Any]]] = [
            {"name": assignment.label}
            | (record_header_fields(assignment.entrant, sandbox) if sandbox is not None else {})
            for assignment in self._assignments
        ]
        """By seat, the entrant as the record describes it."""

    async def __aenter__(self) -> Series:
        async with AsyncExitStack() as opening:
            for at, assignment in enumerate(self._assignments):
                player: Player
                if at in self._people:
                    player = self._people[at]
                elif not assignment.entrant.built_in:
                    player = self._remote[at] = self._seat(assignment)
                elif self._keeps_waiting(assignment):
                    name = registry.member_name(assignment.entrant.name, assignment.member)
                    player = self._thinking[at] = SubprocessPlayer(self.game.name, name)
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
        """Leave the table before the end of the block. Can be called again."""
        await self._opened.aclose()

    @property
    def waits(self) -> bool:
        """Whether its games wait for anything outside of this process."""
        return bool(self._people or self._remote or self._thinking)

    def _keeps_waiting(self, seated: SeatAssignment) -> bool:
        """Return whether a built-in player thinks for long at a table where bots or people must be heard."""
        others = bool(self._people) or any(
            not assignment.entrant.built_in for assignment in self._assignments
        )
        name = registry.member_name(seated.entrant.name, seated.member)
        return others and registry.thinks(self.game.name, name)

    def _seat(self, assignment: SeatAssignment) -> RemotePlayer:
        if self._sandbox is None:
            raise BrokenContract(msg("a bot needs a sandbox to run in"))
        return remote_player(
            assignment.entrant,
            self._sandbox,
            GameContext(self.game, {}, self._names),
            member=assignment.member,
            games=self._games,
            restart=self._restart,
            measures_waits=self._machine is not None,
        )

    async def play(
        self,
        seed: str,
        options: Options,
        *,
        rotation: int = 0,
        emit: Callable[[Step], None] | None = None,
        seated: Callable[[int, Player], Player] = lambda at, player: player,
        turns: list[Sequence[PlayedMove]] | None = None,
    ) -> Record:
        """Play the next game. `rotation` distinguishes the games that are played from the same seed.

        `seated` may wrap a player, for example to repeat earlier answers. The referee describes `emit` and
        `turns`.
        """
        players: list[Player] = []
        for at, assignment in enumerate(self._assignments):
            own_seed = private(seed, "game", rotation, "seat", at)
            if at in self._people:
                players.append(self._people[at])
            elif at in self._remote:
                self._remote[at].context = GameContext(self.game, options, self._names)
                players.append(self._remote[at])
            elif at in self._thinking:
                await self._thinking[at].begin(own_seed)
                players.append(self._thinking[at])
            else:
                name = registry.member_name(assignment.entrant.name, assignment.member)
                make = registry.player(self.game.name, name)
                players.append(LocalPlayer(make(Rng(own_seed))))
        players = [seated(at, player) for at, player in enumerate(players)]
        record = await play(
            self.game, players, options=options, seats=self.seats, seed=seed, emit=emit, turns=turns
        )
        seats = [self._with_pair(at, seat) for at, seat in enumerate(record.seats)]
        return replace(record, seats=seats, machine=self._machine, waited=self._take_waits())

    def _take_waits(self) -> Sequence[float | None]:
        """Return by seat how long bots waited for a processor in the last game; nothing if all is unknown."""
        if self._machine is None:
            return ()
        waits = [
            player.take_wait() if (player := self._remote.get(at)) else None for at in range(len(self.seats))
        ]
        return waits if any(wait is not None for wait in waits) else ()

    def _with_pair(self, at: int, seat: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the seat with the name that its pair gives itself, which is known after its start."""
        player = self._remote.get(at)
        pair = "" if player is None else player.introduced.get("pair", "")
        return {**seat, "pair": pair} if pair else seat
