"""The files of the tables of one server.

`FOLDER/ID/table.json`      the table (`TableSpec`), rewritten as a whole when it changes
`FOLDER/ID/playing.jsonl`   the game that is being played: a record without digests and outcome, which grows
`FOLDER/ID/1.jsonl`         the record of the first finished game, and so on
`FOLDER/organiser`          the digest of the token of whoever may remove tables and names

The files contain the secrets of the tables, so only the user of the server can read them.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from botequim.core.errors import BotequimError, InputError, RecordError, os_reason
from botequim.core.game import AnyGame
from botequim.core.messages import msg
from botequim.core.turn import PlayedMove
from botequim.records.reader import RawRecord, parse, parse_unfinished
from botequim.records.record import Json, chain_lines, header_json, move_from, turn_json
from botequim.records.verify import Mismatch, resolve_header
from botequim.storage.files import atomic_write
from botequim.tables.spec import TableSpec

TABLE: Final = "table.json"
PLAYING: Final = "playing.jsonl"
ORGANISER: Final = "organiser"
_log: Final = logging.getLogger(__name__)
_ID: Final = re.compile(r"[0-9a-f]{12}")


class TablesFolder:
    """The folder of all tables. One server at a time uses it."""

    def __init__(self, path: Path) -> None:
        """Create the folder and lock it. Raise InputError if that fails."""
        self.path: Final = path
        try:
            path.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._lock = os.open(path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise InputError(
                msg(
                    "the tables cannot be stored in {path}: {why}; choose another folder (--tables FOLDER), "
                    "or do not let people play here (--no-play)",
                    path=str(path),
                    why=os_reason(error),
                )
            ) from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._lock)
            raise InputError(
                msg("another server uses the tables in {path}; choose another folder", path=str(path))
            ) from error

    @property
    def organiser(self) -> str:
        """The digest of the organiser's token; "" if there is none."""
        try:
            return (self.path / ORGANISER).read_text(encoding="ascii").strip()
        except (OSError, ValueError):
            return ""

    @organiser.setter
    def organiser(self, digest: str) -> None:
        with atomic_write(self.path / ORGANISER) as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(f"{digest}\n".encode())

    def close(self) -> None:
        """Unlock the folder. Can be called again."""
        lock, self._lock = self._lock, -1
        if lock >= 0:
            os.close(lock)

    def tables(self) -> Iterator[TableFiles]:
        """Yield the files of all tables."""
        for entry in sorted(self.path.iterdir()):
            if _ID.fullmatch(entry.name) and (entry / TABLE).is_file():
                yield TableFiles(entry)

    def of(self, table: str) -> TableFiles:
        return TableFiles(self.path / table)


