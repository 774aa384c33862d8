"""What a machine can run: its processor, its C library and its interpreters; and what a bot's files need.

Both are sets of short names, which a scheduler compares:

======================  ==========================================================================
``platform:x86_64``     runs Linux programs for this processor
``libc:glibc``          has this C library, which programs are linked with that are not static
``program:python3.11``  finds an interpreter of this name
======================  ==========================================================================
"""

from __future__ import annotations

import contextlib
import os
import platform
import re
import struct
import sys
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from botequim.bots.environments import VIRTUAL_ENVIRONMENT
from botequim.bots.interpreters import INTERPRETERS, python
from botequim.bots.links import MOST_ENVIRONMENTS
from botequim.bots.trees import CHUNK, Entry, Kind, convert_read_errors, open_tree, walk
from botequim.sandbox.mounts import ENVIRONMENT

SANDBOX_PATH: Final = ENVIRONMENT["PATH"]
"""Where a program that runs in the sandbox finds others."""
PROCESSORS: Final = {3: "i386", 20: "ppc", 21: "ppc64", 22: "s390x", 40: "arm", 62: "x86_64"} | {
    183: "aarch64",
    243: "riscv64",
    258: "loongarch64",
}
"""Names of processors by their number in the header of an ELF file."""
OTHER_NAMES: Final = {"amd64": "x86_64", "arm64": "aarch64", "i686": "i386", "ppc64le": "ppc64-little"}
LOADER_32: Final = Path("/lib/ld-linux.so.2")
MACH_O: Final = b"\xcf\xfa\xed\xfe"
ELF: Final = b"\x7fELF"
RUNNABLE: Final = (2, 3)
"""The types of ELF files that are programs or shared libraries."""
SEGMENT_DYNAMIC, SEGMENT_INTERPRETER = 2, 3
MOST_SEGMENTS: Final = 100
LONGEST_READ: Final = 1 << 16
_VERSION: Final = re.compile(rb"GLIBC_2\.(\d{1,3})\0")


def is_interpreter(name: str) -> bool:
    """Return whether a program is an interpreter that we know, such as `node` or `python3.11`."""
    return name.rstrip(".0123456789") in INTERPRETERS


# --- this machine ------------------------------------------------------------------------------------


def capabilities() -> frozenset[str]:
    """Return what this machine can run: platform, C libraries, and the interpreters that are found here."""
    return frozenset(platform_capabilities() | {f"program:{name}" for name in _interpreters()})


def platform_capabilities() -> set[str]:
    """Return what this machine can run without an interpreter: platform and C libraries."""
    return {f"platform:{name}" for name in local_platforms()} | {f"libc:{name}" for name in local_libraries()}


def depends_on_platform(need: str) -> bool:
    """Return whether a need is one of those that `platform_capabilities` can meet."""
    return need.startswith(("platform:", "libc:"))


def platform_name() -> str:
    """Return the name of the platform that programs are built for here, such as ``aarch64-glibc2.36``.

    It has the version of glibc, because programs do not run with an older one.
    """
    version = glibc_version()
    library = f"glibc2.{version}" if version is not None else "".join(sorted(local_libraries()))
    return "-".join(filter(None, [*sorted(local_platforms() - {"i386"}), library]))


def local_platforms() -> set[str]:
    name = platform.machine().lower()
    name = OTHER_NAMES.get(name, name)
    if sys.platform != "linux":
        return {f"{sys.platform}-{name}"}
    return {name, "i386"} if name == "x86_64" and LOADER_32.exists() else {name}


def local_libraries() -> set[str]:
    found = {"glibc"} if glibc_version() is not None else set()
    return found | {"musl" for _ in Path("/lib").glob("ld-musl-*.so.1")}


def glibc_version() -> int | None:
    """Return N of the version 2.N of glibc, or None if this machine has another C library."""
    with contextlib.suppress(ValueError, OSError, AttributeError):
        found = re.fullmatch(r"glibc 2\.(\d+).*", os.confstr("CS_GNU_LIBC_VERSION") or "")
        return int(found[1]) if found else None
    return None


def _interpreters() -> Iterator[str]:
    """Yield the names under which interpreters are found. What a version manager puts there has any name."""
    own = python().name
    yield own
    for place in dict.fromkeys(os.environ.get("PATH", "").split(":") + SANDBOX_PATH.split(":")):
        with contextlib.suppress(OSError), os.scandir(place or ".") as entries:
            for entry in entries:
                if not is_interpreter(entry.name) or not entry.is_file() or not os.access(entry, os.X_OK):
                    continue
                managed = "shims" in Path(place).parts and entry.name.startswith("python")
                if not managed or entry.name in ("python", "python3", own):
                    yield entry.name


# --- the files of a bot ------------------------------------------------------------------------------


