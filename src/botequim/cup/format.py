"""What a format is: who is to play whom next, and how they stand. The one interface a format's author reads.

A format is pure. It is asked with a `Stage`: who takes part, how series are played, the format's own options,
a seed, and every series that is finished. It is asked again whenever something is finished, in any order,
also by another process weeks later, and never takes back what it said: a pairing that was offered is offered,
unchanged, until its result is there. What is drawn by lot is drawn from `Stage.rng`, so that the same cup
draws the same. `botequim.testing.check_format` tells whether an implementation keeps all that.

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
    """All that a format is told."""

    entrants: tuple[str, ...]
    """Names, best seed first: as the stage before ranked them, or as the cup file lists them."""
    terms: SeriesRules
    """Of an ordinary series of this stage."""
    options: Options
    """The format's own, settled."""
    seed: str
    """Of this stage; for `rng` alone."""
    results: Mapping[str, SeriesResult] = field(default_factory=dict)
    """The finished series, by key."""
    cuts: tuple[int, ...] = ()
    """`4`: the best four advance, so it matters who of equals is fourth."""

    def rng(self, *purpose: object) -> Rng:
        """For what is drawn by lot: the same whenever it is asked for with the same purpose."""
        return Rng(private(self.seed, *purpose))

    def lot(self, *purpose: object) -> dict[str, int]:
        """All entrants in an order drawn by lot: the higher number is the luckier."""
        drawn = self.rng("lot", *purpose).shuffled(self.entrants)
        return {name: len(drawn) - at for at, name in enumerate(drawn)}

    def open(self, pairings: Sequence[Pairing]) -> list[Pairing]:
        """Those that are not finished."""
        return [pairing for pairing in pairings if pairing.key not in self.results]

    def finished(self, pairings: Sequence[Pairing]) -> list[SeriesResult]:
        """The results there are of these."""
        return [self.results[pairing.key] for pairing in pairings if pairing.key in self.results]


@dataclass(frozen=True, slots=True)
class Column:
    """One figure of a table."""

    name: str
    """In files: `points`."""
    heading: Message
    """For people."""


@dataclass(frozen=True, slots=True)
class Row:
    """One entrant's standing."""

    place: int
    """1 is best. Who cannot be told apart shares a place, and the places after it are skipped."""
    entrant: str
    figures: Mapping[str, Number]
    """By column."""
    why: Message | None = None
    """Which rule set it apart from those it was otherwise equal to (`by games won`), or how it left."""

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
    """A table: every entrant once, best first. It may be asked for at any time."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(row.entrant for row in self.rows)

    def row(self, entrant: str) -> Row:
        return next(row for row in self.rows if row.entrant == entrant)

    def shared(self, row: Row) -> bool:
        """Whether somebody else has the same place."""
        return sum(other.place == row.place for other in self.rows) > 1


class Format(Protocol):
    """A way to hold a stage of a cup."""

    @property
    def name(self) -> str:
        """What it is called in a cup file."""

    @property
    def options(self) -> tuple[Option, ...]:
        """They stand in the cup file beside the stage's other keys."""

    def size(self, options: Options) -> int:
        """How many entrants sit at a table."""

    def problem(self, stage: Stage) -> Message | None:
        """Why such a stage cannot be held: too few entrants, terms that make no sense. Else None."""

    def pairings(self, stage: Stage) -> Sequence[Pairing]:
        """Every series that can be played now and is not finished, in the order to play them.

        None when the stage is done, and only then. Those that are being played just now are among them: a
        format does not know. It costs as much as there are pairings, so ask when work runs out, not after
        each result.
        """

    def standings(self, stage: Stage) -> Standings:
        """How they stand, or stood in the end. It costs as much as there are results."""


def named(name: str) -> Format:
    """The format of that name."""
    return cast(Format, registry.cup_format(name))


def done(form: Format, stage: Stage) -> bool:
    """Whether the stage has ended."""
    return not form.pairings(stage)


def require(form: Format, stage: Stage) -> None:
    """Refuse a stage that cannot be held."""
    problem = form.problem(stage)
    if problem is not None:
        raise InputError(problem)


def too_few(stage: Stage, wanted: int) -> Message | None:
    """The problem that most formats can have."""
    found = len(stage.entrants)
    if found >= wanted:
        return None
    return msg("at least {wanted} entrants are needed, and there are {found}", wanted=wanted, found=found)
