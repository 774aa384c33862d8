"""What the routes share: the tables of the server, and those that an address names."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from fastapi import HTTPException, Request

from botequim.core.messages import msg
from botequim.tables.position import TableView
from botequim.tables.review import Review
from botequim.tables.table import Table
from botequim.tables.tables import Tables
from botequim.web.qr import is_local

MOST_CACHED: Final = 400


class PlayState:
    """The tables of a server, and what is computed from them."""

    def __init__(self, tables: Tables | None) -> None:
        """`tables` is None if people do not play on this server."""
        self.tables: Final = tables
        self._views: Final[OrderedDict[str, tuple[Table, TableView]]] = OrderedDict()
        self.reviews: Final[OrderedDict[tuple[str, int, int], Review]] = OrderedDict()

    def close_streams(self) -> None:
        """Disconnect all viewers of tables."""
        if self.tables is not None:
            self.tables.close_streams()

    def view_of(self, table: Table) -> TableView:
        """Return the description of a table, which keeps what several viewers share."""
        known, view = self._views.get(table.spec.id, (None, None))
        if known is not table or view is None:
            view = TableView(table)
            self._views[table.spec.id] = (table, view)
            if len(self._views) > MOST_CACHED:
                self._views.popitem(last=False)
        return view


def play_state(request: Request) -> PlayState:
    state: PlayState = request.app.state.play
    return state


def tables_of(request: Request) -> Tables:
    """Return the tables of this server, or raise 404 if people do not play here."""
    tables = play_state(request).tables
    if tables is None:
        raise HTTPException(404)
    return tables


def find_table(request: Request, table: str) -> Table:
    """Return the table with a public name, or raise 404."""
    found = tables_of(request).table(table)
    if found is None:
        raise HTTPException(404, msg("there is no such table any more"))
    return found


def find_seat(request: Request, secret: str) -> tuple[Table, int]:
    """Return the table and the seat of a person's own address, or raise 404."""
    found = tables_of(request).seat(secret)
    if found is None:
        raise HTTPException(404, msg("there is no such table any more"))
    return found


def site_of(request: Request) -> str:
    """Return the address of this site that other machines can open, without a slash at the end.

    Whoever opened a table on the machine of the server may have used an address that only works there.
    """
    own = str(request.base_url).rstrip("/")
    public: str = request.app.state.address.rstrip("/")
    return public if is_local(own) and public and not is_local(public) else own
