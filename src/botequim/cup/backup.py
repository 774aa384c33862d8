"""A cup in one private file, to continue it elsewhere: `rinha.tar.gz`.

==============================  ===================================================================
`rinha.toml`                    the cup file as it is now
`rinha.NAME.csv`,               the private files beside it: people, and what they have handed in
`rinha.submissions/...`
`rinha.cup/cup.sqlite`,         the stores as they were at one moment, also if the cup is stored in a
`rinha.cup/show.sqlite`         database
`rinha.cup/bots/...`,           the bots as they were when the cup began, and their pictures
`rinha.cup/portraits/...`
`rinha.cup/speeds.json`
`backup.json`                   the last entry: the version, what the stores contain, and the SHA-256 of
                                every other entry
==============================  ===================================================================

Games in progress, reports and container images are not part of it. It contains the seed, names of people and
files of bots, so only its owner may read it. Entries come in the order of a walk, a folder before its
content, and are restored one name at a time from their folder, so no entry can lead out of it.
"""

from __future__ import annotations

import glob
import hashlib
import io
import json
import os
import re
import secrets
import stat
import tarfile
import tempfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Final

from botequim.bots.tree_files import remove_tree
from botequim.bots.trees import CHUNK, FOLDER, READ, Bounds, Entry, Kind, open_tree, walk
from botequim.core import clock
from botequim.core.errors import InputError, os_reason
from botequim.core.messages import Message, msg, plain
from botequim.cup.collecting.files import submissions_folder
from botequim.cup.config import Cup
from botequim.cup.paths import BOTS, HERE, CupPaths
from botequim.cup.titles import PORTRAITS
from botequim.storage import open_storage
from botequim.storage.moving import Fingerprint, fingerprint
from botequim.version import VERSION

FORMAT: Final = 1
MANIFEST: Final = "backup.json"
SPEEDS: Final = "speeds.json"
MOST_MANIFEST: Final = 256 << 20
LARGEST: Final = Bounds(entries=10_000_000, size=1 << 50, depth=120)
NEW_FILE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
DAMAGED: Final = (tarfile.TarError, EOFError, zlib.error, ValueError, LookupError, TypeError, AttributeError)


@dataclass(frozen=True, slots=True)
class BackupSummary:
    """What a backup contains."""

    cup_file: Path
    """Where the cup file is now."""
    files: int
    contents: Fingerprint
    store: str
    """The address of the database in which the cup was stored; "" if it was in its folder."""
    version: str
    """The version of Botequim that wrote the backup."""
    outside: tuple[str, ...] = ()
    """Entrants whose files are not in it: they are played without isolation, where their files are, or from
    a container image."""


def write_backup(cup: Cup, target: Path) -> BackupSummary:
    """Write a new file. The cup may be played, shown and changed meanwhile."""
    storage = CupPaths.of_cup(cup).storage
    with storage.open_results(check=True) as store:
        text = cup.path.read_bytes() if cup.path.is_file() else (store.fact("file") or "").encode()
    with _new_private_file(target) as file, tempfile.TemporaryDirectory(prefix="botequim-backup-") as place:
        stores = Path(place) / f"{cup.path.stem}.cup"
        stores.mkdir()
        storage.copy_to(stores)
        contents = _check_stores(stores)
        with tarfile.open(fileobj=file, mode="w:gz", compresslevel=1, format=tarfile.PAX_FORMAT) as archive:
            writer = _Writer(archive)
            writer.add_bytes(cup.path.name, text, 0o644)
            for path in sorted(cup.path.parent.glob(f"{glob.escape(cup.path.stem)}.*.csv")):
                writer.add_bytes(path.name, path.read_bytes(), 0o600)
            submissions = submissions_folder(cup.path)
            if submissions.is_dir():
                writer.add_folder(submissions.name)
                writer.add_tree(submissions, submissions.name)
            writer.add_folder(stores.name)
            writer.add_tree(stores, stores.name)
            outside = _add_files(writer, cup, stores)
            store_url = "" if cup.store is None else str(cup.store)
            writer.add_manifest(cup, contents, store_url)
    return BackupSummary(cup.path, len(writer.digests), contents, store_url, VERSION, outside)


def _add_files(writer: _Writer, cup: Cup, stores: Path) -> tuple[str, ...]:
    """Add the files that the entrants in the stores use; others may be half made. Return the entrants whose
    files are elsewhere."""
    with open_storage(stores).open_results() as store:
        pins = store.entrants()
    bots = set(re.findall(rf"{re.escape(HERE)}/{BOTS}/([^/\"]+)", json.dumps(pins)))
    portraits = {Path(name).name for pin in pins.values() for name in pin.get(PORTRAITS, ()) if name}
    for name, wanted in ((BOTS, bots), (PORTRAITS, portraits)):
        if wanted and (cup.folder / name).is_dir():
            writer.add_folder(f"{stores.name}/{name}")
            writer.add_tree(cup.folder / name, f"{stores.name}/{name}", wanted)
    if (cup.folder / SPEEDS).is_file():
        writer.add_bytes(f"{stores.name}/{SPEEDS}", (cup.folder / SPEEDS).read_bytes(), 0o644)
    programs = {name: pin.get("program") for name, pin in pins.items()}
    return tuple(
        sorted(name for name, one in programs.items() if one and not str(one["folder"]).startswith(HERE))
    )


