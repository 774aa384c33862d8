"""Reads records from files and checks the form of every line. Errors name the file, the line and the cause.

The moves are still text here; `botequim.records.replay` and `botequim.records.verify` play them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NoReturn, TypeGuard

from botequim.core.errors import FaultKind, InputError, RecordError, os_reason
from botequim.core.file_kinds import not_a_record
from botequim.core.messages import Message, msg
from botequim.records.record import DEEPEST, DIGEST_LENGTH, VERSION, Json

LONGEST_LINE: Final = 4_000_000
MOST_SEATS: Final = 10


@dataclass(slots=True)
class RawLine:
    """One line of a file."""

    number: int
    content: Json
    """The JSON object, without its digest."""
    digest: str | None


@dataclass(slots=True)
class RawRecord:
    """One record as a file contains it: well formed, but not verified."""

    path: str
    header: RawLine
    turns: list[RawLine] = field(default_factory=list)
    outcome: RawLine | None = None

    @property
    def game(self) -> str:
        return str(self.header.content["game"])

    @property
    def lines(self) -> list[RawLine]:
        return [self.header, *self.turns, *([self.outcome] if self.outcome else [])]


def read_records(path: str | Path) -> Iterator[RawRecord]:
    """Return the records of a file one after another; each begins with its own header line."""
    try:
        with open(path, "rb") as file:
            problem = not_a_record(path, file.peek(100))
            if problem is not None:
                _refuse(str(path), None, problem)
            yield from parse(_limited_lines(file, str(path)), str(path))
    except IsADirectoryError as error:
        raise InputError(
            msg("{path} is a folder; give a record, such as game.jsonl", path=str(path))
        ) from error
    except OSError as error:
        raise InputError(msg("{path} cannot be read: {why}", path=str(path), why=os_reason(error))) from error


def _limited_lines(file: Any, path: str) -> Iterator[bytes]:
    number = 0
    while line := file.readline(LONGEST_LINE + 1):
        number += 1
        if len(line) > LONGEST_LINE:
            _refuse(path, number, msg("the line is longer than {limit} bytes", limit=LONGEST_LINE))
        yield line


def parse(lines: Iterable[bytes], path: str) -> Iterator[RawRecord]:
    """Return the records that the lines contain; raise `RecordError` at the first invalid line."""
    found: RawRecord | None = None
    over = 0
    """The last line of the previous record."""
    number = 0
    for number, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        line = _line(path, number, text)
        if "botequim" in line.content:
            if found is not None:
                _refuse(path, number, msg("a new record begins, but the one before has no outcome"))
            _check_header(path, line)
            found = RawRecord(path, line)
        elif found is None and over:
            _refuse(path, number, msg("the record already ended at line {end}", end=over))
        elif found is None:
            _refuse(path, number, msg('a record begins with a line that has "botequim": {v}', v=VERSION))
        elif "outcome" in line.content:
            _check_outcome(path, line, len(found.header.content["seats"]))
            found.outcome = line
            yield found
            found, over = None, number
        else:
            _check_turn(path, line, len(found.turns) + 1)
            found.turns.append(line)
    if found is not None:
        _refuse(path, number, msg("the file ends here without an outcome: it is truncated"))
    if not over:
        _refuse(path, None, msg("the file is empty"))


def parse_unfinished(lines: Iterable[bytes], path: str) -> RawRecord:
    """Return a record that is still being written: it may end after any turn."""
    found: RawRecord | None = None
    for number, text in enumerate(lines, start=1):
        line = _line(path, number, text)
        if found is None:
            _check_header(path, line)
            found = RawRecord(path, line)
        else:
            _check_turn(path, line, len(found.turns) + 1)
            found.turns.append(line)
    if found is None:
        _refuse(path, None, msg("the file is empty"))
    return found


# --- one line --------------------------------------------------------------------------------------


def _line(path: str, number: int, text: bytes) -> RawLine:
    try:
        content = json.loads(text.decode("utf-8"), object_pairs_hook=unique_keys, parse_constant=no_constant)
    except UnicodeDecodeError as error:
        _refuse(path, number, msg("not UTF-8 at byte {at}", at=error.start + 1))
    except json.JSONDecodeError as error:
        _refuse(path, number, msg("not complete JSON at column {at} (truncated?)", at=error.colno))
    except RecursionError:
        _refuse(path, number, msg("JSON nested too deeply"))
    except BadJson as error:
        _refuse(path, number, error.message)
    except ValueError:
        _refuse(path, number, msg("a number is too long"))
    if not isinstance(content, dict):
        _refuse(path, number, msg("a line must be a JSON object"))
    digest = content.pop("digest", None)
    if digest is not None and not (isinstance(digest, str) and len(digest) == DIGEST_LENGTH):
        _refuse(path, number, msg('"digest" must be {n} hexadecimal digits', n=DIGEST_LENGTH))
    return RawLine(number, content, digest)


class BadJson(ValueError):
    """JSON that Python's parser accepts although it is not valid."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message


def unique_keys(pairs: list[tuple[str, Any]]) -> Json:
    """Return a JSON object; raise `BadJson` if a key occurs twice in it."""
    content = dict(pairs)
    if len(content) != len(pairs):
        names = [name for name, _ in pairs]
        twin = next(name for name in names if names.count(name) > 1)
        raise BadJson(msg('the key "{key}" appears twice', key=twin))
    return content


