"""The files that a bot sees in the sandbox, as arguments of `bwrap`.

It sees the programs and libraries of the system, its own folder, the extra paths of its program, a temporary
space, and a few devices. Everything but the temporary space is read-only.
"""

from __future__ import annotations

import functools
import os
import stat
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from botequim.core.errors import InputError, os_reason
from botequim.core.messages import msg
from botequim.core.process import Program
from botequim.sandbox import private

DEVICES = ("null", "zero", "full", "random", "urandom")
SETTINGS = ("alternatives", "ld.so.cache", "ssl/certs", "ssl/openssl.cnf", "java-*", "php", "mono", "dotnet")
"""The files of /etc that programs and interpreters need. Each one makes every start a little slower."""
MOST_ENTRIES = 200
"""The most entries of a folder whose entries are mounted one by one."""
COUNTERS = ("buddyinfo", "diskstats", "interrupts", "softirqs", "vmstat", "zoneinfo")
"""The files of /proc with counters of the whole machine. Bots could change them, and no program needs
them."""
COUNTER_FOLDERS = ("sys/fs", "pressure")
SNAPSHOTS = ("stat", "meminfo", "loadavg", "uptime")
"""The files of /proc that programs read. They contain what they contained when this process started."""
SPACES = 2
"""The number of temporary spaces: /tmp, and one for new files in its own folder."""
LINKS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
HOME = "/tmp"
ROOT_FOLDERS = ("bin", "dev", "etc", "lib", "lib32", "lib64", "libx32", "proc", "sbin", "usr")
"""The folders in the root that every bot sees."""
ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": HOME,
    "TMPDIR": HOME,
    "LANG": "C.UTF-8",
    "USER": "bot",
    "LOGNAME": "bot",
}
HOSTS = b"127.0.0.1 localhost\n::1 localhost\n"


def users(uid: int) -> bytes:
    """Return an /etc/passwd with the bot and root only."""
    return f"root:x:0:0::/:/bin/false\nbot:x:{uid}:{uid}::{HOME}:/bin/sh\n".encode()


def groups(gid: int) -> bytes:
    """Return an /etc/group with the bot and root only."""
    return f"root:x:0:\nbot:x:{gid}:\n".encode()


@functools.cache
def snapshots() -> dict[str, bytes]:
    """Return the contents of files of /proc by path, at the time of the first call."""
    paths = [Path("/proc", name) for name in SNAPSHOTS]
    return {str(path): path.read_bytes() for path in paths if path.exists()}


def trees(program: Program) -> list[Path]:
    """Return the read-only files and folders that a bot shares with others."""
    paths = [Path("/usr"), *program.extra_paths] + ([] if program.writable else [program.folder])
    paths += [path for name in LINKS if not (path := Path("/", name)).is_symlink() and path.is_dir()]
    return [*paths, Path("/etc")]


def arguments(program: Program, files: Mapping[str, int], *, others: bool) -> list[str]:
    """Return the mounts in order.

    `files` are read from descriptors. The temporary spaces exist already (`private.space`). With `others`,
    the bot does not run as the owner of the files.
    """
    words = [*_system()]
    for name, descriptor in files.items():
        if name.startswith("/proc/"):
            words += ["--ro-bind-data", str(descriptor), name]
        else:
            words += ["--perms", "0644", "--file", str(descriptor), name]
    words += ["--bind", private.space(0), HOME]
    paths = {*program.extra_paths, program.folder}
    parents: set[Path] = set()
    for path in sorted(paths, key=lambda path: len(path.parts)):
        if not path.is_absolute() or path == Path("/"):
            raise InputError(msg('"{path}" cannot be shown to a bot', path=path))
        for parent in reversed(path.parents[:-1]):
            if parent not in parents:
                parents.add(parent)
                words += ["--perms", "0755", "--dir", str(parent)]
        if path != program.folder:
            words += _binding(path, others=others)
        elif program.writable:
            words += ["--bind", private.space(1), str(path)]
        else:
            words += _own_folder(path, others=others)
    if program.alias is not None and _is_free(program.alias, paths):
        for parent in reversed(program.alias.parents[:-1]):
            words += ["--perms", "0755", "--dir", str(parent)]
        words += ["--symlink", str(program.folder), str(program.alias)]
    return [*words, "--remount-ro", "/", "--chdir", "/"]


