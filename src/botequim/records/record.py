"""The record of one game: lines of JSON that anyone can check. docs/reference/record.md describes the format.

This module converts between values and JSON, and computes the chain of digests. `botequim.records.verify`
checks whether the game of a record keeps the rules.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, Final, TypeAlias

from botequim.core.errors import DEFAULT_REASONS, Fault, FaultKind
from botequim.core.game import CHANCE, AnyGame, Outcome, Remark
from botequim.core.messages import Message
from botequim.core.options import Options
from botequim.core.turn import PlayedMove
from botequim.engine.machine import Machine

VERSION: Final = 1
DIGEST_LENGTH: Final = 32
DEEPEST: Final = 20
"""The depth to which evidence and messages may be nested."""

LOG: Final = "stderr"
LOG_DIGEST: Final = "stderr_sha256"

Json: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Record:
    """One finished game."""

    game: AnyGame
    options: Options
    seed: str | None
    """The seed of the moves of chance, or None if they did not come from a seed."""
    seats: Sequence[Mapping[str, Any]]
    """By seat: `name`, and whatever else is known about the player."""
    turns: Sequence[Sequence[PlayedMove]]
    """The moves of each turn: one, or several that were made at the same time."""
    outcome: Outcome
    machine: Machine | None = None
    """The machine that played it, if it was named."""
    waited: Sequence[float | None] = ()
    """By seat: the seconds that the bot waited for a processor in its turns, or None if that is not known.
    Only of a game that names its machine."""

    def public(self) -> Record:
        """Return the record that everybody may see: each player's log is replaced by its digest.

        Only the authors of a player see its log. The digest proves that a log belongs to this game.
        """
        return replace(self, turns=[[redact_log(move) for move in turn] for turn in self.turns])

    def lines(self) -> Iterator[str]:
        """Return the lines of the record as text, with digests."""
        return chain_lines(self.contents())

    def contents(self) -> Iterator[Json]:
        """Return the lines of the record as JSON objects, without digests."""
        header = header_json(self.game, self.options, self.seed, self.seats)
        yield header if self.machine is None else header | {"machine": machine_json(self.machine)}
        for number, turn in enumerate(self.turns, start=1):
            yield turn_json(self.game, number, turn)
        last = outcome_json(self.outcome)
        yield last | {"waited": list(self.waited)} if self.waited else last


def redact_log(move: PlayedMove) -> PlayedMove:
    """Return the move as everybody may see it: without the log of a fault's player."""
    if move.fault is None or LOG not in move.fault.evidence:
        return move
    fault = replace(move.fault, evidence=redacted_evidence(move.fault.evidence))
    return PlayedMove(move.by, move.move, move.micros, move.remarks, move.warnings, fault)


def redacted_evidence(evidence: Mapping[str, Any]) -> dict[str, Any]:
    """Return a fault's evidence as everybody may see it: with the digest of the player's log in its place."""
    public = {name: value for name, value in evidence.items() if name != LOG}
    if log := evidence.get(LOG):
        public[LOG_DIGEST] = sha256(str(log).encode("utf-8", "surrogatepass")).hexdigest()
    return public


# --- values as JSON --------------------------------------------------------------------------------


def header_json(
    game: AnyGame, options: Options, seed: str | None, seats: Sequence[Mapping[str, Any]]
) -> Json:
    header: Json = {"botequim": VERSION, "game": game.name, "options": dict(options)}
    if seed is not None:
        header["seed"] = seed
    return header | {"seats": [dict(seat) for seat in seats]}


def machine_json(machine: Machine) -> Json:
    return {"label": machine.label, "speed": machine.speed}


def machine_from(header: Mapping[str, Any]) -> Machine | None:
    """Return the machine that the header of a record names, if it names one."""
    value = header.get("machine")
    return None if value is None else Machine(value["label"], value["speed"])


def turn_json(game: AnyGame, number: int, turn: Iterable[PlayedMove]) -> Json:
    return {"turn": number, "moves": [_move_json(game, move) for move in turn]}


