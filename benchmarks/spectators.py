"""Five hundred spectators on one live cup: how long a move takes to reach their pages, and whether the match
notices.

The cup is played on one core, the server and all spectators share another. Each spectator is a connection to
`/cups/.../events` and takes whatever a browser would; the delay of a move is from when it was made (`at`) to
when its event has been read whole. How long the series took is compared with the same cup while nobody is
around; that is done several times, and how much those differ among each other is the noise.

    python -m benchmarks.spectators [--spectators 500] [--games 1] [--rounds 3]
"""

from __future__ import annotations

import argparse
import os
import selectors
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from botequim.cup.paths import CupPaths

MEDIAN_MS: Final = 200
TAIL_MS: Final = 1000
SLOWER: Final = 0.05
THINKS: Final = 0.03
"""Seconds a move."""
CORES: Final = tuple(sorted(os.sched_getaffinity(0)))
MATCH, OTHERS = CORES[0], CORES[-1]
BOT: Final = """
import json, sys, time
for line in sys.stdin:
    question = json.loads(line)
    if "legal" in question:
        for number in range(WORK):  # so much work, however long it takes: who only sleeps notices nothing
            pass
        print(json.dumps({"move": question["legal"][0], "say": "vamos!"}), flush=True)
"""


def work(core: int) -> int:
    """As many steps as take a bot some 30 ms on this machine."""
    os.sched_setaffinity(0, {core})
    steps = 1_000_000
    took = []
    for _ in range(5):
        began = time.perf_counter()
        for _number in range(steps):
            pass
        took.append(time.perf_counter() - began)
    os.sched_setaffinity(0, set(CORES))
    return int(steps * THINKS / min(took))


def cup_in(folder: Path, games: int, steps: int) -> Path:
    """Two bots that take their time, at one table."""
    text = 'name = "Copa"\ngame = "fives"\nseed = "01234567890123456789"\nworkers = 1\n'
    for name in ("um", "dois"):
        (folder / name).mkdir(parents=True)
        (folder / name / "bot.py").write_text(BOT.replace("WORK", str(steps)), encoding="utf-8")
        (folder / name / "botequim.toml").write_text('command = "python3 bot.py"\nwire = "arena-lines"\n')
        text += f'[[entrants]]\nname = "{name}"\nbot = "{name}"\n'
    text += f'[[stages]]\nname = "league"\nformat = "round_robin"\ngames = {games}\n'
    path = folder / "copa.toml"
    path.write_text(text, encoding="utf-8")
    return path


def pinned(core: int, *command: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "botequim", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        preexec_fn=lambda: os.sched_setaffinity(0, {core}),
    )


@contextmanager
def served(path: Path, core: int) -> Iterator[int]:
    """A server of the cup; its port."""
    process = pinned(core, "serve", str(path), "--port", "0")
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        yield int(line.rsplit(":", 1)[1].strip("/\n "))
    finally:
        ticks = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]
        used = sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
        print(f"processor time: the server {used:.1f} s, the spectators {time.process_time():.1f} s")
        process.send_signal(signal.SIGTERM)
        process.wait(30)


@dataclass
class Spectator:
    """A page that looks on."""

    opened: socket.socket
    packed: bool
    unpacking: zlib._Decompress | None = None
    text: bytes = b""
    begun: bool = False
    delays: list[float] = field(default_factory=list)
    moves: set[int] = field(default_factory=set)

    def read(self) -> bool:
        """Whatever is there; whether it goes on."""
        try:
            piece = self.opened.recv(1 << 18)
        except BlockingIOError:
            return True
        if not piece:
            return False
        self.text += piece
        if not self.begun:
            head, found, rest = self.text.partition(b"\r\n\r\n")
            if not found:
                return True
            if b" 200 " not in head.split(b"\r\n")[0]:
                raise SystemExit(f"a spectator was refused: {head[:100]!r}")
            self.begun, self.text = True, rest
        now = time.time()
        *blocks, self.text = self.text.split(b"\n\n")
        for block in blocks:
            at = block.rfind(b'"at":')
            if at >= 0 and b"\nevent: board\n" in block[:60]:  # with a number: not one of those at first
                made = int(block[at + 5 :].split(b"}", 1)[0])
                self.delays.append(now - made / 1000)
                self.moves.add(made)
        return True


