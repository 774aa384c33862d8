"""The interface of a format, which decides the pairings and the standings of a stage.

A format is pure. Its argument is a `Stage`: the entrants, the rules of a series, the options of the format, a
seed, and every finished series. It is called again whenever a series is finished, in any order, perhaps by
another process weeks later. A pairing that was offered must be offered, unchanged, until its result is known.
Lots are drawn with `Stage.rng`, so that the same cup draws the same lots. `botequim.testing.check_format`
checks all this for an implementation.

Some rounds cannot be computed again later: the computation takes long, needs a library, or has several best
answers. Such a format is a `StoredRoundsFormat`: the coordinator asks it once for each round, stores the
answer, and from then on hands it to the format in `Stage.rounds`. All its other answers stay pure.

A cup may change after it has begun: `Stage.late`, `out` and `annulled` say so, and a format declares in
`changes` which `StageChange`s it can take. A format that declares nothing is never given one.

A format is registered as `name = "module:FORMAT"` in the entry-point group `botequim.formats`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Any, Protocol, TypeAlias, cast, runtime_checkable

from botequim import registry
from botequim.core.errors import InputError
from botequim.core.messages import Message, msg
from botequim.core.options import Option, Options
from botequim.core.results import SeriesResult
from botequim.core.rng import Rng, private
from botequim.cup.pairing import Pairing, SeriesRules, parse_round_key, round_key

Number: TypeAlias = int | Fraction

Round: TypeAlias = tuple[tuple[str, ...], ...]
"""The tables of a round, each as the names of its entrants by team. An entrant alone has a bye."""


class StageChange(StrEnum):
    """What may happen to a stage that has begun. A format names those that it allows as `changes`."""

    LEAVING = "leaving"
    """An entrant leaves. Its open series become walkovers in `Stage.results`; it is in `Stage.out`."""
    ANNULMENT = "annulment"
    """Results may disappear although further series were played since: nothing but the standings and series
    that are still to be played depends on them. Without this, they may disappear if no series depends on
    them."""
    LATE_ENTRANT = "late_entrant"
    """An entrant comes later. It is the last of `Stage.entrants`, and in `Stage.late`. Pairings that were
    offered before must not change."""
    REPLAY = "replay"
    """A series is played again, if no other series depends on it."""


def allowed_changes(form: Format) -> frozenset[StageChange]:
    """Return what may happen to a stage of this format that has begun; nothing if it does not say so."""
    return frozenset(getattr(form, "changes", ()))


@dataclass(frozen=True, slots=True)
class Stage:
    """The argument of every method of a format."""

    entrants: tuple[str, ...]
    """Names, best seed first: the order of the stage before, or of the cup file."""
    terms: SeriesRules
    """The rules of an ordinary series of this stage."""
    options: Options
    """The resolved options of the format."""
    seed: str
    """The seed of this stage, to be used by `rng` only."""
    results: Mapping[str, SeriesResult] = field(default_factory=dict)
    """The finished series, by key."""
    cuts: tuple[int, ...] = ()
    """The places after which there is a cut. With `4`, the best four advance: a tie for place 4 matters."""
    rounds: tuple[Round, ...] = ()
    """Of a `StoredRoundsFormat`: the rounds that were decided so far, as far as they follow from
    `results`."""
    late: Mapping[str, int] = field(default_factory=dict)
    """The entrants that came after the stage began, each with the number of rounds that a `RoundsFormat` had
    when it came."""
    out: frozenset[str] = frozenset()
    """The entrants that left after the stage began. They play no more."""
    annulled: frozenset[str] = frozenset()
    """Those of `out` whose results count for nobody: their series are neither in `results` nor `open`."""

    @property
    def staying(self) -> tuple[str, ...]:
        """The entrants that did not leave."""
        return tuple(name for name in self.entrants if name not in self.out)

    @property
    def first_entrants(self) -> tuple[str, ...]:
        """The entrants with which the stage began."""
        return tuple(name for name in self.entrants if name not in self.late)

    def rng(self, *purpose: object) -> Rng:
        """Return a generator for drawing lots. It is the same for every call with the same purpose."""
        return Rng(private(self.seed, *purpose))

    def lot(self, *purpose: object) -> dict[str, int]:
        """Return a lot for every entrant. A higher number is better."""
        order = self.rng("lot", *purpose).shuffled(self.entrants)
        return {name: len(order) - at for at, name in enumerate(order)}

    def open(self, pairings: Sequence[Pairing]) -> list[Pairing]:
        """Return the pairings that are not finished, and that are still to be played."""
        return [
            pairing
            for pairing in pairings
            if pairing.key not in self.results and self.annulled.isdisjoint(pairing.entrants)
        ]

    def all_series(self, rounds: Iterable[Round]) -> list[Pairing]:
        """Return the series of all tables of these rounds, finished or not, without byes."""
        by_number = enumerate(rounds, start=1)
        return [
            self.round_series(number, table)
            for number, tables in by_number
            for table in tables
            if len(table) > 1
        ]

    def round_series(self, number: int, table: tuple[str, ...]) -> Pairing:
        """Return the series of a table in a round, from 1, of a `RoundsFormat`."""
        return Pairing(
            round_key(number, table), table, self.terms, msg("round {number}", number=number), number
        )

    def results_of(self, pairings: Sequence[Pairing]) -> list[SeriesResult]:
        """Return the results of those pairings that are finished."""
        return [self.results[pairing.key] for pairing in pairings if pairing.key in self.results]


@dataclass(frozen=True, slots=True)
class Column:
    """One figure in the rows of the standings."""

    name: str
    """The name in files, such as `points`."""
    heading: Message
    """The name for people."""
    added_in: str = ""
    """The version of the format's package in which an existing format gained this column. Bundles that were
    written before do not have it, and are valid without it."""


@dataclass(frozen=True, slots=True)
class Row:
    """One entrant's standing."""

    place: int
    """1 is best. Tied entrants share a place, and the places after it are skipped."""
    entrant: str
    figures: Mapping[str, Number]
    """The figures by name of the column."""
    why: Message | None = None
    """The rule that broke a tie (`by games won`), or how the entrant was eliminated."""

    def as_json(self, text: Callable[[Message], str] = str) -> dict[str, Any]:
        """Return the row as JSON; fractions are texts such as `7/2`.

        This is the one encoder: `standings.json` of bundles, `report.json`, `--json` and the API use it.
        Bundles are compared with it, so a later version may add a column (`Column.added_in`), and change
        nothing else. `text` may translate the reason.
        """
        return {
            "place": self.place,
            "entrant": self.entrant,
            "figures": {name: _number_json(value) for name, value in self.figures.items()},
            "why": "" if self.why is None else text(self.why),
        }


