"""Stores of parcels: bounded, shared by processes, and never with half a parcel."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from botequim.cluster.parcels import BadParcel, MissingParcel, ParcelFile, ParcelStore
from botequim.core.errors import BotequimError
from tests.support.small_disk import run_on_small_disk

KB = 1024


def put(store: ParcelStore, name: str, content: bytes) -> None:
    with store.writer(name) as file:
        file.write(content)


def forget_reads(store: Path) -> None:
    """Let the time pass for which parcels stay because more of them may be read."""
    for path in (store / "locks").iterdir():
        os.utime(path, ns=(0, path.stat().st_mtime_ns))


def test_a_parcel_can_be_stored_and_read_in_parts(tmp_path: Path) -> None:
    store = ParcelStore(tmp_path / "made" / "store", 1 << 20)
    name = "v2-" + "a" * 64
    assert not store.has(name)
    with store.writer(name) as file:
        file.write(b"0123456789")
        assert not store.has(name), "not before it is complete"
    assert store.has(name)
    assert store.size(name) == 10
    assert [store.read(name, at, 4) for at in (0, 4, 8, 12)] == [b"0123", b"4567", b"89", b""]
    assert ParcelStore(tmp_path / "made" / "store", 1 << 20).has(name), "another process sees it"


def test_what_is_not_stored(tmp_path: Path) -> None:
    store = ParcelStore(tmp_path, 1 << 20)
    for ask in (lambda: store.size("image-sha256_0"), lambda: store.read("image-sha256_0", 0, 1)):
        with pytest.raises(MissingParcel, match="image-sha256_0"):
            ask()
    store.remove("image-sha256_0")
    for name in ("", ".", "..", "../x", "a/b", "a~fetch", "x" * 201, "a\n"):
        with pytest.raises(BotequimError):
            store.has(name)
        with pytest.raises(BotequimError), store.writer(name):
            pass


def test_a_parcel_that_is_given_up_is_not_stored(tmp_path: Path) -> None:
    store = ParcelStore(tmp_path, 1 << 20)
    with contextlib.suppress(KeyError), store.writer("a") as file:
        file.write(b"half")
        raise KeyError
    assert not store.has("a")
    assert list((tmp_path / "incoming").iterdir()) == []


def test_a_parcel_that_is_there_is_left_alone(tmp_path: Path) -> None:
    store = ParcelStore(tmp_path, 1 << 20)
    with store.writer("a") as one, store.writer("a") as other:
        one.write(b"one")
        other.write(b"other")
    assert store.read("a", 0, 100) == b"other", "the first that was complete"
    put(store, "a", b"third")
    assert store.read("a", 0, 100) == b"other"
    store.remove("a")
    assert not store.has("a")
    put(store, "a", b"third")
    assert store.read("a", 0, 100) == b"third"


def test_the_least_recently_used_parcels_are_removed(tmp_path: Path) -> None:
    store = ParcelStore(tmp_path, 200 * KB)
    for name in "abc":
        put(store, name, bytes(50 * KB))
    assert len(store.read("a", 0, 100 * KB)) == 50 * KB
    assert store.has("b")
    put(store, "d", bytes(50 * KB))
    assert [name for name in "abcd" if store.has(name)] == ["a", "b", "d"]
    assert {path.name for path in (tmp_path / "locks").iterdir()} == {"a", "b", "d"}


def test_a_parcel_that_is_larger_than_its_store(tmp_path: Path) -> None:
    store = ParcelStore(tmp_path, 100 * KB)
    put(store, "a", bytes(20 * KB))
    put(store, "large", bytes(200 * KB))
    assert store.read("large", 0, 300 * KB) == bytes(200 * KB)
    put(store, "b", bytes(20 * KB))
    assert not store.has("large")
    assert store.has("b")


def test_a_parcel_that_is_being_read_stays(tmp_path: Path) -> None:
    store = ParcelStore(tmp_path, 100 * KB)
    put(store, "a", bytes(60 * KB))
    store.read("a", 0, 10 * KB)
    put(store, "b", bytes(60 * KB))
    assert store.read("a", 10 * KB, 10 * KB) == bytes(10 * KB)
    forget_reads(tmp_path)
    put(store, "c", bytes(60 * KB))
    assert [name for name in "abc" if store.has(name)] == ["c"]


def test_a_clock_that_was_set_back_keeps_nothing(tmp_path: Path) -> None:
    store = ParcelStore(tmp_path, 100 * KB)
    put(store, "a", bytes(60 * KB))
    os.utime(tmp_path / "locks" / "a", (2**32, 1))
    put(store, "b", bytes(60 * KB))
    assert not store.has("a")


def test_what_a_crash_of_the_machine_left_is_removed(tmp_path: Path) -> None:
    store = ParcelStore(tmp_path, 1 << 20)
    for name in "abc":
        put(store, name, b"x")
    (tmp_path / "entries" / "a" / "size").write_text("")
    (tmp_path / "entries" / "b" / "size").unlink()
    (tmp_path / "locks" / "c").unlink()
    store = ParcelStore(tmp_path, 1 << 20)
    assert [name for name in "abc" if store.has(name)] == ["c"]


WRITER = """
import sys
from pathlib import Path
from botequim.cluster.parcels import ParcelStore
with ParcelStore(Path(sys.argv[1]), 1 << 20).writer("a") as file:
    file.write(bytes(100_000))
    file.flush()
    print("half", flush=True)
    sys.stdin.read()