def restore_backup(source: Path, folder: Path) -> BackupSummary:
    """Restore a cup into a new or empty folder, and prove that it is equal to what was backed up."""
    is_new = not folder.exists()
    if not is_new and not (folder.is_dir() and not any(folder.iterdir())):
        raise InputError(
            msg("{path} exists and is not an empty folder; nothing is overwritten", path=str(folder))
        )
    partial = folder / f".restore-{secrets.token_hex(4)}.partial"
    try:
        partial.mkdir(mode=0o700, parents=True)
        manifest = _extract(source, partial)
        name = str(manifest["cup"])
        found = _check_stores(partial / f"{name}.cup")
        if found != Fingerprint(*manifest["contents"]):
            raise _damage_error(source, msg("the stores are not those that were backed up"))
        for path in sorted(partial.iterdir()):
            path.rename(folder / path.name)
        is_new = False
    except OSError as error:
        raise InputError(
            msg("{path} cannot be written: {why}", path=str(folder), why=os_reason(error))
        ) from error
    finally:
        remove_tree(partial)
        if is_new:
            with suppress(OSError):
                folder.rmdir()
    version, store = str(manifest.get("version", "")), str(manifest.get("store", ""))
    return BackupSummary(folder / f"{name}.toml", len(manifest["files"]), found, store, version)


def _check_stores(folder: Path) -> Fingerprint:
    """Return what the stores in a folder contain. Raise an error if they are damaged."""
    storage = open_storage(folder)
    storage.open_results(check=True).close()
    with storage.open_transfer() as transfer:
        found = fingerprint(transfer)
    for lock in folder.glob("*.lock"):
        lock.unlink()
    return found


