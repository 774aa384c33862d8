"""The bots that a worker has unpacked: fetched once, bounded, whole or not there."""

from __future__ import annotations

import io
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import BinaryIO

import pytest

from botequim.bots.digests import digest_of
from botequim.cluster import bot_cache
from botequim.cluster.bot_cache import BotCache
from botequim.cluster.parcels import BadParcel, pack
from botequim.core.errors import BotequimError
from tests.support.pace import until
from tests.support.small_disk import run_on_small_disk

KB = 1024
ROOMY = 1 << 30


class Bot:
    """A bot that can be fetched; it counts how often it is."""

    def __init__(self, folder: Path, size: int = 10) -> None:
        folder.mkdir()
        (folder / "bot.py").write_text(f"# {folder.name}\n")
        (folder / "data").write_bytes(bytes(size))
        self.folder = folder
        parcel = io.BytesIO()
        self.digest = pack(folder, parcel)
        self.parcel = parcel.getvalue()
        self.fetches = 0

    def fetch(self, file: BinaryIO) -> None:
        self.fetches += 1
        file.write(self.parcel)


@pytest.fixture
def make_bot(tmp_path: Path) -> Callable[..., Bot]:
    return lambda name, size=10: Bot(tmp_path / name, size)


def play(cache: BotCache, bot: Bot) -> None:
    """Use a bot, and check that it is complete."""
    with cache.bot(bot.digest, bot.fetch) as folder:
        assert digest_of(folder) == bot.digest


def refuse(_: BinaryIO) -> None:
    raise AssertionError("it is here already")


def names(cache: Path, folder: str = "entries") -> set[str]:
    return {path.name for path in (cache / folder).iterdir()}


def test_a_bot_is_fetched_once(tmp_path: Path, make_bot: Callable[..., Bot]) -> None:
    bot = make_bot("bot")
    for _ in range(2):  # also for the next process
        cache = BotCache(tmp_path / "cache", ROOMY)
        play(cache, bot)
        play(cache, bot)
    assert bot.fetches == 1
    assert names(tmp_path / "cache") == {bot.digest}
    assert names(tmp_path / "cache", "incoming") == set()


def test_a_digest_of_another_kind_is_refused(tmp_path: Path) -> None:
    cache = BotCache(tmp_path / "cache", ROOMY)
    for digest in ("", "0" * 32, "v2-..", "v2-" + "0" * 63 + "/", "v2-" + "0" * 64 + "\n"):
        with pytest.raises(BotequimError, match="not the digest"), cache.bot(digest, refuse):
            pass


@pytest.mark.parametrize(
    "tamper", [lambda parcel: parcel[:-1], lambda parcel: parcel.replace(b"# b", b"# B")]
)
def test_a_bad_parcel_leaves_nothing(
    tmp_path: Path, make_bot: Callable[..., Bot], tamper: Callable[[bytes], bytes]
) -> None:
    bot = make_bot("bot")
    cache = BotCache(tmp_path / "cache", ROOMY)
    honest, bot.parcel = bot.parcel, tamper(bot.parcel)
    with pytest.raises(BadParcel), cache.bot(bot.digest, bot.fetch):
        pass
    for folder in ("entries", "incoming", "locks"):
        assert names(tmp_path / "cache", folder) == set()
    bot.parcel = honest
    play(cache, bot)


def test_an_endless_download_ends(
    tmp_path: Path, make_bot: Callable[..., Bot], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot_cache, "LARGEST_BOT", 1 << 20)

    def flood(file: BinaryIO) -> None:
        while True:
            file.write(bytes(KB * 100))

    cache = BotCache(tmp_path / "cache", ROOMY)
    with pytest.raises(BadParcel, match="larger than 1 MB"), cache.bot(make_bot("bot").digest, flood):
        pass
    assert names(tmp_path / "cache", "incoming") == set()


def test_a_download_that_fails_leaves_nothing(tmp_path: Path, make_bot: Callable[..., Bot]) -> None:
    bot = make_bot("bot")

    def fail(file: BinaryIO) -> None:
        file.write(bot.parcel[:50])
        raise ConnectionResetError

    cache = BotCache(tmp_path / "cache", ROOMY)
    with pytest.raises(ConnectionResetError), cache.bot(bot.digest, fail):
        pass
    assert names(tmp_path / "cache", "incoming") == set()
    play(cache, bot)


# --- the bound ---------------------------------------------------------------------------------------


def test_the_least_recently_used_bots_are_removed(tmp_path: Path, make_bot: Callable[..., Bot]) -> None:
    bots = [make_bot(name, 50 * KB) for name in "abcd"]
    a, b, c, d = bots
    cache = BotCache(tmp_path / "cache", 250 * KB)
    for bot in (a, b, c, a, d):
        play(cache, bot)
    assert names(tmp_path / "cache") == {a.digest, c.digest, d.digest}
    play(cache, b)
    assert [bot.fetches for bot in bots] == [1, 2, 1, 1]
    assert names(tmp_path / "cache") == {a.digest, b.digest, d.digest}


