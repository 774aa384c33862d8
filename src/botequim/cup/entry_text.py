"""Removes keys of one entrant from the text of a cup file. Everything else of the text stays as it is."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, Final

from botequim.cup.config_writer import toml_string
from botequim.cup.toml_lines import key_lines

ENTRANTS: Final = "entrants"


def with_entry_keys(text: str, name: str, values: Mapping[str, Sequence[str]]) -> str | None:
    """Return the text with other lists of texts in the table of an entrant; an empty list removes the key.

    Return None if the text is written in a way in which that is not possible. A text without this entrant or
    these keys is returned as it is.
    """
    content = tomllib.loads(text)
    wanted = deepcopy(content)
    names = [one.get("name") for one in content.get(ENTRANTS, ())]
    if name not in names:
        return text
    at = names.index(name)
    _change(wanted[ENTRANTS][at], values)
    lines = text.split("\n")
    places = key_lines(text.replace("\r\n", "\n"), ENTRANTS, at)
    for key in sorted(set(values) & set(places), key=lambda key: -places[key][0]):
        first, end = places[key]
        items = ", ".join(map(toml_string, values[key]))
        lines[first - 1 : end - 1] = [f"{key} = [{items}]"] if values[key] else []
    changed = "\n".join(lines)
    try:
        return changed if tomllib.loads(changed) == wanted else None
    except tomllib.TOMLDecodeError:
        return None


def _change(table: dict[str, Any], values: Mapping[str, Sequence[str]]) -> None:
    for key, items in values.items():
        if key in table and items:
            table[key] = list(items)
        elif key in table:
            del table[key]
