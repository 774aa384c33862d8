"""Many games between the same entrants, each deal from every side.

A *deal* is one seed. It is played as many times as there are teams, the entrants moving one team on each
time; whoever remembers games is started anew in between, so that nobody has seen the tiles before. Deals are
independent, and their seeds are derived from the match seed: between built-in players the result does not
depend on who plays which deal when. What is kept of a game is a few numbers; records go to disk where they
are made, so memory does not grow with the number of games. `botequim.workers` plays on all cores.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from botequim import registry
from botequim.core.errors import BotequimError, InputError, os_reason
from botequim.core.messages import msg
from botequim.core.options import Value, settle
from botequim.core.process import Sandbox
from botequim.core.record import Record
from botequim.core.rng import derive
from botequim.core.titles import clean_title, unique_titles
from botequim.core.wire import Restart
from botequim.entrants.entrant import Entrant
from botequim.faults import Faults, GameFault, game_faults, silent_entrants, wanted_as_evidence
from botequim.referee import Step
from botequim.series import Chair, Series, chairs
from botequim.statistics import Score

LOG_LINES = 5
"""Of a bot that never answers, shown with the reason."""


@dataclass(frozen=True, slots=True)
class Match:
    """What is played: enough for any process to play any part of it."""

    game: str
    options: Mapping[str, Value]
    entrants: tuple[Entrant, ...]
    """One for each team."""
    games: int
    seed: str
    records: Path | None = None
    sandbox: Sandbox | None = None
    """Where the entrants that are programs run."""
    restart: Restart | None = None
    """How long their instances live, where it is not as their wire says."""
    evidence: Path | None = None
    """Where the first game with each kind of fault is kept, if records are not."""
    patience: int | None = None
    """After so many games the match is given up if an entrant has not answered at all; None: it is not."""

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
    ) -> Match:
        """A match with everything checked: game, options, players and their number.

        Names are those of built-in players; other entrants must be prepared.
        """
        game = registry.game(game_name)
        given = dict(options or {})
        if any(option.name == "players" for option in game.options):
            given.setdefault("players", len(entrants))
        settled = settle(game.name, game.options, given)
        teams = game.teams(settled)
        if len(teams) != len(entrants):
            raise InputError(
                msg(
                    "{game} is played by {wanted} entrants, not {found}",
                    game=game.name,
                    wanted=len(teams),
                    found=len(entrants),
                )
            )
        known = [Entrant(one, one) if isinstance(one, str) else one for one in entrants]
        for entrant in known:
            if entrant.built_in:
                registry.player(game.name, entrant.name)
        return cls(
            game.name, settled, tuple(known), games, seed, records, sandbox, restart, evidence, patience
        )

    @property
    def teams(self) -> tuple[tuple[int, ...], ...]:
        return registry.game(self.game).teams(self.options)

    @property
    def labels(self) -> tuple[str, ...]:
        """The entrants' names, told apart where two are the same."""
        names = [entrant.name for entrant in self.entrants]
        return tuple(
            f"{name}#{names[: at + 1].count(name)}" if names.count(name) > 1 else name
            for at, name in enumerate(names)
        )

    @property
    def lifetimes(self) -> set[Restart]:
        """How long the instances of its bots live; nothing when all are built-in players."""
        wires = [registry.wire(self.game, bot.wire) for bot in self.entrants if bot.wire is not None]
        return {self.restart or wire.restart for wire in wires}

    def by_seat(self, *, turned: int) -> list[int]:
        """Which of the entrants sits on each seat when they have moved on by `turned` teams."""
        count = len(self.entrants)
        placed = {at: (team + turned) % count for team, seats in enumerate(self.teams) for at in seats}
        return [placed[at] for at in sorted(placed)]

    def chairs(self, *, turned: int) -> list[Chair]:
        """By seat, who sits there when the entrants have moved on by `turned` teams."""
        count = len(self.entrants)
        order = [(team + turned) % count for team in range(count)]
        return chairs(self.teams, [self.entrants[at] for at in order], [self.labels[at] for at in order])

    def series(self, *, turned: int, games: int) -> Series:
        """The entrants at the table, moved on by `turned` teams."""
        return Series(
            registry.game(self.game),
            self.chairs(turned=turned),
            games=games,
            sandbox=self.sandbox,
            restart=self.restart,
        )

    def seats(self, *, turned: int) -> Sequence[Mapping[str, Any]]:
        """By seat, who sits there, as the record says it."""
        return self.series(turned=turned, games=0).seats

    def deals(self) -> Iterator[Deal]:
        """The deals, the last one cut off where the games are enough."""
        sides = len(self.entrants)
        for first in range(0, self.games, sides):
            yield Deal(first // sides, first, min(sides, self.games - first))


@dataclass(frozen=True, slots=True)
class Deal:
    """One deal of a match: `games` games from the same chance."""

    number: int
    first: int
    """The number of its first game in the match."""
    games: int


@dataclass(frozen=True, slots=True)
class Played:
    """What is kept of one game."""

    shares: tuple[Fraction, ...]
    """By entrant."""
    faults: tuple[int, ...]
    """By entrant."""
    turns: int
    pairs: tuple[str, ...] = ()
    """By entrant: what it calls itself, or nothing."""
    kinds: tuple[GameFault, ...] = ()
    """The faults, by entrant and kind."""
    silent: frozenset[int] = frozenset()
    """The entrants that were asked and gave no answer."""


class NoAnswer(InputError):
    """An entrant has not answered in a single one of the first games."""


class Silence:
    """Looks for entrants that cannot play at all."""

    def __init__(self, match: Match) -> None:
        self._match = match
        self._games = 0
        self._silent = set(range(len(match.entrants)))
        """Those who have not answered yet."""
        self._first: dict[int, GameFault] = {}

    def add(self, played: Played) -> None:
        """Take note of a game. Raise NoAnswer if that was enough."""
        self._games += 1
        self._silent &= played.silent
        self._first = {fault.entrant: fault for fault in played.kinds} | self._first
        if self._match.patience is None or self._games < self._match.patience:
            return
        for at in self._silent:
            raise no_answer(self._match, self._games, self._first[at])


def no_answer(match: Match, games: int, fault: GameFault) -> NoAnswer:
    """Return the error that says why a match is given up, and what to do."""
    given = match.entrants[fault.entrant].given
    error = NoAnswer(
        msg(
            'the match is given up: "{name}" has not answered once in {count} games: {why}. To find out why: '
            "{command}",
            name=match.labels[fault.entrant],
            count=games,
            why=fault.reason,
            command=shlex.join(["botequim", "check", given, "--game", match.game]),
        )
    )
    error.details = "\n".join(fault.log.splitlines()[-LOG_LINES:])
    return error


@dataclass(slots=True)
class Table:
    """The standing of a match."""

    match: Match
    scores: list[Score] = field(default_factory=list)
    turns: int = 0
    pairs: list[str] = field(default_factory=list)
    """By entrant: what it calls itself, or nothing."""
    in_a_row: int = 1
    """Games that an instance of a bot which lives through a series has played at most."""
    faults: Faults = field(default_factory=Faults)

    def __post_init__(self) -> None:
        self.scores = [Score() for _ in self.match.entrants]
        self.pairs = ["" for _ in self.match.entrants]

    @property
    def games(self) -> int:
        return self.scores[0].games

    @property
    def titles(self) -> tuple[str, ...]:
        """By entrant: how it is shown."""
        return tuple(unique_titles(dict(zip(self.match.labels, self.pairs, strict=True))).values())

    @property
    def deals(self) -> int:
        """Those played from every side."""
        return self.games // len(self.match.entrants)

    def add_deal(self, played: Sequence[Played]) -> None:
        """Count the games of one deal."""
        for at, score in enumerate(self.scores):
            score.add_deal([game.shares[at] for game in played])
            score.faults += sum(game.faults[at] for game in played)
        self.turns += sum(game.turns for game in played)
        for game in played:
            self.pairs = [new or old for new, old in zip(game.pairs or self.pairs, self.pairs, strict=True)]
            self.faults.add(game.kinds)


async def play_deals(
    match: Match, deals: Sequence[Deal], tell: Callable[[int, Step], None] | None = None
) -> list[list[Played]]:
    """All games of some deals; their records are written where the match says.

    First all deals from one side, then, the entrants started anew, from the next. NoAnswer if these are the
    first deals and an entrant never answers.
    """
    played: list[list[Played]] = [[] for _ in deals]
    silence = Silence(match) if deals[0].number == 0 else None
    for turned in range(max(deal.games for deal in deals)):
        games = sum(turned < deal.games for deal in deals)
        async with match.series(turned=turned, games=games) as series:
            for deal, kept in zip(deals, played, strict=True):
                if turned >= deal.games:
                    continue
                number = deal.first + turned
                record = await series.play(
                    derive(match.seed, "deal", deal.number),
                    match.options,
                    turned=turned,
                    emit=partial(tell, number) if tell else None,
                )
                if match.records is not None:
                    write_record(record, record_path(match, number))
                kept.append(_kept(match, turned, number, record))
                if match.evidence is not None and kept[-1].kinds:
                    _keep_evidence(match.evidence, record, kept[-1].kinds)
                if silence is not None:
                    silence.add(kept[-1])
    return played


def _keep_evidence(folder: Path, record: Record, faults: Sequence[GameFault]) -> None:
    """Keep a record with the first fault of a kind. A match goes on where that cannot be written."""
    with suppress(OSError, BotequimError):
        folder.mkdir(parents=True, exist_ok=True)
        for fault in wanted_as_evidence(faults, folder):
            write_record(record, folder / fault.record_name)


def _kept(match: Match, turned: int, number: int, record: Record) -> Played:
    teams = match.teams
    count = len(teams)
    by_team = record.outcome.shares()
    faulty = [made.by for turn in record.turns for made in turn if made.fault is not None]
    shares = [by_team[(at - turned) % count] for at in range(count)]
    faults = [sum(by in teams[(at - turned) % count] for by in faulty) for at in range(count)]
    seats = [record.seats[teams[(at - turned) % count][0]] for at in range(count)]
    pairs = [clean_title(seat.get("pair", "")) for seat in seats]
    if not faulty:
        return Played(tuple(shares), tuple(faults), len(record.turns), tuple(pairs))
    by_seat = match.by_seat(turned=turned)
    return Played(
        tuple(shares),
        tuple(faults),
        len(record.turns),
        tuple(pairs),
        game_faults(record, by_seat, number),
        silent_entrants(record, by_seat),
    )


def record_path(match: Match, number: int) -> Path:
    assert match.records is not None
    return match.records / f"{match.game}-{number + 1:06}.jsonl"


def write_record(record: Record, path: Path) -> None:
    """A record as a file of its own: whole, or not there."""
    partial = path.with_suffix(".partial")
    try:
        with partial.open("w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in record.lines())
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise BotequimError(
            msg("the record {path} cannot be written: {why}", path=str(path), why=os_reason(error))
        ) from error


def usable(folder: Path) -> None:
    """A folder to write in, made if need be: better known before a game than after it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        trial = folder / ".botequim"
        trial.touch()
        trial.unlink()
    except OSError as error:
        raise InputError(
            msg("the folder {path} cannot be used: {why}", path=str(folder), why=os_reason(error))
        ) from error


def prepare_records(folder: Path) -> None:
    """A folder for records, made if need be. Records that are already there are not written over."""
    usable(folder)
    taken = next(folder.glob("*.jsonl"), None)
    if taken is not None:
        raise InputError(
            msg(
                "{path} already holds records ({name}); give an empty or a new folder",
                path=str(folder),
                name=taken.name,
            )
        )
