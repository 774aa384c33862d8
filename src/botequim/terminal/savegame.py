"""Games that were left: each is a small file, written as the game goes, that is gone when it is over.

The first line says how the table was laid; the others are a record without its outcome (docs/record.md). A
game is continued by playing it again up to where it was left: chance follows from the seed, and everybody
answers as they did.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from botequim import registry
from botequim.core.errors import InputError, RecordError, os_reason
from botequim.core.game import AnyGame, Outcome, View
from botequim.core.messages import Message, msg
from botequim.core.options import Options, settle
from botequim.core.player import Player, Reply
from botequim.core.reading import Found, parse_begun
from botequim.core.record import Json, header_json, turn_json
from botequim.core.turn import Made
from botequim.verify import answered

VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class Sitting:
    """A match with a person at the table: enough to go on with it later."""

    game: str
    options: Mapping[str, Any]
    seat: int
    players: Sequence[str]
    """By seat, as they were named; the person's is empty."""
    names: Sequence[str]
    """By seat, as they are called at the table."""
    seed: str
    best_of: int = 1
    won: Sequence[int] = ()
    """Games won, by team."""
    number: int = 0
    """Games that are over."""

    def after(self, outcome: Outcome) -> Sitting:
        """With one game more; a shared first place is nobody's."""
        winners = [team for team, place in enumerate(outcome.places) if place == 1]
        won = list(self.won or [0] * len(outcome.places))
        if len(winners) == 1:
            won[winners[0]] += 1
        return replace(self, won=won, number=self.number + 1)

    @property
    def over(self) -> bool:
        return self.number >= self.best_of or max(self.won, default=0) > self.best_of // 2


def state_folder() -> Path:
    """Where Botequim keeps what a user may want again."""
    base = os.environ.get("XDG_STATE_HOME", "")
    state = Path(base) if base.startswith("/") else Path.home() / ".local" / "state"
    return state / "botequim"


def folder() -> Path:
    """Where games that were left are kept: in the user's state folder."""
    return state_folder() / "games"


class Kept:
    """The file of the game that is being played: held while it is, so that no other sitting writes it too."""

    def __init__(self, path: Path) -> None:
        self.path: Final = path
        self._held: int | None = None

    @classmethod
    def new(cls, game_name: str) -> Kept:
        return cls(folder() / f"{game_name}-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.jsonl")

    def take(self) -> bool:
        """Hold it, until `close`; False where somebody else does. What cannot be opened is not there to hold:
        who reads it says why."""
        if self._held is not None:
            return True
        try:
            descriptor = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK)
        except OSError:
            return True
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return False
        except OSError:  # some file systems have no locks, and games are played there too
            os.close(descriptor)
            return True
        self._held = descriptor
        return True

    def close(self) -> None:
        """Others may take it."""
        if self._held is not None:
            os.close(self._held)
            self._held = None

    def begin(
        self, sitting: Sitting, game: AnyGame, options: Options, seed: str, seats: Sequence[Json]
    ) -> None:
        """A new game at this table; the one before is over."""
        lines = ({"table": VERSION, **asdict(sitting)}, header_json(game, options, seed, seats))
        self._write("a")  # there must be a file to hold
        if not self.take():
            raise in_play(self.path)
        self._write("w", *lines)

    def add(self, game: AnyGame, number: int, turn: Sequence[Made]) -> None:
        self._write("a", turn_json(game, number, turn))

    def forget(self) -> None:
        self.path.unlink(missing_ok=True)

    def _write(self, mode: str, *lines: Json) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open(mode, encoding="utf-8", errors="surrogatepass") as file:
                file.writelines(json.dumps(line) + "\n" for line in lines)
        except OSError as error:
            raise InputError(
                msg("the game cannot be kept in {path}: {why}", path=str(self.path), why=os_reason(error))
            ) from error


