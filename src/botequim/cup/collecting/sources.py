"""Finds what was handed in: in a download of a learning platform, or in a folder of bots or archives.

A download of Moodle is a zip file, or the folder that it was unpacked to, with an entry for each student:
`Ana Silva_4711_assignsubmission_file_/bot.zip`. Texts that were typed online are ignored.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from botequim.bots.archive import CLASS_LIMITS, is_archive, unpack
from botequim.bots.trees import LEFT_OUT
from botequim.core.errors import InputError, os_reason
from botequim.core.messages import msg
from botequim.cup.collecting import dates
from botequim.cup.collecting.files import FOREIGN_ARCHIVES
from botequim.cup.collecting.submissions import Source, Submission
from botequim.cup.collecting.tables import submissions_of_csv, submissions_of_participants
from botequim.cup.config import Entry
from botequim.cup.csv_tables import decode_text
from botequim.cup.importing import PROGRAMS, LeftOut, from_folder
from botequim.cup.people import Person

DEEPEST: Final = 4
"""The depth at which the entries of a platform are found below a folder."""
MOST_BYTES: Final = 16 << 20
EARLIEST: Final = datetime(1990, 1, 1, tzinfo=UTC)
"""Files with an earlier time have none: archives begin in 1980."""
_PLATFORM: Final = re.compile(r"(.+?)_(\d+)_assignsubmission_([a-z]+)(?:_(.*))?", re.IGNORECASE | re.DOTALL)


def find_submissions(path: Path, workshop: Path) -> Source:
    """Return what is in a file or folder. A zip file is unpacked to `workshop`.

    Raise InputError if it is none of the known kinds, or contains nothing.
    """
    try:
        found = _find(path, workshop)
    except OSError as error:
        raise InputError(msg("{path} cannot be read: {why}", path=str(path), why=os_reason(error))) from error
    if not found.submissions:
        raise InputError(
            msg("{path} contains no submissions: {why}", path=str(path), why=_reasons(found.left_out))
        )
    return replace(found, name=path.name)


def _find(path: Path, workshop: Path) -> Source:
    if path.is_dir():
        return _in_folder(path)
    if is_archive(path):
        return _in_archive(path, workshop)
    with path.open("rb") as file:
        content = file.read(MOST_BYTES)
    if path.suffix.lower() in (".csv", ".tsv", ".txt"):
        return submissions_of_csv(path)
    if b"\0" in content or path.suffix.lower() in (*FOREIGN_ARCHIVES, *PROGRAMS):
        raise InputError(
            msg(
                "{path} is neither a .zip nor a list of participants; give a folder, a .zip, a .csv or a "
                "PARTICIPANTS.md",
                path=str(path),
            )
        )
    return submissions_of_participants(decode_text(content), path)


def _reasons(left_out: Sequence[LeftOut]) -> object:
    if not left_out:
        return msg("it is empty, or has no table with a column of names and one of repositories")
    return "; ".join(f"{one.what}: {one.why}" for one in left_out[:3])


# --- downloads and folders -------------------------------------------------------------------------


def _in_archive(path: Path, workshop: Path) -> Source:
    folder = unpack(path, workshop, CLASS_LIMITS, times=True)
    while True:
        inside = [one for one in folder.iterdir() if one.name not in LEFT_OUT]
        is_wrapper = len(inside) == 1 and inside[0].is_dir() and not inside[0].is_symlink()
        if not is_wrapper or _PLATFORM.fullmatch(inside[0].name):
            return _in_folder(folder)
        folder = inside[0]


def _in_folder(folder: Path) -> Source:
    entries = list(_platform_entries(folder, DEEPEST))
    if entries:
        return _platform_download(entries)
    found = from_folder(folder)
    submissions = [_in_place(entry) for entry in found.entrants]
    return Source(folder.name, tuple(submissions), found.left_out)


def _in_place(entry: Entry) -> Submission:
    path = Path(entry.bot)
    return Submission(
        entry.name,
        entry.name,
        "",
        _contents(path),
        people=tuple(Person("", id=number) for number in entry.students),
        students=entry.students,
        submitted=_file_time([path]),
    )


def _contents(path: Path) -> tuple[tuple[str, Path], ...]:
    if path.is_dir() and not path.is_symlink():
        return tuple((one.name, one) for one in sorted(path.iterdir()) if one.name not in LEFT_OUT)
    return ((path.name, path),)


def _platform_entries(folder: Path, depth: int) -> Iterator[tuple[re.Match[str], Path]]:
    """Yield the entries of a platform in a folder, wherever they are in it."""
    for path in sorted(folder.iterdir()):
        match = _PLATFORM.fullmatch(path.name)
        if match is not None and not path.is_symlink():
            yield match, path
        elif depth > 1 and path.is_dir() and not path.is_symlink() and path.name not in LEFT_OUT:
            yield from _platform_entries(path, depth - 1)


def _platform_download(entries: Sequence[tuple[re.Match[str], Path]]) -> Source:
    names: dict[str, str] = {}
    contents: dict[str, list[tuple[str, Path]]] = {}
    for match, path in entries:
        name, number, kind, rest = match.groups()
        names.setdefault(number, repair_name(name))
        mine = contents.setdefault(number, [])
        if kind.lower() == "file":  # not onlinetext, comments and others
            mine += _contents(path) if path.is_dir() else [(rest or path.name, path)]
    submissions: list[Submission] = []
    left_out: list[LeftOut] = []
    for number, inside in contents.items():
        name = names[number]
        if not inside:
            left_out.append(LeftOut(name, msg("no file was handed in")))
            continue
        label = f"{name}_{number}"
        person = Person(name, participant=number)
        time = _file_time([path for _, path in inside])
        submissions.append(Submission(label, name, "", tuple(inside), people=(person,), submitted=time))
    return Source("", tuple(submissions), tuple(left_out))


def repair_name(text: str) -> str:
    """Return the name of a file in an archive that does not say in which encoding its names are.

    Such names are read as code page 437, and accents become lines and boxes.
    """
    if all(sign.isascii() or sign.isalpha() for sign in text):
        return text
    try:
        content = text.encode("cp437")
    except UnicodeEncodeError:
        return text
    for encoding in ("utf-8", "cp850", "cp1252"):
        try:
            name = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        if all(sign.isascii() or sign.isalpha() for sign in name):
            return name
    return text


def _file_time(paths: Sequence[Path]) -> datetime | None:
    """Return the time of the newest file; None if files have no time."""
    times = [when for path in paths for when in _times(path)]
    if not times:
        return None
    newest = datetime.fromtimestamp(max(times), UTC).astimezone().replace(microsecond=0)
    return newest if EARLIEST < newest <= dates.now() else None


def _times(path: Path) -> Iterator[float]:
    if not path.is_dir() or path.is_symlink():
        status = path.lstat()
        if stat.S_ISREG(status.st_mode):
            yield status.st_mtime
        return
    for place, folders, names in os.walk(path):
        folders[:] = [name for name in folders if name not in LEFT_OUT]
        for name in names:
            status = Path(place, name).lstat()
            if stat.S_ISREG(status.st_mode):
                yield status.st_mtime
