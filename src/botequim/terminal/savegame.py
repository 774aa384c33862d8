"""Saved games: one small file each, written during the game and deleted when the match is over.

The first line describes the match; the others are a record without its outcome (docs/reference/record.md). To
continue a game, it is played again up to the last saved turn, with the same seed and the recorded answers.
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
from botequim.core.game import AnyGame, Outcome
from botequim.core.messages import Message, msg
from botequim.core.options import Options, resolve_options
from botequim.core.turn import PlayedMove
from botequim.records.reader import RawRecord, parse_unfinished
from botequim.records.record import Json, header_json, turn_json

VERSION: Final = 1
REMATCH: Final = "/rematch/"
"""Stands in the seed of a rematch, between the seed of the first match and the number of the rematch."""


@dataclass(frozen=True, slots=True)
class SavedMatch:
    """A match with a person: everything that is needed to continue it."""

    game: str
    options: Mapping[str, Any]
    seat: int
    players: Sequence[str]
    """By seat, as on the command line; empty for the person."""
    names: Sequence[str]
    """By seat, the names that are shown."""
    seed: str
    best_of: int = 1
    won: Sequence[int] = ()
    """Games won, by team."""
    number: int = 0
    """The number of finished games."""

    def after(self, outcome: Outcome, *, counts: bool = True) -> SavedMatch:
        """Return the match after one more game. A shared first place counts for nobody."""
        winners = [team for team, place in enumerate(outcome.places) if place == 1]
        won = list(self.won or [0] * len(outcome.places))
        if len(winners) == 1 and counts:
            won[winners[0]] += 1
        return replace(self, won=won, number=self.number + 1)

    def rematch(self, *, swap: bool) -> SavedMatch:
        """Return a new match between the same players; with `swap`, each has moved on to the next seat."""
        step = 1 if swap else 0
        count = len(self.players)
        first_seed, _, number = self.seed.partition(REMATCH)
        next_number = int(number) + 1 if number.isdecimal() else 1
        return replace(
            self,
            seat=(self.seat + step) % count,
            players=[self.players[seat - step] for seat in range(count)],
            names=[self.names[seat - step] for seat in range(count)],
            seed=f"{first_seed}{REMATCH}{next_number}",
            won=(),
            number=0,
        )

    @property
    def over(self) -> bool:
        return self.number >= self.best_of or max(self.won, default=0) > self.best_of // 2


def state_folder() -> Path:
    """Return the folder for a user's saved data."""
    base = os.environ.get("XDG_STATE_HOME", "")
    state = Path(base) if base.startswith("/") else Path.home() / ".local" / "state"
    return state / "botequim"


def folder() -> Path:
    """Return the folder for saved games."""
    return state_folder() / "games"


