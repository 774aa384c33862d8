"""Programs that are run without isolation."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from botequim.core.errors import InputError
from botequim.core.limits import Limits
from botequim.core.process import Launch, Program
from botequim.sandbox.none import NoSandbox, UnsandboxedProcess
from tests.support.pace import PATIENCE
from tests.support.sandboxes import (
    SECONDS,
    SERVER,
    a_marker,
    answer,
    descriptors,
    everything,
    line,
    marked_processes,
)

LIMITS = Limits()


@pytest.fixture(autouse=True, params=["pidfd", "thread"])
def _waiting(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Both ways to wait for a process; other systems have no descriptors for them."""
    if request.param == "thread":
        monkeypatch.delattr(os, "pidfd_open")
    before = descriptors()
    yield
    deadline = time.monotonic() + PATIENCE
    while descriptors() != before and time.monotonic() < deadline:
        time.sleep(0.01)  # the thread that has waited closes its side last
    assert descriptors() == before


def start(folder: Path, script: str, *arguments: str, port: bool = False) -> UnsandboxedProcess:
    program = Program((sys.executable, "-c", script), folder, environment={"OWN": "a b"})
    return NoSandbox().start(Launch(program, LIMITS, arguments=arguments, port=port))


def test_a_bot_does_not_see_what_leads_to_the_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPASSWORD", "secret")
    monkeypatch.setenv("BOTEQUIM_STORE", "postgresql://ana@localhost/cups")

    async def main() -> None:
        process = start(
            tmp_path, "import os; print(sorted({'PGPASSWORD', 'BOTEQUIM_STORE'} & {*os.environ}))"
        )
        assert await everything(process.stdout) == "[]\n"
        assert await process.wait_exit() == 0
        await process.close()

    asyncio.run(main())


def test_it_runs_as_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OF_THE_USER", "seen")
    script = (
        "import os, sys; print(os.getcwd(), sys.argv[1], os.environ['OWN'], os.environ['OF_THE_USER']);"
        "print(input()); sys.exit(3)"
    )

    async def main() -> None:
        process = start(tmp_path, script, "one  two")
        assert process.stdin is not None
        os.write(process.stdin, b"said\n")
        process.end_input()
        await process.wait_running()
        assert await everything(process.stdout) == f"{tmp_path} one  two a b seen\nsaid\n"
        assert await process.wait_exit() == 3
        assert process.usage.memory
        await process.close()
        await process.close()
        assert process.status == 3
        assert process.exceeded is None

    asyncio.run(main())


def test_an_empty_input(tmp_path: Path) -> None:
    async def main() -> None:
        program = Program((sys.executable, "-c", "print(repr(input and open(0).read()))"), tmp_path)
        process = NoSandbox().start(Launch(program, LIMITS, stdin=False))
        assert process.stdin is None
        assert await line(process) == "''"
        await process.close()

    asyncio.run(main())


def test_its_children_end_with_it(tmp_path: Path) -> None:
    script = "import os, time; os.fork() or print('ready', flush=True); time.sleep(300)"
    alone = "import os, time\nif os.fork() == 0: print('ready', flush=True); time.sleep(300)\ninput()"
    marker = a_marker()

    async def main() -> None:
        killed = start(tmp_path, script, marker)
        assert await line(killed) == "ready"
        assert len(marked_processes(marker)) == 2
        await killed.close()
        assert killed.status == -signal.SIGKILL
        ended = start(tmp_path, alone, marker)
        assert await line(ended) == "ready"
        ended.end_input()
        assert await ended.wait_exit() == 1
        await ended.close()
        async with asyncio.timeout(SECONDS):
            while marked_processes(marker):  # until the system has cleared them away
                await asyncio.sleep(0.01)

    asyncio.run(main())


def test_a_flood(tmp_path: Path) -> None:
    async def main() -> None:
        process = start(tmp_path, "while True: print('x' * 1000)")
        assert await line(process)
        process.kill()
        await process.close()
        assert process.status == -signal.SIGKILL

    asyncio.run(main())


def test_servers_on_ports_of_their_own(tmp_path: Path) -> None:
    script = SERVER.replace("8000", "int(os.environ['PORT'])").replace("import ", "import os, ", 1)

    async def main() -> None:
        processes = [start(tmp_path, script, "-", name, port=True) for name in ("one", "two")]
        with contextlib.suppress(ConnectionRefusedError):
            (await processes[0].connect()).close()
        for process in processes:
            assert await line(process) == "listening"
        assert [await answer(process) for process in processes] == ["one", "two"]
        heard = [await process.listening_ports() for process in processes]
        assert len({port for ports in heard for port in ports}) == 2
        for process in processes:
            await process.close()
        closed = start(tmp_path, "input()")
        with pytest.raises(ConnectionRefusedError):
            await closed.connect()
        await closed.close()

    asyncio.run(main())


@pytest.mark.parametrize("command", ["no-such-program", "/", "a\0b"])
def test_what_cannot_be_run(tmp_path: Path, command: str) -> None:
    with pytest.raises(InputError, match="cannot be run"):
        NoSandbox().start(Launch(Program((command,), tmp_path), LIMITS))


def test_a_port_is_given_to_one_bot_only(tmp_path: Path) -> None:
    """Also while none of them listens yet; else one could answer for another."""

    async def main() -> None:
        processes = [start(tmp_path, "import os; print(os.environ['PORT']); input()", port=True)
                     for _ in range(20)]  # fmt: skip
        ports = {await line(process) for process in processes}
        assert len(ports) == 20
        for process in processes:
            await process.close()

    asyncio.run(main())
