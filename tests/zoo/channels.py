"""Ways by which two instances of one bot could pass a bit, and where each of them is open.

Two instances of `bodies/accomplice.py` run at once. One sends known bits by a channel, the other says what it
sees; the channel is open if what it sees tells the bits apart. None of these channels depends on timing:
`benchmarks/channels.py` measures those that do. `docs/reference/security.md` shows this table.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from botequim.botcheck.channels import OPEN_CHANNELS, Place
from botequim.core.limits import MB, Limits
from botequim.core.process import Launch, Process, Program, Sandbox
from botequim.sandbox.running import readable

ACCOMPLICE: Final = Path(__file__).parent / "bodies" / "accomplice.py"
LIMITS: Final = Limits(memory=256 * MB, processes=60, space=8 * MB)
BITS: Final = (1, 0, 0, 1, 1, 0, 1, 0)
PLACES: Final = ("its folder", "the system", "the engine", "devices")
WAYS: Final = tuple(Place)
PAUSE: Final = 0.012
"""Seconds after which the time of a file differs."""


@dataclass(frozen=True)
class Channel:
    """Some channels of the accomplices that are alike."""

    name: str
    em_portugues: str
    members: tuple[str, ...]

    @property
    def open_in(self) -> frozenset[Place]:
        """Where it is open, as `botequim doctor` says too."""
        return OPEN_IN.get(self.name, frozenset())


def _at(*mechanisms: str, places: Iterable[str]) -> tuple[str, ...]:
    return tuple(f"{mechanism}: {place}" for mechanism in mechanisms for place in places)


_FILES: Final = ("its folder", "the system", "the engine")
_MARKS: Final = ("time of change", "time of reading", "mode", "extended attribute")
_LOCKS: Final = ("flock", "lock of a byte", "lock of an open file")
OPEN_IN: Final = {str(name): places for name, places in OPEN_CHANNELS}

CHANNELS: Final = (
    Channel("new files, in every folder", "arquivos novos, em cada pasta", ("new files",)),
    Channel("times, modes and attributes of files and devices",
            "datas, modos e atributos de arquivos e dispositivos", _at(*_MARKS, places=PLACES)),
    Channel("locks on files: of the whole, of a byte, of an open file",
            "travas em arquivos: inteiros, de um byte, de um arquivo aberto", _at(*_LOCKS, places=_FILES)),
    Channel("locks on devices (/dev/null)", "travas em dispositivos (/dev/null)",
            _at(*_LOCKS, places=("devices",))),
    Channel("leases", "arrendamentos (leases)", _at("lease", places=PLACES)),
    Channel("inotify and fanotify on files", "inotify e fanotify em arquivos",
            (*_at("inotify", "fanotify", places=_FILES), "fanotify: devices")),
    Channel("inotify on devices", "inotify em dispositivos", ("inotify: devices",)),
    Channel("pages in memory, by mincore, cachestat or RWF_NOWAIT",
            "páginas na memória, por mincore, cachestat ou RWF_NOWAIT",
            _at("pages in memory, by mincore and cachestat", places=PLACES)),
    Channel("abstract sockets and ports", "sockets abstratos e portas", ("abstract socket", "port")),
    Channel("System V shared memory, semaphores and message queues",
            "memória compartilhada, semáforos e filas de mensagens System V",
            ("System V shared memory", "System V semaphore", "System V message queue")),
    Channel("POSIX message queues, and their bytes", "filas de mensagens POSIX, e seus bytes",
            ("POSIX message queue", "bytes of message queues of a user")),
    Channel("keyrings", "chaveiros do kernel", ("keyring",)),
    Channel("signals that wait", "sinais pendentes",
            ("signals that wait, as /proc shows them", "signals that wait, by their limit")),
    Channel("processes of a user", "processos de um usuário", ("processes of a user",)),
    Channel("inotify instances of a user", "instâncias de inotify de um usuário",
            ("inotify instances of a user",)),
    Channel("descriptors in flight, pages of pipes (counted by user)",
            "descritores em trânsito, páginas de pipes (contados por usuário)",
            ("descriptors in flight", "pages of pipes")),
    Channel("counters in /proc: open files, inodes, terminals, memory events",
            "contadores em /proc: arquivos abertos, inodes, terminais, eventos de memória",
            ("open files, as /proc shows them", "inodes, as /proc shows them",
             "terminals, as /proc shows them", "memory events, as /proc shows them")),
    Channel("counters in /proc: forks, threads, memory (stat, loadavg, meminfo)",
            "contadores em /proc: forks, threads, memória (stat, loadavg, meminfo)",
            ("forks, as /proc shows them", "threads, as /proc shows them", "memory, as /proc shows it")),
    Channel("asynchronous input and output, ciphers of the kernel, its log",
            "entrada e saída assíncronas, cifras do kernel, seu registro",
            ("asynchronous input and output", "ciphers of the kernel", "the kernel's log")),
    Channel("counters that the kernel tells every process: sysinfo, memory of TCP, numbers of pipes",
            "contadores que o kernel informa a todo processo: sysinfo, memória do TCP, números de pipes",
            ("sysinfo: number of threads", "sysinfo: shared memory", "memory of TCP, in /proc/net",
             "numbers of pipes")),
    Channel("which page of a file had to be read from the disk",
            "que página de um arquivo precisou ser lida do disco", ("page faults that had to read",)),
)  # fmt: skip


def closed_channels(way: str) -> list[str]:
    """Return the channels that must be closed there."""
    return [name for one in CHANNELS if way not in one.open_in for name in one.members]


def accomplice(folder: Path) -> Program:
    """Return the program of both instances, laid out in a folder."""
    shutil.copy(ACCOMPLICE, folder / "bot.py")
    for name in ("data", "lease"):
        (folder / name).write_bytes(os.urandom(1 << 16))
    return Program(("/usr/bin/python3", "bot.py"), folder)


async def passing(sandbox: Sandbox, program: Program, names: Iterable[str]) -> set[str]:
    """Return which of these channels pass every bit from one instance of `program` to another."""
    pair = [sandbox.start(Launch(program, LIMITS)) for _ in range(2)]
    try:
        for one in pair:
            await one.wait_running()
        return {name for name in names if await _passes(pair[0], pair[1], name)}
    finally:
        await asyncio.gather(*(one.close() for one in pair))


async def _passes(sender: Process, receiver: Process, name: str) -> bool:
    await ask(receiver, f"receive {name}")  # some see changes only
    seen: dict[int, list[int]] = {0: [], 1: []}
    for bit in BITS:
        if name.startswith("time of"):
            await asyncio.sleep(PAUSE)
        await ask(sender, f"send {name} {bit}")
        seen[bit].append(await ask(receiver, f"receive {name}"))
    await ask(sender, f"send {name} 0")
    return min(seen[1]) > max(seen[0]) or max(seen[1]) < min(seen[0])


async def ask(process: Process, words: str) -> int:
    """Return what an accomplice answers."""
    assert process.stdin is not None
    os.write(process.stdin, f"{words}\n".encode())
    text = b""
    while not text.endswith(b"\n"):
        await readable(process.stdout)
        more = os.read(process.stdout, 1 << 16)
        assert more, f"an accomplice ended at: {words}"
        text += more
    return int(text)
