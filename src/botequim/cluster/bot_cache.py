"""The bots that a worker has unpacked, so that each is downloaded once.

A bot is verified when it is unpacked, and not before each game. Nothing else can write into the cache: its
folder belongs to our user alone (`BoundedFolder` requires that), and bots see their files read-only in a
sandbox. A bot that runs without one has all rights of our user, so checks would not protect us from it.
Only a crash of the whole machine may lose what was written: the files were renamed into place, but not all of
them were on the disk. So a bot is verified again when the machine has started again.
"""

from __future__ import annotations

import contextlib
import functools
import io
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from botequim.bots.digests import digest_of
from botequim.bots.snapshot import COPY
from botequim.bots.trees import TreeError
from botequim.cluster.bounded_folder import BoundedFolder, DiskFull, convert_write_errors
from botequim.cluster.parcels import LARGEST_BOT, ParcelFile, unpack
from botequim.core.errors import BotequimError
from botequim.core.messages import msg

DIGEST: Final = re.compile(r"v2-[0-9a-f]{64}")
BOOT: Final = Path("/proc/sys/kernel/random/boot_id")
VERIFIED: Final = "verified"
"""The file of an entry that contains the start of the machine since which the bot was verified."""


class BotCache:
    """The unpacked bots of a worker by digest; bounded, and shared by the worker's threads and processes.

    The least recently used bots are removed when they are too large together, but none that is in use. A bot
    that is larger than the bound is removed when it is not in use any more.
    """

    def __init__(self, folder: Path, most_bytes: int) -> None:
        self._folder: Final = BoundedFolder(folder, most_bytes)

    @contextmanager
    def bot(self, digest: str, fetch: Callable[[BinaryIO], None]) -> Iterator[Path]:
        """Yield the folder of a bot, which stays until the block ends. `fetch` writes its parcel if needed.

        Only one process fetches a bot; others wait. If that one fails or is killed, the next one fetches it.
        Raise BadParcel if the parcel is not that of the bot, and DiskFull if there is no space for it even
        without other bots.
        """
        if not DIGEST.fullmatch(digest):
            raise BotequimError(msg('"{name}" is not the digest of a bot', name=digest[:200]))
        try:
            with self._folder.use(digest) as entry:
                if not _is_verified(entry):
                    with self._folder.fetch_alone(digest):
                        self._provide(digest, entry, fetch)
                yield entry / COPY
        finally:
            self._folder.evict()

    def staging(self) -> AbstractContextManager[Path]:
        """Return a context with a new folder, which is removed at its end."""
        return self._folder.staging()

    def _provide(self, digest: str, entry: Path, fetch: Callable[[BinaryIO], None]) -> None:
        if _is_verified(entry) or _verify_again(entry, digest):
            return
        self._folder.remove(digest)
        try:
            self._fetch(digest, fetch)
        except DiskFull:
            if not self._folder.evict(0):
                raise
            self._fetch(digest, fetch)

    def _fetch(self, digest: str, fetch: Callable[[BinaryIO], None]) -> None:
        with self._folder.staging() as staging:
            parcel, entry = staging / "parcel", staging / "entry"
            with io.BufferedWriter(ParcelFile(parcel, LARGEST_BOT)) as file:
                fetch(file)
            with convert_write_errors(entry):
                entry.mkdir()
                with parcel.open("rb") as file_to_read:
                    unpack(file_to_read, entry / COPY, digest)
                parcel.unlink()
                (entry / VERIFIED).write_text(_machine_start(), encoding="ascii")
            self._folder.add(entry, digest)
        self._folder.evict()


def _is_verified(entry: Path) -> bool:
    """Return whether a bot is here and was verified since the machine started."""
    try:
        start = (entry / VERIFIED).read_text(encoding="ascii")
    except (OSError, ValueError):
        return False
    return bool(start) and start == _machine_start()


def _verify_again(entry: Path, digest: str) -> bool:
    try:
        if digest_of(entry / COPY) != digest:
            return False
    except TreeError:
        return False
    with contextlib.suppress(OSError):  # if this cannot be noted, it is verified once more
        (entry / VERIFIED).write_text(_machine_start(), encoding="ascii")
    return True


@functools.cache
def _machine_start() -> str:
    """Return a name of the time since the machine started; an empty text if the system has none."""
    try:
        return BOOT.read_text(encoding="ascii")
    except OSError:
        return ""