def _number_json(value: Number) -> int | str:
    return int(value) if value.denominator == 1 else str(value)


@dataclass(frozen=True, slots=True)
class Standings:
    """The standings of a stage: every entrant once, best first."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(row.entrant for row in self.rows)

    def row(self, entrant: str) -> Row:
        return next(row for row in self.rows if row.entrant == entrant)

    def is_shared(self, row: Row) -> bool:
        """Return whether another entrant has the same place."""
        return sum(other.place == row.place for other in self.rows) > 1


class Format(Protocol):
    """A way to play a stage of a cup."""

    @property
    def name(self) -> str:
        """The name in a cup file."""

    @property
    def options(self) -> tuple[Option, ...]:
        """Its options, which are written in the cup file beside the other keys of the stage."""

    def size(self, options: Options) -> int:
        """Return the number of entrants at a table."""

    def problem(self, stage: Stage) -> Message | None:
        """Return why such a stage cannot be played, for example too few entrants; else None."""

    def pairings(self, stage: Stage) -> Sequence[Pairing]:
        """Return every series that can be played now and is not finished, in the order to play them.

        The result is empty if the stage is finished, and only then. It includes series in progress, which a
        format does not know about. The cost grows with the number of pairings, so call it when work runs out,
        not after each result.
        """

    def standings(self, stage: Stage) -> Standings:
        """Return the current or final standings. The cost grows with the number of results."""


@runtime_checkable
class RoundsFormat(Format, Protocol):
    """A format that is played in rounds, which reports and pages show as a table.

    Each of its pairings is the `Stage.round_series` of a table of a round.
    """

    def rounds(self, stage: Stage) -> Sequence[Round]:
        """Return the rounds that are known, in order. Nobody is twice in a round."""

    def length(self, stage: Stage) -> int:
        """Return how many series the whole stage has."""


@runtime_checkable
class StoredRoundsFormat(RoundsFormat, Protocol):
    """A format whose rounds are decided once, by the coordinator, and stored with the cup.

    `pairings` and `standings` use `Stage.rounds`. Between two rounds there are no pairings, and `needs_round`
    is true.
    """

    def require_installed(self) -> None:
        """Raise an InputError if `next_round` needs a library that is not installed.

        No other method may need that library.
        """

    def needs_round(self, stage: Stage) -> bool:
        """Return whether a round is to be decided: all series are finished, and the stage is not done."""

    def next_round(self, stage: Stage) -> Round:
        """Decide the round that is needed. It follows from the stage, and may take seconds."""

    def round_problem(self, stage: Stage, decided: Round) -> Message | None:
        """Return the rule that a decided round breaks, given the stage before it; None if it breaks none.

        `botequim verify` calls this. The round may contain anything, and no library may be needed.
        """


def find_format(name: str) -> Format:
    return cast(Format, registry.cup_format(name))


def round_text(form: Format, key: str) -> Message | None:
    """Return a series of a `RoundsFormat` for people: `round 3, Ana – Rui`; None for other formats."""
    parts = parse_round_key(key) if isinstance(form, RoundsFormat) else None
    if parts is None:
        return None
    number, names = parts
    return msg("round {number}, {names}", number=number, names=" – ".join(names))


def require(form: Format, stage: Stage) -> None:
    """Raise InputError if the stage cannot be played."""
    problem = form.problem(stage)
    if problem is not None:
        raise InputError(problem)


def too_few(stage: Stage, needed: int) -> Message | None:
    """Return the problem of a stage with fewer entrants than `wanted`, or None."""
    count = len(stage.entrants)
    if count >= needed:
        return None
    if count == 1:
        return msg("at least {wanted} entrants are needed, but there is only 1", wanted=needed)
    return msg("at least {wanted} entrants are needed, but there are {found}", wanted=needed, found=count)