def look_on(port: int, count: int, playing: subprocess.Popen[str]) -> list[Spectator]:
    """So many of them, until the cup is over; they come before it begins."""
    chosen = selectors.DefaultSelector()
    crowd = []
    for number in range(count):
        opened = socket.create_connection(("127.0.0.1", port))
        language = "pt_BR" if number % 2 else "en"
        shape = "tall" if number % 4 >= 2 else "wide"
        opened.sendall(
            f"GET /cups/copa/events?lang={language}&shape={shape} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
        )
        opened.setblocking(False)
        crowd.append(Spectator(opened, packed=False))
        chosen.register(opened, selectors.EVENT_READ, crowd[-1])
    ends: float | None = None
    while ends is None or time.monotonic() < ends:
        if ends is None and playing.poll() is not None:
            ends = time.monotonic() + 1.0
        for key, _ in chosen.select(0.1):
            if not key.data.read():
                raise SystemExit("a spectator was cut off")
    for one in crowd:
        one.opened.close()
    return crowd


def seconds(path: Path) -> float:
    """That the series took, as the coordinator measured it."""
    with CupPaths.of(path).storage.open_results() as store:
        return sum(one.seconds for one in store.series())


def play(path: Path, core: int) -> subprocess.Popen[str]:
    return pinned(core, "cup", "run", str(path), "--trust", "--quiet", "--workers", "1")


def alone(path: Path, core: int) -> float:
    """The cup with nobody around."""
    if play(path, core).wait(600) != 0:
        raise SystemExit("the cup was not played")
    return seconds(path)


def watched(path: Path, spectators: int) -> tuple[float, list[Spectator]]:
    """The cup with a server and a crowd."""
    with served(path, OTHERS) as port:
        os.sched_setaffinity(0, {OTHERS})
        playing = play(path, MATCH)
        crowd = look_on(port, spectators, playing)
        os.sched_setaffinity(0, set(CORES))
        if playing.returncode != 0:
            raise SystemExit("the cup was not played")
    return seconds(path), crowd


def main(words: Sequence[str] | None = None) -> int:
    """Measure, print, and fail where a promise is not kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--spectators", type=int, default=500)
    parser.add_argument("--games", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3, help="alone and watched, one after the other")
    asked = parser.parse_args(words)
    steps = work(MATCH)
    quiet, loaded, crowd = [], [], []
    with tempfile.TemporaryDirectory(prefix="spectators-") as name:
        for number in range(asked.rounds):
            folder = Path(name) / str(number)
            quiet.append(alone(cup_in(folder / "alone", asked.games, steps), MATCH))
            took, there = watched(cup_in(folder / "watched", asked.games, steps), asked.spectators)
            loaded.append(took)
            crowd += there
        quiet.append(alone(cup_in(Path(name) / "again", asked.games, steps), MATCH))
    return told(crowd, quiet, loaded)


def told(crowd: Sequence[Spectator], quiet: Sequence[float], loaded: Sequence[float]) -> int:
    """Whether all that was promised is kept."""
    delays = sorted(delay * 1000 for one in crowd for delay in one.delays)
    moves = {len(one.moves) for one in crowd}
    if not delays:
        raise SystemExit("nobody saw a move")
    median, tail = statistics.median(delays), delays[int(0.99 * (len(delays) - 1))]
    usual = statistics.median(quiet)
    noise = (max(quiet) - min(quiet)) / usual
    slower = statistics.median(loaded) / usual - 1
    print(f"{len(crowd)} spectators in all, {min(moves)} to {max(moves)} moves each, {len(delays)} events")
    print(f"from move to page: median {median:.0f} ms (< {MEDIAN_MS}), 99 % {tail:.0f} ms (< {TAIL_MS})")
    print(f"the match alone: {_each(quiet)} s (noise {noise:.1%}); watched: {_each(loaded)} s")
    print(f"slowed by {slower:.1%}, beyond the noise {max(0.0, slower - noise):.1%} (< {SLOWER:.0%})")
    return 0 if median < MEDIAN_MS and tail < TAIL_MS and slower - noise < SLOWER else 1


def _each(times: Sequence[float]) -> str:
    return ", ".join(f"{took:.2f}" for took in times)


if __name__ == "__main__":
    sys.exit(main())
