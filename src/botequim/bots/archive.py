"""Archives that strangers hand in. A process of its own reads them, with limits (`unpacking.py`)."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from botequim.bots import unpacking
from botequim.bots.trees import SPECIAL, printable, special_file
from botequim.core.errors import BotequimError, InputError, os_reason
from botequim.core.limits import MB
from botequim.core.messages import Message, msg, plain

ARCHIVES: Final = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2")
OURS: Final = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EMFILE, errno.ENFILE)
"""Errors of the system that are not the fault of an archive."""


@dataclass(frozen=True, slots=True)
class UnpackingLimits:
    """The limits of the process that reads an archive, and of the files that it writes."""

    entries: int = 20_000
    size: int = 512 * MB
    """The size of all files together, in bytes."""
    depth: int = 100
    memory: int = 512 * MB
    seconds: int = 120
    """The seconds of processor time."""


LIMITS: Final = UnpackingLimits()
IMAGE_LIMITS: Final = UnpackingLimits(size=8192 * MB, seconds=600)
"""Layers of an image are files in its archive, which are copied and not unpacked."""
CLASS_LIMITS: Final = UnpackingLimits(entries=200_000, size=8192 * MB, seconds=600)
"""The limits of an archive with the submissions of a whole class."""


def is_archive(path: Path) -> bool:
    return path.name.lower().endswith(ARCHIVES)


def unpack(path: Path, workshop: Path, limits: UnpackingLimits | None = None, *, times: bool = False) -> Path:
    """Return a new folder in `workshop` with what is in the archive.

    With `times`, files keep the times that the archive says. A bot gets none: a build must not depend on it.
    """
    folder = Path(tempfile.mkdtemp(prefix="unpacked-", dir=workshop)) / "files"
    folder.mkdir()
    action = "unzip" if path.name.lower().endswith(".zip") else "untar"
    _run(action, path, limits or LIMITS, folder, times=times)
    return folder


def is_image(path: Path) -> bool:
    """Return whether an archive is an image that an engine has saved."""
    try:
        return bool(_run("is_image", path, replace(IMAGE_LIMITS, seconds=LIMITS.seconds))["is"])
    except InputError:
        return False


def copy_without_names(path: Path, copy: Path) -> None:
    """Copy an image's archive without the names that its author gave it."""
    copy.touch()
    _run("without_names", path, IMAGE_LIMITS, copy)


def _run(
    action: str, path: Path, limits: UnpackingLimits, target: Path | None = None, *, times: bool = False
) -> dict[str, Any]:
    with contextlib.ExitStack() as opened:
        try:
            source = opened.enter_context(path.open("rb")).fileno()
        except OSError as error:
            raise _failure(path, os_reason(error)) from error
        files = {"source": source}
        if target is not None:
            files["target"] = os.open(target, os.O_RDONLY if target.is_dir() else os.O_WRONLY)
            opened.callback(os.close, files["target"])
        task = json.dumps({"action": action, "times": times, **files, **asdict(limits)})
        command = [sys.executable, "-I", "-S", "-X", "utf8", unpacking.__file__, task]
        ran = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            pass_fds=tuple(files.values()),
            check=False,
        )
    result = _result(ran, path, limits)
    if "problem" in result:
        raise _refusal(path, result, limits)
    return result


def _result(ran: subprocess.CompletedProcess[bytes], path: Path, limits: UnpackingLimits) -> dict[str, Any]:
    if ran.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        raise _failure(path, msg("it takes more than {seconds} s to read", seconds=limits.seconds))
    try:
        result: dict[str, Any] = json.loads(ran.stdout)
    except ValueError:
        output = ran.stderr.decode("utf-8", "replace").strip().splitlines()
        why = plain(output[-1][:200]) if output else msg("exit code {code}", code=ran.returncode)
        raise _failure(path, why) from None
    return result


def _failure(path: Path, why: Message) -> InputError:
    return InputError(msg('"{path}" cannot be unpacked: {why}', path=str(path), why=why))


def _refusal(path: Path, result: dict[str, Any], limits: UnpackingLimits) -> BotequimError:
    """Return the error that says in words what the process has found."""
    name = printable(result.get("name", ""))
    match result["problem"]:
        case "large":
            why = msg(
                "it holds more than {files} files or {size} MB", files=limits.entries, size=limits.size // MB
            )
        case "memory":
            why = msg("it takes more than {size} MB of memory to read", size=limits.memory // MB)
        case "header":
            why = msg(
                "the metadata of one of its files is larger than {size} MB",
                size=unpacking.LARGEST_HEADER // MB,
            )
        case "outside":
            why = msg("it holds a file outside of itself: {name}", name=name)
        case "deep":
            why = msg("{path} is more than {depth} folders deep", path=name, depth=limits.depth)
        case "nameless":
            why = msg("it holds a file without a name")
        case "twice":
            why = msg("it holds both a file and a folder of the name {name}", name=name)
        case "through":
            why = msg("{name} lies below something that is not a folder", name=name)
        case "link":
            why = msg("{name} is a link that points nowhere", name=name)
        case "missing":
            why = msg("{name} is a link to a file that is not there", name=name)
        case "system" if result["errno"] in OURS:
            return BotequimError(_failure(path, os_reason(OSError(result["errno"], result["why"]))).message)
        case "system":
            why = os_reason(OSError(result["errno"], result["why"]))
        case kind if kind in SPECIAL:
            why = special_file(name, kind)
        case _:
            why = plain(result.get("why", result["problem"]))
    return _failure(path, why)
