"""Trees that strangers made: walked by descriptor, copied, removed; and their digests."""

from __future__ import annotations

import errno
import hashlib
import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from botequim.bots.digests import digest_of, has_digest
from botequim.bots.tree_files import copy_tree, remove_tree
from botequim.bots.trees import Bounds, Entry, TreeError, open_tree, walk
from botequim.core.errors import BotequimError

LONG = "n" * 240


def entries(folder: Path, bounds: Bounds | None = None, *, closed: bool = False) -> list[Entry]:
    with open_tree(folder) as top:
        return list(walk(top, bounds, closed=closed))


def copy(source: Path, target: Path, bounds: Bounds | None = None, *, closed: bool = False) -> Path:
    with open_tree(source) as top:
        copy_tree(top, target, bounds, closed=closed)
    return target


def refusal(folder: Path, bounds: Bounds | None = None, *, closed: bool = False) -> str:
    with pytest.raises(TreeError) as caught:
        entries(folder, bounds, closed=closed)
    return str(caught.value)


def make_deep(folder: Path, depth: int, name: str = "d") -> int:
    """Nest folders below a folder, past the longest path of the system; return the last one's descriptor."""
    here = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir(name, dir_fd=here)
        inner = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    return here


def make_fifo(path: Path) -> None:
    os.mkfifo(path)


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as sock:
        folder = os.open(path.parent, os.O_RDONLY)
        try:  # the address of a socket is short
            sock.bind(f"/proc/self/fd/{folder}/{path.name}")
        finally:
            os.close(folder)


def make_setuid(path: Path) -> None:
    path.touch()
    path.chmod(0o4755)


def make_setgid(path: Path) -> None:
    path.touch()
    path.chmod(0o2755)


def make_device(path: Path) -> None:
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("only root can make a device")


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (make_fifo, "named pipe"),
        (make_socket, "a socket"),
        (make_setuid, "setuid"),
        (make_setgid, "setgid"),
        (make_device, "a device"),
    ],
)
def test_what_is_no_file_is_refused_by_name(make: Callable[[Path], None], kind: str, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    make(tmp_path / "sub" / "odd")
    said = refusal(tmp_path)
    assert said.startswith("sub/odd is a")
    assert kind in said


def test_a_pipe_beyond_the_longest_path_is_found(tmp_path: Path) -> None:
    source, made = tmp_path / "source", tmp_path / "copy"
    source.mkdir()
    here = make_deep(source, 20, LONG)
    try:
        os.mkfifo("pipe", dir_fd=here)
        assert "/pipe is a named pipe" in refusal(source)
        os.unlink("pipe", dir_fd=here)
        with open(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=here), "w") as file:
            file.write("far away")
    finally:
        os.close(here)
    found = entries(copy(source, made))
    assert [len(entry.path) for entry in found][-1] == 20 * 241 + len("file")
    remove_tree(source)
    remove_tree(made)
    assert not list(tmp_path.iterdir())


def test_a_tree_that_is_too_deep_is_refused_and_can_be_removed(tmp_path: Path) -> None:
    os.close(make_deep(tmp_path, 1100))
    assert "more than 100 folders deep" in refusal(tmp_path)
    remove_tree(tmp_path)
    assert not tmp_path.exists()


def test_what_cannot_be_written_is_removed_too(tmp_path: Path) -> None:
    (tmp_path / "a" / "b" / "c").mkdir(parents=True)
    (tmp_path / "a" / "b" / "c" / "file").touch()
    (tmp_path / "elsewhere").symlink_to("/usr")
    for folder in ("a/b/c", "a/b", "a"):
        (tmp_path / folder).chmod(0o000 if folder == "a/b/c" else 0o500)
    remove_tree(tmp_path)
    assert not tmp_path.exists()
    assert Path("/usr/bin").is_dir()
    remove_tree(tmp_path)


@pytest.mark.parametrize(
    "bounds", [Bounds(entries=3), Bounds(size=3), Bounds(depth=1)], ids=["entries", "size", "depth"]
)
def test_bounds(bounds: Bounds, tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "a" / "b").mkdir(parents=True)
    (source / "a" / "c").write_text("four")
    (source / "d").touch()
    assert len(entries(source)) == 4
    assert "more than" in refusal(source, bounds)
    with pytest.raises(TreeError, match="more than"):
        copy(source, tmp_path / "copy", bounds)


def test_a_file_that_is_larger_than_the_system_says(tmp_path: Path) -> None:
    """As those in /proc are: their size is told to be 0."""
    with pytest.raises(TreeError, match="more than"), open_tree(Path("/proc/self/net")) as top:
        copy_tree(top, tmp_path / "copy", Bounds(size=10))


def test_what_we_cannot_read_is_refused_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "closed").touch()

    def refuse(descriptor: int, size: int) -> bytes:
        raise PermissionError(errno.EACCES, "")

    monkeypatch.setattr(os, "read", refuse)  # root may read everything
    with pytest.raises(TreeError, match="closed cannot be read"):
        copy(tmp_path / "source", tmp_path / "copy")


