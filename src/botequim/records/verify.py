"""Verifies a record by playing it again: with the same referee, the recorded answers and the recorded chance.

It checks the rules, the seed if the record contains one (chance moves must follow from it), and the chain of
digests if the record contains them (no line was edited).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from botequim import interrupts, registry
from botequim.core.errors import (
    BotequimError,
    BrokenContract,
    InputError,
    MoveSyntaxError,
    PlayerFault,
    RecordError,
)
from botequim.core.game import CHANCE, AnyGame, Outcome, View
from botequim.core.messages import Message, msg, plain
from botequim.core.options import resolve_options
from botequim.core.player import Reply
from botequim.core.rng import Rng
from botequim.core.turn import PlayedMove, Step
from botequim.engine.referee import play
from botequim.records.reader import RawLine, RawRecord
from botequim.records.record import Json, Record, digest, machine_from, move_from


@dataclass(eq=False)
class Mismatch(Exception):
    """The first place where a record is not what playing it again gives."""

    line: int
    turn: int | None
    expected: Message
    found: Message

    def sentence(self) -> Message:
        if self.turn is None:
            return msg(
                "line {line}: expected {expected}; found {found}",
                line=self.line,
                expected=self.expected,
                found=self.found,
            )
        return msg(
            "line {line}, turn {turn}: expected {expected}; found {found}",
            line=self.line,
            turn=self.turn,
            expected=self.expected,
            found=self.found,
        )


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of verifying one record."""

    raw: RawRecord
    mismatches: Sequence[Mismatch]
    """At most one of the rules or the seed, and one of the digests; none if the record is valid."""

    @property
    def ok(self) -> bool:
        return not self.mismatches

    @property
    def has_digests(self) -> bool:
        return any(line.digest for line in self.raw.lines)

    @property
    def has_seed(self) -> bool:
        return "seed" in self.raw.header.content


@contextmanager
def blame_rules(raw: RawRecord) -> Iterator[None]:
    """Turn every unexpected exception into an error that names the rules of the game as its cause."""
    try:
        yield
    except (BotequimError, Mismatch):
        raise
    except Exception as error:
        raise BrokenContract(
            msg(
                "{path}: the rules of {game} failed on this record: {why}",
                path=raw.path,
                game=raw.game,
                why=f"{type(error).__name__}: {error}"[:300],
            )
        ) from error


def verify_record(raw: RawRecord) -> Verdict:
    """Check one record: its rules, its seed and its digests."""
    mismatches = []
    try:
        with blame_rules(raw):
            referee_again(raw)
    except Mismatch as mismatch:
        mismatches.append(mismatch)
    broken = _broken_chain(raw)
    if broken is not None:
        mismatches.append(broken)
    return Verdict(raw, sorted(mismatches, key=lambda mismatch: mismatch.line))


def referee_again(raw: RawRecord, turns: list[Sequence[PlayedMove]] | None = None) -> Record:
    """Play the game of a record again with the referee; raise the first `Mismatch`.

    The valid turns are also appended to `turns`, where a caller finds them after a mismatch.
    """
    playing = _referee_again(raw, [] if turns is None else turns)
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return interrupts.run(playing)
    # in a notebook, for example, this thread already runs a loop and cannot run another
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, playing).result()


async def _referee_again(raw: RawRecord, turns: list[Sequence[PlayedMove]]) -> Record:
    game, options, seats = resolve_header(raw)
    script = _Script(game, raw, turns)
    record = await play(
        game,
        [_RecordedPlayer(script, seat) for seat in range(len(seats))],
        options=options,
        seats=seats,
        seed=raw.header.content.get("seed"),
        chance=script.chance,
        emit=script.compare_turn,
    )
    script.compare_outcome(record)
    assert raw.outcome is not None
    waited = tuple(raw.outcome.content.get("waited", ()))
    return replace(record, turns=script.turns, machine=machine_from(raw.header.content), waited=waited)


def resolve_header(raw: RawRecord) -> tuple[AnyGame, dict[str, int | str], list[Json]]:
    """Return the game of a record, its options and its seats; raise an error if they do not fit together."""
    header, line = raw.header.content, raw.header.number
    try:
        game = registry.game(raw.game)
        options = resolve_options(game.name, game.options, header.get("options", {}))
        teams = game.teams(options)
    except InputError as error:
        raise RecordError(error.message, path=raw.path, line=line) from error
    wanted = sum(map(len, teams))
    seats: list[Json] = header["seats"]
    if len(seats) != wanted:
        raise Mismatch(line, None, msg("{count} seats", count=wanted), msg("{count} seats", count=len(seats)))
    return game, options, seats