class TableFiles:
    """The files of one table."""

    def __init__(self, folder: Path) -> None:
        self.folder: Final = folder

    def read(self) -> TableSpec:
        """Return the table. Raise BotequimError if its file cannot be read."""
        path = self.folder / TABLE
        try:
            return TableSpec.from_json(json.loads(path.read_bytes()))
        except (OSError, ValueError) as error:
            raise BotequimError(
                msg("{path} cannot be read: {why}", path=str(path), why=str(error))
            ) from error

    def create(self, spec: TableSpec) -> None:
        """Make the folder of a new table and write it. Raise TableWriteError if that fails."""
        with _storing(self.folder):
            self.folder.mkdir(mode=0o700, exist_ok=True)
        self.write(spec)

    def write(self, spec: TableSpec) -> None:
        """Write the table. Raise TableWriteError if that fails."""
        self._write(TABLE, json.dumps(spec.to_json()).encode())

    def changed_at(self) -> float:
        """Return the date of the last change of any file, as Unix time."""
        try:
            return max((entry.stat().st_mtime for entry in self.folder.iterdir()), default=0.0)
        except OSError:
            return 0.0

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    # --- the game that is being played -----------------------------------------------------------------

    def begin(self, game: AnyGame, spec: TableSpec, seed: str, seats: Sequence[Json]) -> None:
        """Write the first line of a game."""
        self._append("w", header_json(game, spec.resolved_options, seed, seats))

    def add(self, game: AnyGame, number: int, turn: Sequence[PlayedMove]) -> None:
        """Add a turn to the game. Raise TableWriteError if that fails, or if its file was removed."""
        self._append("r+", turn_json(game, number, turn))

    @property
    def has_current_game(self) -> bool:
        """Whether a game was being played."""
        return (self.folder / PLAYING).exists()

    def current_game(self, seed: str) -> RawRecord | None:
        """Return the game that was being played; None if there is none with this seed.

        A server that was killed between the last two steps of a game leaves the game before.
        """
        raw = self._current_game()
        return raw if raw is not None and raw.header.content.get("seed") == seed else None

    def _current_game(self) -> RawRecord | None:
        path = self.folder / PLAYING
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return None
        lines = content.split(b"\n")[:-1]  # a server that was killed may leave half a line
        return self._valid_part(lines) if lines else None

    def _valid_part(self, lines: list[bytes]) -> RawRecord | None:
        """Return the turns before the first damaged line; None if the game cannot be continued at all.

        The damaged lines are removed from the file, because the next turns are added to it.
        """
        path = self.folder / PLAYING
        raw = None
        for count in range(len(lines), 0, -1):
            with suppress(RecordError):
                raw = parse_unfinished(lines[:count], str(path))
                break
        if raw is not None:
            raw.turns = raw.turns[: _legal_turns(raw)]
        if raw is None or len(raw.lines) < len(lines):
            _log.warning("%s was damaged; the game continues before the damage", path)
        if raw is None:
            path.unlink()
        elif len(raw.lines) < len(lines):
            with atomic_write(path) as file:
                file.write(b"".join(line + b"\n" for line in lines[: len(raw.lines)]))
        return raw

    def _append(self, mode: str, line: Json) -> None:
        """Write a line: "w" begins the file, "r+" needs one that exists."""
        path = self.folder / PLAYING
        with _storing(path), path.open(mode, encoding="utf-8", errors="surrogatepass") as file:
            file.seek(0, os.SEEK_END)
            file.write(json.dumps(line) + "\n")

    def _write(self, name: str, content: bytes) -> None:
        """Write a whole file, but do not make the folder: if it was removed, the table is gone."""
        with _storing(self.folder):
            self.folder.stat()
            with atomic_write(self.folder / name) as file:
                os.fchmod(file.fileno(), 0o600)
                file.write(content)

    # --- finished games --------------------------------------------------------------------------------

    def remove_current_game(self) -> None:
        """Remove the game that was being played, after its record and the table have been written."""
        with suppress(OSError):
            (self.folder / PLAYING).unlink(missing_ok=True)

    def write_record(self, number: int, lines: Sequence[str]) -> None:
        """Write the record of a finished game, numbered from 1."""
        content = "".join(f"{line}\n" for line in lines)
        self._write(self._record(number).name, content.encode("utf-8", "surrogatepass"))

    def record(self, number: int) -> tuple[str, ...] | None:
        """Return the lines of the record of a finished game; None if there is none."""
        try:
            content = self._record(number).read_bytes()
        except OSError:
            return None
        return tuple(content.decode("utf-8", "surrogatepass").splitlines())

    def redact(self, games: int, seat: int, name: str) -> None:
        """Replace the name of a seat and remove its remarks in all games, of which `games` are finished."""
        for number in range(1, games + 1):
            if lines := self.record(number):
                (raw,) = parse([line.encode("utf-8", "surrogatepass") for line in lines], str(number))
                self.write_record(number, tuple(chain_lines(_redacted(raw, seat, name))))
        if (playing := self._current_game()) is not None:
            mode = "w"
            for content in _redacted(playing, seat, name):
                self._append(mode, content)
                mode = "r+"

    def _record(self, number: int) -> Path:
        return self.folder / f"{number}.jsonl"


class TableWriteError(BotequimError):
    """The files of a table cannot be written. People learn it; only the log names the file."""

    def __init__(self) -> None:
        super().__init__(msg("this table cannot be stored: the server's disk is full, or its files are gone"))


@contextmanager
def _storing(path: Path) -> Iterator[None]:
    """Raise TableWriteError instead of the errors of the system."""
    try:
        yield
    except (OSError, BotequimError) as error:
        _log.error("%s cannot be written: %s", path, error)
        raise TableWriteError from error


def _legal_turns(raw: RawRecord) -> int:
    """Return the number of turns before the first one that the rules refuse."""
    try:
        game, options, _ = resolve_header(raw)
    except (Mismatch, BotequimError):
        return 0
    state = game.start(options)
    for number, line in enumerate(raw.turns):
        try:
            turn = [move_from(game, entry) for entry in line.content["moves"]]
            refused = [
                one for one in turn if one.fault is None and game.check(state, one.by, one.move) is not None
            ]
            if refused or {one.by for one in turn} != set(game.to_move(state)):
                return number
            state = game.apply(state, {one.by: one.move for one in turn})
        except Exception:  # rules may fail in any way on moves that are not theirs
            return number
    return len(raw.turns)


def _redacted(raw: RawRecord, seat: int, name: str) -> Iterator[Json]:
    """Yield the lines of a record with another name at a seat, and without its remarks."""
    for line in raw.lines:
        content = dict(line.content)
        if "seats" in content:
            content["seats"] = [
                {**one, "name": name} if at == seat else one for at, one in enumerate(content["seats"])
            ]
        if "moves" in content:
            content["moves"] = [
                {key: value for key, value in move.items() if key != "remarks" or move["by"] != seat}
                for move in content["moves"]
            ]
        yield content