class SaveFile:
    """The file of a saved game.

    It is locked while the game is played, so that no other session writes to it.
    """

    def __init__(self, path: Path) -> None:
        self.path: Final = path
        self._descriptor: int | None = None

    @classmethod
    def new(cls, game_name: str) -> SaveFile:
        return cls(folder() / f"{game_name}-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.jsonl")

    def take(self) -> bool:
        """Lock the file until `close`. Return False if another session has locked it.

        A file that cannot be opened counts as free, because reading it will report the error.
        """
        if self._descriptor is not None:
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
        except OSError:  # some file systems have no locks
            os.close(descriptor)
            return True
        self._descriptor = descriptor
        return True

    def close(self) -> None:
        """Unlock the file."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def begin(
        self,
        match: SavedMatch,
        game: AnyGame,
        options: Options,
        seed: str,
        seats: Sequence[Json],
        turns: Sequence[Json] = (),
    ) -> None:
        """Write the start of a game of the match instead of what the file contains."""
        lines = ({"table": VERSION, **asdict(match)}, header_json(game, options, seed, seats), *turns)
        self._write("a")  # creates the file, so that it can be locked
        if not self.take():
            raise in_play_error(self.path)
        self._write("w", *lines)

    def add(self, game: AnyGame, number: int, turn: Sequence[PlayedMove]) -> None:
        self._write("a", turn_json(game, number, turn))

    def forget(self) -> None:
        """Delete and unlock the file. It can be used for another match."""
        self.path.unlink(missing_ok=True)
        self.close()

    def _write(self, mode: str, *lines: Json) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open(mode, encoding="utf-8", errors="surrogatepass") as file:
                file.writelines(json.dumps(line) + "\n" for line in lines)
        except OSError as error:
            raise InputError(
                msg("the game cannot be saved in {path}: {why}", path=str(self.path), why=os_reason(error))
            ) from error


def saved_games(game_name: str | None = None) -> list[Path]:
    """Return the files of saved games, the newest first."""
    paths = folder().glob("*.jsonl" if game_name is None else f"{game_name}-*.jsonl")
    return sorted(paths, key=lambda path: (path.stat().st_mtime_ns, path.name), reverse=True)


def is_in_play(path: Path) -> bool:
    """Return whether a session is playing this game now."""
    with closing(SaveFile(path)) as save_file:
        return not save_file.take()


def in_play_error(path: Path) -> InputError:
    return InputError(msg("{path} is being played at another terminal; leave it there first", path=str(path)))


def read_save_file(path: Path) -> tuple[SavedMatch, RawRecord]:
    """Return the match, and its game up to the last saved turn."""
    try:
        first, *lines = path.read_bytes().splitlines()
    except OSError as error:
        raise InputError(msg("{path} cannot be read: {why}", path=str(path), why=os_reason(error))) from error
    except ValueError:
        raise _no_game(path) from None
    try:
        content = json.loads(first)
        if content.pop("table") != VERSION:
            raise _no_game(path)
        match = SavedMatch(**content)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise _no_game(path) from None
    problem = _plain_problem(match) or _table_problem(match)
    if problem is not None:
        raise RecordError(problem, path=str(path), line=1)
    return match, parse_unfinished(lines, str(path))


def _plain_problem(match: SavedMatch) -> Message | None:
    """Return the problem with a field that does not depend on the game, or None."""
    if not isinstance(match.game, str):
        return msg('"game" must be the name of a game')
    if not isinstance(match.options, dict):
        return msg('"options" must be an object')
    if not isinstance(match.seed, str):
        return msg('"seed" must be a text')
    if not _whole(match.best_of) or not match.best_of:
        return msg('"best_of" must be a whole number of games')
    if not _whole(match.number) or match.number >= match.best_of:
        return msg('"number" must be a whole number of games, less than "best_of"')
    return None


def _table_problem(match: SavedMatch) -> Message | None:
    """Return the problem with a field that depends on the seats of the game, or None."""
    game = registry.game(match.game)
    teams = game.teams(options_of(game, match))
    seats = sum(map(len, teams))
    if not _whole(match.seat) or match.seat >= seats:
        return msg('"seat" must be a whole number from 0 to {last}', last=seats - 1)
    for name, texts in (("players", match.players), ("names", match.names)):
        if not _texts(texts) or len(texts) != seats:
            return msg('"{name}" must be a list of {count} texts', name=name, count=seats)
    if any(bool(name) is (seat == match.seat) for seat, name in enumerate(match.players)):
        return msg('"players" must name every player except the person at "seat" {seat}', seat=match.seat)
    won = match.won
    if not isinstance(won, list) or not all(map(_whole, won)) or len(won) not in (0, len(teams)):
        return msg('"won" must be a list of {count} whole numbers, or empty', count=len(teams))
    return None if not match.over else msg('"won" says that the match is over')


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def _no_game(path: Path) -> InputError:
    if path.parent == folder():
        return InputError(msg("{path} is not a saved game; delete it", path=str(path)))
    return InputError(msg("{path} is not a saved game; botequim play --list lists them", path=str(path)))


def options_of(game: AnyGame, match: SavedMatch) -> Options:
    return resolve_options(game.name, game.options, match.options)
