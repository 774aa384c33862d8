"""The versions of Botequim that played a cup.

A record has the version of its format, not of the program: every version referees every record in the same
way. So a cup may continue after an update, and the store says which version played from which series on.
"""

from __future__ import annotations

import json
from typing import Final

from botequim.core.messages import Message, msg, plain
from botequim.storage.protocol import CupStore
from botequim.version import VERSION

FACT: Final = "versions"
"""The fact with a list of a version and the number of series that were stored before it played."""


def stored_versions(store: CupStore) -> list[tuple[str, int]]:
    """Return each version with the number of series before it. Cups of the first version have none."""
    try:
        return [(str(version), int(series)) for version, series in json.loads(store.fact(FACT) or "[]")]
    except (ValueError, TypeError) as error:
        raise store.damage_error("cup") from error


def note_version(store: CupStore, version: str = VERSION) -> Message | None:
    """Store that this version plays from now on. Return a notice if another version has played before."""
    known = stored_versions(store)
    finished = len(store.series())
    if not finished:
        known = []
    elif not known:
        known = [("", 0)]
    if known and known[-1][0] == version:
        return None
    store.put_facts({FACT: json.dumps([*known, (version, finished)])})
    if not known:
        return None
    old = known[-1][0]
    return msg(
        "{old} played the first {series} series of this cup, and version {new} continues it; all versions "
        "referee a game in the same way",
        old=plain(f"Botequim {old}") if old else msg("an earlier version"),
        series=finished,
        new=version,
    )