class _Script:
    """The recorded turns: given to the referee in order, and compared with the turns that it plays."""

    def __init__(self, game: AnyGame, raw: RawRecord, turns: list[Sequence[PlayedMove]]) -> None:
        seed = raw.header.content.get("seed")
        self.game = game
        self.raw = raw
        self.rng = None if seed is None else Rng(seed)
        self.turns = turns
        """The turns that were played so far, with the recorded times."""
        self._recorded: dict[int, PlayedMove] = {}
        self._read = 0
        """The number of the turn that `_recorded` contains."""

    def recorded(self, expected: Message) -> tuple[RawLine, dict[int, PlayedMove]]:
        """Return the line of the turn that is being played, and its moves by seat."""
        number = len(self.turns) + 1
        if number > len(self.raw.turns):
            assert self.raw.outcome is not None
            raise Mismatch(self.raw.outcome.number, None, expected, msg("the outcome"))
        line = self.raw.turns[number - 1]
        if self._read != number:
            try:
                moves = [move_from(self.game, entry) for entry in line.content["moves"]]
            except MoveSyntaxError as error:
                game = msg("a move of {game}", game=self.game.name)
                raise _mismatch(line, game, error.message) from error
            self._recorded, self._read = {move.by: move for move in moves}, number
        return line, self._recorded

    def chance(self, state: Any) -> Any:
        """Return the recorded move of chance, which must be one that the rules and the seed allow."""
        line, moves = self.recorded(msg("a turn of chance"))
        if list(moves) != [CHANCE]:
            raise _mismatch(line, msg("a turn of chance"), _who(line.content["moves"]))
        move, text = moves[CHANCE].move, _quote(line.content["moves"][0]["move"])
        refused = self.game.check(state, CHANCE, move)
        if refused is not None:
            raise _mismatch(line, msg("a move that chance can make ({why})", why=refused), text)
        if self.rng is not None:
            drawn = self.game.chance(state, self.rng)
            if drawn != move:
                expected = msg('"{move}", as the seed gives', move=self.game.write(drawn))
                raise _mismatch(line, expected, text)
        return move

    def reply(self, seat: int) -> Reply:
        """Return what a seat answered; raise the `PlayerFault` if it failed."""
        expected = msg("a move of seat {seat}", seat=seat)
        line, moves = self.recorded(expected)
        if seat not in moves:
            raise _mismatch(line, expected, _who(line.content["moves"]))
        return recorded_reply(moves[seat])

    def compare_turn(self, step: Step) -> None:
        """Compare a turn that the referee played with the recorded one."""
        line, moves = self.recorded(msg("no such move"))
        entries = {
            CHANCE if entry["by"] == "chance" else entry["by"]: entry for entry in line.content["moves"]
        }
        played_by = {played.by for played in step.turn}
        if played_by != set(moves):
            raise _mismatch(
                line,
                msg("no such move"),
                _who([entry for by, entry in entries.items() if by not in played_by]),
            )
        for played in step.turn:
            self._compare_move(line, played, moves[played.by], _quote(entries[played.by]["move"]))
        self.turns.append(tuple(played.with_time(moves[played.by].micros) for played in step.turn))

    def _compare_move(self, line: RawLine, played: PlayedMove, recorded: PlayedMove, text: Message) -> None:
        move = self.game.write(played.move)
        if played.fault is not None and recorded.fault is None:
            raise _mismatch(line, msg("a fault ({why})", why=played.fault.reason), text)
        if played.fault is None and recorded.fault is not None:
            expected = msg('"{move}", which is legal', move=move)
            raise _mismatch(line, expected, msg("a fault ({why})", why=recorded.fault.kind.value))
        if move != self.game.write(recorded.move):
            raise _mismatch(line, _quote(move), text)
        if len(played.remarks) != len(recorded.remarks):
            expected = played.warnings[-1] if played.warnings else msg("no remark")
            raise _mismatch(line, expected, msg("the remark in full"))

    def compare_outcome(self, record: Record) -> None:
        """Check that the outcome follows the last turn, and that it is the recorded one."""
        if len(self.raw.turns) > len(self.turns):
            line = self.raw.turns[len(self.turns)]
            raise _mismatch(line, msg("the outcome: the game is over"), _who(line.content["moves"]))
        assert self.raw.outcome is not None
        recorded = self.raw.outcome.content["outcome"]
        outcome = record.outcome
        played = {"how": outcome.how, "places": list(outcome.places), "points": list(outcome.points)}
        for name, value in played.items():
            if name in recorded and recorded[name] != value:
                raise Mismatch(
                    self.raw.outcome.number,
                    None,
                    plain(f"{name} = {value}"),
                    plain(f"{name} = {recorded[name]}"),
                )


def _mismatch(line: RawLine, expected: Message, found: Message) -> Mismatch:
    return Mismatch(line.number, line.content["turn"], expected, found)


def recorded_reply(recorded: PlayedMove) -> Reply:
    """Return what a player answered when it made a recorded move; raise the `PlayerFault` if it failed."""
    fault = recorded.fault
    if fault is None:
        return Reply(recorded.move, recorded.remarks, recorded.warnings)
    if fault.move is not None:
        return Reply(fault.move, recorded.remarks, recorded.warnings)
    failure = PlayerFault(fault.kind)
    failure.fault = fault
    failure.remarks, failure.warnings = recorded.remarks, recorded.warnings
    raise failure


class _RecordedPlayer:
    """A player that answers what the record says it answered."""

    def __init__(self, script: _Script, seat: int) -> None:
        self._script = script
        self._seat = seat

    async def open(self, seat: int) -> None:
        pass

    async def choose(self, view: View) -> Reply:
        return self._script.reply(self._seat)

    async def finish(self, view: View, outcome: Outcome) -> None:
        pass

    async def close(self) -> None:
        pass


def _who(entries: Sequence[Json]) -> Message:
    shown = ", ".join(f'{entry["by"]}: "{entry["move"]}"' for entry in entries)
    return msg("a move by {who}", who=shown)


def _quote(text: str) -> Message:
    return plain(f'"{text}"')


def _broken_chain(raw: RawRecord) -> Mismatch | None:
    if not any(line.digest for line in raw.lines):
        return None
    previous = ""
    for line in raw.lines:
        previous = digest(previous, line.content)
        if line.digest != previous:
            return Mismatch(
                line.number,
                line.content.get("turn"),
                msg("the digest {digest}", digest=previous),
                msg("the digest {digest}", digest=line.digest) if line.digest else msg("no digest"),
            )
    return None
