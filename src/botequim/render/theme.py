"""The light and the dark theme.

Every colour has a name, and a drawing contains only the name (its class). The style sheet contains both sets
of colours instead of variables, because programs that render SVG as pixels do not support variables.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from typing import Final

from botequim.render.svg import MONO, SANS, css


class Theme(StrEnum):
    """The colours of a picture."""

    LIGHT = "light"
    DARK = "dark"
    AUTO = "auto"
    """The theme of the reader's system, for browsers only."""


RING: Final = 2.9
"""The width of the ring around the last tile, with its dark edges."""

# --- properties that are not colours ----------------------------------------------------------------

SHAPES: Final = {
    "bold name big": "font-weight:bold",
    "mono": f"font-family:{MONO};white-space:pre",
    "said": "font-style:italic",
    "pip": "fill:none;stroke-linecap:round",
    "line arrow wire": "fill:none;stroke-linecap:round;stroke-linejoin:round",
    "near": "image-rendering:pixelated",
    "mark": "fill:none;stroke-width:1.7",
    "halo": f"fill:none;stroke-width:{RING:g}",
}

# --- colours: properties by class --------------------------------------------------------------------

_PIPS: Final = ("#2a6fb5", "#1c7c3c", "#c2272d", "#8a5a16", "#2b3a8f", "#9a6b00", "#7b2d8e", "#0b7373")

LIGHT: Final[Mapping[str, str]] = {
    "paper": "fill:#f7f2e8",
    "felt": "fill:#2d7355;stroke:#8b5e34;stroke-width:6",
    "weave": "fill:none;stroke:#3f8a69;stroke-width:1.5",
    "panel": "fill:#fffdf9;stroke:#d8cdb8;stroke-width:1.5",
    "turn": "fill:#fffdf9;stroke:#0a5fae;stroke-width:4",
    "badge": "fill:#0a5fae",
    "onbadge": "fill:#ffffff",
    "won": "fill:#f2c230;stroke:#6b4e00;stroke-width:1.5",
    "onwon": "fill:#3a2a00",
    "ink name said": "fill:#24201a",
    "soft": "fill:#655c4e",
    "bad": "fill:#a3201a",
    "face": "fill:#e6dcc8;stroke:#b7a988;stroke-width:1.5",
    "team0": "fill:#b4441f",
    "team1": "fill:#2c5f8a",
    "chip": "fill:#eee5d3",
    "onfelt": "fill:#f4efe1",
    "plate": "fill:#1f5840",
    "wire": "stroke:#d8cdb8;stroke-width:1.5",
    "tile": "fill:#fcf8ec;stroke:#a4936d;stroke-width:1",
    "groove": "stroke:#b9a985;stroke-width:1.1",
    "pin": "fill:#c39b3f",
    "back": "fill:#7a3b2e;stroke:#54251b;stroke-width:1",
    "backline": "fill:none;stroke:#c78a6d;stroke-width:1.2",
    "card": "fill:#fffefb;stroke:#8f877a;stroke-width:1",
    "red": "fill:#c8151c",
    "black": "fill:#1d1c22",
    "redline": "stroke:#c8151c",
    "blackline": "stroke:#1d1c22",
    "arrow": "stroke:#cfe3d6;stroke-width:5",
    "arrowhead": "fill:#cfe3d6",
    "mark": "stroke:#ffce3a",
    "halo": "stroke:#22180a",
    "flag": "fill:#ffce3a;stroke:#22180a;stroke-width:.8",
    "stone": "fill:#8d8578;stroke:#4d473d;stroke-width:3",
    "stoneline": "fill:none;stroke:#5f584d;stroke-width:2.5",
    "gone": "fill:none;stroke:#cfe3d6;stroke-width:3;stroke-dasharray:6 7",
    "sheet": "fill:#fffefb;stroke:#7d8590;stroke-width:3",
    "sheetline": "fill:none;stroke:#8fa6c0;stroke-width:2.5",
    "blade": "fill:#c9ced4;stroke:#59626c;stroke-width:2.5",
    "grip": "fill:none;stroke:#b4441f;stroke-width:7",
    "won0": "fill:#b4441f",
    "won1": "fill:#2c5f8a",
    "art": "fill:#fbf7ec;stroke:#d8cdb8;stroke-width:1",
    **{f"p{number}": f"stroke:{colour}" for number, colour in enumerate((*_PIPS, "#24201a"), start=1)},
}

