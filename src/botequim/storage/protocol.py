"""What a store of a cup must do. Values are plain; no caller knows which database is behind.

An implementation provides a `CupStorage` and the stores that it opens, passes
`tests/storage/test_contract.py`, and is returned by `botequim.storage.open_storage`. All stores translate
errors of their database to `BotequimError`. A store belongs to the thread that opened it. `with
storage.open_results() as store` closes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Final, Protocol, TypeAlias, TypeVar, runtime_checkable

from botequim.core.messages import Message
from botequim.core.results import SeriesResult
from botequim.storage.checksums import Row, SeriesRows
from botequim.storage.errors import DamagedStore
from botequim.storage.values import (
    CodeBatch,
    FinishedSeries,
    LiveGame,
    LiveRun,
    LiveSeries,
    LiveStage,
    LiveTurn,
    Repair,
    StagedGame,
    StoredContest,
    StoredFault,
    StoredRequest,
    StoredSeries,
)

WAIT_SECONDS: Final = 10.0
"""How long a store waits for another program that writes. On an event loop, use a thread or do not wait."""

Self = TypeVar("Self")


class Closable(Protocol):
    """Something that is open."""

    def close(self) -> None: ...
    def __enter__(self: Self) -> Self: ...
    def __exit__(self, *error: object) -> None: ...


class CupStorage(Protocol):
    """Opens the stores of one cup. It keeps nothing open itself, and any thread may use it.

    A store that was moved elsewhere is sealed: whoever opens it gets an InputError that names its successor.
    """

    @property
    def location(self) -> str:
        """Where the stores are, for messages."""

    def has_results(self) -> bool:
        """Return whether a store of results exists."""

    def has_visibility(self) -> bool:
        """Return whether an organiser ever decided what is public, or created a contest."""

    def open_results(self, *, write: bool = False, check: bool = False) -> CupStore:
        """Open the results. With `write`, as the only coordinator, and they are created if necessary.

        A coordinator that another one has replaced cannot write: each write fails. With `check`, compare
        everything with its checksums first; damage is a `DamagedStore`.
        """

    def open_visibility(self) -> VisibilityStore:
        """Open it to read and write; it is created if necessary."""

    def open_votes(self) -> VoteStore:
        """Open it to read and write; it is created if necessary."""

    def open_requests(self) -> RequestStore:
        """Open it to read and write; it is created if necessary."""

    def requests(self) -> list[StoredRequest]:
        """Return all requests, in the order in which they came. Nothing is created."""

    def open_live(self, *, wait: float = WAIT_SECONDS) -> LiveStore:
        """Open the live games to read, also before there are any. `wait=0` never blocks: see `StoreBusy`."""

    def open_live_writer(self) -> LiveWriter:
        """Delete what was published before, and begin a new run."""

    def watch_results(self) -> Watch: ...
    def watch_visibility(self) -> Watch: ...

    def shown_games(self) -> int | None:
        """Return how many games are public, None for all of them. Nothing is created."""

    def staged_game(self) -> StagedGame | None:
        """Return the game that is being revealed turn by turn. Nothing is created."""

    def open_transfer(self) -> CupTransfer:
        """Open all of it to move the cup. Until it is closed, nobody else can write."""

    def copy_to(self, folder: Path) -> None:
        """Write results, visibility and votes as they are at one moment into a folder, as SQLite files.

        Others may write meanwhile. Whoever calls this checks first whether there are results.
        """


class CupTransfer(Closable, Protocol):
    """Everything of a cup that is worth keeping, as plain rows; see `botequim.storage.moving`."""

    @property
    def location(self) -> str: ...

    def exists(self) -> bool:
        """Return whether there are any results or decisions of an organiser."""

    def successor(self) -> str | None:
        """Return where the cup was moved, if it was."""

    def rows(self, table: str) -> list[Row]:
        """Return the rows of one of `botequim.storage.moving.TABLES`, sorted."""

    def series(self) -> Iterator[SeriesRows]:
        """Return every series, in the order of their numbers."""

    def put_fact(self, name: str, value: str) -> None:
        """Store a fact about the cup, which has results, at once."""

    def fill(self, source: CupTransfer) -> None:
        """Replace everything by what the source has, in one piece."""

    def seal(self, successor: str) -> None:
        """Refuse everybody who opens this store from now on, and name the successor."""


RestoreFacts: TypeAlias = Callable[[Mapping[str, str]], Mapping[str, str]]
CheckRepaired: TypeAlias = Callable[["CupStore"], None]
"""Takes the damaged facts about a cup as far as they can be read, and returns the facts to store."""


@runtime_checkable
class RepairableStorage(Protocol):
    """A `CupStorage` that can also be repaired. Others say that a copy must be restored."""

    def repair_results(
        self, fact_names: Sequence[str], restore_facts: RestoreFacts, check_repaired: CheckRepaired
    ) -> Repair:
        """Keep a copy of the damaged results, and replace them by what is sound of them.

        `restore_facts` is called if the facts about the cup are damaged; `fact_names` are the names it wants.
        `check_repaired` gets the sound part before it replaces anything. If it raises an error, nothing is
        changed.
        """


class Watch(Closable, Protocol):
    """Notices that a store was written, replaced, created or removed."""

    def has_changed(self) -> bool:
        """Return whether it changed since the last call; True the first time. It never waits."""

    def forget(self) -> None:
        """Let the next `has_changed` return True."""


class CupStore(Closable, Protocol):
    """Facts about a cup, its pinned entrants, and every finished series with records and faults."""

    @property
    def location(self) -> str:
        """Where the store is, for messages."""

    def is_current(self) -> bool:
        """Return False if the store was removed or replaced since it was opened."""

    def damage_error(self, *facts: str) -> DamagedStore:
        """Return the error to raise if these facts are stored, but make no sense."""

    def wait_through_outages(self, report: Callable[[Message], None]) -> None:
        """From now on, let writes wait for a server that is away, however long.

        `report` is told once that a write waits, and once that it goes on. Nothing is written twice, and
        nothing after another coordinator has taken over. Files are never away.
        """

    def fact(self, name: str) -> str | None:
        """Return a fact about the cup: its file as it was, its seed, ..."""

    def put_facts(self, facts: Mapping[str, str]) -> None: ...

    def entrants(self) -> dict[str, dict[str, Any]]:
        """Return what was pinned of each entrant, by name."""

    def pin_entrant(self, name: str, value: Mapping[str, Any]) -> None: ...
    def unpin_entrants(self) -> None: ...

    def add_series(self, finished: FinishedSeries) -> bool:
        """Store a series in one transaction. Return False, and change nothing, if its key is there
        already."""

    def series(self, after: int = 0) -> list[StoredSeries]:
        """Return the finished series after this number, in the order of their numbers."""

    def results(self) -> dict[str, dict[str, SeriesResult]]:
        """Return the result of every finished series, by stage and key."""

    def count_games(self) -> int:
        """Return the number of games of all finished series, without reading them."""

    def record(self, stage: str, key: str, number: int) -> list[str] | None:
        """Return the lines of the record of a game (from 0), None if there is none."""

    def records(self) -> Iterator[tuple[str, str, int, list[str]]]:
        """Return every game as stage, key, number and lines, sorted."""

    def faults(self, entrant: str | None = None) -> list[StoredFault]:
        """Return the faults of one entrant or of all, in the order in which they were stored."""

    def faults_after(self, last: int) -> tuple[int, list[StoredFault]]:
        """Return the number of the last fault now, and the faults that were stored after number `last`."""

    def remove_logs(self, entrant: str) -> int:
        """Remove the logs from the faults of an entrant; return how many there were. Nothing else changes."""

    def fault(self, stage: str, key: str, game: int, turn: int, seat: int) -> StoredFault | None:
        """Return the fault of a seat in a turn, if there is one."""


class VisibilityStore(Closable, Protocol):
    """What the organiser lets the public see. Several programs may write it, one after another."""

    @property
    def shown(self) -> int | None:
        """How many games are public; None: all of them, as they happen."""

    def hold(self, at: int) -> int:
        """Make only the first `at` games public, until more are revealed; return how many are public now.

        If games are held back already, nothing changes.
        """

    def reveal(self, to: int, *, expected: int | None = None) -> bool:
        """Make the first `to` games public; return whether that changed anything. Nothing is hidden again.

        With `expected`, nothing happens if another number of games is public by now: when two organisers
        press "next" at the same time, one game is revealed.
        """

    def release(self) -> bool:
        """Make everything public as it happens; return whether that changed anything."""

    def stage_next(self, *, expected: int, began: float, pace: float) -> bool:
        """Begin to reveal the game after the first `expected` games turn by turn; see `StagedGame`.

        It becomes public when somebody reveals it. Return False if another number of games is public by now,
        or if this game is being revealed already.
        """

    @property
    def staged(self) -> StagedGame | None:
        """The game that is being revealed turn by turn."""

    def set_token(self, digest: str) -> None:
        """Store the SHA-256 of the organiser's token; it replaces the one before."""

    @property
    def token(self) -> str | None:
        """The SHA-256 of the organiser's token, if there is one."""


