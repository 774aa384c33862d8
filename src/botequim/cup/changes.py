"""Changes of a cup that has begun, and the log of them.

A `Change` is what the organiser wants. A `ChangeEntry` is a change in the log, with who wanted it, when and
why. The log only grows: a change is undone by a `Revocation`, which is a further entry. Each entry has a
digest of itself and of the digest before it, so a log from which an entry was removed, or in which one was
altered or moved, no longer fits its digests.

An entry says how many series of each stage were finished when it was applied. So everybody who has the log
and the results in their order knows which changes were in force for which series, and an entry is as public
as the series before it. `botequim.cup.stages` has the effects, `botequim.cup.change_rules` says which changes
are possible, and `botequim.cup.change_requests` takes the requests of organisers.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from typing import Any, ClassVar, Final, NoReturn, TypeAlias

from botequim.core.errors import InputError
from botequim.core.messages import Message, msg
from botequim.core.results import SeriesResult
from botequim.storage.protocol import CupStore

FACT: Final = "changes"
ATTEMPT: Final = " |~ "
"""Separates the key of a series from the number of the attempt, from 2, if the series is played again."""
LONGEST_TEXT: Final = 2000
MOST_ENTRIES: Final = 10_000


@dataclass(frozen=True, slots=True)
class LateEntrant:
    """An entrant that comes after the cup has begun."""

    kind: ClassVar[str] = "late_entrant"
    entrant: str
    bot: str
    """As in the cup file."""
    wire: str = ""
    """As in the cup file; "" if the bot says it."""


@dataclass(frozen=True, slots=True)
class Disqualification:
    """An entrant that may not go on. It comes last, and does not advance."""

    kind: ClassVar[str] = "disqualification"
    entrant: str
    annulled: bool = False
    """Whether all its results count for nobody. Otherwise they are kept."""


@dataclass(frozen=True, slots=True)
class Departure:
    """An entrant that withdraws during the cup. It keeps the place that its results give it, but does not
    advance."""

    kind: ClassVar[str] = "withdrawal"
    entrant: str
    annulled: bool = False


@dataclass(frozen=True, slots=True)
class NewFiles:
    """The corrected bot of an entrant, which plays from a stage on that has not begun."""

    kind: ClassVar[str] = "new_files"
    entrant: str
    stage: str
    bot: str = ""
    """The new bot as in the cup file; "" is the one of the cup file, whose files have changed."""


@dataclass(frozen=True, slots=True)
class Replay:
    """A series that was spoiled and is played again."""

    kind: ClassVar[str] = "replay"
    stage: str
    key: str
    """The key of the series as the format gives it, without the number of an attempt."""


@dataclass(frozen=True, slots=True)
class Revocation:
    """An earlier entry that no longer counts."""

    kind: ClassVar[str] = "revocation"
    entry: int
    """The number of the earlier entry."""


Change: TypeAlias = LateEntrant | Disqualification | Departure | NewFiles | Replay | Revocation
Leaving: TypeAlias = Disqualification | Departure
KINDS: Final[Mapping[str, type[Change]]] = {
    one.kind: one for one in (LateEntrant, Disqualification, Departure, NewFiles, Replay, Revocation)
}


@dataclass(frozen=True, slots=True)
class ChangeEntry:
    """A change in the log."""

    number: int
    """From 1."""
    time: str
    """When it was asked for: `2026-11-18T16:20:00Z`."""
    who: str
    why: str
    after: Mapping[str, int]
    """By stage: how many series were stored when the change was applied. Stages without any are left out."""
    change: Change
    rounds: Mapping[str, int] = field(default_factory=dict)
    """By stage whose rounds are decided once: how many were decided when the change was applied."""
    pin: Mapping[str, str] = field(default_factory=dict)
    """Of a bot that came with the change: its `wire` and the digest of its `files`."""
    digest: str = ""
    """The SHA-256 of the digest before this one and of everything else in the entry."""

    @property
    def position(self) -> int:
        """How many series of the whole cup were stored when the change was applied."""
        return sum(self.after.values())

    def as_json(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "time": self.time,
            "who": self.who,
            "why": self.why,
            "after": dict(self.after),
            "change": change_json(self.change),
            **({"rounds": dict(self.rounds)} if self.rounds else {}),
            **({"pin": dict(self.pin)} if self.pin else {}),
            "digest": self.digest,
        }

    def with_digest(self, before: str) -> ChangeEntry:
        """Return the entry with its digest; `before` is the digest of the entry before it, or `log_start`."""
        content = {name: value for name, value in self.as_json().items() if name != "digest"}
        text = json.dumps(content, sort_keys=True, separators=(",", ":"))
        return replace(self, digest=sha256(f"{before}\n{text}".encode()).hexdigest())


Log: TypeAlias = tuple[ChangeEntry, ...]


def log_start(cup_digest: str, commitment: str) -> str:
    """Return the digest before the first entry, which says of which cup the log is."""
    return sha256(f"changes of {cup_digest} {commitment}".encode()).hexdigest()


def chain_problem(log: Sequence[ChangeEntry], start: str) -> tuple[int, Message] | None:
    """Return the number of the first entry that does not fit the one before it, and why; None if all fit."""
    before = start
    after: Mapping[str, int] = {}
    for number, entry in enumerate(log, start=1):
        if entry.number != number:
            return number, msg(
                "entry {found} is where entry {expected} should be: an entry was removed or moved",
                found=entry.number,
                expected=number,
            )
        if entry.with_digest(before).digest != entry.digest:
            return number, msg(
                "it does not match its digest: it was altered, or entries before it were altered, removed "
                "or moved"
            )
        if any(entry.after.get(stage, 0) < count for stage, count in after.items()):
            return number, msg("it counts fewer finished series than the entry before it")
        before, after = entry.digest, entry.after
    return None


# --- which changes count -----------------------------------------------------------------------------


def effective(log: Sequence[ChangeEntry]) -> Log:
    """Return the entries that count: those that no later one revokes. Revocations are not among them."""
    revoked = {entry.change.entry for entry in log if isinstance(entry.change, Revocation)}
    return tuple(
        entry for entry in log if entry.number not in revoked and not isinstance(entry.change, Revocation)
    )


def is_revoked(log: Sequence[ChangeEntry], number: int) -> bool:
    return any(isinstance(one.change, Revocation) and one.change.entry == number for one in log)


def entries_up_to(log: Sequence[ChangeEntry], results: Mapping[str, Mapping[str, SeriesResult]]) -> Log:
    """Return the entries that belong to these results, which are the first ones that were stored.

    With the public results, these are the public entries: an entry is public if all series are that were
    stored before it.
    """
    count = sum(map(len, results.values()))
    return tuple(entry for entry in log if entry.position <= count)


# --- keys of series that are played again --------------------------------------------------------------


def attempt_key(key: str, attempt: int) -> str:
    """Return the key under which an attempt of a series, from 1, is stored."""
    return key if attempt == 1 else f"{key}{ATTEMPT}{attempt}"


def plain_key(key: str) -> str:
    """Return the key of a series without the number of its attempt."""
    return split_attempt(key)[0]


def split_attempt(key: str) -> tuple[str, int]:
    """Return the key of a series as its format gives it, and the number of the attempt, from 1."""
    plain, separator, number = key.rpartition(ATTEMPT)
    if separator and number.isascii() and number.isdecimal() and len(number) < 6:
        return plain, int(number)
    return key, 1


def attempts(log: Iterable[ChangeEntry], stage: str) -> dict[str, tuple[int, int]]:
    """Return, by key of each series of a stage that somebody wanted again: the attempt that counts, and the
    last one that there is."""
    entries = list(log)
    counted = {entry.number for entry in effective(entries)}
    found: dict[str, tuple[int, int]] = {}
    for entry in entries:
        if isinstance(entry.change, Replay) and entry.change.stage == stage:
            now, last = found.get(entry.change.key, (1, 1))
            found[entry.change.key] = (last + 1 if entry.number in counted else now, last + 1)
    return found


# --- JSON ----------------------------------------------------------------------------------------------


def change_json(change: Change) -> dict[str, Any]:
    return {"kind": change.kind, **asdict(change)}


def read_change(value: Any) -> Change:
    """Return the change of a value that `change_json` returned. Raise InputError for any other value."""
    kind = (
        KINDS.get(value.get("kind", "")) if isinstance(value, dict) and _is_text(value.get("kind")) else None
    )
    if kind is None:
        _refuse()
    fields = {name: content for name, content in value.items() if name != "kind"}
    types = {"annulled": bool, "entry": int}
    try:
        change = kind(**fields)
    except TypeError:
        _refuse()
    if any(type(content) is not types.get(name, str) for name, content in fields.items()):
        _refuse()
    return change


def log_json(log: Sequence[ChangeEntry]) -> list[dict[str, Any]]:
    return [entry.as_json() for entry in log]


def read_log(value: Any) -> Log:
    """Return the log of a value that `log_json` returned. Raise InputError for any other value."""
    if not isinstance(value, list) or len(value) > MOST_ENTRIES:
        _refuse()
    return tuple(map(_entry, value))


def _entry(value: Any) -> ChangeEntry:
    texts = ("time", "who", "why", "digest")
    known = {"number", "after", "change", "rounds", "pin", *texts}
    if not isinstance(value, dict) or not set(value) <= known:
        _refuse()
    pin = value.get("pin", {})
    if (
        type(value.get("number")) is not int
        or not all(_is_text(value.get(name)) for name in texts)
        or not (isinstance(pin, dict) and all(map(_is_text, pin.values())))
    ):
        _refuse()
    return ChangeEntry(
        value["number"],
        after=_counts(value.get("after")),
        change=read_change(value.get("change")),
        rounds=_counts(value.get("rounds", {})),
        pin=pin,
        **{name: value[name] for name in texts},
    )


def _counts(value: Any) -> Mapping[str, int]:
    if not isinstance(value, dict) or not all(type(count) is int and count > 0 for count in value.values()):
        _refuse()
    return value


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _refuse() -> NoReturn:
    raise InputError(msg("the log of changes must be a list of entries as Botequim writes them"))


# --- the stored log --------------------------------------------------------------------------------------


def entries(store: CupStore) -> Log:
    """Return the whole log of a cup. Not all of it need be public: see `entries_up_to`.

    Read the results before this call, so that all entries that belong to them are stored already.
    """
    text = store.fact(FACT)
    if text is None:
        return ()
    try:
        return read_log(json.loads(text))
    except (ValueError, InputError) as error:
        raise store.damage_error(FACT) from error


def append_entry(store: CupStore, log: Sequence[ChangeEntry], entry: ChangeEntry) -> Log:
    """Store the log with one more entry, and return it."""
    longer = (*log, entry)
    store.put_facts({FACT: json.dumps(log_json(longer), ensure_ascii=False)})
    return longer
