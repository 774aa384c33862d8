"""How the champion of cubos thinks, and how a plain searcher does: numbers that games chose.

What was measured is in docs/strength.md.
"""

from __future__ import annotations

from typing import Final

from botequim.search.cubos_mind import Manner

CHAMPION: Final = Manner(
    trust=1.0,
    # one who searches, who is greedy, who lays anything
    mixture=(0.9, 0.06, 0.04),
    drawn=16,
    playouts=16,
    blend=0.75,
)
PLAIN: Final = Manner(trust=0.0, mixture=(1.0, 0.0, 0.0), drawn=1, playouts=0, blend=0.0)
"""Fair worlds, solved, and nothing else."""