class RequestStore(Closable, Protocol):
    """What organisers want of the coordinator of a cup. It is written where visibility is, so its watch
    notices new requests. Several programs may write it, one after another."""

    def add_request(self, content: str, state: str) -> int:
        """Store a request, and return its number."""

    def answer_request(self, number: int, state: str, answer: str) -> None: ...


class VoteStore(Closable, Protocol):
    """Contests, codes and ballots. `botequim.votes.contests` has the rules of voting.

    Ballots have neither a time, an order nor any relation to the code or browser they came with.
    """

    def transaction(self) -> AbstractContextManager[None]:
        """Do everything within, or nothing; nobody else writes meanwhile."""

    def contests(self) -> list[StoredContest]:
        """Return all contests, by id."""

    def contest(self, number: int) -> StoredContest | None: ...

    def add_contest(self, title: str, voters: str, choice: str, phase: str, entrants: Sequence[str]) -> int:
        """Return its id, which no other contest of the cup ever had."""

    def set_phase(self, number: int, phase: str) -> None: ...

    def delete_contest(self, number: int) -> None:
        """Delete a contest with its codes and ballots."""

    def codes(self, number: int, *, batch: int | None = None, unused: bool = False) -> list[str]: ...
    def batches(self, number: int) -> list[CodeBatch]: ...
    def add_codes(self, number: int, batch: int, codes: Iterable[str]) -> None: ...

    def remove_codes(self, codes: Iterable[str]) -> None:
        """Remove those of these codes that nobody voted with."""

    def is_used(self, number: int, code: str) -> bool | None:
        """Return whether somebody voted with this code; None if it is not one of this contest."""

    def use_code(self, code: str) -> None: ...
    def has_voted(self, number: int, mark: str) -> bool: ...
    def add_voter(self, number: int, mark: str) -> None: ...
    def add_ballot(self, number: int, places: Sequence[int]) -> None: ...

    def ballots(self, number: int) -> list[tuple[int, ...]]:
        """Return all ballots, in an order that means nothing."""

    def count_ballots(self, number: int) -> int: ...

    def erase_traces(self) -> None:
        """Remove traces of which rows were written together, as far as the database keeps some."""


