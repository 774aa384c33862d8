"""The interface of a format, which decides the pairings and the standings of a stage.

A format is pure. Its argument is a `Stage`: the entrants, the rules of a series, the options of the format, a
seed, and every finished series. It is called again whenever a series is finished, in any order, perhaps by
another process weeks later. A pairing that was offered must be offered, unchanged, until its result is known.
Lots are drawn with `Stage.rng`, so that the same cup draws the same lots. `botequim.testing.check_format`
checks all this for an implementation.

A format is registered as `name = "module:FORMAT"` in the entry-point group `botequim.formats`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol, TypeAlias, cast

from botequim import registry
from botequim.core.errors import InputError
from botequim.core.messages import Message, msg
from botequim.core.options import Option, Options
from botequim.core.results import SeriesResult
from botequim.core.rng import Rng, private
from botequim.cup.pairing import Pairing, SeriesRules

Number: TypeAlias = int | Fraction


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

    def rng(self, *purpose: object) -> Rng:
        """Return a generator for drawing lots. It is the same for every call with the same purpose."""
        return Rng(private(self.seed, *purpose))

    def lot(self, *purpose: object) -> dict[str, int]:
        """Return a lot for every entrant. A higher number is better."""
        drawn = self.rng("lot", *purpose).shuffled(self.entrants)
        return {name: len(drawn) - at for at, name in enumerate(drawn)}

    def open(self, pairings: Sequence[Pairing]) -> list[Pairing]:
        """Return the pairings that are not finished."""
        return [pairing for pairing in pairings if pairing.key not in self.results]

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
        """Return the row for programs; fractions are texts such as `7/2`.

        This is the one encoder: `standings.json` of bundles, `report.json`, `--json` and the API use it.
        Bundles are compared with it, so what it writes never changes. `text` may translate the reason.
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


def find_format(name: str) -> Format:
    return cast(Format, registry.cup_format(name))


def require(form: Format, stage: Stage) -> None:
    """Raise InputError if the stage cannot be played."""
    problem = form.problem(stage)
    if problem is not None:
        raise InputError(problem)


def too_few(stage: Stage, wanted: int) -> Message | None:
    """Return the problem of a stage with fewer entrants than `wanted`, or None."""
    found = len(stage.entrants)
    if found >= wanted:
        return None
    return msg("at least {wanted} entrants are needed, and there are {found}", wanted=wanted, found=found)
