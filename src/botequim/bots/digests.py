"""Digests of a bot's files, which records and stored cups keep.

Version 2 is written `v2-` and 64 hexadecimal digits: SHA-256 of the line `botequim files 2`, and then for
each entry of the tree, a folder before what is in it and names in the order of their bytes:

    a letter: D for a folder, F for a file, X for a file that its owner may execute, L for a symbolic link
    its path from the top, with / between names, and a zero byte
    the 32 bytes of the SHA-256 of its content: the bytes of a file, the target of a link, nothing of a folder

Entries that are never part of a bot (`trees.LEFT_OUT`) do not count. Version 1, without a prefix, is that of
cups that were stored before: it knows neither links nor empty folders. A digest is always compared with one
of its own version.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from botequim.bots.trees import CHUNK, LEFT_OUT, Entry, Kind, open_tree, walk

VERSION_2: Final = "v2-"
HEAD: Final = b"botequim files 2\n"


def digest_of(folder: Path) -> str:
    """Return the digest, version 2, of a folder's files. Raise TreeError if they cannot be a bot's."""
    digest = hashlib.sha256(HEAD)
    with open_tree(folder) as top:
        for entry in walk(top):
            digest.update(entry.kind.value + os.fsencode(entry.path) + b"\0" + _content(entry))
    return VERSION_2 + digest.hexdigest()


def _content(entry: Entry) -> bytes:
    match entry.kind:
        case Kind.FOLDER:
            return hashlib.sha256().digest()
        case Kind.LINK:
            return hashlib.sha256(os.fsencode(entry.target())).digest()
        case Kind.FILE | Kind.PROGRAM:
            content = hashlib.sha256()
            with open(entry.open(), "rb", buffering=0) as file:
                while chunk := file.read(CHUNK):
                    content.update(chunk)
            return content.digest()


def has_digest(folder: Path, digest: str) -> bool:
    """Return whether a folder's files have a digest, of whatever version that is.

    Raise TreeError if they cannot be a bot's, also where the digest would not notice.
    """
    with open_tree(folder) as top:
        for _ in walk(top, everything=True):
            pass
    return (digest_of if digest.startswith(VERSION_2) else _version_1)(folder) == digest


# --- version 1 -------------------------------------------------------------------------------------


def _version_1(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in _files_of_version_1(folder):
        executable = bool(path.stat().st_mode & stat.S_IXUSR)
        name = path.relative_to(folder).as_posix()
        digest.update(f"{name}\n{executable}\n".encode(errors="surrogateescape"))
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:32]


def _files_of_version_1(folder: Path) -> Iterator[Path]:
    """Yield files, in a stable order; also links to files, if those lie in the folder."""
    root = folder.resolve()
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in LEFT_OUT)
        for name in sorted(names):
            path = Path(place, name)
            if name not in LEFT_OUT and path.is_file() and path.resolve().is_relative_to(root):
                yield path
