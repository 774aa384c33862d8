"""Moves a cup from one store to another, whatever the databases.

The cup is copied, both stores are read again and compared, and only then the old one is sealed. A move that
was interrupted can be repeated: a copy that is equal already is not made again.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from botequim.core.errors import BotequimError, InputError
from botequim.core.messages import msg
from botequim.storage.checksums import add_row
from botequim.storage.errors import moved_error
from botequim.storage.protocol import CupStorage, CupTransfer

TABLES: Final = {
    "facts": "name, value",
    "entrants": "name, value",
    "show": "shown, token, last contest",
    "contests": "id, title, voters, choice, phase, entrants",
    "codes": "code, contest, batch, used",
    "browsers": "contest, mark",
    "ballots": "contest, place, chosen",
    "requests": "number, content, state, answer",
}
"""Tables with few rows, and their columns. `show` has one row or none; what else is in a store are series."""
IDENTITY: Final = "identity"
"""The fact that has a random text, which all copies of a cup share."""


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What a store contains, to be compared."""

    series: int
    games: int
    ballots: int
    sha256: str
    """Of all rows in their order."""


def fingerprint(store: CupTransfer) -> Fingerprint:
    """Read everything of a store."""
    digest = sha256()
    for table in TABLES:
        add_row(digest, (table,))
        for row in store.rows(table):
            add_row(digest, row)
    count = games = 0
    for series in store.series():
        count += 1
        games += len(series.games)
        for row in (series.series, *series.games, *series.faults):
            add_row(digest, row)
    return Fingerprint(count, games, len(store.rows("ballots")), digest.hexdigest())


def move_cup(old: CupStorage, new: CupStorage) -> Fingerprint:
    """Copy a cup, prove that both stores are equal, and seal the old one. Return what both contain."""
    with old.open_transfer() as source, new.open_transfer() as target:
        _require_movable(source)
        if old.has_results():
            old.open_results(check=True).close()  # a copy has new checksums, so it would hide damage
        found = _finished_copy(source, target) or _copy(source, target)
        source.seal(target.location)
        return found


def _copy(source: CupTransfer, target: CupTransfer) -> Fingerprint:
    facts = source.rows("facts")
    if facts and IDENTITY not in dict(facts):
        source.put_fact(IDENTITY, secrets.token_hex(16))
    target.fill(source)
    return require_equal(source, target)


def require_equal(source: CupTransfer, target: CupTransfer) -> Fingerprint:
    """Return what both contain. Raise BotequimError if a copy is not equal."""
    wanted = fingerprint(source)
    if fingerprint(target) != wanted:
        raise BotequimError(
            msg(
                "{new} is not equal to {old} after the move; {old} is still the one to use",
                new=target.location,
                old=source.location,
            )
        )
    return wanted


def _require_movable(source: CupTransfer) -> None:
    if not source.exists():
        raise InputError(msg("{old}: there is no cup to move", old=source.location))
    successor = source.successor()
    if successor is not None:
        source.seal(successor)  # all parts of it: sealing may have been interrupted
        raise moved_error(source.location, successor)


def _finished_copy(source: CupTransfer, target: CupTransfer) -> Fingerprint | None:
    """Return what the target contains if it has everything already, None if it must be filled; raise
    InputError if it has something else."""
    if not target.exists():
        return None
    successor = target.successor()
    if successor is not None and (successor == source.location or _is_same_cup(source, target)):
        return None  # the cup was moved away from there, and now comes back
    found = fingerprint(target) if successor is None else None
    if found is not None and found == fingerprint(source):
        return found
    raise InputError(
        msg(
            "{new} contains another cup, or one that was continued elsewhere; nothing was moved",
            new=target.location,
        )
    )


def _is_same_cup(source: CupTransfer, target: CupTransfer) -> bool:
    """Return whether both have the identity that a cup gets when it is moved first; their locations may be
    spelled in several ways."""
    ours, theirs = ([row for row in one.rows("facts") if row[0] == IDENTITY] for one in (source, target))
    return bool(ours) and ours == theirs