@contextmanager
def _new_private_file(path: Path) -> Iterator[IO[bytes]]:
    """Open a new file that only its owner may read; remove it again if it does not become complete."""
    try:
        descriptor = os.open(path, NEW_FILE, 0o600)
    except OSError as error:
        raise InputError(
            msg("{path} cannot be written: {why}", path=str(path), why=os_reason(error))
        ) from error
    try:
        with open(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
    except BaseException as error:
        path.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise InputError(
                msg("{path} cannot be written: {why}", path=str(path), why=os_reason(error))
            ) from error
        raise


# --- writing -----------------------------------------------------------------------------------------


class _Writer:
    """Adds entries to an archive, and remembers their digests."""

    def __init__(self, archive: tarfile.TarFile) -> None:
        self._archive: Final = archive
        self.digests: Final[dict[str, str]] = {}

    def add_bytes(self, name: str, content: bytes, mode: int) -> None:
        self._add_file(name, io.BytesIO(content), len(content), mode)

    def add_folder(self, name: str) -> None:
        self._archive.addfile(_entry(name, tarfile.DIRTYPE, 0o755))
        self.digests[name] = "folder"

    def add_tree(self, folder: Path, name: str, wanted: Collection[str] | None = None) -> None:
        """Add everything in a folder, or only the `wanted` entries of it. Links are stored as links."""
        with open_tree(folder) as top:
            for one in sorted(os.listdir(top) if wanted is None else wanted):  # noqa: PTH208
                self._add_entries(top, one, name)

    def _add_entries(self, top: int, wanted: str, name: str) -> None:
        status = os.stat(wanted, dir_fd=top, follow_symlinks=False)
        path = f"{name}/{wanted}"
        if not stat.S_ISDIR(status.st_mode):
            with open(os.open(wanted, READ, dir_fd=top), "rb") as file:
                self._add_file(path, file, status.st_size, 0o644)
            return
        self.add_folder(path)
        folder = os.open(wanted, FOLDER, dir_fd=top)
        try:
            for entry in walk(folder, LARGEST, everything=True):
                self._add_entry(entry, f"{path}/{entry.path}")
        finally:
            os.close(folder)

    def _add_entry(self, entry: Entry, path: str) -> None:
        match entry.kind:
            case Kind.FOLDER:
                self.add_folder(path)
            case Kind.LINK:
                info = _entry(path, tarfile.SYMTYPE, 0o777)
                info.linkname = entry.target()
                self._archive.addfile(info)
                self.digests[path] = f"link {_text_digest(info.linkname)}"
            case Kind.FILE | Kind.PROGRAM:
                mode = 0o755 if entry.kind is Kind.PROGRAM else 0o644
                with open(entry.open(), "rb") as file:
                    self._add_file(path, file, os.fstat(file.fileno()).st_size, mode)

    def _add_file(self, name: str, content: IO[bytes], size: int, mode: int) -> None:
        info = _entry(name, tarfile.REGTYPE, mode)
        info.size = size
        reader = _DigestReader(content)
        self._archive.addfile(info, reader)
        self.digests[name] = f"{mode:o} {reader.digest.hexdigest()}"

    def add_manifest(self, cup: Cup, contents: Fingerprint, store: str) -> None:
        value = {
            "botequim_backup": FORMAT,
            "version": VERSION,
            "cup": cup.path.stem,
            "time": datetime.fromtimestamp(clock.date(clock.now()), UTC).isoformat(timespec="seconds"),
            "store": store,
            "contents": [contents.series, contents.games, contents.ballots, contents.sha256],
            "files": self.digests,
        }
        content = json.dumps(value, indent=1).encode()
        info = _entry(MANIFEST, tarfile.REGTYPE, 0o600)
        info.size = len(content)
        self._archive.addfile(info, io.BytesIO(content))


class _DigestReader:
    """Reads a file for the archive, and computes its digest."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file: Final = file
        self.digest: Final = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        content = self._file.read(size)
        self.digest.update(content)
        return content


def _entry(name: str, kind: bytes, mode: int) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.mode = kind, mode
    return info


def _text_digest(text: str) -> str:
    return hashlib.sha256(os.fsencode(text)).hexdigest()


# --- reading -----------------------------------------------------------------------------------------


def _extract(source: Path, folder: Path) -> dict[str, Any]:
    """Write all entries below a folder, compare them with the manifest, and return the manifest."""
    try:
        with ExitStack() as opened:
            file = opened.enter_context(_open_source(source))
            archive = opened.enter_context(tarfile.open(fileobj=file, mode="r|gz"))
            tree = opened.enter_context(open_tree(folder))
            return _compare(_Reader(archive, tree).read_all())
    except tarfile.ReadError as error:
        raise _damage_error(source, msg("it is not a whole .tar.gz archive")) from error
    except DAMAGED as error:
        raise _damage_error(source, plain(str(error) or type(error).__name__)) from error


def _open_source(source: Path) -> IO[bytes]:
    try:
        return source.open("rb")
    except OSError as error:
        raise InputError(
            msg("{path} cannot be read: {why}", path=str(source), why=os_reason(error))
        ) from error


def _compare(found: tuple[dict[str, str], bytes]) -> dict[str, Any]:
    digests, text = found
    manifest: dict[str, Any] = json.loads(text)
    if manifest["botequim_backup"] != FORMAT:
        raise ValueError(f"format {manifest['botequim_backup']}")
    differences = set(digests.items()) ^ set(manifest["files"].items())
    if differences:
        raise ValueError(min(name for name, _ in differences))
    Fingerprint(*manifest["contents"])
    if not {f"{manifest['cup']}.toml", f"{manifest['cup']}.cup"} <= digests.keys():
        raise ValueError(str(manifest["cup"]))
    return manifest


def _damage_error(source: Path, why: Message) -> InputError:
    return InputError(
        msg("{path} is not a backup of a cup, or it is damaged: {why}", path=str(source), why=why)
    )


class _Reader:
    """Writes the entries of an archive. Each is created new, in the folder that was opened before it."""

    def __init__(self, archive: tarfile.TarFile, top: int) -> None:
        self._archive: Final = archive
        self._folders: Final[list[tuple[str, int]]] = [("", top)]
        self._digests: Final[dict[str, str]] = {}

    def read_all(self) -> tuple[dict[str, str], bytes]:
        """Return the digests of all entries, and the manifest."""
        try:
            for info in self._archive:
                if info.name == MANIFEST:
                    return self._digests, self._content(info).read(MOST_MANIFEST)
                self._add(info)
        finally:
            for _, descriptor in self._folders[1:]:
                os.close(descriptor)
        raise ValueError(f"there is no {MANIFEST}")

    def _add(self, info: tarfile.TarInfo) -> None:
        prefix, _, name = info.name.rpartition("/")
        while self._folders[-1][0] != prefix and len(self._folders) > 1:
            os.close(self._folders.pop()[1])
        path, parent = self._folders[-1]
        if path != prefix or name in ("", ".", "..") or "\0" in info.name:
            raise ValueError(info.name)
        if info.isdir():
            os.mkdir(name, 0o755, dir_fd=parent)
            self._folders.append((info.name, os.open(name, FOLDER, dir_fd=parent)))
            self._digests[info.name] = "folder"
        elif info.issym():
            os.symlink(info.linkname, name, dir_fd=parent)
            self._digests[info.name] = f"link {_text_digest(info.linkname)}"
        elif info.isreg():
            self._digests[info.name] = self._write_file(info, name, parent)
        else:
            raise ValueError(info.name)

    def _write_file(self, info: tarfile.TarInfo, name: str, parent: int) -> str:
        mode = info.mode & 0o777
        digest = hashlib.sha256()
        content = self._content(info)
        with open(os.open(name, NEW_FILE, 0o600, dir_fd=parent), "wb") as file:
            while chunk := content.read(CHUNK):
                digest.update(chunk)
                file.write(chunk)
            os.fchmod(file.fileno(), mode)
        return f"{mode:o} {digest.hexdigest()}"

    def _content(self, info: tarfile.TarInfo) -> IO[bytes]:
        content = self._archive.extractfile(info)
        if content is None:
            raise ValueError(info.name)
        return content
