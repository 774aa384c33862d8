"""Keeps what was handed in, and makes a bot of it that a cup can play.

The folder `rinha.submissions/` beside `rinha.toml` has a folder for each entrant: `1/`, `2/`, ... contain
what was handed in, unchanged, and `bot/` the bot that plays. Whatever strangers made is copied and unpacked
within limits, and no link is followed.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from botequim.bots.archive import is_archive, unpack
from botequim.bots.digests import digest_of
from botequim.bots.entrant import Entrant
from botequim.bots.folders import Source as BotSource
from botequim.bots.folders import resolve_file, resolve_folder
from botequim.bots.tree_files import copy_tree, remove_tree
from botequim.bots.trees import LEFT_OUT, TreeError, open_tree, printable
from botequim.core.errors import InputError, os_reason
from botequim.core.messages import Message, msg
from botequim.cup.importing import PROGRAMS

BOT: Final = "bot"
"""The folder with the bot that plays."""
DEEPEST: Final = 3
"""The depth at which archives and programs are found, and the number of archives inside of each other."""
MOST_ARCHIVES: Final = 8
"""How many archives of one submission are unpacked."""
FOREIGN_ARCHIVES: Final = (".rar", ".7z")
READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class HandedIn:
    """A copy of what was handed in, and the bot that was found in it."""

    copy: Path
    digest: str
    """The digest of the bot's files, which a cup pins too; without a bot, that of everything handed in."""
    bot: Path | None = None
    problem: Message | None = None
    """Why no bot was found."""


def take_in(label: str, contents: Sequence[tuple[str, Path]], game: str, workshop: Path) -> HandedIn:
    """Copy what was handed in to `workshop`, and look for the bot. Messages call it by its label."""
    copy = Path(tempfile.mkdtemp(prefix="handed-in-", dir=workshop)) / "files"
    copy.mkdir()
    try:
        for name, path in contents:
            _copy(path, copy / name)
        digest = digest_of(copy)
    except TreeError as error:
        return HandedIn(copy, "", problem=error.message)
    except OSError as error:
        problem = msg("{path} cannot be read: {why}", path=printable(name), why=os_reason(error))
        return HandedIn(copy, "", problem=problem)
    try:
        found = _Search(label, game, workshop).bot_in(copy, DEEPEST)
        return HandedIn(copy, digest_of(found), found)
    except InputError as error:
        return HandedIn(copy, digest, problem=error.message)


def _copy(path: Path, target: Path) -> None:
    """Copy a file or a folder. A link is not followed, and anything else is left out."""
    if path.is_symlink():
        return
    if path.is_dir():
        with open_tree(path) as tree:
            copy_tree(tree, target)
        return
    with open(os.open(path, READ), "rb") as source:
        if stat.S_ISREG(os.fstat(source.fileno()).st_mode):
            with target.open("xb") as file:
                shutil.copyfileobj(source, file)
            shutil.copystat(path, target)