DARK: Final[Mapping[str, str]] = {
    "paper": "fill:#14171b",
    "felt": "fill:#1d4a39;stroke:#4e3824;stroke-width:6",
    "weave": "fill:none;stroke:#2b604d;stroke-width:1.5",
    "panel": "fill:#20252b;stroke:#3a424b;stroke-width:1.5",
    "turn": "fill:#20252b;stroke:#6db6ff;stroke-width:4",
    "badge": "fill:#6db6ff",
    "onbadge": "fill:#0b1a2a",
    "won": "fill:#f2c230;stroke:#ffe9a8;stroke-width:1.5",
    "onwon": "fill:#3a2a00",
    "ink name said": "fill:#f3eee4",
    "soft": "fill:#b3aa9b",
    "bad": "fill:#ff9d94",
    "face": "fill:#39424c;stroke:#5a6672;stroke-width:1.5",
    "team0": "fill:#ff9a73",
    "team1": "fill:#86c1f2",
    "chip": "fill:#323a43",
    "onfelt": "fill:#e9e4d6",
    "plate": "fill:#12352a",
    "wire": "stroke:#3a424b;stroke-width:1.5",
    "tile": "fill:#f1e9d6;stroke:#8d7f61;stroke-width:1",
    "arrow": "stroke:#8fb5a4;stroke-width:5",
    "arrowhead": "fill:#8fb5a4",
    "card": "fill:#f4f0e6;stroke:#6f685c;stroke-width:1",
    "stone": "fill:#8d8578;stroke:#d5cdbf;stroke-width:3",
    "sheet": "fill:#e9e5db;stroke:#a9b1bb;stroke-width:3",
    "blade": "fill:#c9ced4;stroke:#eef1f4;stroke-width:2.5",
    "grip": "fill:none;stroke:#ff9a73;stroke-width:7",
    "won0": "fill:#ff9a73",
    "won1": "fill:#86c1f2",
    "art": "fill:#fbf7ec;stroke:#3a424b;stroke-width:1",
}


@cache
def stylesheet(theme: Theme) -> str:
    """Return the style sheet of a picture, for a `<style>` inside of it."""
    shapes = f".bq{{font-family:{SANS}}}\n{_rules(SHAPES)}"
    if theme is Theme.AUTO:
        return f"{shapes}\n{_rules(LIGHT)}\n@media (prefers-color-scheme:dark){{\n{_rules(DARK)}\n}}"
    return f"{shapes}\n{_rules(LIGHT if theme is Theme.LIGHT else {**LIGHT, **DARK})}"


def page_styles() -> str:
    """Return the style sheet of a page. The attribute `data-theme` of its root element chooses the theme.

    It uses variables, because symbols inherit variables, but are not affected by rules for the elements
    around them.
    """
    rules = {kinds: _variable_colours(kinds, colours) for kinds, colours in LIGHT.items()}
    light, dark = _variables(LIGHT), _variables(DARK)
    return (
        f".bq{{font-family:{SANS}}}\n{_rules(SHAPES)}\n{_rules(rules)}\n:root{{{light}}}\n"
        f":root[data-theme=dark]{{{dark}}}\n"
        f"@media (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}}}}}"
    )


def _rules(colours: Mapping[str, str]) -> str:
    return "\n".join(
        ",".join(f".{css(kind)}" for kind in kinds.split()) + f"{{{how}}}" for kinds, how in colours.items()
    )


def _variable_colours(kinds: str, colours: str) -> str:
    return ";".join(f"{name}:var({variable})" for name, variable, _ in _pairs(kinds, colours))


def _variables(colours: Mapping[str, str]) -> str:
    return ";".join(
        f"{variable}:{value}" for kinds, how in colours.items() for _, variable, value in _pairs(kinds, how)
    )


def _pairs(kinds: str, colours: str) -> list[tuple[str, str, str]]:
    """Return each property with its variable and its value."""
    first = kinds.split()[0]
    pairs = [pair.split(":", 1) for pair in colours.split(";")]
    return [(name, f"--{first}-{name}", value) for name, value in pairs]