def no_constant(name: str) -> NoReturn:
    """Raise `BadJson`: NaN and Infinity are not JSON."""
    raise BadJson(msg("{name} is not a number in JSON", name=name))


def _check_header(path: str, line: RawLine) -> None:
    content, at = line.content, line.number
    if not _is_number(content["botequim"]) or content["botequim"] != VERSION:
        _refuse(
            path,
            at,
            msg(
                "record version {found} is not known; this program reads {known}",
                found=repr(content["botequim"]),
                known=VERSION,
            ),
        )
    if not isinstance(content.get("game"), str):
        _refuse(path, at, msg('"game" must be the name of a game'))
    if not isinstance(content.get("options", {}), dict):
        _refuse(path, at, msg('"options" must be an object'))
    if not isinstance(content.get("seed", ""), str):
        _refuse(path, at, msg('"seed" must be a text'))
    seats = content.get("seats")
    if (
        not isinstance(seats, list)
        or not 2 <= len(seats) <= MOST_SEATS
        or not all(isinstance(seat, dict) and isinstance(seat.get("name"), str) for seat in seats)
    ):
        _refuse(path, at, msg('"seats" must be a list of 2 to {most} objects with a "name"', most=MOST_SEATS))
    if "machine" in content and not _is_machine(content["machine"]):
        _refuse(path, at, msg('"machine" must be an object with a "label" and a "speed" above 0'))


def _check_turn(path: str, line: RawLine, number: int) -> None:
    content, at = line.content, line.number
    if not _is_whole(content.get("turn")):
        _refuse(path, at, msg('neither a turn nor an outcome: "turn" must be a whole number'))
    if content["turn"] != number:
        _refuse(path, at, msg("turn {number} expected, found {found}", number=number, found=content["turn"]))
    moves = content.get("moves")
    if not isinstance(moves, list) or not moves:
        _refuse(path, at, msg('"moves" must be a list of at least one move'))
    for move in moves:
        problem = _move_problem(move)
        if problem is not None:
            _refuse(path, at, problem)
    if len({move["by"] for move in moves}) != len(moves):
        _refuse(path, at, msg("a seat moves twice in one turn"))


def _move_problem(move: object) -> Message | None:
    if not isinstance(move, dict):
        return msg("a move must be an object")
    if move.get("by") != "chance" and not _is_whole(move.get("by")):
        return msg('"by" must be "chance" or the number of a seat')
    if not isinstance(move.get("move"), str):
        return msg('"move" must be a text')
    if not _is_whole(move.get("us", 0)):
        return msg('"us" must be a whole number of microseconds')
    remarks = move.get("remarks", [])
    if not isinstance(remarks, list) or not all(isinstance(r, dict) and len(r) == 1 for r in remarks):
        return msg('"remarks" must be a list of objects with one key each')
    warnings = move.get("warnings", [])
    if not isinstance(warnings, list) or not all(_is_message(warning) for warning in warnings):
        return msg('"warnings" must be a list of objects with a "text"')
    return _fault_problem(move["fault"]) if "fault" in move else None


def _fault_problem(fault: object) -> Message | None:
    kinds = [kind.value for kind in FaultKind]
    if not isinstance(fault, dict) or fault.get("kind") not in kinds:
        return msg('"fault" must be an object with a "kind" of {known}', known=", ".join(kinds))
    if "refused" in fault and not isinstance(fault["refused"], str):
        return msg('"refused" must be a text')
    if "why" in fault and not _is_message(fault["why"]):
        return msg('"why" must be an object with a "text"')
    if not isinstance(fault.get("evidence", {}), dict):
        return msg('"evidence" must be an object')
    return None


def _check_outcome(path: str, line: RawLine, seats: int) -> None:
    outcome = line.content["outcome"]
    if not isinstance(outcome, dict) or not isinstance(outcome.get("how"), str):
        _refuse(path, line.number, msg('"outcome" must be an object with a "how"'))
    for name in ("places", "points"):
        if not isinstance(outcome.get(name, []), list) or not all(map(_is_number, outcome.get(name, []))):
            _refuse(path, line.number, msg('"{name}" must be a list of whole numbers', name=name))
    if "places" not in outcome:
        _refuse(path, line.number, msg('"outcome" must have "places"'))
    waited = line.content.get("waited", [None] * seats)
    if not isinstance(waited, list) or len(waited) != seats or not all(map(_is_wait, waited)):
        _refuse(path, line.number, msg('"waited" must be a list with the seconds of each seat, or null'))


def _is_machine(value: object) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("label"), str):
        return False
    speed = value.get("speed")
    return _is_real(speed) and speed > 0


def _is_wait(value: object) -> bool:
    return value is None or (_is_real(value) and value >= 0)


def _is_real(value: object) -> TypeGuard[int | float]:
    """Return whether it is a number that a float can hold: JSON has 1e999, which Python reads as infinite."""
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**300


def _is_message(value: object, depth: int = 0) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("text"), str):
        return False
    values = value.get("with", {})
    return isinstance(values, dict) and all(
        isinstance(part, str) or _is_number(part) or (depth < DEEPEST and _is_message(part, depth + 1))
        for part in values.values()
    )


def _is_whole(value: object) -> bool:
    return _is_number(value) and isinstance(value, int) and value >= 0


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _refuse(path: str, line: int | None, message: Message) -> NoReturn:
    raise RecordError(message, path=path, line=line)
