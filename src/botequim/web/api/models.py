"""What the API answers with.

Numbers of games, series and moves count from 1, seats from 0; times are seconds since 1970 where nothing else
is said. Sentences are in the language that is asked for; all else, keys and words like `state`,
is the same in every language.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Model(BaseModel):
    """All of them: what is not here is not sent."""

    model_config = ConfigDict(extra="forbid")


class Problem(Model):
    """Why a question was not answered."""

    detail: str


class Pace(Model):
    """How far a cup is, as far as everybody may know."""

    state: Literal["waiting", "live", "resting", "held", "over"] = Field(
        description="waiting: nothing was played yet; live: it is played just now; resting: nobody plays "
        "just now; held: games are revealed by the organiser; over: all is played, and public"
    )
    games: int = Field(description="that are public")
    stage: str | None = Field(description="that is being played, or was the last")
    finished: int = Field(description="series of that stage")
    known: int = Field(description="those, and all that can follow now")


class CupBrief(Model):
    """A cup among others."""

    cup: str = Field(description="its name in addresses")
    name: str
    game: str
    pace: Pace
    page: str


class EntrantBrief(Model):
    """An entrant among others."""

    name: str = Field(description="in the cup file: this says who is meant")
    key: str = Field(description="what stands for it in addresses; mostly its name")
    title: str = Field(description="how it is shown: what a pair calls itself, or else its name")
    authors: list[str]
    null: bool = Field(description="it is a copy of another, to show how much is noise")
    page: str


class StageBrief(Model):
    """A stage among others."""

    name: str
    format: str
    source: str | None = Field(description="the stage whose best take part")
    top: int | None = Field(description="how many of them")
    beside: bool = Field(description="it is played beside the cup, and places nobody")
    done: bool
    entrants: list[str] | None = Field(description="null while they are not known")


class Place(Model):
    """A step of the podium."""

    place: int
    names: list[str]


class Cup(CupBrief):
    """A cup."""

    options: dict[str, int | str]
    entrants: list[EntrantBrief]
    absent: dict[str, str] = Field(description="who did not start, and why")
    stages: list[StageBrief]
    podium: list[Place] = Field(description="when all is over")
    commitment: str | None = Field(description="to the seed, before it is told")
    seed: str | None = Field(description="when all is over")
    trouble: str | None = Field(description="why nothing new can be told just now")


class Row(Model):
    """A line of a table."""

    place: int = Field(description="who cannot be told apart shares it")
    entrant: str
    figures: dict[str, float]
    why: str | None = Field(description="what set it apart from its equals, or how it left")


class Column(Model):
    """A figure of a table."""

    name: str
    heading: str


class StageTable(Model):
    """How a stage stands."""

    stage: str
    done: bool
    columns: list[Column]
    rows: list[Row]


class Standings(Model):
    """How a cup stands."""

    overall: list[Row]
    stages: list[StageTable]


class Score(Model):
    """Games added up."""

    games: int
    won: int
    drawn: int
    lost: int
    rate: float | None = Field(description="the mean share of a win")
    interval: tuple[float, float] | None = Field(description="95 %")


class Duel(Model):
    """How one fared against another."""

    one: str
    other: str
    score: Score


class CrossTable(Model):
    """Who did what against whom."""

    stage: str
    duels: list[Duel]


class Match(Model):
    """A match of a knock-out."""

    key: str
    size: int = Field(description="places of its round: 2 is the final")
    number: int
    sides: list[str]
    winner: str | None
    series: list[int] = Field(description="numbers of its public series")


class Bracket(Model):
    """The tree of a knock-out, as far as it is known."""

    stage: str
    seeds: list[str]
    matches: list[Match]


class Total(Model):
    """What an entrant has of a series."""

    entrant: str
    games: int
    won: int
    drawn: int
    lost: int
    share: float = Field(description="of the wins")
    faults: int


class Series(Model):
    """A series, as far as it is public."""

    series: int
    stage: str
    key: str
    label: str | None
    entrants: list[str]
    whole: bool = Field(description="only then it counts for standings, cross table and bracket")
    winner: str | None = Field(description="of a whole one; null when the best are equal")
    totals: list[Total]
    games: int


class Game(Model):
    """A finished game."""

    series: int
    game: int
    stage: str
    label: str | None
    entrants: list[str]
    places: list[int] = Field(description="by entrant; 1 is best")
    faults: list[int] = Field(description="by entrant")
    how: str = Field(description="the game's own word for its ending")
    page: str
    record: str
    one_page: str
    gif: str


class SeriesList(Model):
    """Some series, the first first."""

    items: list[Series]
    next: int | None = Field(description="`offset` of those that follow")


class GameList(Model):
    """Some games, the first first."""

    items: list[Game]
    next: int | None = Field(description="`offset` of those that follow")


class Fault(Model):
    """A fault of an entrant."""

    series: int
    game: int
    move: int
    stage: str
    entrant: str
    seat: int
    kind: str
    why: str
    page: str


class FaultList(Model):
    """Some faults, the first first."""

    items: list[Fault]
    next: int | None = Field(description="`offset` of those that follow")


class Thought(Model):
    """How long an entrant thought, in its newest games."""

    questions: int
    seconds: float
    slowest: float


class Entrant(EntrantBrief):
    """An entrant."""

    repository: str
    files: str = Field(description="the digest of its files")
    portrait: str | None
    absent: str | None = Field(description="why it did not start")
    row: Row | None = Field(description="of the whole table")
    score: Score | None
    faults: dict[str, int] = Field(description="by kind")
    time: Thought | None
    series: list[int]


class Next(Model):
    """A series that is to be played, or revealed, soon."""

    stage: str
    label: str | None
    entrants: list[str]
    games: int = Field(description="at most")


class Seat(Model):
    """A seat of a position."""

    name: str
    team: int
    count: int | None = Field(description="tiles or cards")
    hand: list[str] | None = Field(description="null: not to be seen")
    score: str
    to_move: bool
    fault: bool
    says: str
    art: list[str]
    rank: int | None = Field(description="its team's place, once the game is over")
    note: dict[str, str] = Field(description="what it did, by language")


class Position(Model):
    """A position of a game."""

    game: str
    move: int
    moves: int | None = Field(description="of the whole game, as far as it is known")
    told: dict[str, str] = Field(description="what happened, by language")
    seats: list[Seat]
    table: dict[str, Any] = Field(description="what lies on it: each game has its own words")


class Table(Model):
    """A game under way, or one that is being shown."""

    table: str
    stage: str
    label: str | None
    game: int
    names: list[str] = Field(description="by seat")
    began: float = Field(description="in seconds since 1970")
    shown: bool = Field(description="it was played before, and is being revealed")
    ended: bool
    moved: float | None = Field(description="when its last move was made, in seconds since 1970")
    position: Position | None


class Behind(Model):
    """What the organiser knows beside what all know."""

    shown: int | None = Field(description="games that are public; null: all, as it happens")
    played: int
    showing: bool = Field(description="a game is being shown move by move")


class Change(Model):
    """What the organiser wants."""

    action: Literal["hold", "reveal", "open"]
    amount: Literal["game", "series", "stage"] = "game"
    expected: int | None = Field(
        default=None, ge=0, le=10**9, description="do it only if so many games are public"
    )
    pace: float | None = Field(
        default=None, ge=0.05, le=60, description="show the game move by move, so many seconds each"
    )
