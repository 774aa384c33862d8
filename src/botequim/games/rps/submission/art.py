"""The art of the champion: an evening at the bay, with one frame for each round."""

from __future__ import annotations

from math import cos, exp, pi, sin
from typing import Final

WIDE: Final = 60
HIGH: Final = 34
_SEA: Final = 26
_LAST: Final = 49
_WAVES: Final = "~~-~~~^~-~~~~-~^~~"
_PEAK: Final = 45.0
_HILL: Final = 17.0


def bay(number: int, won: int, lost: int) -> list[str]:
    """Return the frame of a round, from 0, with the score below it."""
    part = min(number, _LAST) / _LAST
    canvas = [[" "] * WIDE for _ in range(HIGH)]
    _stars(canvas, part, number)
    _sun(canvas, part)
    _gulls(canvas, part, number)
    _mountains(canvas)
    _cable(canvas, part)
    _sea(canvas, number, part)
    _boat(canvas, number)
    lines = ["".join(row).rstrip() for row in canvas]
    filled = round(24 * part)
    lines.append(
        f"  [{'=' * filled}{'o' if filled < 24 else '='}{'.' * (24 - filled)}]   {won} won, {lost} lost"
    )
    return lines


def _put(canvas: list[list[str]], column: float, row: float, sign: str) -> None:
    at, down = round(column), round(row)
    if 0 <= at < WIDE and 0 <= down < HIGH and sign != " ":
        canvas[down][at] = sign


def _height(column: float) -> float:
    """Return the height of the land: a hill, and the sugarloaf beside it."""
    hill = 9.0 * exp(-(((column - _HILL) / 8.0) ** 2))
    loaf = 19.0 * exp(-(((column - _PEAK) / 7.0) ** 4))
    far = 2.2 + 1.2 * sin(column / 5.0) + 0.8 * sin(column / 2.3 + 1.0)
    return max(hill, loaf, far)


def _stars(canvas: list[list[str]], part: float, number: int) -> None:
    for star in range(40):
        column, row = star * 37 % WIDE, star * 23 % 18
        if star < 55 * (part - 0.35):
            _put(canvas, column, row, "*" if (star + number) % 7 == 0 else ("." if star % 3 else "+"))


def _sun(canvas: list[list[str]], part: float) -> None:
    """Draw the sun, which sinks behind the hills, or later the moon."""
    column, row, radius = 30.0, 5.0 + 32.0 * part, 4.2
    if part > 0.72:
        column, row, radius = 9.0, 15.0 - 38.0 * (part - 0.72), 2.6
    for down in range(HIGH):
        for at in range(WIDE):
            away = ((at - column) / 2.0) ** 2 + (down - row) ** 2
            if away <= radius * radius:
                bitten = (
                    part > 0.72
                    and ((at - column - 3) / 2.0) ** 2 + (down - row + 0.6) ** 2 <= radius * radius
                )
                canvas[down][at] = " " if bitten else ("@" if away < radius * radius * 0.55 else "o")
            elif part <= 0.6 and away <= (radius + 1.6) ** 2 and (at + down) % 3 == 0:
                canvas[down][at] = "'"


def _gulls(canvas: list[list[str]], part: float, number: int) -> None:
    if part > 0.7:
        return
    for gull in range(3):
        column = (number * 2 + gull * 19) % (WIDE + 10) - 5
        row = 6 + 3 * gull + 1.5 * sin(number / 3.0 + gull)
        flap = "\\_/" if (number + gull) % 2 else "--v"
        for at, sign in enumerate(flap):
            _put(canvas, column + at, row, sign)


def _mountains(canvas: list[list[str]]) -> None:
    for column in range(WIDE):
        height = _height(column)
        for above in range(int(height) + 1):
            row = _SEA - 1 - above
            slope = _height(column + 1) - _height(column - 1)
            edge = "/" if slope > 0.7 else ("\\" if slope < -0.7 else "_")
            inside = "%#&"[(column * 7 + above * 5) % 3] if (column * 3 + above * 7) % 5 == 0 else ":"
            canvas[row][column] = edge if above == int(height) else inside


def _cable(canvas: list[list[str]], part: float) -> None:
    """Draw the cable from the hill to the top of the sugarloaf, and the car on its way up and down."""
    first, last = (_HILL, _SEA - 11.0), (_PEAK - 5.0, _SEA - 20.0)
    way = 0.5 - 0.5 * cos(4.0 * pi * part)
    for step in range(120):
        along = step / 119
        column = first[0] + (last[0] - first[0]) * along
        row = first[1] + (last[1] - first[1]) * along + 1.6 * sin(pi * along)
        if _height(column) < _SEA - row:
            _put(canvas, column, row, ".")
    column = first[0] + (last[0] - first[0]) * way
    row = first[1] + (last[1] - first[1]) * way + 1.6 * sin(pi * way)
    for down, car in enumerate(("_|_", "[#]")):
        for at, sign in enumerate(car):
            _put(canvas, column - 1 + at, row + down, sign)


def _sea(canvas: list[list[str]], number: int, part: float) -> None:
    for row in range(_SEA, HIGH):
        for column in range(WIDE):
            drift = number * (1 + (row - _SEA) % 3) * (1 if row % 2 else -1)
            sign = _WAVES[(column + drift + row * 5) % len(_WAVES)]
            glitter = (
                abs(column - 30) < 2 + (row - _SEA) * 0.8 and (column + number + row) % 3 == 0 and part < 0.65
            )
            canvas[row][column] = "=" if glitter else sign


def _boat(canvas: list[list[str]], number: int) -> None:
    column = WIDE - 2 - number * 5 // 4
    rock = round(0.6 * sin(number / 2.0))
    for down, piece in enumerate(("   |\\", "   | \\", "   |__\\", "\\______/")):
        for at, sign in enumerate(piece):
            _put(canvas, column + at, _SEA - 1 + down + rock, sign)