def test_many_small_files_count_as_blocks(tmp_path: Path, make_bot: Callable[..., Bot]) -> None:
    folder = make_bot("many").folder
    for number in range(100):
        (folder / str(number)).touch()
    other = tmp_path / "other"
    folder.rename(other)
    bot = make_bot("many")
    file = io.BytesIO()
    bot.digest, bot.parcel = pack(other, file), file.getvalue()
    play(BotCache(tmp_path / "cache", 100 * KB), bot)
    assert names(tmp_path / "cache") == set()


def test_bots_in_use_stay(tmp_path: Path, make_bot: Callable[..., Bot]) -> None:
    a, b = make_bot("a", 80 * KB), make_bot("b", 80 * KB)
    cache = BotCache(tmp_path / "cache", 150 * KB)
    with cache.bot(a.digest, a.fetch) as folder:
        with BotCache(tmp_path / "cache", 150 * KB).bot(b.digest, b.fetch) as other:
            assert digest_of(folder) == a.digest
            assert digest_of(other) == b.digest
        assert names(tmp_path / "cache") == {a.digest}, "b was not in use any more"
    assert names(tmp_path / "cache") == {a.digest}


def test_a_bot_that_is_larger_than_the_cache_is_played(tmp_path: Path, make_bot: Callable[..., Bot]) -> None:
    small, large = make_bot("small", 10 * KB), make_bot("large", 300 * KB)
    cache = BotCache(tmp_path / "cache", 100 * KB)
    with cache.bot(large.digest, large.fetch) as folder:
        play(cache, small)
        play(cache, large)
        assert digest_of(folder) == large.digest
    assert names(tmp_path / "cache") == set()
    assert large.fetches == 1
    play(cache, small)
    assert names(tmp_path / "cache") == {small.digest}


def test_a_smaller_bound_holds_from_the_start(tmp_path: Path, make_bot: Callable[..., Bot]) -> None:
    bots = [make_bot(name, 50 * KB) for name in "abc"]
    for bot in bots:
        play(BotCache(tmp_path / "cache", ROOMY), bot)
    BotCache(tmp_path / "cache", 100 * KB)
    assert names(tmp_path / "cache") == {bots[-1].digest}


# --- several processes -------------------------------------------------------------------------------

PLAY = """
import sys
from pathlib import Path
from botequim.bots.digests import digest_of
from botequim.cluster.bot_cache import BotCache
cache, digest, parcel = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])

def fetch(file):
    content = parcel.read_bytes()
    file.write(content[:100])
    file.flush()
    print("fetch", flush=True)
    sys.stdin.readline()
    file.write(content[100:])

print("start", flush=True)
with BotCache(cache, 1 << 30).bot(digest, fetch) as folder:
    assert digest_of(folder) == digest
    print("play", flush=True)
    sys.stdin.readline()
"""


class Cluster:
    """Processes that want the same bot."""

    def __init__(self, cache: Path, bot: Bot, place: Path) -> None:
        parcel = place / "parcel"
        parcel.write_bytes(bot.parcel)
        self._command = [sys.executable, "-c", PLAY, str(cache), bot.digest, str(parcel)]
        self.processes: list[subprocess.Popen[str]] = []

    def start(self) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.processes.append(process)
        assert line(process) == "start"
        return process


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().rstrip("\n")


