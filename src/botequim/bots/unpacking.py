"""Unpacks an archive in a process of its own, with limits: `archive.py` starts this file as a program.

It uses nothing but the standard library. Its argument is a task in JSON, with the descriptors of the archive
and of what is written; it writes one line of JSON: what came of it, or a `Problem`. Whatever an archive does
to it, only this process suffers.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import resource
import stat
import sys
import tarfile
import time
import zipfile
from collections.abc import Callable
from typing import IO, Any

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
CHUNK = 1 << 16
LONGEST_LINK = 4096
LARGEST_HEADER = 1 << 20
"""The largest header of one member in bytes: its names and other metadata."""
LARGEST_MANIFEST = 16 << 20
LATEST = float(1 << 40)
"""The last time that a file may have, in seconds."""
SIGNS = ("manifest.json", "oci-layout")
"""Files in an archive that make it an image."""


class Problem(Exception):
    """Why an archive is refused: a word that `archive.py` knows, and the member it is about."""

    def __init__(self, word: str, name: str = "") -> None:
        super().__init__(word, name)
        self.word = word
        self.name = name if len(name) <= 120 else f"{name[:60]}...{name[-60:]}"


def limit(memory: int, seconds: int, size: int) -> None:
    """Limit this process: bytes of memory, seconds of processor time, bytes of one file."""
    for kind, value in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_FSIZE, size),
        (resource.RLIMIT_CORE, 0),
    ):
        _, most = resource.getrlimit(kind)
        value = value if most == resource.RLIM_INFINITY else min(value, most)
        with contextlib.suppress(ValueError, OSError):  # macOS limits no memory
            resource.setrlimit(kind, (value, value))


# --- writing what is in an archive -------------------------------------------------------------------


class Writer:
    """Writes members below a folder, by one name at a time, so that no link is followed on the way."""

    def __init__(self, top: int, entries: int, size: int, depth: int, *, times: bool = False) -> None:
        self.top = top
        self.entries, self.size, self.depth = entries, size, depth
        self.times = times

    def count(self) -> None:
        self.entries -= 1
        if self.entries < 0:
            raise Problem("large")

    def _parts(self, name: str) -> list[str]:
        parts = [part for part in name.split("/") if part not in ("", ".")]
        if ".." in parts:
            raise Problem("outside", name)
        if len(parts) > self.depth:
            raise Problem("deep", name)
        return parts

    def _open(self, parts: list[str], name: str, *, make: bool) -> int:
        """Return a descriptor of a folder; with `make`, what is missing on the way is made."""
        here = os.dup(self.top)
        try:
            for part in parts:
                try:
                    inner = os.open(part, FOLDER, dir_fd=here)
                except FileNotFoundError:
                    if not make:
                        raise Problem("missing", name) from None
                    self.count()
                    os.mkdir(part, 0o755, dir_fd=here)
                    inner = os.open(part, FOLDER, dir_fd=here)
                except NotADirectoryError:
                    raise Problem("through", name) from None
                os.close(here)
                here = inner
        except BaseException:
            os.close(here)
            raise
        return here

    def folder(self, name: str) -> None:
        os.close(self._open(self._parts(name), name, make=True))

    def link(self, name: str, target: str) -> None:
        if not target or len(target) > LONGEST_LINK:
            raise Problem("link", name)
        self._replace(name, lambda last, here: os.symlink(target, last, dir_fd=here))

    def file(self, name: str, content: IO[bytes], *, executable: bool, changed: float = 0) -> None:
        """Write a file. `changed` is the time when it was changed, by the archive."""

        def write(last: str, here: int) -> None:
            with open(os.open(last, NEW, 0o600, dir_fd=here), "wb") as copy:
                while chunk := content.read(CHUNK):
                    self.size -= len(chunk)
                    if self.size < 0:
                        raise Problem("large")
                    copy.write(chunk)
                os.fchmod(copy.fileno(), 0o755 if executable else 0o644)
                if self.times and 0 < changed < LATEST:
                    copy.flush()
                    os.utime(copy.fileno(), (changed, changed))

        self._replace(name, write)

    def copy(self, name: str, earlier: str, *, executable: bool) -> None:
        """Write a file that is a hard link to an earlier one: a file of its own with the same content."""
        *parts, last = self._parts(earlier) or [""]
        here = self._open(parts, name, make=False)
        try:
            source = os.open(last, READ, dir_fd=here)
        except OSError:
            raise Problem("missing", name) from None
        finally:
            os.close(here)
        with open(source, "rb") as content:
            if not stat.S_ISREG(os.fstat(source).st_mode):
                raise Problem("missing", name)
            self.file(name, content, executable=executable)

    def _replace(self, name: str, make: Callable[[str, int], None]) -> None:
        """Make an entry, in place of an earlier one of that name: the last one counts."""
        parts = self._parts(name)
        if not parts or name.endswith("/"):
            raise Problem("nameless", name)
        here = self._open(parts[:-1], name, make=True)
        try:
            try:
                os.unlink(parts[-1], dir_fd=here)
            except FileNotFoundError:
                pass
            except (IsADirectoryError, PermissionError):
                raise Problem("twice", name) from None
            make(parts[-1], here)
        finally:
            os.close(here)


def special(mode: int, name: str) -> None:
    """Refuse what is neither a file nor a folder nor a link, and setuid files."""
    words = {stat.S_IFIFO: "fifo", stat.S_IFSOCK: "socket", stat.S_IFCHR: "device", stat.S_IFBLK: "device"}
    if stat.S_IFMT(mode) in words:
        raise Problem(words[stat.S_IFMT(mode)], name)
    if mode & (stat.S_ISUID | stat.S_ISGID) and stat.S_IFMT(mode) in (0, stat.S_IFREG):
        raise Problem("setuid", name)


def unzip(source: IO[bytes], writer: Writer) -> None:
    with zipfile.ZipFile(source) as archive:
        members = archive.infolist()
        if len(members) > writer.entries or sum(member.file_size for member in members) > writer.size:
            raise Problem("large")
        for member in members:
            name = member.filename.replace("\\", "/")
            if not name:
                raise Problem("nameless")
            if name.startswith("/"):
                raise Problem("outside", name)
            mode = member.external_attr >> 16 if member.create_system == 3 else 0
            writer.count()
            if member.is_dir() or stat.S_ISDIR(mode):
                writer.folder(name)
                continue
            special(mode, name)
            with archive.open(member) as content:
                if stat.S_ISLNK(mode):
                    writer.link(name, os.fsdecode(content.read(LONGEST_LINK + 1)))
                else:
                    executable, changed = bool(mode & 0o111), _zip_time(member)
                    writer.file(name, content, executable=executable, changed=changed)


def _zip_time(member: zipfile.ZipInfo) -> float:
    """Return when a file was changed; 0 if that is no time. Archives have local times."""
    try:
        return time.mktime((*member.date_time, 0, 0, -1))
    except (ValueError, OverflowError):
        return 0


# --- tar ---------------------------------------------------------------------------------------------


class MeteredReader(io.RawIOBase):
    """The content of a tar archive. tarfile reads what an archive says of a member in one piece: a large
    piece is refused before there is memory for it."""

    def __init__(self, content: IO[bytes], most: int) -> None:
        self._content = content
        self._left = most

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= LARGEST_HEADER:
            raise Problem("header")
        found = self._content.read(size)
        self._left -= len(found)
        if self._left < 0:
            raise Problem("large")
        return found

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return self._content.seek(offset, whence)

    def tell(self) -> int:
        return self._content.tell()

    def close(self) -> None:
        self._content.close()
        super().close()


def open_tar(source: IO[bytes], most: int) -> tarfile.TarFile:
    """Open an archive, whatever it is compressed by."""
    content: Any = source
    start = content.read(6)
    content.seek(0)
    if start.startswith(b"\x1f\x8b"):
        import gzip

        content = gzip.GzipFile(fileobj=source)
    elif start.startswith(b"BZh"):
        import bz2

        content = bz2.BZ2File(source)
    elif start.startswith((b"\xfd7zXZ\0", b"\x5d\0\0")):
        import lzma

        content = lzma.LZMAFile(source)  # noqa: SIM115 - closed with the archive
    return tarfile.open(fileobj=MeteredReader(content, most), mode="r:")


def untar(source: IO[bytes], writer: Writer) -> None:
    # what lies between the contents of members has half a kilobyte for each, and headers
    with open_tar(source, writer.size + 4 * LARGEST_HEADER + 2048 * writer.entries) as archive:
        for member in archive:
            name = member.name.lstrip("/")
            executable = bool(member.mode & 0o111)
            writer.count()
            if member.isdir():
                writer.folder(name)
            elif member.issym():
                writer.link(name, member.linkname)
            elif member.islnk():
                writer.copy(name, member.linkname.lstrip("/"), executable=executable)
            elif member.isfile():
                special(member.mode & 0o7777, name)
                if not 0 <= member.size <= writer.size:
                    raise Problem("large")
                content = archive.extractfile(member)
                assert content is not None
                with content:
                    writer.file(name, content, executable=executable, changed=member.mtime)
            else:
                kinds = ((member.isfifo, "fifo"), (member.ischr, "device"), (member.isblk, "device"))
                raise Problem(next((word for is_kind, word in kinds if is_kind()), "odd"), name)


def is_image(source: IO[bytes], entries: int, most: int) -> bool:
    """Return whether an archive is an image that an engine has saved."""
    with open_tar(source, most) as archive:
        for number, member in enumerate(archive):
            if member.name.removeprefix("./") in SIGNS:
                return True
            if number > entries or member.offset_data + member.size > most:
                break
    return False


def without_names(source: IO[bytes], target: IO[bytes], entries: int, most: int) -> None:
    """Copy an image without the names that its author gave it: they could be those of another's."""
    with open_tar(source, most) as archive, tarfile.open(fileobj=target, mode="w") as copy:
        for number, member in enumerate(archive):
            if number > entries or member.offset_data + member.size > most:
                raise Problem("large")
            match member.name.removeprefix("./"):
                case "repositories":
                    continue
                case "manifest.json" | "index.json" as name:
                    if member.size > LARGEST_MANIFEST:
                        raise Problem("header", name)
                    taken = archive.extractfile(member)
                    content = json.dumps(_nameless(name, json.loads(_all_of(taken)))).encode()
                    entry = tarfile.TarInfo(member.name)
                    entry.size = len(content)
                    copy.addfile(entry, io.BytesIO(content))
                case _:
                    copy.addfile(member, archive.extractfile(member) if member.isfile() else None)


