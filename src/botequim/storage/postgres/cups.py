"""The cups of a database, by id."""

from __future__ import annotations

import psycopg

from botequim.core.errors import InputError
from botequim.core.messages import msg
from botequim.storage.address import StoreAddress
from botequim.storage.errors import moved_error
from botequim.storage.postgres.connection import Connection, database_error
from botequim.storage.postgres.migrations import has_tables


def known_cups(connection: Connection, address: StoreAddress) -> list[str]:
    """Return the ids of all cups in the database."""
    if not has_tables(connection, address):
        return []
    return [cup for (cup,) in connection.execute("SELECT id FROM cups ORDER BY id").fetchall()]


def require_cup(connection: Connection, address: StoreAddress) -> None:
    """Raise InputError if the cup is not in the database, or was moved elsewhere."""
    try:
        known = known_cups(connection, address)
        if address.cup not in known:
            raise InputError(
                msg(
                    'there is no cup "{cup}" in {url}; cups in it: {known}. To begin it: botequim cup run',
                    cup=address.cup,
                    url=address.url,
                    known=", ".join(known) or "–",
                )
            )
        query = "SELECT successor FROM cups WHERE id = %s"
        (successor,) = connection.execute(query, (address.cup,)).fetchone() or (None,)
    except psycopg.Error as error:
        raise database_error(address, error) from error
    if successor is not None:
        raise moved_error(str(address), successor)