def go_on(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")


@pytest.fixture
def cluster(tmp_path: Path, make_bot: Callable[..., Bot]) -> Iterator[Cluster]:
    found = Cluster(tmp_path / "cache", make_bot("bot"), tmp_path)
    yield found
    for process in found.processes:
        process.kill()
        process.communicate()


def wait_until_blocked(process: subprocess.Popen[str]) -> None:
    """Wait until a process waits for a lock of another one."""

    def is_blocked() -> bool:
        rows = Path("/proc/locks").read_text().splitlines()
        return any(" -> FLOCK " in row and f" {process.pid} " in row for row in rows)

    until(is_blocked, "that it waits for a lock")


def test_two_processes_fetch_a_bot_once(cluster: Cluster) -> None:
    first = cluster.start()
    assert line(first) == "fetch"
    second = cluster.start()
    wait_until_blocked(second)
    go_on(first)
    assert line(first) == "play"
    assert line(second) == "play", "and not fetch"
    for process in (first, second):
        go_on(process)
        assert process.wait() == 0


def test_the_next_process_fetches_if_one_is_killed(cluster: Cluster, tmp_path: Path) -> None:
    first = cluster.start()
    assert line(first) == "fetch"
    second = cluster.start()
    wait_until_blocked(second)
    assert len(names(tmp_path / "cache", "incoming")) == 1
    assert names(tmp_path / "cache") == set()
    first.send_signal(signal.SIGKILL)
    assert line(second) == "fetch"
    go_on(second)
    assert line(second) == "play"
    assert names(tmp_path / "cache", "incoming") == set(), "the half bot is gone"
    go_on(second)
    assert second.wait() == 0


def test_a_bot_that_another_process_plays_stays(cluster: Cluster, tmp_path: Path) -> None:
    process = cluster.start()
    assert line(process) == "fetch"
    go_on(process)
    assert line(process) == "play"
    BotCache(tmp_path / "cache", 1)
    assert len(names(tmp_path / "cache")) == 1
    process.kill()
    process.wait()
    BotCache(tmp_path / "cache", 1)
    assert names(tmp_path / "cache") == set()
    assert names(tmp_path / "cache", "locks") == set()


def test_a_removal_that_was_interrupted_is_finished(tmp_path: Path, make_bot: Callable[..., Bot]) -> None:
    bot = make_bot("bot")
    play(BotCache(tmp_path / "cache", ROOMY), bot)
    (tmp_path / "cache" / "entries" / bot.digest).rename(tmp_path / "cache" / "incoming" / "0123")
    cache = BotCache(tmp_path / "cache", ROOMY)
    assert names(tmp_path / "cache", "incoming") == set()
    play(cache, bot)
    assert bot.fetches == 2


def test_threads_share_a_cache_that_is_too_small(tmp_path: Path, make_bot: Callable[..., Bot]) -> None:
    bots = [make_bot(name, 50 * KB) for name in "abcd"]
    cache = BotCache(tmp_path / "cache", 120 * KB)

    def work(number: int) -> None:
        for turn in range(10):
            play(cache, bots[(turn * (number + 1)) % 4])

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(work, range(4)))
    assert len(names(tmp_path / "cache")) <= 2
    assert names(tmp_path / "cache", "incoming") == set()


# --- after a crash of the machine --------------------------------------------------------------------


@pytest.fixture
def restart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Callable[[str], None]]:
    """Let the machine start again: by another name, or one without names."""

    def begin(name: str) -> None:
        (tmp_path / "boot").write_text(name)
        monkeypatch.setattr(bot_cache, "BOOT", tmp_path / ("boot" if name else "none"))
        bot_cache._machine_start.cache_clear()

    yield begin
    bot_cache._machine_start.cache_clear()


def test_bots_are_verified_again_after_a_restart(
    tmp_path: Path, make_bot: Callable[..., Bot], restart: Callable[[str], None]
) -> None:
    bot = make_bot("bot")
    cache = BotCache(tmp_path / "cache", ROOMY)
    play(cache, bot)
    restart("second")
    play(cache, bot)
    assert bot.fetches == 1, "it is as it was"
    restart("third")
    (tmp_path / "cache" / "entries" / bot.digest / "bot" / "data").write_bytes(b"")
    play(cache, bot)
    assert bot.fetches == 2, "the disk lost a file"
    play(cache, bot)
    assert bot.fetches == 2


def test_bots_are_verified_always_if_restarts_are_not_known(
    tmp_path: Path, make_bot: Callable[..., Bot], restart: Callable[[str], None]
) -> None:
    restart("")
    bot = make_bot("bot")
    cache = BotCache(tmp_path / "cache", ROOMY)
    play(cache, bot)
    play(cache, bot)
    assert bot.fetches == 1
    (tmp_path / "cache" / "entries" / bot.digest / "bot" / "data").write_bytes(b"")
    play(cache, bot)
    assert bot.fetches == 2


# --- a full disk -------------------------------------------------------------------------------------

SMALL_DISK = """
import io, os, sys
from pathlib import Path
from botequim.bots.digests import digest_of
from botequim.cluster.bot_cache import BotCache
from botequim.cluster.bounded_folder import DiskFull
from botequim.cluster.parcels import pack
cache = Path(sys.argv[1])

def play(folder):
    parcel = io.BytesIO()
    digest = pack(Path(folder), parcel)
    try:
        with BotCache(cache, 1 << 30).bot(digest, lambda file: file.write(parcel.getvalue())) as bot:
            assert digest_of(bot) == digest
            print(len(list((cache / "entries").iterdir())))
    except DiskFull as error:
        print(str(error).rpartition(": ")[2])
    assert not list((cache / "incoming").iterdir())

for folder in sys.argv[2:]:
    play(folder)
"""


def test_other_bots_make_room_on_a_full_disk(tmp_path: Path, make_bot: Callable[..., Bot]) -> None:
    sizes = {"a": 900 * KB, "b": 900 * KB, "c": 900 * KB, "big": 1800 * KB, "huge": 3000 * KB, "small": KB}
    folders = [make_bot(name, size).folder for name, size in sizes.items()]
    output = run_on_small_disk(tmp_path / "cache", "4m", SMALL_DISK, *folders)
    assert output == ["1", "2", "3", "1", "the disk is full", "1"]
