"""One game as lines of JSON that anyone can check again. The format is told in docs/record.md.

Here a record is text and JSON: what a line may hold, and the digest chained through the lines.
Whether the game in it keeps the rules is for `botequim.verify`, which plays it again.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, Final, TypeAlias

from botequim.core.errors import DEFAULT_REASONS, Fault, FaultKind
from botequim.core.game import CHANCE, AnyGame, Outcome
from botequim.core.messages import Message
from botequim.core.options import Options
from botequim.core.turn import Made

VERSION: Final = 1
DIGEST_LENGTH: Final = 32
DEEPEST: Final = 20
"""How deep evidence and messages may be nested."""

LOG: Final = "stderr"
LOG_DIGEST: Final = "stderr_sha256"

Json: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Record:
    """One finished game."""

    game: AnyGame
    options: Options
    seed: str | None
    """What the chance turns were drawn from, or None when they were not drawn by us."""
    seats: Sequence[Mapping[str, Any]]
    """By seat: `name`, and whatever else is known of who sat there."""
    turns: Sequence[Sequence[Made]]
    """What was made in each turn: one move, or several at the same time."""
    outcome: Outcome

    def public(self) -> Record:
        """The same game for everybody: in the place of a player's log stands the digest of it.

        The log is its authors'; with it anyone can be shown that it is the one of this game."""
        return replace(self, turns=[[without_log(made) for made in turn] for turn in self.turns])

    def lines(self) -> Iterator[str]:
        """The record as text, a line each, with digests."""
        return chained(self.contents())

    def contents(self) -> Iterator[Json]:
        """The record as JSON objects, a line each, without digests."""
        yield header_json(self.game, self.options, self.seed, self.seats)
        for number, turn in enumerate(self.turns, start=1):
            yield turn_json(self.game, number, turn)
        yield outcome_json(self.outcome)


def without_log(made: Made) -> Made:
    """What everybody may see of a move."""
    if made.fault is None or LOG not in made.fault.evidence:
        return made
    evidence = {name: value for name, value in made.fault.evidence.items() if name != LOG}
    if log := made.fault.evidence[LOG]:
        evidence[LOG_DIGEST] = sha256(str(log).encode("utf-8", "surrogatepass")).hexdigest()
    fault = replace(made.fault, evidence=evidence)
    return Made(made.by, made.move, made.micros, made.remarks, made.warnings, fault)


# --- values as JSON --------------------------------------------------------------------------------


def header_json(
    game: AnyGame, options: Options, seed: str | None, seats: Sequence[Mapping[str, Any]]
) -> Json:
    header: Json = {"botequim": VERSION, "game": game.name, "options": dict(options)}
    if seed is not None:
        header["seed"] = seed
    return header | {"seats": [dict(seat) for seat in seats]}


def turn_json(game: AnyGame, number: int, turn: Iterable[Made]) -> Json:
    return {"turn": number, "moves": [_made_json(game, made) for made in turn]}


def outcome_json(outcome: Outcome) -> Json:
    value: Json = {"how": outcome.how, "places": list(outcome.places)}
    if outcome.points:
        value["points"] = list(outcome.points)
    return {"outcome": value}


def _made_json(game: AnyGame, made: Made) -> Json:
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


def fault_from(value: Json) -> Fault:
    """A fault as it was recorded, but for the refused move."""
    kind = FaultKind(value["kind"])
    reason = message_from(value["why"]) if "why" in value else DEFAULT_REASONS[kind]
    return Fault(kind, reason, value.get("evidence", {}))


def _as_json(value: object, *, depth: int) -> Any:
    """Evidence is whatever was at hand; what JSON cannot hold is described instead."""
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
    """The one way to write a line's content that the digest is taken of."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def digest(previous: str, content: Mapping[str, Any]) -> str:
    """The digest of a line: of the previous line's digest and this line's content."""
    text = f"{previous}\n{canonical(content)}"
    # a lone surrogate can stand in JSON but not in UTF-8
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:DIGEST_LENGTH]


def chained(contents: Iterable[Json]) -> Iterator[str]:
    """Lines of text, each closed by its digest."""
    previous = ""
    for content in contents:
        previous = digest(previous, content)
        yield _text(content | {"digest": previous})


def _text(line: Json) -> str:
    text = json.dumps(line, separators=(",", ":"), ensure_ascii=False)
    # half a character, which a bot may say, cannot be written as it is
    return text if text.isascii() or not _has_surrogate(text) else json.dumps(line, separators=(",", ":"))


def _has_surrogate(text: str) -> bool:
    return any("\ud800" <= sign <= "\udfff" for sign in text)