class LiveStore(Closable, Protocol):
    """The games that are being played, for readers. What cannot be read is absent: nothing depends on it."""

    def has_changed(self) -> bool:
        """Return whether anything was written since the last call; True the first time."""

    def run(self) -> LiveRun | None:
        """Return the run that is published, or was published last."""

    def games(self) -> list[LiveGame]:
        """Return all games that are known, in the order in which they began."""

    def turns(self, game: int, after: int = 0) -> list[LiveTurn]:
        """Return the turns of a game after turn `after`."""

    def next_series(self) -> list[LiveSeries]:
        """Return the series that are played now or soon, the first one first."""

    def stages(self) -> list[LiveStage]:
        """Return the stages that this run has begun."""


class LiveWriter(Closable, Protocol):
    """Publishes the games that are being played. Everything may be lost when the power goes."""

    def transaction(self) -> AbstractContextManager[None]: ...
    def begin_game(self, stage: str, key: str, number: int, header: str, began: float) -> int: ...
    def add_turns(self, game: int, turns: Iterable[LiveTurn]) -> None: ...
    def end_game(self, game: int, ended: float) -> None: ...
    def delete_games(self, games: Iterable[int]) -> None: ...

    def unfinished_games(self, *, before: float) -> list[int]:
        """Return the games that have not ended, and began before this time."""

    def games_of_series(self, stage: str, key: str, *, before: float) -> list[int]:
        """Return the games of a series that began before this time."""

    def delete_ended(self, *, before: float) -> None:
        """Delete the games that ended before this time."""

    def put_plan(self, stage: LiveStage, coming: Sequence[LiveSeries]) -> None: ...
    def mark_alive(self, now: float, *, ended: bool = False) -> None: ...
