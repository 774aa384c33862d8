"""Writes the parcels of a prepared bot: its files, its sources or its image. Sends parcels."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, Final

from botequim import interrupts
from botequim.bots.digests import VERSION_2
from botequim.bots.entrant import Entrant
from botequim.bots.snapshot import charge_tree_errors_to
from botequim.cluster.parcels import PARCEL_CHUNK, pack
from botequim.core.errors import InputError
from botequim.core.messages import msg

ATTEMPTS: Final = 3


def write_parcel(entrant: Entrant, file: BinaryIO) -> None:
    """Write the files or the image of a prepared entrant. Do not call it in a running event loop."""
    program = entrant.program
    assert program is not None
    if not program.image:
        _write_files(entrant, program.folder, entrant.digest, file)
        return
    from botequim.bots.images import save_image

    with tempfile.TemporaryDirectory(prefix="botequim-") as folder:
        archive = Path(folder, "image.tar")
        interrupts.run(save_image(program.image, archive))
        with archive.open("rb") as saved:
            shutil.copyfileobj(saved, file)


def write_source_parcel(entrant: Entrant, file: BinaryIO) -> None:
    """Write the sources of an entrant."""
    assert entrant.sources is not None
    _write_files(entrant, entrant.sources.folder, entrant.sources.digest, file)


def _write_files(entrant: Entrant, folder: Path, expected: str, file: BinaryIO) -> None:
    with charge_tree_errors_to(entrant):
        digest = pack(folder, file)
    if expected.startswith(VERSION_2) and digest != expected:
        raise InputError(msg('the files of "{given}" have changed', given=entrant.given))


def send_parcel(call: Callable[..., Any], sender: str, name: str, file: BinaryIO) -> bool:
    """Send a parcel to the scheduler, whose handlers `call` calls. Return whether it has arrived.

    `sender` names this process in the scheduler.
    """
    return any(_send(call, sender, name, file) for _ in range(ATTEMPTS))


def _send(call: Callable[..., Any], sender: str, name: str, file: BinaryIO) -> bool:
    """Send the whole file. Return False if the scheduler has lost its first part."""
    size = file.seek(0, 2)
    file.seek(0)
    offset = 0
    while True:
        chunk = file.read(PARCEL_CHUNK)
        last = offset + len(chunk) >= size
        where = {"sender": sender, "name": name, "offset": offset}
        if not call("botequim_write_parcel", **where, chunk=chunk, last=last):
            return False
        if last:
            return True
        offset += len(chunk)