class _Search:
    """Looks for the bot in what was handed in: in its folders, a single program, or archives."""

    def __init__(self, label: str, game: str, workshop: Path) -> None:
        self._label = label
        self._game = game
        self._workshop = workshop
        self._archives_left = MOST_ARCHIVES

    def bot_in(self, folder: Path, depth: int) -> Path:
        """Return the folder of the bot. Raise InputError if there is none, or if there are several."""
        problem: InputError
        try:
            return self._folder_of(resolve_folder(self._source(self._label), folder, name=BOT), folder)
        except InputError as error:
            problem = error
        archives = [path for path in _files(folder, DEEPEST) if depth > 0 and is_archive(path)]
        bots, problems = self._bots_in_archives(archives, folder, depth)
        if len(bots) > 1:
            raise InputError(
                msg("there are several bots ({names}); only one can play", names=", ".join(sorted(bots)))
            )
        found = next(iter(bots.values()), None) or self._single_program(folder)
        if found is None:
            raise next(iter(problems), None) or _foreign_archive(folder) or problem
        return found

    def _source(self, given: str) -> BotSource:
        return BotSource(given, self._game, None)

    @staticmethod
    def _folder_of(entrant: Entrant, folder: Path) -> Path:
        return entrant.program.folder if entrant.program is not None else folder

    def _bots_in_archives(
        self, archives: Sequence[Path], folder: Path, depth: int
    ) -> tuple[dict[str, Path], list[InputError]]:
        """Return the different bots by the names of their archives, and why other archives have none."""
        bots: dict[str, tuple[str, Path]] = {}
        problems: list[InputError] = []
        for path in archives:
            name = path.relative_to(folder).as_posix()
            self._archives_left -= 1
            if self._archives_left < 0:
                raise InputError(msg("there are more than {most} archives", most=MOST_ARCHIVES))
            try:
                bot = self.bot_in(unpack(path, self._workshop), depth - 1)
                bots.setdefault(digest_of(bot), (name, bot))
            except InputError as error:
                why = error.message.values.get("why", error.message)
                problems.append(InputError(msg("{name}: {why}", name=printable(name), why=why)))
        return dict(bots.values()), problems

    def _single_program(self, folder: Path) -> Path | None:
        """Return the folder of the only program, under a name by which it is started; None if there is none.

        Of several programs the one counts that a host of the game can load.
        """
        programs = [path for path in _files(folder, DEEPEST) if path.suffix in PROGRAMS]
        entrants: dict[Path, Entrant] = {}
        for path in programs:
            try:
                entrants[path] = resolve_file(self._source(path.name), path)
            except InputError:
                continue
        hosted = [path for path, entrant in entrants.items() if entrant.wire and entrant.wire.hosted]
        chosen = hosted if len(hosted) == 1 else list(entrants)
        if len(chosen) != 1:
            return None
        path, wire = chosen[0], entrants[chosen[0]].wire
        name = wire.host.file_name if wire is not None and wire.host is not None else BOT + path.suffix
        if path.name == name:
            return path.parent
        copy = Path(tempfile.mkdtemp(prefix="program-", dir=self._workshop)) / BOT
        with open_tree(path.parent) as tree:
            copy_tree(tree, copy)
        (copy / path.name).rename(copy / name)
        return copy


def _files(folder: Path, depth: int) -> Iterator[Path]:
    """Yield the files in a folder; neither links nor what is never part of a bot."""
    for path in sorted(folder.iterdir()):
        if path.is_symlink() or path.name in LEFT_OUT:
            continue
        if path.is_file():
            yield path
        elif path.is_dir() and depth > 0:
            yield from _files(path, depth - 1)


def _foreign_archive(folder: Path) -> InputError | None:
    names = [path.name for path in _files(folder, DEEPEST) if path.suffix.lower() in FOREIGN_ARCHIVES]
    if not names:
        return None
    return InputError(
        msg(
            "{name} is an archive of a kind that cannot be unpacked; ask for a .zip", name=printable(names[0])
        )
    )


# --- the folder beside the cup file ----------------------------------------------------------------


def submissions_folder(cup_file: Path) -> Path:
    return cup_file.with_suffix(".submissions")


@contextmanager
def lock_submissions(cup_file: Path) -> Iterator[None]:
    """Raise InputError if another process imports into this cup; else keep others out until the end."""
    folder = submissions_folder(cup_file)
    existed = folder.exists()
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise InputError(
            msg("{path} cannot be written: {why}", path=str(folder), why=os_reason(error))
        ) from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise InputError(msg("another import into {path} is running", path=str(cup_file))) from error
        yield
    finally:
        os.close(descriptor)
        if not existed:
            with suppress(OSError):
                folder.rmdir()  # if nothing was put there


def keep_copy(handed_in: HandedIn, folder: Path, number: int) -> Path:
    """Copy it to the folder of its entrant, and return where it is. An earlier one stays there."""
    target = folder / str(number)
    folder.mkdir(parents=True, exist_ok=True)
    while target.exists():  # of an import that was interrupted
        number += 1
        target = folder / str(number)
    with open_tree(handed_in.copy) as tree:
        copy_tree(tree, target)
    return target


def place_bot(bot: Path, folder: Path) -> Path:
    """Copy a bot to the place where the cup finds it, instead of the one that was there."""
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / BOT
    fresh = folder / f".{BOT}.new"
    remove_tree(fresh)
    with open_tree(bot) as tree:
        copy_tree(tree, fresh)
    old = folder / f".{BOT}.old"
    remove_tree(old)
    if target.exists():
        target.rename(old)
    fresh.rename(target)
    remove_tree(old)
    return target
