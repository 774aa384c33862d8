"""In a coordinator: sends the files of bots to the scheduler, where workers fetch them."""

from __future__ import annotations

import tempfile
from typing import BinaryIO, Final

from botequim.bots.entrant import Entrant
from botequim.cluster.connection import Connection, NoScheduler
from botequim.cluster.parcels import PARCEL_CHUNK
from botequim.cluster.portable import PortableEntrant, write_parcel
from botequim.core.messages import msg

ATTEMPTS: Final = 3


class Uploads:
    """The parcels of the bots of one run."""

    def __init__(self, sender: str) -> None:
        """`sender` names this coordinator in the scheduler."""
        self._sender: Final = sender
        self._entrants: Final[dict[str, Entrant]] = {}
        self._present: Final[set[str]] = set()

    def add(self, entrant: Entrant, portable: PortableEntrant) -> None:
        if portable.parcel:
            self._entrants[portable.parcel] = entrant

    def forget(self) -> None:
        """Ask the scheduler again which parcels it has, because it may have lost them."""
        self._present.clear()

    def upload(self, name: str, connection: Connection) -> None:
        """Send a parcel, unless the scheduler has it."""
        if name in self._present:
            return
        if not connection.call("botequim_has_parcel", name=name):
            with tempfile.TemporaryFile(prefix="botequim-") as file:
                write_parcel(self._entrants[name], file)
                for _ in range(ATTEMPTS):
                    if self._send(name, file, connection):
                        break
                else:
                    raise NoScheduler(msg("the files of a bot could not be sent"))
        self._present.add(name)

    def _send(self, name: str, file: BinaryIO, connection: Connection) -> bool:
        """Send the whole file. Return False if the scheduler has lost its first part."""
        size = file.seek(0, 2)
        file.seek(0)
        offset = 0
        while True:
            chunk = file.read(PARCEL_CHUNK)
            last = offset + len(chunk) >= size
            where = {"sender": self._sender, "name": name, "offset": offset}
            if not connection.call("botequim_write_parcel", **where, chunk=chunk, last=last):
                return False
            if last:
                return True
            offset += len(chunk)
