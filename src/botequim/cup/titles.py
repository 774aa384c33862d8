"""The titles and pictures of the entrants of a cup, as the bots provided them when they were pinned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from botequim.core.titles import clean_title, unique_titles
from botequim.cup.config import NULL_SUFFIX, Cup
from botequim.storage.protocol import CupStore

PAIR: Final = "pair"
PORTRAITS: Final = "portraits"
"""Keys of a pin: the name that an entrant gives itself, and the paths of its pictures by member, relative to
the folder of the cup. The folder of the pictures has this name too."""


def with_titles(cup: Cup, pairs: Mapping[str, str]) -> Cup:
    """Return the cup with the titles of its entrants. `pairs` are the names that they give themselves."""
    preferred = {
        entry.name: clean_title(entry.title or pairs.get(entry.name, ""))
        for entry in cup.entrants
        if not entry.null
    }
    titles = unique_titles(preferred | {one.entry.name: clean_title(one.entry.title) for one in cup.absent})
    nulls = [entry for entry in cup.entrants if entry.null]
    titles |= {entry.name: titles[entry.twin_of] + NULL_SUFFIX for entry in nulls}
    return replace(cup, titles=titles)


def title_with_name(title: str, name: str) -> str:
    """Return the title with the name in parentheses, so that the reader finds the entrant in the cup file."""
    return title if title == name or title.endswith(f"({name})") else f"{title} ({name})"


def with_introductions(cup: Cup, store: CupStore) -> Cup:
    """Return the cup with the titles and portraits of its entrants, as far as they are pinned."""
    pins = store.entrants()
    portraits = {
        name: tuple(cup.folder / one if one else None for one in value[PORTRAITS])
        for name, value in pins.items()
        if PORTRAITS in value
    }
    with_names = with_titles(cup, {name: str(value.get(PAIR, "")) for name, value in pins.items()})
    return replace(with_names, own_portraits=portraits)
