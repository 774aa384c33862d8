"""Fetches bots from Git repositories, at a branch, a tag or a commit."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from typing import Final

from botequim.bots.tree_files import remove_tree
from botequim.bots.trees import CHUNK, Bounds
from botequim.core.errors import InputError
from botequim.core.limits import MB
from botequim.core.messages import Message, msg, plain

SECONDS: Final = 300.0
BOUNDS: Final = Bounds()
LIMITED_COMMAND: Final = f'ulimit -f {BOUNDS.size // 512}; exec "$@"'
"""Runs a program that cannot write a larger file. Git writes everything that it fetches to one file."""
PLACES: Final = ("https://", "git://", "ssh://", "file://", "git@", "git+")
_PATH: Final = re.compile(r"[^:#]+#[\w./-]+")
# run no program of the repository, and ask nothing at the terminal
_SETTINGS: Final = (
    "-c", "core.hooksPath=/dev/null", "-c", "protocol.ext.allow=never", "-c", "safe.directory=*",
    "-c", "core.fsmonitor=false", "-c", "advice.detachedHead=false",
)  # fmt: skip


def is_repository(address: str) -> bool:
    """Return whether this is an address for Git, or a folder with a `#` and a revision.

    A bot that is a server has an address with http://, so https:// is always a repository.
    """
    if address.startswith(PLACES) or (
        address.partition("#")[0].startswith("http") and _ending(address) == ".git"
    ):
        return True
    return (
        bool(_PATH.fullmatch(address))
        and not Path(address).exists()
        and Path(address.partition("#")[0]).is_dir()
    )


def repository_name(address: str) -> str:
    """Return the name to show: the last part of the address."""
    path = address.partition("#")[0].rstrip("/").removesuffix(".git")
    return re.split(r"[/:]", path)[-1] or path


def fetch_repository(reference: str, parent: Path) -> tuple[Path, str]:
    """Fetch the files, without their history, to a new folder in `parent`; return it and the commit."""
    address, _, revision = reference.removeprefix("git+").partition("#")
    if Path(address).is_dir():
        address = str(Path(address).resolve())
    if revision.startswith("-") or address.startswith("-"):
        raise InputError(msg('"{given}" is not the address of a repository', given=reference))
    git = shutil.which("git")
    if git is None:
        raise InputError(msg('"{given}": git is not installed (apt-get install git)', given=reference))
    folder = Path(tempfile.mkdtemp(prefix="fetched-", dir=parent))
    _git(git, folder, reference, "init", "--quiet")
    try:
        _git(git, folder, reference, "fetch", "--quiet", "--depth", "1", "--", address, revision or "HEAD")
    except InputError:
        # some servers do not allow to fetch a commit by its digest
        if not re.fullmatch(r"[0-9a-f]{7,64}", revision):
            raise
        _git(
            git, folder, reference, "fetch", "--quiet", "--tags", "--", address, "+refs/heads/*:refs/heads/*"
        )
        commit_name = revision
    else:
        commit_name = "FETCH_HEAD"
    _require_bounds(git, folder, reference, commit_name)
    _git(git, folder, reference, "checkout", "--quiet", commit_name)
    commit = _git(git, folder, reference, "rev-parse", "HEAD").strip()
    remove_tree(folder / ".git")
    return folder, commit


def _require_bounds(git: str, folder: Path, reference: str, commit_name: str) -> None:
    """Raise InputError if a commit is too large. A few kilobytes of Git objects can be any number of
    files."""
    entries, size = 0, 0
    command = [git, "-C", str(folder), *_SETTINGS, "ls-tree", "-r", "-t", "-l", "-z", commit_name]
    with (
        subprocess.Popen(
            command, env=_environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
        ) as listing,
        closing(_lines(listing)) as lines,
    ):
        for line in lines:
            facts, _, path = line.partition(b"\t")
            entries += 1
            size += int(facts.split()[3]) if facts.split()[3].isdigit() else 0
            if entries > BOUNDS.entries or size > BOUNDS.size or path.count(b"/") >= BOUNDS.depth:
                why = msg(
                    "it holds more than {files} files or {size} MB, or is more than {depth} folders deep",
                    files=BOUNDS.entries,
                    size=BOUNDS.size // MB,
                    depth=BOUNDS.depth,
                )
                raise InputError(_fetch_error(reference, why))


def _lines(listing: subprocess.Popen[bytes]) -> Generator[bytes, None, None]:
    """Yield the output of a program, split at zero bytes. The program is killed if the caller stops."""
    assert listing.stdout is not None
    rest = b""
    try:
        while chunk := listing.stdout.read(CHUNK):
            *lines, rest = (rest + chunk).split(b"\0")
            yield from lines
            if len(rest) > CHUNK:
                raise ValueError("a path that is too long")
    finally:
        listing.kill()


def _git(git: str, folder: Path, reference: str, *words: str) -> str:
    command = ["/bin/sh", "-c", LIMITED_COMMAND, "sh", git, "-C", str(folder), *_SETTINGS, *words]
    try:
        result = subprocess.run(
            command, env=_environment(), stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS,
            check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise InputError(
            _fetch_error(reference, msg("it took longer than {seconds} s", seconds=f"{SECONDS:g}"))
        ) from None
    if result.returncode != 0:
        lines = result.stderr.decode("utf-8", "replace").strip().splitlines()
        why = next((line for line in lines if line.startswith("fatal:")), lines[-1] if lines else "-")
        raise InputError(_fetch_error(reference, plain(why.removeprefix("fatal: "))))
    return result.stdout.decode("utf-8", "replace")


def _environment() -> dict[str, str]:
    # without GIT_ variables, which name another repository if one of its hooks started this process
    usual = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**usual, "GIT_TERMINAL_PROMPT": "0", "GIT_LFS_SKIP_SMUDGE": "1", "LC_ALL": "C"}


def _fetch_error(reference: str, why: Message) -> Message:
    return msg('"{given}" cannot be fetched: {why}', given=reference, why=why)


def _ending(reference: str) -> str:
    return Path(reference.partition("#")[0]).suffix
