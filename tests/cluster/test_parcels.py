"""Parcels: one for each tree, unpacked only if they are what was asked for."""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from botequim.bots.digests import HEAD, digest_of
from botequim.bots.tree_files import remove_tree
from botequim.bots.trees import Bounds, TreeError
from botequim.cluster import parcels
from botequim.cluster.parcels import (
    END,
    ENTRY,
    PARCEL_CHUNK,
    START,
    BadParcel,
    pack,
    unpack,
)
from botequim.core.errors import BotequimError


def parcel_of(folder: Path) -> tuple[bytes, str]:
    file = io.BytesIO()
    digest = pack(folder, file)
    return file.getvalue(), digest


def make_odd_tree(folder: Path) -> Path:
    folder.mkdir()
    (folder / "bot.py").write_text("print(1)\n")
    (folder / "run").write_text("#!/bin/sh\n")
    (folder / "run").chmod(0o700)
    (folder / "empty").mkdir()
    (folder / "empty file").touch()
    (folder / os.fsdecode(b"\xff\xfe not utf-8\n")).write_bytes(b"\0\1")
    (folder / ("n" * 255)).mkdir()
    (folder / ("n" * 255) / ("m" * 255)).write_bytes(bytes(3 * PARCEL_CHUNK + 1))
    (folder / "a").mkdir()  # in the order of names, a before a.txt, in that of paths a/x after it
    (folder / "a" / "x").touch()
    (folder / "a.txt").touch()
    (folder / "inside").symlink_to("bot.py")
    (folder / "outside").symlink_to("/etc/passwd")
    (folder / "up").symlink_to("../../" + "u/" * 900)
    (folder / "nowhere").symlink_to(os.fsdecode(b"\xff/"))
    return folder


def check_round_trip(folder: Path, place: Path) -> None:
    content, digest = parcel_of(folder)
    assert digest == digest_of(folder)
    copy = place / "copy"
    unpack(io.BytesIO(content), copy, digest)
    assert digest_of(copy) == digest
    assert parcel_of(copy) == (content, digest)
    assert list(place.iterdir()) == [copy]