def outcome_json(outcome: Outcome) -> Json:
    value: Json = {"how": outcome.how, "places": list(outcome.places)}
    if outcome.points:
        value["points"] = list(outcome.points)
    return {"outcome": value}


def _move_json(game: AnyGame, made: PlayedMove) -> Json:
    value: Json = {"by": "chance" if made.by == CHANCE else made.by, "move": game.write(made.move)}
    if made.micros is not None:
        value["us"] = made.micros
    if made.remarks:
        value["remarks"] = [{remark.kind: remark.value} for remark in made.remarks]
    if made.warnings:
        value["warnings"] = [message_json(warning) for warning in made.warnings]
    if made.fault is not None:
        value["fault"] = fault_json(game, made.fault)
    return value


def fault_json(game: AnyGame, fault: Fault) -> Json:
    value: Json = {"kind": fault.kind.value, "why": message_json(fault.reason)}
    if fault.move is not None:
        value["refused"] = game.write(fault.move)
    if fault.evidence:
        value["evidence"] = _as_json(dict(fault.evidence), depth=0)
    return value


def move_from(game: AnyGame, value: Json) -> PlayedMove:
    """Return one move of a recorded turn; raise `MoveSyntaxError` if the game cannot read it."""
    fault = fault_from(value["fault"]) if "fault" in value else None
    if fault is not None and "refused" in value["fault"]:
        fault = replace(fault, move=game.read(value["fault"]["refused"]))
    return PlayedMove(
        CHANCE if value["by"] == "chance" else value["by"],
        game.read(value["move"]),
        value.get("us"),
        [Remark(kind, shown) for remark in value.get("remarks", ()) for kind, shown in remark.items()],
        [message_from(warning) for warning in value.get("warnings", ())],
        fault,
    )


def fault_from(value: Json) -> Fault:
    """Return a fault as it was recorded, without the move that was refused."""
    kind = FaultKind(value["kind"])
    reason = message_from(value["why"]) if "why" in value else DEFAULT_REASONS[kind]
    return Fault(kind, reason, value.get("evidence", {}))


def _as_json(value: object, *, depth: int) -> Any:
    """Return evidence as JSON; values that JSON cannot represent become texts."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, Mapping) and depth < DEEPEST:
        return {str(key): _as_json(part, depth=depth + 1) for key, part in value.items()}
    if isinstance(value, list | tuple) and depth < DEEPEST:
        return [_as_json(part, depth=depth + 1) for part in value]
    return repr(value)[:500]


def message_json(message: Message) -> Json:
    return {"text": message.template, **({"with": _plain(message.values)} if message.values else {})}


def message_from(value: Json) -> Message:
    return Message(
        value["text"],
        {
            name: message_from(filling) if isinstance(filling, dict) else filling
            for name, filling in value.get("with", {}).items()
        },
    )


def _plain(values: Mapping[str, object]) -> Json:
    return {
        name: message_json(value)
        if isinstance(value, Message)
        else value
        if isinstance(value, str | int)
        else str(value)
        for name, value in values.items()
    }


# --- the chain of digests --------------------------------------------------------------------------


def canonical(content: Mapping[str, Any]) -> str:
    """Return the only form of a line's content that digests are computed from."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def digest(previous: str, content: Mapping[str, Any]) -> str:
    """Return the digest of a line, computed from the previous line's digest and this line's content."""
    text = f"{previous}\n{canonical(content)}"
    # JSON can contain a lone surrogate, UTF-8 cannot
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:DIGEST_LENGTH]


def chain_lines(contents: Iterable[Json]) -> Iterator[str]:
    """Return lines of text, each with its digest."""
    previous = ""
    for content in contents:
        previous = digest(previous, content)
        yield _text(content | {"digest": previous})


def _text(line: Json) -> str:
    text = json.dumps(line, separators=(",", ":"), ensure_ascii=False)
    # a bot may say a lone surrogate, which must be escaped
    return text if text.isascii() or not _has_surrogate(text) else json.dumps(line, separators=(",", ":"))


def _has_surrogate(text: str) -> bool:
    return any("\ud800" <= sign <= "\udfff" for sign in text)