def _is_free(path: Path, paths: Collection[Path]) -> bool:
    """Return whether nothing is mounted at a path, above it or below it."""
    all_mounts = (*paths, *(Path("/", name) for name in ROOT_FOLDERS))
    return path != Path(HOME) and not any(
        one.is_relative_to(path) or path.is_relative_to(one) for one in all_mounts
    )


def _own_folder(folder: Path, *, others: bool) -> Iterator[str]:
    """Yield the mounts of the folder in which a bot runs.

    As in a container, it can create files there, which are deleted with the sandbox. It cannot change
    existing files. A folder with very many entries is read-only.
    """
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        entries = []
    if not 0 < len(entries) <= MOST_ENTRIES:
        yield from _binding(folder, others=others)
        return
    yield from ("--bind", private.space(1), str(folder))
    for entry in entries:
        if entry.is_symlink():
            yield from ("--symlink", str(Path(entry).readlink()), entry.path)
        elif entry.is_dir() or entry.is_file():
            yield from _binding(Path(entry.path), others=others)


def _binding(path: Path, *, others: bool) -> Iterator[str]:
    try:
        mode = path.stat().st_mode
        private = others and stat.S_ISDIR(mode) and (mode & 0o005) != 0o005
        entries = sorted(os.scandir(path), key=lambda entry: entry.name) if private else []
    except OSError as error:
        raise InputError(
            msg('"{path}" cannot be shown to a bot: {why}', path=path, why=os_reason(error))
        ) from error
    if not private:
        yield from ("--ro-bind", str(path), str(path))
        return
    if len(entries) > MOST_ENTRIES:
        raise InputError(
            msg('bots run as another user and cannot read "{path}"; run chmod -R o+rX on it', path=path)
        )
    yield from ("--perms", "0755", "--dir", str(path))
    for entry in entries:
        if entry.is_symlink():
            yield from ("--symlink", str(Path(entry).readlink()), entry.path)
        elif entry.is_dir() or entry.is_file():
            yield from _binding(Path(entry.path), others=others)


@functools.cache
def _system() -> tuple[str, ...]:
    words: list[str] = ["--ro-bind", "/usr", "/usr"]
    for name in LINKS:
        path = Path("/", name)
        if path.is_symlink():
            words += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            words += ["--ro-bind", str(path), str(path)]
    for folder in ("/etc", "/etc/ssl", "/dev"):
        words += ["--perms", "0755", "--dir", folder]
    for pattern in SETTINGS:
        for path in Path("/etc").glob(pattern):
            words += ["--ro-bind", str(path), str(path)]
    if Path("/etc/localtime").is_symlink():
        words += ["--symlink", str(Path("/etc/localtime").resolve()), "/etc/localtime"]
    for name in DEVICES:
        if Path("/dev", name).exists():
            words += ["--dev-bind", f"{private.DEVICES}/{name}", f"/dev/{name}"]
    words += ["--symlink", "/proc/self/fd", "/dev/fd", "--symlink", HOME, "/dev/shm"]
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        words += ["--symlink", f"/proc/self/fd/{number}", f"/dev/{name}"]
    words += ["--proc", "/proc"]
    for name in COUNTERS:  # covered by a device that cannot be opened there
        if Path("/proc", name).exists():
            words += ["--ro-bind", "/dev/null", f"/proc/{name}"]
    for name in COUNTER_FOLDERS:
        if Path("/proc", name).exists():
            words += ["--ro-bind", private.NOTHING, f"/proc/{name}"]
    return tuple(words)
