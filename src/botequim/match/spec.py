"""The description of a match: the game, the entrants, the number of games and the seed.

A *deal* is a group of games from one seed, one for each team. After each game every entrant moves one team
on, so each plays every side of the deal once. The seeds of the deals are derived from the seed of the match,
so the result between built-in players does not depend on the order in which deals are played.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from botequim import registry
from botequim.bots.entrant import Entrant
from botequim.core.errors import InputError
from botequim.core.messages import msg
from botequim.core.options import Value, resolve_options
from botequim.core.process import Sandbox
from botequim.core.rng import derive
from botequim.core.wire import Restart
from botequim.engine.jobs import GameSetup


@dataclass(frozen=True, slots=True)
class Deal:
    """One deal of a match: `games` games from the same seed."""

    number: int
    first: int
    """The number of its first game in the match."""
    games: int


@dataclass(frozen=True, slots=True)
class MatchSpec:
    """Everything that is decided before a match is played."""

    game: str
    options: Mapping[str, Value]
    entrants: tuple[Entrant, ...]
    """One for each team."""
    games: int
    seed: str
    records: Path | None = None
    """The folder that records are written to, or None."""
    sandbox: Sandbox | None = None
    """Where the entrants that are programs run."""
    restart: Restart | None = None
    """How long the instances of bots live; None if their wires decide."""
    evidence: Path | None = None
    """The folder for the first game with each kind of fault, if records are not written."""
    patience: int | None = None
    """The number of games after which the match ends if an entrant has never answered; None for no limit."""
    own_labels: tuple[str, ...] = ()
    """The entrants' names, if they differ from those that the entrants have themselves."""
    first_game: int = 0
    """The number of its first game, if it is one of several matches that are played together."""

    @classmethod
    def of(
        cls,
        game_name: str,
        entrants: Sequence[str | Entrant],
        *,
        games: int,
        seed: str,
        options: Mapping[str, object] | None = None,
        records: Path | None = None,
        sandbox: Sandbox | None = None,
        restart: Restart | None = None,
        evidence: Path | None = None,
        patience: int | None = None,
    ) -> MatchSpec:
        """Return a match. Raise InputError if the game, the options, the players or their number are wrong.

        A name is that of a built-in player; other entrants must be prepared.
        """
        game = registry.game(game_name)
        values = dict(options or {})
        if any(option.name == "players" for option in game.options):
            values.setdefault("players", len(entrants))
        resolved = resolve_options(game.name, game.options, values)
        teams = game.teams(resolved)
        if len(teams) != len(entrants):
            raise InputError(
                msg(
                    "{game} is played by {wanted} entrants, not {found}",
                    game=game.name,
                    wanted=len(teams),
                    found=len(entrants),
                )
            )
        all_entrants = [Entrant(one, one) if isinstance(one, str) else one for one in entrants]
        for entrant in all_entrants:
            if entrant.built_in:
                registry.player(game.name, entrant.name)
        return cls(
            game.name,
            resolved,
            tuple(all_entrants),
            games,
            seed,
            records,
            sandbox,
            restart,
            evidence,
            patience,
        )

    @property
    def teams(self) -> tuple[tuple[int, ...], ...]:
        return registry.game(self.game).teams(self.options)

    @property
    def labels(self) -> tuple[str, ...]:
        """The entrants' names, numbered where two are the same."""
        return self.own_labels or unique_labels(self.entrants)

    @property
    def lifetimes(self) -> set[Restart]:
        """How long the instances of its bots live; empty if all are built-in players."""
        return {self.restart or bot.wire.restart for bot in self.entrants if bot.wire is not None}

    def deals(self) -> Iterator[Deal]:
        """Yield the deals. The last one may have fewer games."""
        sides = len(self.entrants)
        for first in range(0, self.games, sides):
            yield Deal(first // sides, first, min(sides, self.games - first))

    def runs(self, deals: Sequence[Deal]) -> tuple[tuple[GameSetup, ...], ...]:
        """Return the games of some deals: first all deals from one side, then all deals from the next.

        A bot that remembers games is restarted in between, so that it never sees a deal from two sides.
        """
        count = len(self.entrants)
        return tuple(
            tuple(
                GameSetup(
                    deal.first + rotation,
                    tuple((team + rotation) % count for team in range(count)),
                    derive(self.seed, "deal", deal.number),
                    rotation,
                )
                for deal in deals
                if rotation < deal.games
            )
            for rotation in range(max(deal.games for deal in deals))
        )


def unique_labels(entrants: Sequence[Entrant]) -> tuple[str, ...]:
    """Return the names of entrants, numbered where two are the same."""
    names = [entrant.name for entrant in entrants]
    return tuple(
        f"{name}#{names[: at + 1].count(name)}" if names.count(name) > 1 else name
        for at, name in enumerate(names)
    )