def _all_of(content: IO[bytes] | None) -> bytes:
    if content is None:
        return b""
    with content:
        return b"".join(iter(lambda: content.read(CHUNK), b""))


def _nameless(name: str, content: Any) -> Any:
    images = content if name == "manifest.json" else content["manifests"]
    if len(images) != 1:
        raise ValueError(f"{len(images)} images")
    images[0].pop("RepoTags", None)
    images[0].pop("annotations", None)
    return content


# --- the program -------------------------------------------------------------------------------------


def main(task: dict[str, Any]) -> dict[str, Any]:
    """Do what a task says, and return what came of it."""
    entries, size = task["entries"], task["size"]
    limit(task["memory"], task["seconds"], size)
    try:
        with open(task["source"], "rb") as source:
            match task["action"]:
                case "unzip" | "untar" as action:
                    times = task["times"]
                    writer = Writer(task["target"], entries, size, task["depth"], times=times)
                    (unzip if action == "unzip" else untar)(source, writer)
                case "is_image":
                    return {"is": is_image(source, entries, size)}
                case "without_names":
                    with open(task["target"], "wb") as target:
                        without_names(source, target, entries, size)
    except Problem as problem:
        return {"problem": problem.word, "name": problem.name}
    except MemoryError:
        return {"problem": "memory"}
    except OSError as error:
        if error.errno is not None:
            return {"problem": "system", "errno": error.errno, "why": error.strerror}
        return {"problem": "broken", "why": str(error)[:200]}  # zlib and lzma say so
    except Exception as error:
        return {"problem": "broken", "why": (str(error) or type(error).__name__)[:200]}
    return {}


if __name__ == "__main__":
    print(json.dumps(main(json.loads(sys.argv[1]))))
