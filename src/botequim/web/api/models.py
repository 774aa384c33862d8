"""The answers of the API.

Numbers of games, series and moves count from 1, seats from 0. Times are seconds since 1970 unless stated
otherwise. Sentences are in the requested language; keys and words like `state` are the same in every
language.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AliasPath, BaseModel, BeforeValidator, ConfigDict, Field

from botequim.core.messages import Message
from botequim.i18n import translate
from botequim.web.live.public import State


def sentence(message: Message | None) -> str | None:
    """Return a message in the language of the request."""
    return None if message is None else translate(message)


Sentence = Annotated[str, BeforeValidator(lambda value: translate(value))]
"""A message, in the language of the request."""


class Model(BaseModel):
    """The base of all answers. Only the attributes of public values are sent."""

    model_config = ConfigDict(extra="forbid", from_attributes=True, populate_by_name=True)


class Problem(Model):
    """Why a request failed."""

    detail: str


class Pace(Model):
    """The progress of a cup, as far as it is public."""

    state: State = Field(
        description="waiting: no game was played yet; live: games are being played; resting: no games are "
        "being played now; held: the organiser reveals games; over: all games were played and are public"
    )
    games: int = Field(description="the number of public games")
    stage: str | None = Field(description="the current stage, or the last one")
    finished: int = Field(description="the number of finished series of that stage")
    known: int = Field(description="the number of finished series and of those that can be played now")


class CupBrief(Model):
    """A cup in a list."""

    cup: str = Field(validation_alias="slug", description="its name in addresses")
    name: str = Field(validation_alias=AliasPath("cup", "name"))
    game: str = Field(validation_alias=AliasPath("cup", "game"))
    pace: Pace
    page: str = Field(validation_alias="address")


class EntrantBrief(Model):
    """An entrant in a list."""

    name: str = Field(description="the name in the cup file, which identifies the entrant")
    key: str = Field(description="the name in addresses; mostly the same as `name`")
    title: str = Field(description="the title to show: the name that a pair gives itself, or the name")
    authors: list[str]
    null: bool = Field(description="whether it is a copy of another entrant, which shows how much is noise")
    page: str = Field(validation_alias="address")


class StageBrief(Model):
    """A stage in a list."""

    name: str
    format: str
    source: str | None = Field(description="the stage whose best entrants take part")
    top: int | None = Field(description="how many entrants of the source take part")
    beside: bool = Field(description="whether the stage does not count for the ranking")
    done: bool
    entrants: list[str] | None = Field(description="null if they are not known yet")


class Place(Model):
    """A place on the podium."""

    place: int
    names: list[str]


class Cup(CupBrief):
    """A cup."""

    options: dict[str, int | str]
    entrants: list[EntrantBrief]
    absent: dict[str, str] = Field(description="the entrants that did not start, with the reasons")
    stages: list[StageBrief]
    podium: list[Place] = Field(description="empty until the cup is over")
    commitment: str | None = Field(description="the digest of the seed")
    seed: str | None = Field(description="null until the cup is over")
    trouble: Sentence | None = Field(description="why the state is out of date or missing")


class Row(Model):
    """A row of the standings, as in `standings.json` of a bundle."""

    place: int = Field(description="tied entrants share a place")
    entrant: str
    figures: dict[str, int | str] = Field(description="by column; a fraction is a text such as `7/2`")
    why: str = Field(description="the rule that broke a tie, or how the entrant was eliminated; may be empty")


class Column(Model):
    """A figure in the rows of the standings."""

    name: str
    heading: Sentence


class StageTable(Model):
    """The standings of a stage."""

    stage: str
    done: bool
    columns: list[Column]
    rows: list[Row]


class Standings(Model):
    """The standings of a cup."""

    overall: list[Row]
    stages: list[StageTable]


class Rating(Model):
    """How strong an entrant is by all games of the cup that are public (docs/reference/ratings.md)."""

    entrant: str
    rating: float = Field(description="400 points more mean ten wins for every loss")
    interval: tuple[float, float] = Field(description="95 %")
    games: int


class Ratings(Model):
    """The ratings of all who have played."""

    anchor: int = Field(description="the mean rating of the anchors, or of all if there is no anchor")
    anchors: list[str] = Field(description="the entrants that are the built-in player `greedy`")
    entrants: list[Rating] = Field(description="the best first")


class Score(Model):
    """The totals of some games."""

    games: int
    won: int
    drawn: int
    lost: int
    rate: float | None = Field(description="the mean share of a win")
    interval: tuple[float, float] | None = Field(description="95 %")


class Duel(Model):
    """The results of one entrant against another."""

    one: str
    other: str
    score: Score


class CrossTable(Model):
    """The head-to-head results of a stage."""

    stage: str
    duels: list[Duel]


class Match(Model):
    """A match of a knock-out."""

    key: str
    size: int = Field(description="the number of places in its round: 2 is the final")
    number: int
    sides: list[str]
    winner: str | None
    series: list[int] = Field(description="the numbers of its public series")


class Bracket(Model):
    """A knock-out bracket, as far as it is known."""

    stage: str
    seeds: list[str]
    matches: list[Match]


class Rounds(Model):
    """The rounds of a stage, as far as they are public."""

    stage: str
    rounds: list[list[list[str]]] = Field(
        description="the tables of each round, by the names of the entrants; an entrant alone has a bye"
    )


class Total(Model):
    """The total of an entrant in a series."""

    entrant: str
    games: int
    won: int
    drawn: int
    lost: int
    share: float = Field(description="the sum of the shares of wins")
    faults: int


class Series(Model):
    """A series, as far as it is public."""

    series: int
    stage: str
    key: str
    label: Sentence | None
    entrants: list[str]
    whole: bool = Field(description="whether all its games are public; only then it counts for the standings")
    winner: str | None = Field(description="null for a tie, or if not all games are public")
    totals: list[Total]
    games: int


class Game(Model):
    """A finished game."""

    series: int = Field(validation_alias=AliasPath("series", "number"))
    game: int = Field(validation_alias="number")
    stage: str = Field(validation_alias=AliasPath("series", "stage"))
    label: Sentence | None
    entrants: list[str]
    places: list[int] = Field(
        validation_alias=AliasPath("result", "places"), description="by entrant; 1 is best"
    )
    faults: list[int] = Field(description="by entrant")
    how: str = Field(
        validation_alias=AliasPath("result", "how"), description="the game's own word for its ending"
    )
    page: str = Field(validation_alias="address")
    record: str
    one_page: str
    gif: str


class SeriesList(Model):
    """Some series, in their order."""

    items: list[Series]
    next: int | None = Field(description="`offset` of those that follow")


class GameList(Model):
    """Some games, in their order."""

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
    why: Sentence
    page: str = Field(validation_alias="address")


class FaultList(Model):
    """Some faults, in their order."""

    items: list[Fault]
    next: int | None = Field(description="`offset` of those that follow")


class ThinkingTime(Model):
    """The thinking time of an entrant in its latest games."""

    questions: int
    seconds: float
    slowest: float


class Entrant(EntrantBrief):
    """An entrant."""

    repository: str
    files: str = Field(description="the digest of its files")
    portrait: str | None
    absent: Sentence | None = Field(description="why it did not start")
    row: Row | None = Field(description="the row in the overall standings")
    score: Score | None
    faults: dict[str, int] = Field(description="by kind")
    time: ThinkingTime | None
    series: list[int]


class Next(Model):
    """A series that is to be played, or revealed, soon."""

    stage: str
    label: Sentence | None
    entrants: list[str]
    games: int = Field(description="at most")


class Seat(Model):
    """A seat of a position."""

    name: str
    team: int
    count: int | None = Field(description="tiles or cards")
    hand: list[str] | None = Field(description="null if the hand is hidden")
    score: str
    to_move: bool
    fault: bool
    says: str
    art: list[str]
    rank: int | None = Field(description="its team's place, once the game is over")
    note: dict[str, str] = Field(description="a note about its last move, by language")


class Position(Model):
    """A position of a game."""

    game: str
    move: int
    moves: int | None = Field(description="the number of moves of the whole game; null if it is not known")
    told: dict[str, str] = Field(description="a description of the move, by language")
    seats: list[Seat]
    table: dict[str, Any] = Field(description="the table; each game has its own keys")


class Table(Model):
    """A live game, or one that the organiser is showing."""

    table: str
    stage: str
    label: Sentence | None
    game: int
    names: list[str] = Field(description="by seat")
    began: float = Field(description="in seconds since 1970")
    shown: bool = Field(description="whether it was played before, and the organiser is showing it")
    ended: bool
    moved: float | None = Field(description="when its last move was made, in seconds since 1970")
    position: Position | None


class OrganiserState(Model):
    """The state that only the organiser sees."""

    shown: int | None = Field(description="the number of public games; null if everything is public")
    played: int
    showing: bool = Field(description="whether a game is being shown move by move")


class Change(Model):
    """A change of what is public."""

    action: Literal["hold", "reveal", "open"]
    amount: Literal["game", "series", "stage"] = "game"
    expected: int | None = Field(
        default=None, ge=0, le=10**9, description="do it only if so many games are public"
    )
    pace: float | None = Field(
        default=None, ge=0.05, le=60, description="show the game move by move, so many seconds each"
    )
