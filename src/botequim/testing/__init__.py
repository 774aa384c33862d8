"""Contract checks that anyone may run on their own game or format, and a clock for tests of time limits.

>>> from botequim.testing import check_game
>>> from botequim import registry
>>> check_game(registry.game(registry.game_names()[0]), games=5)
"""

from botequim.testing.clock import ManualClock
from botequim.testing.contract import ContractBroken, check_game
from botequim.testing.formats import check_format

__all__ = ["ContractBroken", "ManualClock", "check_format", "check_game"]