def all_kept(game_name: str | None = None) -> list[Path]:
    """The games that were left, the last first."""
    found = folder().glob("*.jsonl" if game_name is None else f"{game_name}-*.jsonl")
    return sorted(found, key=lambda path: (path.stat().st_mtime_ns, path.name), reverse=True)


def is_in_play(path: Path) -> bool:
    """Whether somebody sits at it now."""
    with closing(Kept(path)) as kept:
        return not kept.take()


def in_play(path: Path) -> InputError:
    return InputError(msg("{path} is being played at another terminal; leave it there first", path=str(path)))


def read_kept(path: Path) -> tuple[Sitting, Found]:
    """How the table was laid, and the game as far as it went."""
    try:
        first, *lines = path.read_bytes().splitlines()
    except OSError as error:
        raise InputError(msg("{path} cannot be read: {why}", path=str(path), why=os_reason(error))) from error
    except ValueError:
        raise _no_game(path) from None
    try:
        told = json.loads(first)
        if told.pop("table") != VERSION:
            raise _no_game(path)
        sitting = Sitting(**told)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise _no_game(path) from None
    problem = _plain_problem(sitting) or _table_problem(sitting)
    if problem is not None:
        raise RecordError(problem, path=str(path), line=1)
    return sitting, parse_begun(lines, str(path))


def _plain_problem(sitting: Sitting) -> Message | None:
    """What is wrong whatever the game is."""
    if not isinstance(sitting.game, str):
        return msg('"game" must be the name of a game')
    if not isinstance(sitting.options, dict):
        return msg('"options" must be an object')
    if not isinstance(sitting.seed, str):
        return msg('"seed" must be a text')
    if not _whole(sitting.best_of) or not sitting.best_of:
        return msg('"best_of" must be a whole number of games')
    if not _whole(sitting.number) or sitting.number >= sitting.best_of:
        return msg('"number" must be a whole number of games, less than "best_of"')
    return None


def _table_problem(sitting: Sitting) -> Message | None:
    """What does not go with the table of this game."""
    game = registry.game(sitting.game)
    teams = game.teams(options_of(game, sitting))
    seats = sum(map(len, teams))
    if not _whole(sitting.seat) or sitting.seat >= seats:
        return msg('"seat" must be a whole number from 0 to {last}', last=seats - 1)
    for name, texts in (("players", sitting.players), ("names", sitting.names)):
        if not _texts(texts) or len(texts) != seats:
            return msg('"{name}" must be a list of {count} texts', name=name, count=seats)
    if any(bool(name) is (seat == sitting.seat) for seat, name in enumerate(sitting.players)):
        return msg('"players" must name everybody but the person, who has "seat" {seat}', seat=sitting.seat)
    won = sitting.won
    if not isinstance(won, list) or not all(map(_whole, won)) or len(won) not in (0, len(teams)):
        return msg('"won" must be a list of {count} whole numbers, or empty', count=len(teams))
    return None if not sitting.over else msg('"won" says that the match is over')


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def _no_game(path: Path) -> InputError:
    if path.parent == folder():
        return InputError(msg("{path} is not a game that was left; delete it", path=str(path)))
    return InputError(
        msg("{path} is not a game that was left; botequim play --list lists them", path=str(path))
    )


def options_of(game: AnyGame, sitting: Sitting) -> Options:
    return settle(game.name, game.options, sitting.options)


class Remembering:
    """A player that first answers again what it answered before the game was left."""

    def __init__(self, player: Player, game: AnyGame, found: Found, seat: int) -> None:
        self._player: Final = player
        self._game: Final = game
        entries = [entry for line in found.turns for entry in line.content["moves"] if entry["by"] == seat]
        self._past: Final[list[Json]] = entries[::-1]

    async def open(self, seat: int) -> None:
        await self._player.open(seat)

    async def choose(self, view: View) -> Reply:
        if not self._past:
            return await self._player.choose(view)
        return answered(self._past.pop(), self._game.read)

    async def finish(self, view: View, outcome: Outcome) -> None:
        await self._player.finish(view, outcome)

    async def close(self) -> None:
        await self._player.close()
