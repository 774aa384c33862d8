"""Archives that were made to harm the program that unpacks them."""

from __future__ import annotations

import bz2
import gzip
import io
import stat
import struct
import tarfile
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

PROGRAM = b"#!/bin/sh\nread line\n"


def write_tar(path: Path, *members: tuple[tarfile.TarInfo, bytes]) -> None:
    with tarfile.open(path, "w:gz") as archive:
        for member, content in members:
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))


def member(name: str, kind: bytes = tarfile.REGTYPE, *, mode: int = 0o644, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.mode, info.linkname = kind, mode, link
    return info


def write_zip(path: Path, *members: tuple[str, bytes, int]) -> None:
    """Write a zip with these names, contents and Unix modes."""
    with zipfile.ZipFile(path, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # two members of one name
        for name, content, mode in members:
            info = zipfile.ZipInfo(name)
            info.create_system, info.external_attr = 3, mode << 16
            archive.writestr(info, content)


def _header(kind: bytes, size: int, name: str = "././@LongLink") -> bytes:
    info = member(name, kind)
    info.size = size
    return info.tobuf(tarfile.GNU_FORMAT)


def distant_date(path: Path) -> None:
    """Write a tar with a bot whose modification time no system can express."""
    info = member("bot", mode=0o755)
    info.mtime = 2**70
    write_tar(path, (info, PROGRAM))


def long_name(path: Path) -> None:
    """Write a tar of some kilobytes whose only member has a name of 64 MB."""
    size = 64 << 20
    path.write_bytes(gzip.compress(_header(tarfile.GNUTYPE_LONGNAME, size) + b"n" * size, 9))


def long_header(path: Path) -> None:
    """Write a tar of some kilobytes with a pax header of 64 MB, in many small parts."""
    record = b"11 a=bcdef\n"
    size = len(record) * ((64 << 20) // len(record))
    path.write_bytes(gzip.compress(_header(tarfile.XHDTYPE, size, "x") + record * (size // len(record)), 9))


def large_dictionary(path: Path) -> None:
    """Write a few bytes that cannot be unpacked without 3 GB of memory."""
    path.write_bytes(b"\x5d" + struct.pack("<IQ", 3 << 30, 1 << 20) + bytes(64))


def nested_folders(path: Path) -> None:
    """Write a tar of 1,500 nested folders."""
    write_tar(path, (member("d/" * 1500 + "bot", mode=0o755), PROGRAM))


def many(path: Path) -> None:
    """Write a zip of 21,000 empty files."""
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(21_000):
            archive.writestr(f"f{number}", b"")


def slow(path: Path) -> None:
    """Write a tar of some kilobytes with 20 GB of zeros, of an unknown type, so that nobody writes them."""
    step, steps = 10 << 20, 2_000
    path.write_bytes(bz2.compress(_header(b"Z", step * steps, "z")) + bz2.compress(bytes(step)) * steps)


def zeros(path: Path) -> None:
    """Write a zip that claims to contain 600 MB."""
    _write_lying_zip(path, 600 << 20)


def lying(path: Path) -> None:
    """Write a zip that claims that 2 MB are 10 bytes."""
    _write_lying_zip(path, 10)


def _write_lying_zip(path: Path, size: int) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros", bytes(2 << 20))
    path.write_bytes(content.getvalue().replace(struct.pack("<I", 2 << 20), struct.pack("<I", size)))


def nameless(path: Path) -> None:
    write_zip(path, ("", b"x", stat.S_IFREG | 0o644))


def pipe_in_tar(path: Path) -> None:
    write_tar(path, (member("d/p0", tarfile.FIFOTYPE), b""))


def pipe_in_zip(path: Path) -> None:
    write_zip(path, ("d/p0", b"", stat.S_IFIFO | 0o666))


def device(path: Path) -> None:
    write_tar(path, (member("null", tarfile.CHRTYPE), b""))


def setuid(path: Path) -> None:
    write_tar(path, (member("bot", mode=0o4755), PROGRAM))


def setuid_in_zip(path: Path) -> None:
    write_zip(path, ("bot", PROGRAM, stat.S_IFREG | 0o4755))


def outside(path: Path) -> None:
    write_tar(path, (member("../../escaped"), b"x"))


def outside_by_a_hard_link(path: Path) -> None:
    write_tar(path, (member("bot", tarfile.LNKTYPE, link="../../../etc/passwd"), b""))


def outside_through_a_link(path: Path) -> None:
    write_tar(path, (member("d", tarfile.SYMTYPE, link="/tmp"), b""), (member("d/escaped"), b"x"))


def link_to_nothing(path: Path) -> None:
    write_tar(path, (member("bot", tarfile.LNKTYPE, link="missing"), b""))


def hard_link_to_a_link(path: Path) -> None:
    link = member("s", tarfile.SYMTYPE, link="/etc/passwd")
    write_tar(path, (link, b""), (member("bot", tarfile.LNKTYPE, link="s"), b""))


def file_and_folder(path: Path) -> None:
    write_tar(path, (member("a/b"), b"x"), (member("a"), b"x"))


REFUSED: dict[str, tuple[Callable[[Path], None], str, str]] = {
    "long name": (long_name, ".tar.gz", "larger than 1 MB"),
    "long header": (long_header, ".tar.gz", "larger than 1 MB"),
    "large dictionary": (large_dictionary, ".tar.xz", "more than 512 MB of memory"),
    "nested": (nested_folders, ".tar.gz", "more than 100 folders deep"),
    "many": (many, ".zip", "more than 20000 files"),
    "zeros": (zeros, ".zip", "more than 20000 files or 512 MB"),
    "lying": (lying, ".zip", "cannot be unpacked"),
    "nameless": (nameless, ".zip", "a file without a name"),
    "pipe in tar": (pipe_in_tar, ".tgz", "d/p0 is a named pipe"),
    "pipe in zip": (pipe_in_zip, ".zip", "d/p0 is a named pipe"),
    "device": (device, ".tar.gz", "null is a device"),
    "setuid": (setuid, ".tar.gz", "bot is a setuid"),
    "setuid in zip": (setuid_in_zip, ".zip", "bot is a setuid"),
    "outside": (outside, ".tar.gz", "a file outside of itself: ../../escaped"),
    "outside by a hard link": (outside_by_a_hard_link, ".tar.gz", "outside of itself"),
    "outside through a link": (
        outside_through_a_link,
        ".tar.gz",
        "lies below something that is not a folder",
    ),
    "link to nothing": (link_to_nothing, ".tar.gz", "bot is a link to a file that is not there"),
    "hard link to a link": (hard_link_to_a_link, ".tar.gz", "bot is a link to a file that is not there"),
    "file and folder": (file_and_folder, ".tar.gz", "both a file and a folder of the name a"),
}
"""By name: the function that makes it, the extension of its file, and the error about it."""
