"""The names and pictures of the entrants of a cup, as the bots gave them when they were pinned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from botequim.core.titles import clean_title, unique_titles
from botequim.cup.config import NULL_SUFFIX, Cup
from botequim.storage.protocol import CupStore

PAIR: Final = "pair"
PORTRAITS: Final = "portraits"
"""Keys of what is pinned: what an entrant calls itself; by member, where its picture lies beside the store
or nothing. The folder of the pictures is called so too."""


def with_titles(cup: Cup, pairs: Mapping[str, str]) -> Cup:
    """Return the cup with the titles of its entrants. `pairs` are the names that they give themselves."""
    wanted = {
        entry.name: clean_title(entry.title or pairs.get(entry.name, ""))
        for entry in cup.entrants
        if not entry.null
    }
    titles = unique_titles(wanted | {one.entry.name: clean_title(one.entry.title) for one in cup.absent})
    nulls = [entry for entry in cup.entrants if entry.null]
    titles |= {entry.name: titles[entry.twin_of] + NULL_SUFFIX for entry in nulls}
    return replace(cup, titles=titles)


def title_with_name(title: str, name: str) -> str:
    """Return how an entrant is shown where it must be found in the cup file: its title, then its name."""
    return title if title == name or title.endswith(f"({name})") else f"{title} ({name})"


def with_introductions(cup: Cup, store: CupStore) -> Cup:
    """Return the cup with the titles and portraits of its entrants, as far as they are pinned."""
    pins = store.entrants()
    portraits = {
        name: tuple(cup.folder / one if one else None for one in value[PORTRAITS])
        for name, value in pins.items()
        if PORTRAITS in value
    }
    titled = with_titles(cup, {name: str(value.get(PAIR, "")) for name, value in pins.items()})
    return replace(titled, own_portraits=portraits)
