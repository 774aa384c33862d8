"""Settings of the champion of cubos and of a simple searcher. The numbers were tuned by playing games.

docs/strength.md has the measurements.
"""

from __future__ import annotations

from typing import Final

from botequim.games.cubos.search.decision import SearchSettings

CHAMPION: Final = SearchSettings(
    trust=1.0,
    # a searcher, a greedy player, a player who lays any tile
    mixture=(0.9, 0.06, 0.04),
    drawn=16,
    playouts=16,
    blend=0.75,
)
PLAIN: Final = SearchSettings(trust=0.0, mixture=(1.0, 0.0, 0.0), drawn=1, playouts=0, blend=0.0)
"""The settings of the simple searcher: equally likely worlds, each of them solved."""
