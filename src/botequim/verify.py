"""Plays a record again: the referee with the recorded answers as players and the recorded chance.

Three things are looked at, each as far as the record makes the claim: the rules (always), the seed
(chance turns follow from it) and the chain of digests (nothing else was edited).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from botequim import interrupts, registry
from botequim.core.errors import (
    BotequimError,
    BrokenContract,
    Fault,
    FaultKind,
    InputError,
    NotAMove,
    PlayerFault,
    RecordError,
)
from botequim.core.game import CHANCE, AnyGame, Outcome, Remark, View
from botequim.core.messages import Message, msg, plain
from botequim.core.options import settle
from botequim.core.player import Reply
from botequim.core.reading import Found, Line
from botequim.core.record import Json, Record, digest, fault_from, message_from
from botequim.core.rng import Rng
from botequim.referee import Step, play


@dataclass(eq=False)
class Departure(Exception):
    """Where a record departs from what it claims."""

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
    """What is to be said of one record."""

    found: Found
    departures: Sequence[Departure]
    """At most one of the rules or the seed, and one of the digests."""

    @property
    def ok(self) -> bool:
        return not self.departures

    @property
    def has_digests(self) -> bool:
        return any(line.digest for line in self.found.lines)

    @property
    def has_seed(self) -> bool:
        return "seed" in self.found.header.content


@contextmanager
def rules_blamed(found: Found) -> Iterator[None]:
    """What is raised in here that is no error of ours is a fault of the game's rules, and says so."""
    try:
        yield
    except (BotequimError, Departure):
        raise
    except Exception as error:
        raise BrokenContract(
            msg(
                "{path}: the rules of {game} broke down on this record: {why}",
                path=found.path,
                game=found.game,
                why=f"{type(error).__name__}: {error}"[:300],
            )
        ) from error


def verify(found: Found) -> Verdict:
    """Check one record that was read."""
    departures = []
    try:
        with rules_blamed(found):
            replay(found)
    except Departure as departure:
        departures.append(departure)
    broken = _broken_chain(found)
    if broken is not None:
        departures.append(broken)
    return Verdict(found, sorted(departures, key=lambda departure: departure.line))


