"""The stores of a cup, and files that are written as a whole. Only this package contains SQL.

``open_storage`` returns a `protocol.CupStorage`, which opens the stores of one cup; ``protocol`` says what
each store does. ``sqlite`` implements them as files in the folder of the cup, ``postgres`` in a database that
several cups and machines share. It depends on core and records.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from botequim.core.extras import extra_error
from botequim.core.messages import msg

if TYPE_CHECKING:
    from botequim.storage.address import StoreAddress
    from botequim.storage.protocol import CupStorage


def open_storage(folder: Path, address: StoreAddress | None = None) -> CupStorage:
    """Return the storage of the cup that has this folder, or of a cup in a database. Nothing is opened or
    created yet."""
    if address is None:
        from botequim.storage.sqlite import SqliteStorage  # imported only when it is used

        return SqliteStorage(folder)
    try:
        from botequim.storage.postgres import PostgresStorage
    except ImportError as error:  # no psycopg, or one without libpq
        if (error.name or "").startswith("botequim"):
            raise
        raise extra_error(msg("a store in PostgreSQL needs the extra `postgres`"), "postgres") from error
    return PostgresStorage(address.with_default(folder.stem))
