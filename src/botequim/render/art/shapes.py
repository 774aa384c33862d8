"""Glyphs of boxes, blocks and braille, computed so that neighbours join without a gap.

The Unicode name of a box-drawing character says which lines it has ("DOWN HEAVY AND RIGHT LIGHT"), and names
never change. So the glyphs are computed from the names, without a table.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeAlias

WIDTH: Final = 8
HEIGHT: Final = 16
MIDDLE: Final = (3, 8)
"""The point where lines meet: the column of `|` and the row of `-`."""
GAP: Final = 2
"""The distance from the middle to each of two double lines."""

Pixels: TypeAlias = set[tuple[int, int]]
Arms: TypeAlias = Mapping[str, str]
"""The weight of the line in each direction."""

WEIGHTS: Final = ("LIGHT", "HEAVY", "SINGLE", "DOUBLE")
DIRECTIONS: Final = {
    "LEFT": ("LEFT",),
    "RIGHT": ("RIGHT",),
    "UP": ("UP",),
    "DOWN": ("DOWN",),
    "HORIZONTAL": ("LEFT", "RIGHT"),
    "VERTICAL": ("UP", "DOWN"),
}
OPPOSITE: Final = {"LEFT": "RIGHT", "RIGHT": "LEFT", "UP": "DOWN", "DOWN": "UP"}
DASHES: Final = {
    "DOUBLE": ("###.###.", "######..######.."),
    "TRIPLE": ("##.##.#.", "####.####.####.."),
    "QUADRUPLE": ("#.#.#.#.", "###.###.###.###."),
}


def shapes() -> Iterator[tuple[str, Pixels]]:
    """Yield every computed character with its ink."""
    for code in range(0x2500, 0x2580):
        yield chr(code), _box(unicodedata.name(chr(code)).removeprefix("BOX DRAWINGS "))
    for code in range(0x2580, 0x25A0):
        yield chr(code), _where(BLOCKS[code])
    for bits in range(256):
        yield chr(0x2800 + bits), _braille(bits)


# --- boxes -------------------------------------------------------------------------------------------


def _box(name: str) -> Pixels:
    weight, _, rest = name.partition(" ")
    if rest.startswith("DIAGONAL"):
        rising, falling = "LOWER LEFT" in rest, "LOWER RIGHT" in rest
        if not rising and not falling:
            rising = falling = True  # the cross
        return _where(lambda x, y: (rising and x == 7 - y // 2) or (falling and x == y // 2))
    if rest.startswith("ARC"):
        return _arc(_arms(f"{weight} {rest.removeprefix('ARC ')}"))
    if " DASH " in rest:
        count, _, direction = rest.partition(" DASH ")
        across, along = DASHES[count]
        return {
            (x, y)
            for x, y in _lines(_arms(f"{weight} {direction}"))
            if (across[x] if direction == "HORIZONTAL" else along[y]) == "#"
        }
    arms = _arms(name)
    kinds = set(arms.values())
    if kinds == {"DOUBLE"}:
        return _double(arms)
    return _mix(arms) if "DOUBLE" in kinds else _lines(arms)


def _arms(name: str) -> Arms:
    """Return the arms of a name such as `LIGHT DOWN AND RIGHT` or `DOWN HEAVY AND RIGHT LIGHT`. A part
    without a weight has the weight of the other part."""
    parts = [part.split() for part in name.split(" AND ")]
    weights = [next((word for word in part if word in WEIGHTS), None) for part in parts]
    common = next(weight for weight in weights if weight)
    return {
        direction: weight or common
        for part, weight in zip(parts, weights, strict=True)
        for word in part
        if word in DIRECTIONS
        for direction in DIRECTIONS[word]
    }


def _bar(direction: str, start: int, low: int, high: int) -> Pixels:
    """Return a bar from `start` pixels beyond the middle to the edge, from `low` to `high` across."""
    x, y = MIDDLE
    return {
        "LEFT": lambda: _area(0, x - start, y + low, y + high),
        "RIGHT": lambda: _area(x + start, WIDTH - 1, y + low, y + high),
        "UP": lambda: _area(x + low, x + high, 0, y - start),
        "DOWN": lambda: _area(x + low, x + high, y + start, HEIGHT - 1),
    }[direction]()


def _area(left: int, right: int, top: int, bottom: int) -> Pixels:
    return {(x, y) for x in range(left, right + 1) for y in range(top, bottom + 1)}


def _beside(direction: str) -> tuple[str, str]:
    return ("UP", "DOWN") if direction in ("LEFT", "RIGHT") else ("LEFT", "RIGHT")


def _lines(arms: Arms) -> Pixels:
    """Return light and heavy lines. Each covers the width of the thickest line that it meets."""
    ink: Pixels = set()
    for direction, weight in arms.items():
        half = int(weight == "HEAVY")
        across = max(int(arms.get(other) == "HEAVY") for other in _beside(direction))
        ink |= _bar(direction, -across, -half, half)
    return ink


def _double(arms: Arms) -> Pixels:
    """Return double lines, as the outline of one wide line."""
    road: Pixels = set()
    inside: Pixels = set()
    for direction in arms:
        meets = any(other in arms for other in _beside(direction))
        road |= _bar(direction, -GAP if meets else 0, -GAP, GAP)
        inside |= _bar(direction, 1 - GAP if meets else 0, 1 - GAP, GAP - 1)
    return road - inside


def _mix(arms: Arms) -> Pixels:
    """Return single lines that meet double ones: they end at the near line, or join the far one."""
    ink: Pixels = set()
    for direction, weight in arms.items():
        if weight == "DOUBLE":
            ink |= _bar(direction, 0, -GAP, -GAP) | _bar(direction, 0, GAP, GAP)
        elif OPPOSITE[direction] in arms:
            ink |= _bar(direction, 0, 0, 0)
        else:
            passes = all(other in arms for other in _beside(direction))
            ink |= _bar(direction, GAP if passes else -GAP, 0, 0)
    return ink


def _arc(arms: Arms) -> Pixels:
    x, y = MIDDLE
    across = 1 if "RIGHT" in arms else -1
    along = 1 if "DOWN" in arms else -1
    bend = {(x + 2 * across, y), (x + across, y + along), (x, y + 2 * along)}
    return bend.union(*(_bar(direction, 3, 0, 0) for direction in arms))


# --- blocks and braille ------------------------------------------------------------------------------


def _where(has_ink: Callable[[int, int], bool]) -> Pixels:
    return {(x, y) for x in range(WIDTH) for y in range(HEIGHT) if has_ink(x, y)}


def _braille(bits: int) -> Pixels:
    dots = ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3))
    dots_on = {dot for at, dot in enumerate(dots) if bits >> at & 1}
    # dots of two by two pixels, with equal distances within a cell and between cells
    return _where(lambda x, y: (x // 4, y // 4) in dots_on and x % 4 in (1, 2) and y % 4 in (1, 2))


def _lower(eighths: int) -> Callable[[int, int], bool]:
    return lambda x, y: y >= HEIGHT - 2 * eighths


def _left(eighths: int) -> Callable[[int, int], bool]:
    return lambda x, y: x < eighths


def _quarters(pattern: str) -> Callable[[int, int], bool]:
    """Return a function for a pattern such as `#..#`: upper left, upper right, lower left, lower right."""
    return lambda x, y: pattern[2 * (y // 8) + x // 4] == "#"


BLOCKS: Final[Mapping[int, Callable[[int, int], bool]]] = {
    0x2580: _quarters("##.."),
    **{0x2580 + eighths: _lower(eighths) for eighths in range(1, 9)},
    **{0x2590 - eighths: _left(eighths) for eighths in range(1, 8)},
    0x2590: _quarters(".#.#"),
    0x2591: lambda x, y: y % 2 == 0 and (x + y) % 4 == 0,
    0x2592: lambda x, y: (x + y) % 2 == 0,
    0x2593: lambda x, y: y % 2 == 1 or (x + y) % 4 != 0,
    0x2594: lambda x, y: y < 2,
    0x2595: lambda x, y: x == WIDTH - 1,
    0x2596: _quarters("..#."),
    0x2597: _quarters("...#"),
    0x2598: _quarters("#..."),
    0x2599: _quarters("#.##"),
    0x259A: _quarters("#..#"),
    0x259B: _quarters("###."),
    0x259C: _quarters("##.#"),
    0x259D: _quarters(".#.."),
    0x259E: _quarters(".##."),
    0x259F: _quarters(".###"),
}