@dataclass(slots=True)
class TreeContents:
    """What the files of a bot contain that matters on another machine."""

    binaries: set[tuple[str, str]] = field(default_factory=set)
    """Platform and C library of its programs and shared libraries; "" if they need no C library."""
    glibc_versions: set[int] = field(default_factory=set)
    """Versions 2.N of glibc that they refer to."""
    mentions: set[str] = field(default_factory=set)
    """Those of the given paths that a file or the target of a link contains."""
    environments: list[str] = field(default_factory=list)
    """The folders of virtual environments of Python."""

    def needs(self) -> set[str]:
        """Return what a machine needs to run the binaries.

        Packages often bring binaries for several platforms. Those for this machine count, because the bot was
        prepared here; only if there are none, the others do.
        """
        platforms = {one for one, _ in self.binaries}
        chosen = _preferred(platforms, local_platforms())
        libraries = {library for one, library in self.binaries if one in chosen and library}
        return {f"platform:{one}" for one in chosen} | {
            f"libc:{one}" for one in _preferred(libraries, local_libraries())
        }

    def glibc(self) -> int:
        """Return the newest version 2.N of glibc that they need, as far as this machine has it; else 0."""
        return max((one for one in self.glibc_versions if one <= (glibc_version() or 0)), default=0)


def _preferred(found: set[str], local: set[str]) -> set[str]:
    return found & local or (found if len(found) == 1 else set())


def read_tree(folder: Path, paths: Collection[str]) -> TreeContents:
    """Read all files of a bot. Raise TreeError if one cannot be read."""
    contents = TreeContents()
    sought = {path: os.fsencode(path) for path in paths}
    with open_tree(folder) as top:
        for entry in walk(top):
            if entry.kind is Kind.LINK:
                target = os.fsencode(entry.target())
                contents.mentions |= {path for path, text in sought.items() if text in target}
            elif entry.kind is not Kind.FOLDER:
                _read_file(entry, sought, contents)
                if entry.name == VIRTUAL_ENVIRONMENT and len(contents.environments) < MOST_ENVIRONMENTS:
                    contents.environments.append(entry.path.removesuffix(VIRTUAL_ENVIRONMENT).rstrip("/"))
    return contents


def _read_file(entry: Entry, sought: dict[str, bytes], contents: TreeContents) -> None:
    descriptor = entry.open()
    try:
        with convert_read_errors(entry.path):
            binary = _read_binary(descriptor)
            names: set[bytes] = set()
            kept = max(map(len, [b"GLIBC_2.000\0", *sought.values()]))
            window = b""
            while chunk := os.read(descriptor, CHUNK):
                window = window[-kept:] + chunk
                if binary is None:  # debugging information contains paths, too
                    contents.mentions |= {path for path, text in sought.items() if text in window}
                elif binary.dynamic:
                    names |= {name for name in (b"libc.so.6\0", b"libc.musl-") if name in window}
                    contents.glibc_versions |= {int(found) for found in _VERSION.findall(window)}
    finally:
        os.close(descriptor)
    if binary is not None:
        contents.binaries.add((binary.platform, _library(names, binary.loader)))


def _library(names: Collection[bytes], loader: bytes) -> str:
    if b"libc.musl-" in names or b"ld-musl" in loader:
        return "musl"
    return "glibc" if b"libc.so.6\0" in names or b"ld-linux" in loader else ""


@dataclass(frozen=True, slots=True)
class _Binary:
    """The header of a program or a shared library."""

    platform: str
    dynamic: bool = False
    """Whether it needs shared libraries."""
    loader: bytes = b""


def _read_binary(descriptor: int) -> _Binary | None:
    """Return what the header of a file says; None if it is neither a program nor a shared library."""
    head = os.pread(descriptor, 64, 0)
    if head[:4] == MACH_O:
        return _Binary(f"darwin-{OTHER_NAMES.get(platform.machine().lower(), platform.machine().lower())}")
    if head[:4] != ELF or len(head) < 64 or head[4] not in (1, 2) or head[5] not in (1, 2):
        return None
    order, wide = "<" if head[5] == 1 else ">", head[4] == 2
    kind, number = struct.unpack_from(f"{order}HH", head, 16)
    if kind not in RUNNABLE:
        return None
    name = PROCESSORS.get(number, f"elf-{number}")
    loader, dynamic = b"", False
    for segment, content in _segments(descriptor, head, order, wide=wide):
        if segment == SEGMENT_INTERPRETER:
            loader, dynamic = content, True
        else:
            words = struct.iter_unpack(f"{order}{'qq' if wide else 'ii'}", content)
            dynamic |= any(tag == 1 for tag, _ in words)  # the name of a shared library
    return _Binary("ppc64-little" if name == "ppc64" and order == "<" else name, dynamic, loader)


def _segments(descriptor: int, head: bytes, order: str, *, wide: bool) -> Iterator[tuple[int, bytes]]:
    """Yield the type and content of those segments of an ELF file that say how it is linked."""
    offset = struct.unpack_from(f"{order}{'Q' if wide else 'I'}", head, 32 if wide else 28)[0]
    size, count = struct.unpack_from(f"{order}HH", head, 54 if wide else 42)
    layout = f"{order}{'IIQQQQ' if wide else 'IIIII'}"
    for at in range(min(count, MOST_SEGMENTS)):
        with contextlib.suppress(OSError, OverflowError, struct.error):  # a broken file is no program
            row = struct.unpack(layout, os.pread(descriptor, struct.calcsize(layout), offset + at * size))
            place, length = (row[2], row[5]) if wide else (row[1], row[4])
            if row[0] in (SEGMENT_DYNAMIC, SEGMENT_INTERPRETER):
                content = os.pread(descriptor, min(length, LONGEST_READ), place)
                yield row[0], content[: len(content) // 16 * 16] if row[0] == SEGMENT_DYNAMIC else content
