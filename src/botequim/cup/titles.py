"""The names and pictures of the entrants of a cup, as the bots gave them when they were pinned."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from botequim.core.titles import clean_title, unique_titles
from botequim.cup.config import NULL_SUFFIX, Cup
from botequim.storage.protocol import CupStore

PAIR: Final = "pair"
PORTRAITS: Final = "portraits"
"""Keys of what is pinned: what an entrant calls itself; by member, where its picture lies beside the store
or nothing. The folder of the pictures is called so too."""


def with_introductions(cup: Cup, store: CupStore) -> Cup:
    """Return the cup with the titles and portraits of its entrants, as far as they are pinned."""
    pins = store.entrants()
    wanted = {
        entry.name: clean_title(entry.title or pins.get(entry.name, {}).get(PAIR, ""))
        for entry in cup.entrants
        if not entry.null
    }
    titles = unique_titles(wanted | {one.entry.name: clean_title(one.entry.title) for one in cup.absent})
    nulls = [entry for entry in cup.entrants if entry.null]
    titles |= {entry.name: titles[entry.twin_of] + NULL_SUFFIX for entry in nulls}
    portraits = {
        name: tuple(cup.folder / one if one else None for one in value[PORTRAITS])
        for name, value in pins.items()
        if PORTRAITS in value
    }
    return replace(cup, titles=titles, own_portraits=portraits)