def replay(found: Found, emit: Callable[[Step], None] = lambda step: None) -> Record:
    """The game of a record, refereed again; raises the first Departure."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return interrupts.run(_replay(found, emit))
    # in a notebook, say, this thread already runs a loop, and cannot run another
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, _replay(found, emit)).result()


async def _replay(found: Found, emit: Callable[[Step], None]) -> Record:
    header = found.header.content
    game, options, seats = table(found)
    script = _Script(game, found)

    def tell(step: Step) -> None:
        emit(script.keep(step))

    record = await play(
        game,
        [_Scripted(script, seat) for seat in range(len(seats))],
        options=options,
        seats=seats,
        seed=header.get("seed"),
        chance=script.chance,
        emit=tell,
    )
    script.end(record)
    return replace(record, turns=[step.turn for step in script.steps])


def table(found: Found) -> tuple[AnyGame, dict[str, int | str], list[Json]]:
    """The game of a record, its options, and who sits there: checked before anything is played."""
    header, line = found.header.content, found.header.number
    try:
        game = registry.game(found.game)
        options = settle(game.name, game.options, header.get("options", {}))
        teams = game.teams(options)
    except InputError as error:
        raise RecordError(error.message, path=found.path, line=line) from error
    wanted = sum(map(len, teams))
    seats: list[Json] = header["seats"]
    if len(seats) != wanted:
        raise Departure(
            line, None, msg("{count} seats", count=wanted), msg("{count} seats", count=len(seats))
        )
    return game, options, seats


class _Script:
    """The recorded turns, handed out to the referee in order and compared with what it makes of them."""

    def __init__(self, game: AnyGame, found: Found) -> None:
        seed = found.header.content.get("seed")
        self.game = game
        self.found = found
        self.rng = None if seed is None else Rng(seed)
        self.steps: list[Step] = []

    def line(self, movers: Message) -> Line:
        """The line of the turn that is being made."""
        if len(self.steps) < len(self.found.turns):
            return self.found.turns[len(self.steps)]
        assert self.found.outcome is not None
        raise Departure(self.found.outcome.number, None, movers, msg("the outcome"))

    def chance(self, state: Any) -> Any:
        line = self.line(msg("a turn of chance"))
        entries = line.content["moves"]
        if [entry["by"] for entry in entries] != ["chance"]:
            raise self.departure(line, msg("a turn of chance"), _who(entries))
        move = self.read(line, entries[0]["move"])
        refused = self.game.check(state, CHANCE, move)
        if refused is not None:
            expected = msg("a move that chance can make ({why})", why=refused)
            raise self.departure(line, expected, _quoted(entries[0]["move"]))
        if self.rng is not None:
            drawn = self.game.chance(state, self.rng)
            if drawn != move:
                expected = msg('"{move}", as the seed gives', move=self.game.write(drawn))
                raise self.departure(line, expected, _quoted(entries[0]["move"]))
        return move

    def answer(self, view: View, seat: int) -> Reply:
        line = self.line(msg("a move of seat {seat}", seat=seat))
        entries = line.content["moves"]
        entry = next((entry for entry in entries if entry["by"] == seat), None)
        if entry is None:
            raise self.departure(line, msg("a move of seat {seat}", seat=seat), _who(entries))
        return answered(entry, lambda text: self.read(line, text))

    def keep(self, step: Step) -> Step:
        """Compare a turn the referee made with the line it came from; the step with the recorded times."""
        line = self.found.turns[len(self.steps)]
        entries = {entry["by"]: entry for entry in line.content["moves"]}
        made_by = {"chance" if made.by == CHANCE else made.by for made in step.turn}
        if made_by != set(entries):
            strangers = [entry for by, entry in entries.items() if by not in made_by]
            raise self.departure(line, msg("no such move"), _who(strangers))
        turn = []
        for made in step.turn:
            entry = entries["chance" if made.by == CHANCE else made.by]
            self.compare(line, made.fault, self.game.write(made.move), entry)
            if len(made.remarks) != len(entry.get("remarks", [])):
                expected = made.warnings[-1] if made.warnings else msg("no remark")
                raise self.departure(line, expected, msg("the remark in full"))
            turn.append(made.timed(entry.get("us")))
        kept = Step(step.number, step.before, tuple(turn), step.after)
        self.steps.append(kept)
        return kept

    def compare(self, line: Line, fault: Fault | None, move: str, entry: Json) -> None:
        claimed = entry.get("fault")
        if fault is not None and claimed is None:
            expected = msg("a fault ({why})", why=fault.reason)
            raise self.departure(line, expected, _quoted(entry["move"]))
        if fault is None and claimed is not None:
            expected = msg('"{move}", which is legal', move=move)
            raise self.departure(line, expected, msg("a fault ({why})", why=claimed["kind"]))
        if move != self.game.write(self.read(line, entry["move"])):
            raise self.departure(line, _quoted(move), _quoted(entry["move"]))

    def read(self, line: Line, text: str) -> Any:
        try:
            return self.game.read(text)
        except NotAMove as error:
            expected = msg("a move of {game}", game=self.game.name)
            raise self.departure(line, expected, error.message) from error

    def end(self, record: Record) -> None:
        """Nothing may follow the last turn but the outcome, and that must be the one there is."""
        if len(self.found.turns) > len(self.steps):
            line = self.found.turns[len(self.steps)]
            raise self.departure(line, msg("the outcome: the game is over"), _who(line.content["moves"]))
        assert self.found.outcome is not None
        claimed = self.found.outcome.content["outcome"]
        real = {
            "how": record.outcome.how,
            "places": list(record.outcome.places),
            "points": list(record.outcome.points),
        }
        for name, value in real.items():
            if name in claimed and claimed[name] != value:
                raise Departure(
                    self.found.outcome.number,
                    None,
                    plain(f"{name} = {value}"),
                    plain(f"{name} = {claimed[name]}"),
                )

    def departure(self, line: Line, expected: Message, found: Message) -> Departure:
        return Departure(line.number, line.content["turn"], expected, found)


def answered(entry: Json, read: Callable[[str], Any]) -> Reply:
    """What a player answered, from its part of a recorded turn; raises the PlayerFault that it was."""
    remarks = [Remark(kind, value) for remark in entry.get("remarks", []) for kind, value in remark.items()]
    warnings = [message_from(warning) for warning in entry.get("warnings", [])]
    fault = entry.get("fault")
    if fault is None:
        return Reply(read(entry["move"]), remarks, warnings)
    if "refused" in fault:
        return Reply(read(fault["refused"]), remarks, warnings)
    failure = PlayerFault(FaultKind(fault["kind"]))
    failure.fault = fault_from(fault)
    failure.remarks, failure.warnings = remarks, warnings
    raise failure


class _Scripted:
    """A player that answers what the record says it answered."""

    def __init__(self, script: _Script, seat: int) -> None:
        self._script = script
        self._seat = seat

    async def open(self, seat: int) -> None:
        pass

    async def choose(self, view: View) -> Reply:
        return self._script.answer(view, self._seat)

    async def finish(self, view: View, outcome: Outcome) -> None:
        pass

    async def close(self) -> None:
        pass


def _who(entries: Sequence[Json]) -> Message:
    shown = ", ".join(f'{entry["by"]}: "{entry["move"]}"' for entry in entries)
    return msg("a move by {who}", who=shown)


def _quoted(text: str) -> Message:
    return plain(f'"{text}"')


def _broken_chain(found: Found) -> Departure | None:
    if not any(line.digest for line in found.lines):
        return None
    previous = ""
    for line in found.lines:
        previous = digest(previous, line.content)
        if line.digest != previous:
            return Departure(
                line.number,
                line.content.get("turn"),
                msg("the digest {digest}", digest=previous),
                msg("the digest {digest}", digest=line.digest) if line.digest else msg("no digest"),
            )
    return None
