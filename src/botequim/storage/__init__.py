"""The stores of a cup, and files that are written as a whole. Only this package contains SQL.

``open_storage`` returns a `protocol.CupStorage`, which opens the stores of one cup; ``protocol`` says what
each store does. ``sqlite`` implements them as files in the folder of the cup. It depends on core and records.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from botequim.storage.protocol import CupStorage


def open_storage(folder: Path) -> CupStorage:
    """Return the storage of the cup that has this folder. Nothing is opened or created yet."""
    from botequim.storage.sqlite import SqliteStorage  # imported only when it is used

    return SqliteStorage(folder)
