"""The styles that the champion of uno is played on with, as `python -m scripts.tune_uno` bred and wrote them.

A row for numbers, V, D, R, A and C, by how near the next player is to an empty hand; then what a card that
can follow counts, and one of the same value.
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
"""Among two players."""
OF_MORE: Final = [
    -17, 9, 52,
    72, 67, 46,
    21, 43, 27,
    38, 29, 39,
    -42, -48, -21,
    14, -23, -63,
    20, 10,
]  # fmt: skip
"""Among more; bred at a table of four."""