def test_a_copy_is_written_by_nobody_else_and_keeps_links(tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "sub" / "empty").mkdir(parents=True)
    (source / "program").write_text("run")
    (source / "program").chmod(0o4700 & 0o777)
    (source / "data").write_text("data")
    (source / "data").chmod(0o666)
    os.utime(source / "data", (1, 1))
    for name, target in {"in": "data", "up": "../..", "out": "/etc/passwd", "sub/gone": "nowhere"}.items():
        (source / name).symlink_to(target)
    (source / "sub").chmod(0o2777)
    made = copy(source, tmp_path / "copy")
    modes = {
        path.name: stat.S_IMODE(path.lstat().st_mode) for path in made.rglob("*") if not path.is_symlink()
    }
    assert modes == {"sub": 0o755, "empty": 0o755, "program": 0o755, "data": 0o644}
    links = {path.name: str(path.readlink()) for path in made.rglob("*") if path.is_symlink()}
    assert links == {"in": "data", "up": "../..", "out": "/etc/passwd", "gone": "nowhere"}
    assert (made / "data").stat().st_mtime == 1
    assert digest_of(made) == digest_of(source)


def test_hard_links_become_separate_files(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "one").write_text("same")
    (source / "two").hardlink_to(source / "one")
    made = copy(source, tmp_path / "copy", closed=True)
    assert (made / "one").stat().st_nlink == (made / "two").stat().st_nlink == 1
    assert (made / "two").read_text() == "same"
    (tmp_path / "three").hardlink_to(source / "one")
    assert "two is also a file outside of the folder" in refusal(source, closed=True)
    assert len(entries(source)) == 2, "in a source they may be"


def test_a_full_disk_is_not_the_fault_of_a_tree(tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    with pytest.raises(BotequimError) as caught:
        copy(tmp_path / "source", tmp_path / "missing" / "copy")
    assert not isinstance(caught.value, TreeError)


def test_a_file_is_copied_whole_if_the_system_writes_it_in_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "bot.py").write_bytes(b"0123456789")
    write = os.write
    monkeypatch.setattr(os, "write", lambda file, content: write(file, bytes(content[:3])))
    with open_tree(source) as top:
        copy_tree(top, tmp_path / "copy")
    assert (tmp_path / "copy" / "bot.py").read_bytes() == b"0123456789"


def test_a_cup_is_not_part_of_a_bot(tmp_path: Path) -> None:
    (tmp_path / "copa.cup").mkdir()
    (tmp_path / "copa.cup" / "cup.sqlite").touch()
    (tmp_path / "copa.toml").write_text("seed = 7")
    for name in ("bot.py", "botequim.toml"):
        (tmp_path / name).touch()
    assert [entry.path for entry in entries(tmp_path)] == ["bot.py", "botequim.toml", "copa.cup"]


# --- digests ---------------------------------------------------------------------------------------


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    (folder / "empty").mkdir(parents=True)
    (folder / "bot.py").write_text("print(1)\n")
    (folder / "run").write_text("#!/bin/sh\n")
    (folder / "run").chmod(0o755)
    (folder / "link").symlink_to("bot.py")
    return folder


def test_the_digest_is_as_documented(tree: Path) -> None:
    def line(kind: bytes, path: bytes, content: bytes) -> bytes:
        return kind + path + b"\0" + hashlib.sha256(content).digest()

    said = b"botequim files 2\n" + line(b"F", b"bot.py", b"print(1)\n") + line(b"D", b"empty", b"")
    said += line(b"L", b"link", b"bot.py") + line(b"X", b"run", b"#!/bin/sh\n")
    assert digest_of(tree) == "v2-" + hashlib.sha256(said).hexdigest()


def test_every_change_changes_the_digest(tree: Path) -> None:
    digests = [digest_of(tree)]
    (tree / "bot.py").chmod(0o755)
    digests.append(digest_of(tree))
    (tree / "empty").rmdir()
    digests.append(digest_of(tree))
    (tree / "link").rename(tree / "other")
    digests.append(digest_of(tree))
    (tree / "other").unlink()
    (tree / "other").symlink_to("/bot.py")
    digests.append(digest_of(tree))
    (tree / "other").unlink()
    (tree / "other").write_text("/bot.py")
    digests.append(digest_of(tree))
    (tree / "a").mkdir()
    digests.append(digest_of(tree))
    assert len(set(digests)) == len(digests)
    (tree / "__pycache__").mkdir()
    os.utime(tree / "bot.py", (1, 1))
    assert digest_of(tree) == digests[-1]


def test_a_digest_of_version_1_is_checked_as_such(tree: Path) -> None:
    """The value was computed by the release that had no other."""
    known = "b6d446eb7f5d7df953e5a44f78358a47"
    assert has_digest(tree, known)
    assert has_digest(tree, digest_of(tree))
    (tree / "bot.py").write_text("print(2)\n")
    assert not has_digest(tree, known)
    os.mkfifo(tree / "pipe")
    with pytest.raises(TreeError, match="pipe is a named pipe"):
        has_digest(tree, known)


def test_no_part_of_a_stored_folder_is_left_unread(tree: Path) -> None:
    digest = digest_of(tree)
    (tree / "__pycache__").mkdir()
    (tree / "__pycache__" / "bot.pyc").touch()
    assert has_digest(tree, digest), "Python may write there, where a bot is not isolated"
    os.mkfifo(tree / "__pycache__" / "pipe")
    with pytest.raises(TreeError, match="__pycache__/pipe is a named pipe"):
        has_digest(tree, digest)
