"""The styles for playouts of the champion of uno, selected and written by `python -m scripts.tune_uno`.

A row for numbers, V, D, R, A and C, by how close the next player is to an empty hand; then the weight of each
card in the hand that can follow, and of each card of the same value.
"""

from __future__ import annotations

from typing import Final

OF_TWO: Final = [
    -19, -4, 30,
    74, 55, 40,
    -5, -16, 34,
    11, -11, 42,
    -51, -85, -25,
    7, -54, -45,
    -3, -20,
]  # fmt: skip
"""For two players."""
OF_MORE: Final = [
    -17, 9, 52,
    72, 67, 46,
    21, 43, 27,
    38, 29, 39,
    -42, -48, -21,
    14, -23, -63,
    20, 10,
]  # fmt: skip
"""For more players; tuned at a table of four."""
