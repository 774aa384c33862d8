"""At which tables a bot is tried: where it sits, with whom, under which options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from botequim.checking.opponents import (
    PAPER,
    ROCK,
    SCISSORS,
    Absent,
    Harsh,
    Hoarder,
    Leaver,
    Loyal,
    Make,
    Passer,
    Strange,
    built_in,
)
from botequim.core.game import AnyGame
from botequim.core.messages import Message, msg
from botequim.core.options import Options, settle
from botequim.core.wire import Restart


@dataclass(frozen=True, slots=True)
class Sitting:
    """Games in a row at one table."""

    bots: tuple[int, ...]
    """The seats on which the bot sits, an instance each."""
    others: tuple[Make, ...]
    """Who sits on the rest, in turn."""
    given: Mapping[str, object] = field(default_factory=dict)
    """Options of the game."""
    games: int = 1
    restart: Restart | None = None
    forgiven: Message | None = None
    """Why what goes wrong here is only a warning."""

    def options(self, game: AnyGame) -> Options:
        return settle(game.name, game.options, self.given)


@dataclass(frozen=True, slots=True)
class Plan:
    """All tables of a check."""

    alone: Sitting
    """One instance among others."""
    together: Sitting
    """All its instances at once."""
    awkward: Sequence[Sitting]
    """Gone through until every kind of position was met."""

    def series(self) -> Sitting:
        """Two games in the same instance."""
        return replace(self.alone, games=2, restart=Restart.SERIES)

    def anew(self) -> Sitting:
        """Two games, an instance each."""
        return replace(self.alone, games=2, restart=Restart.GAME)

    def endless(self) -> Iterator[Sitting]:
        while True:
            yield from self.awkward


def plan(game: AnyGame) -> Plan:
    """The tables of a game; for one that is not ours, every seat of it in turn."""
    ours = {"cubos": _cubos, "havana": _havana, "fives": _fives, "uno": _uno, "rps": _rps}.get(game.name)
    return _any(game) if ours is None else ours()


def _cubos() -> Plan:
    easy, greedy = built_in("cubos", "random"), built_in("cubos", "greedy")
    awkward = [
        Sitting((0, 2), (easy,)),
        Sitting((1, 3), (greedy,)),
        Sitting((3,), (easy, greedy)),
        Sitting((0, 1, 2, 3), ()),
        Sitting((1,), (greedy,)),
    ]
    return Plan(Sitting((2,), (easy,)), Sitting((0, 1, 2, 3), ()), awkward)


def _havana() -> Plan:
    easy, greedy = built_in("havana", "dummy"), built_in("havana", "greedy")
    starts = [{"first": str(seat)} for seat in range(4)]
    awkward = [
        Sitting((0, 2), (Strange,), starts[0]),
        Sitting((3,), (Passer,), starts[0]),
        Sitting((1, 3), (greedy,), starts[1]),
        Sitting((0, 1, 2, 3), (), starts[2]),
        Sitting((3,), (Strange, easy, greedy), starts[3]),
    ]
    return Plan(Sitting((2,), (easy,), starts[2]), Sitting((0, 1, 2, 3), (), starts[3]), awkward)


def _fives() -> Plan:
    easy, greedy = built_in("fives", "random"), built_in("fives", "greedy")
    awkward = [
        Sitting((0,), (easy,), {"target": 75}),
        Sitting((1,), (greedy,), {"target": 75}),
    ]
    return Plan(Sitting((0,), (easy,), {"target": 50}), Sitting((0, 1), (), {"target": 50}), awkward)


def _uno() -> Plan:
    easy = built_in("uno", "random")
    awkward = [
        Sitting((0,), (Harsh, Hoarder), {"players": 3}),
        Sitting((1,), (Harsh,), {"players": 2}),
        Sitting((1,), (Loyal,), {"players": 2}),
        Sitting((2,), (Harsh,), {"players": 6}),
        Sitting((0,), (Leaver, Harsh), {"players": 3}),
        Sitting((1,), (Harsh, Leaver), {"players": 3}),
        Sitting((0,), (Harsh,), {"players": 2, "hand_size": 2}),
        Sitting((1,), (Harsh,), {"players": 2, "hand_size": 13}),
    ]
    return Plan(
        Sitting((0,), (easy,), {"players": 2}),
        Sitting((0, 2), (Harsh, easy), {"players": 4}),
        awkward,
    )


def _rps() -> Plan:
    easy = built_in("rps", "random")
    dashes: dict[str, object] = {"rounds": 5, "forfeit_history": "dash"}
    why = msg("only where a competition chooses forfeit_history=dash")
    awkward = [
        Sitting((0,), (easy,), {"rounds": 50}),
        *(Sitting((1,), (hand,), {"rounds": 2}) for hand in (ROCK, PAPER, SCISSORS)),
        Sitting((1,), (Absent,), {"rounds": 5}),
        Sitting((0,), (Absent,), dashes, forgiven=why),
        Sitting((1,), (easy,), {"rounds": 32}),
    ]
    return Plan(Sitting((0,), (easy,), {"rounds": 3}), Sitting((0, 1), (), {"rounds": 3}), awkward)


def _any(game: AnyGame) -> Plan:
    options = settle(game.name, game.options, {})
    seats = sorted(seat for team in game.teams(options) for seat in team)
    easy = built_in(game.name, "random")
    awkward = [Sitting((seat,), (easy,)) for seat in seats]
    return Plan(awkward[0], Sitting(tuple(seats), ()), awkward)