def test_a_tree_survives_the_journey(tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    before = os.umask(0o077)
    try:
        check_round_trip(make_odd_tree(tmp_path / "bot"), place)
    finally:
        os.umask(before)
    copy = place / "copy"
    assert (copy / "nowhere").readlink() == Path(os.fsdecode(b"\xff/"))
    assert os.readlink(copy / "up") == "../../" + "u/" * 900  # noqa: PTH115 - a Path would lose the slash
    modes = {path.name: path.lstat().st_mode & 0o777 for path in copy.iterdir() if not path.is_symlink()}
    assert {mode for name, mode in modes.items() if name not in ("run", "empty", "a", "n" * 255)} == {0o644}
    assert {modes[name] for name in ("run", "empty", "a", "n" * 255)} == {0o755}
    assert copy.stat().st_mode & 0o777 == 0o755, "whatever the umask is"
    assert {path.stat().st_mtime for path in (copy / "run", copy / "bot.py")} == {parcels.TIME}


def test_an_empty_tree_survives_the_journey(tmp_path: Path) -> None:
    (tmp_path / "bot").mkdir()
    (tmp_path / "place").mkdir()
    check_round_trip(tmp_path / "bot", tmp_path / "place")


def test_the_deepest_tree_survives_the_journey(tmp_path: Path) -> None:
    """Its paths are longer than the system allows."""
    here = os.open(tmp_path, os.O_RDONLY)
    for name in ("bot", *["d" * 250] * 99):
        os.mkdir(name, dir_fd=here)
        inner = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(os.open("file", os.O_CREAT, 0o600, dir_fd=here))
    os.close(here)
    (tmp_path / "place").mkdir()
    try:
        check_round_trip(tmp_path / "bot", tmp_path / "place")
    finally:  # pytest cannot
        remove_tree(tmp_path / "bot")
        remove_tree(tmp_path / "place")


NAMES = st.binary(min_size=1, max_size=8).filter(
    lambda name: not {0, 47} & set(name) and name not in (b".", b"..")
)
LEAVES = st.one_of(
    st.tuples(st.just("file"), st.binary(max_size=50), st.booleans()),
    st.tuples(
        st.just("link"), st.binary(min_size=1, max_size=50).map(lambda name: name.replace(b"\0", b"/"))
    ),
)
TREES = st.recursive(LEAVES, lambda inner: st.dictionaries(NAMES, inner, max_size=5), max_leaves=12)


def make_tree(place: Path, value: Any) -> None:
    match value:
        case dict():
            place.mkdir()
            for name, inner in value.items():
                make_tree(place / os.fsdecode(name), inner)
        case ("file", content, executable):
            place.write_bytes(content)
            place.chmod(0o700 if executable else 0o600)
        case ("link", target):
            place.symlink_to(os.fsdecode(target))


@given(st.dictionaries(NAMES, TREES, max_size=5))
def test_any_tree_survives_the_journey(tree: dict[bytes, object]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        make_tree(Path(folder, "bot"), tree)
        place = Path(folder, "place")
        place.mkdir()
        check_round_trip(Path(folder, "bot"), place)


def test_the_same_tree_has_the_same_parcel(tmp_path: Path) -> None:
    """Whatever order, times, modes and names that are no part of a bot it has."""
    one, other = tmp_path / "one", tmp_path / "other"
    make_odd_tree(one)
    other.mkdir()
    for path in sorted(one.iterdir(), reverse=True):
        if path.is_dir() and not path.is_symlink():
            shutil.copytree(path, other / path.name)
        else:
            shutil.copy2(path, other / path.name, follow_symlinks=False)
    (other / "bot.py").chmod(0o666)
    (other / "run").chmod(0o755)
    (other / "__pycache__").mkdir()
    (other / "__pycache__" / "bot.pyc").touch()
    for number, path in enumerate(other.iterdir()):
        os.utime(path, (number, number), follow_symlinks=False)
    assert parcel_of(one) == parcel_of(other)
    (other / "bot.py").chmod(0o766)
    assert parcel_of(one) != parcel_of(other)


def test_the_format_does_not_change(tmp_path: Path) -> None:
    """Machines of a cluster may have another release than the one that packed a bot."""
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "x").write_text("hi")
    (tmp_path / "l").symlink_to("d/x")
    assert parcel_of(tmp_path)[0] == (
        b"botequim parcel 1\n"
        b"D\0\1\0\0\0\0\0\0\0\0d"
        b"F\0\3\0\0\0\0\0\0\0\2d/xhi"
        b"L\0\1\0\0\0\0\0\0\0\3ld/x"
        b"E\0\0\0\0\0\0\0\0\0\0"
    )


def test_a_tree_that_no_bot_may_have_is_not_packed(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(TreeError, match="pipe"):
        pack(tmp_path, io.BytesIO())


@pytest.mark.parametrize("change", [b"longer", b""])
def test_a_file_that_changes_while_it_is_packed(tmp_path: Path, change: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"four")

    class Meddler(io.BytesIO):
        def write(self, content: object) -> int:
            if b"file" in bytes(content):  # type: ignore[call-overload]
                path.write_bytes(change)
            return super().write(content)  # type: ignore[arg-type]

    with pytest.raises(TreeError, match="changed while it was read"):
        pack(tmp_path, Meddler())


# --- parcels that are not what they should be --------------------------------------------------------


def entry(kind: bytes, path: bytes, content: bytes = b"", size: int | None = None) -> bytes:
    return ENTRY.pack(kind, len(path), len(content) if size is None else size) + path + content


def forge(*entries: tuple[bytes, bytes, bytes]) -> tuple[bytes, str]:
    """Return a parcel with the digest that its own content has."""
    digest = hashlib.sha256(HEAD)
    for kind, path, content in entries:
        digest.update(kind + path + b"\0" + hashlib.sha256(content).digest())
    content = b"".join(entry(*one) for one in entries)
    return START + content + END, "v2-" + digest.hexdigest()


def refusal(place: Path, content: bytes, digest: str, bounds: Bounds | None = None) -> str:
    """Unpack what cannot be unpacked; nothing is left, and nothing is anywhere else."""
    place = place / "deeper" / "place"
    place.mkdir(parents=True)
    descriptors = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    with pytest.raises(BadParcel) as caught:
        unpack(io.BytesIO(content), place / "bot", digest, bounds)
    assert len(os.listdir("/proc/self/fd")) == descriptors  # noqa: PTH208
    assert list(place.parent.rglob("*")) == [place]
    shutil.rmtree(place.parent)
    return str(caught.value)


def test_a_forged_parcel_is_well_made(tmp_path: Path) -> None:
    content, digest = forge((b"D", b"d", b""), (b"F", b"d/x", b"hi"), (b"X", b"run", b""))
    unpack(io.BytesIO(content), tmp_path / "bot", digest)
    assert digest_of(tmp_path / "bot") == digest


def test_no_part_of_a_parcel_is_a_parcel(tmp_path: Path) -> None:
    content, digest = forge((b"D", b"d", b""), (b"F", b"d/x", b"hi"), (b"L", b"l", b"x"))
    for length in range(len(content)):
        assert "its end is missing" in refusal(tmp_path, content[:length], digest)
    assert "another format" in refusal(tmp_path, content + b"\0", digest)


def test_no_byte_of_a_parcel_can_be_changed(tmp_path: Path) -> None:
    content, digest = forge((b"D", b"d", b""), (b"F", b"d/x", b"hi"), (b"L", b"l", b"x"))
    for place in range(len(content)):
        for bit in (1, 16, 128):
            changed = bytearray(content)
            changed[place] ^= bit
            assert "damaged" in refusal(tmp_path, bytes(changed), digest)


def test_another_bots_parcel_is_refused(tmp_path: Path) -> None:
    content, _ = forge((b"F", b"x", b"hi"))
    assert "they are not those that were sent" in refusal(tmp_path, content, "v2-" + "0" * 64)


@pytest.mark.parametrize(
    "entries",
    [
        [(b"F", b"../x", b"")],
        [(b"F", b"..", b"")],
        [(b"F", b".", b"")],
        [(b"F", b"", b"")],
        [(b"F", b"/x", b"")],
        [(b"F", b"/tmp/botequim-parcel", b"")],
        [(b"F", b"x\0y", b"")],
        [(b"D", b"d/", b"")],
        [(b"F", b"d/x", b"")],
        [(b"L", b"l", b".."), (b"F", b"l/x", b"")],
        [(b"L", b"l", b"x"), (b"F", b"l", b"")],
        [(b"F", b"x", b""), (b"F", b"x", b"")],
        [(b"D", b"d", b""), (b"F", b"a", b""), (b"F", b"d/x", b"")],
        [(b"D", b"d", b"content")],
        [(b"L", b"l", b"")],
        [(b"L", b"l", b"x" * 4096)],
        [(b"F", b"n" * 256, b"")],
        [(b"P", b"pipe", b"")],
        [(b"F", b"x", b""), (b"F", b"a", b"")],
    ],
)
def test_parcels_that_no_tree_has(tmp_path: Path, entries: list[tuple[bytes, bytes, bytes]]) -> None:
    """Even if their digest is right by itself."""
    refusal(tmp_path, *forge(*entries))


@pytest.mark.parametrize("name", [b".git", b"__pycache__"])
def test_files_that_the_digest_does_not_see_cannot_be_added(tmp_path: Path, name: bytes) -> None:
    """Python would run `__pycache__/bot.pyc` in place of `bot.py`."""
    honest = (b"F", b"bot.py", b"print()")
    hidden = [(b"D", name, b""), (b"F", name + b"/bot.pyc", b"evil")]
    _, digest = forge(honest)
    content, other = forge(*hidden, honest)
    refusal(tmp_path, content, digest)
    refusal(tmp_path, content, other)


def test_parcels_out_of_bounds(tmp_path: Path) -> None:
    three = [(b"D", b"d", b""), (b"D", b"d/d", b""), (b"F", b"d/d/x", b"12345678")]
    content, digest = forge(*three)
    unpack(io.BytesIO(content), tmp_path / "bot", digest, Bounds(entries=3, size=8, depth=3))
    assert "more than 2 files" in refusal(tmp_path, content, digest, Bounds(entries=2))
    assert "files or 0 MB" in refusal(tmp_path, content, digest, Bounds(size=7))
    assert "more than 2 folders deep" in refusal(tmp_path, content, digest, Bounds(depth=2))


def test_a_size_that_is_only_claimed_costs_nothing(tmp_path: Path) -> None:
    huge = START + entry(b"F", b"x", size=2**63)
    assert "more than 20000 files or 512 MB" in refusal(tmp_path, huge, "v2-" + "0" * 64)
    assert "more than 20000 files" in refusal(
        tmp_path, START + entry(b"L", b"x", size=2**40), "v2-" + "0" * 64
    )
    large = START + entry(b"F", b"x", size=500 << 20)
    assert "its end is missing" in refusal(tmp_path, large, "v2-" + "0" * 64)


def test_what_is_there_is_not_replaced(tmp_path: Path) -> None:
    content, digest = forge((b"F", b"x", b"hi"))
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "mine").touch()
    with pytest.raises(BotequimError):
        unpack(io.BytesIO(content), tmp_path / "bot", digest)
    assert [path.name for path in tmp_path.rglob("*")] == ["bot", "mine"]


def test_parts_of_a_stream_may_be_short(tmp_path: Path) -> None:
    class Dribble(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            return super().read(min(size or 0, 3))

    content, digest = forge((b"D", b"dddddd", b""), (b"F", b"dddddd/xxxx", b"12345678"))
    unpack(Dribble(content), tmp_path / "bot", digest)
    assert digest_of(tmp_path / "bot") == digest
