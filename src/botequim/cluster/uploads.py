"""In a coordinator: sends the files of bots to the scheduler, where workers fetch them."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from typing import BinaryIO, Final

from botequim.bots.entrant import Entrant
from botequim.cluster.bot_parcels import send_parcel, write_parcel, write_source_parcel
from botequim.cluster.connection import Connection, NoScheduler
from botequim.cluster.portable import PortableEntrant
from botequim.core.messages import msg


class Uploads:
    """The parcels of the bots of one run."""

    def __init__(self, sender: str) -> None:
        """`sender` names this coordinator in the scheduler."""
        self._sender: Final = sender
        self._writers: Final[dict[str, Callable[[BinaryIO], None]]] = {}
        self._present: Final[set[str]] = set()

    def add(self, entrant: Entrant, portable: PortableEntrant) -> None:
        if portable.parcel:
            self._writers[portable.parcel] = partial(write_parcel, entrant)
        if portable.build is not None:
            self._writers[portable.build.source] = partial(write_source_parcel, entrant)

    def forget(self) -> None:
        """Ask the scheduler again which parcels it has, because it may have lost them."""
        self._present.clear()

    def upload(self, name: str, connection: Connection) -> None:
        """Send a parcel, unless the scheduler has it."""
        if name in self._present:
            return
        if not connection.call("botequim_has_parcel", name=name):
            with tempfile.TemporaryFile(prefix="botequim-") as file:
                self._writers[name](file)
                if not send_parcel(connection.call, self._sender, name, file):
                    raise NoScheduler(msg("the files of a bot could not be sent"))
        self._present.add(name)