"""


def test_a_writer_that_is_killed_leaves_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WRITER, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as writer:
        try:
            assert writer.stdout is not None
            assert writer.stdout.readline() == b"half\n"
            store = ParcelStore(tmp_path, 1 << 20)
            put(store, "b", b"x")
            assert len(list((tmp_path / "incoming").iterdir())) == 1, "it is not disturbed"
            assert not store.has("a")
        finally:
            writer.send_signal(signal.SIGKILL)
    put(store, "c", b"x")
    assert list((tmp_path / "incoming").iterdir()) == []
    assert not store.has("a")


def test_many_threads_share_a_store(tmp_path: Path) -> None:
    def work(number: int) -> None:
        store = ParcelStore(tmp_path, 60 * KB)
        for turn in range(15):
            name = f"p{(turn * (number + 1)) % 5}"
            put(store, name, name.encode() * 10 * KB)
            with contextlib.suppress(MissingParcel):  # another thread may have needed its place
                assert store.read(name, 0, 30 * KB) == name.encode() * 10 * KB

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(work, range(4)))
    forget_reads(tmp_path)
    ParcelStore(tmp_path, 60 * KB)
    assert sum(path.stat().st_size for path in (tmp_path / "entries").rglob("parcel")) <= 60 * KB
    assert list((tmp_path / "incoming").iterdir()) == []


def test_a_folder_that_others_can_write_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    with pytest.raises(BotequimError, match="other users"):
        ParcelStore(tmp_path, 1 << 20)
    tmp_path.chmod(0o755)
    ParcelStore(tmp_path, 1 << 20)


SMALL_DISK = """
import io, sys
from pathlib import Path
from botequim.cluster.parcels import *
from botequim.cluster.bounded_folder import DiskFull
disk, bot = Path(sys.argv[1]), Path(sys.argv[2])

store = ParcelStore(disk / "store", 1 << 30)
try:
    with store.writer("a") as file:
        for _ in range(100):
            file.write(bytes(100_000))
except DiskFull as error:
    print(error)
print(store.has("a"), list((disk / "store" / "incoming").iterdir()))

file = io.BytesIO()
digest = pack(bot, file)
file.seek(0)
try:
    unpack(file, disk / "bot", digest)
except DiskFull as error:
    print(error)
print(sorted(path.name for path in disk.iterdir()))
"""


def test_a_full_disk_is_called_so(tmp_path: Path) -> None:
    bot, disk = tmp_path / "bot", tmp_path / "disk"
    bot.mkdir()
    (bot / "large").write_bytes(bytes(3_000_000))
    output = run_on_small_disk(disk, "2m", SMALL_DISK, bot)
    stored, left, unpacked, names = output
    assert stored.startswith(f"{disk}/store/incoming/")
    assert stored.endswith(" cannot be written: the disk is full")
    assert left == "False []"
    assert unpacked == f"{disk}/bot cannot be written: the disk is full"
    assert names == "['store']"


def test_an_endless_parcel_is_refused(tmp_path: Path) -> None:
    with ParcelFile(tmp_path / "parcel", 2 << 20) as file:
        file.write(bytes(2 << 20))
        with pytest.raises(BadParcel, match="larger than 2 MB"):
            file.write(b"x")
