"""Contract checks that anyone may run on their own game or format.

>>> from botequim.testing import check_game
>>> from botequim.games.cubos import GAME
>>> check_game(GAME, games=5)
"""

from botequim.testing.contract import ContractBroken, check_game
from botequim.testing.formats import check_format

__all__ = ["ContractBroken", "check_format", "check_game"]
