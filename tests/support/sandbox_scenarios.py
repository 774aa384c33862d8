"""Programs of strangers in a sandbox, and their expected results.

Each scenario is a coroutine with a sandbox and an empty folder. `test_sandbox.py` runs them in the ways that
this machine has; also as an ordinary user, for which this file is run as a program.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterable, Iterator
from pathlib import Path

from botequim.bots.trees import walk
from botequim.core.errors import BotequimError, InputError
from botequim.core.limits import MB, EnforcedLimit, Limits
from botequim.core.process import Launch, Program
from botequim.sandbox import cgroups, private
from botequim.sandbox.bubblewrap import Bubblewrap
from botequim.sandbox.running import readable
from tests import ROOT
from tests.support.sandboxes import (
    NODE,
    SECONDS,
    SERVER,
    SMALL,
    a_marker,
    answer,
    descriptors,
    everything,
    line,
    marked_processes,
    python,
    ran,
    shell,
)
from tests.zoo.channels import accomplice, closed_channels, passing

Scenario = Callable[[Bubblewrap, Path], Awaitable[None]]
SCENARIOS: dict[str, Scenario] = {}


def scenario(function: Scenario) -> Scenario:
    SCENARIOS[function.__name__] = function
    return function


@contextlib.contextmanager
def raises(kind: type[Exception]) -> Iterator[None]:
    """Do the same as pytest's function, because an ordinary user's Python may not have pytest."""
    try:
        yield
    except kind:
        return
    raise AssertionError(f"no {kind.__name__}")


@scenario
async def it_runs_as_told(sandbox: Bubblewrap, home: Path) -> None:
    program = Program(
        ("/bin/sh", "-c", 'pwd; echo "$0 $1"; echo "$OWN $QUOTED"; cat', "zero"),
        home,
        environment={"OWN": "a b"},
    )
    process = sandbox.start(
        Launch(program, SMALL, arguments=("one  two",), environment={"QUOTED": "it's $HOME"})
    )
    assert process.stdin is not None
    os.write(process.stdin, b"said\n")
    process.end_input()
    assert process.stdin is None
    out = await everything(process.stdout)
    assert out == f"{home}\nzero one  two\na b it's $HOME\nsaid\n"
    assert await process.wait_exit() == 0
    await process.close()
    await process.close()
    assert process.status == 0
    assert process.exceeded is None


@scenario
async def how_it_ends_is_told(sandbox: Bubblewrap, home: Path) -> None:
    for script, status in (("exit 0", 0), ("exit 3", 3), ("kill -SEGV $$", -signal.SIGSEGV)):
        assert (await ran(sandbox, shell(home, script))).status == status
    missing = await ran(sandbox, Program(("no-such-program",), home))
    assert missing.status == 127
    assert "no-such-program" in missing.err
    process = sandbox.start(Launch(shell(home, "sleep 100"), SMALL))
    await process.wait_running()
    process.kill()
    process.kill()
    assert await process.wait_exit() == -signal.SIGKILL
    assert process.exceeded is None
    await process.close()


@scenario
async def our_own_failure_is_not_the_bots(sandbox: Bubblewrap, home: Path) -> None:
    (home / "file").write_text("no folder")
    process = sandbox.start(Launch(Program(("/bin/true",), home / "file"), SMALL))
    with raises(BotequimError):
        await process.wait_exit()
    await process.close()
    for program in (
        Program(("/bin/true",), home / "missing"),
        Program(("/bin/true",), Path("/")),
        Program(("/bin/true", "a\0b"), home),
        Program(("/bin/true",), home, environment={"a b": "c"}),
    ):
        with raises(InputError):
            sandbox.start(Launch(program, SMALL))


@scenario
async def one_hog(sandbox: Bubblewrap, home: Path) -> None:
    script = "x = [bytearray(8 << 20) for _ in range(256)]; print('all of it')"
    result = await ran(sandbox, python(home, script))
    assert result.out == ""
    assert result.exceeded is EnforcedLimit.MEMORY
    assert result.status == -signal.SIGKILL
    assert (result.usage.memory or 0) > SMALL.memory // 2
    assert result.usage.cpu is not None


@scenario
async def many_hogs(sandbox: Bubblewrap, home: Path) -> None:
    script = (
        "import os, time\n"
        "for _ in range(16):\n"
        "    if not os.fork():\n"
        "        x = bytearray(os.urandom(1 << 20) * 24); time.sleep(300); os._exit(0)\n"
        "time.sleep(300)\n"
    )
    process = sandbox.start(Launch(python(home, script), SMALL))
    async with asyncio.timeout(SECONDS):
        while process.exceeded is None:
            await asyncio.sleep(0.02)
    assert process.exceeded is EnforcedLimit.MEMORY
    await process.close()


@scenario
async def memory_that_is_only_reserved(sandbox: Bubblewrap, home: Path) -> None:
    # node and java reserve far more than they use
    script = "import mmap; x = mmap.mmap(-1, 8 << 30); y = bytearray(40 << 20); print(len(y))"
    result = await ran(sandbox, python(home, script))
    assert result.out == f"{40 << 20}\n", result.err
    assert result.exceeded is None


@scenario
async def memory_in_no_process(sandbox: Bubblewrap, home: Path) -> None:
    """Files without a name are in memory too."""
    script = (
        "import os\n"
        "files = [os.memfd_create('x') for _ in range(64)]\n"
        "for file in files:\n"
        "    for _ in range(32): os.write(file, bytes(1 << 20))\n"
        "print('all of it')\n"
    )
    result = await ran(sandbox, python(home, script))
    assert result.out == ""
    assert result.status != 0


SOCKETS = """
import os, socket, time
kept = []
while True:
    try: kept.append(socket.socketpair())
    except OSError:
        if os.fork(): time.sleep(300)
        kept = []
        continue
    kept[-1][0].setblocking(False)
    try:
        while True: kept[-1][0].send(bytes(1 << 16))
    except BlockingIOError: pass
"""
CONNECTIONS = """
import socket
with socket.create_server(('127.0.0.1', 0)) as listener:
    kept = []
    while True:
        kept.append((socket.create_connection(listener.getsockname()), listener.accept()[0]))
        kept[-1][0].setblocking(False)
        try:
            while True: kept[-1][0].send(bytes(1 << 16))
        except BlockingIOError: pass
"""
PIPES = """
import os, time
while True:
    try:
        writer = os.pipe()[1]
        os.set_blocking(writer, False)
        os.write(writer, bytes(1 << 16))
    except OSError:
        if os.fork(): time.sleep(300)
        os.closerange(3, 5000)
"""
PAGE_TABLES = """
import mmap, time
pages = mmap.mmap(-1, 1 << 38, flags=mmap.MAP_PRIVATE | 0x4000)
pages.madvise(mmap.MADV_NOHUGEPAGE)
for place in range(0, 1 << 38, 1 << 21): pages[place]
time.sleep(300)
"""


@scenario
async def memory_in_the_kernel(sandbox: Bubblewrap, home: Path) -> None:
    """Data in sockets and pipes, and page tables, count as memory of a bot."""
    connections = () if sandbox.enforced_limits else (CONNECTIONS,)  # the kernel makes those wait
    for script in (SOCKETS, PIPES, PAGE_TABLES, *connections):
        process = sandbox.start(Launch(python(home, script), SMALL))
        async with asyncio.timeout(SECONDS):
            while process.exceeded is None:
                assert process.status is None, script
                await asyncio.sleep(0.02)
        assert process.exceeded is EnforcedLimit.MEMORY
        await process.close()


@scenario
async def many_empty_files(sandbox: Bubblewrap, home: Path) -> None:
    script = (
        "import os\n"
        "for folder in ('/tmp', '.'):\n"
        "    made = 0\n"
        "    try:\n"
        "        while made < 800_000: open(f'{folder}/{made}', 'w').close(); made += 1\n"
        "    except OSError: pass\n"
        "    print(made)\n"
    )
    result = await ran(sandbox, python(home, script))
    most = SMALL.space // private.BYTES_A_FILE + private.SPARE_FILES
    assert all(most // 2 < int(count) <= most for count in result.out.split()), result.out
    assert len(result.out.split()) == 2, result.err


@scenario
async def too_many_processes(sandbox: Bubblewrap, home: Path) -> None:
    script = (
        "import os, time\n"
        "made = 0\n"
        "try:\n"
        "    for _ in range(2000):\n"
        "        if not os.fork(): time.sleep(300); os._exit(0)\n"
        "        made += 1\n"
        "except OSError: pass\n"
        "print(made)\n"
    )
    result = await ran(sandbox, python(home, script))
    assert SMALL.processes // 2 < int(result.out) <= SMALL.processes + cgroups.OWN_PROCESSES


@scenario
async def too_many_threads(sandbox: Bubblewrap, home: Path) -> None:
    script = (
        "import threading, time\n"
        "made = 0\n"
        "try:\n"
        "    for _ in range(2000):\n"
        "        threading.Thread(target=time.sleep, args=(300,), daemon=True).start(); made += 1\n"
        "except RuntimeError: pass\n"
        "print(made)\n"
    )
    result = await ran(sandbox, python(home, script))
    assert 0 < int(result.out) <= SMALL.processes + cgroups.OWN_PROCESSES


@scenario
async def processors(sandbox: Bubblewrap, home: Path) -> None:
    script = (
        "import os\n"
        "try: os.sched_setaffinity(0, range(os.cpu_count())); print('moved')\n"
        "except PermissionError: print('refused')\n"
        "print(len(os.sched_getaffinity(0)))\n"
        "input()\n"
    )
    process = sandbox.start(Launch(python(home, script), SMALL))
    assert await line(process) == "refused"
    if EnforcedLimit.CPUS in sandbox.enforced_limits:
        assert EnforcedLimit.CPUS in process.enforced_limits(SMALL)
    else:
        assert await line(process) == "1"
    await process.close()


@scenario
async def the_network(sandbox: Bubblewrap, home: Path) -> None:
    abstract = f"\0{a_marker()}"
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as local:
        local.bind(abstract)
        local.listen()
        script = (
            "import socket\n"
            "def tried(family, address):\n"
            "    try: socket.socket(family).connect(address); print('reached', address)\n"
            "    except OSError: pass\n"
            f"tried(socket.AF_INET, ('127.0.0.1', {server.getsockname()[1]}))\n"
            "tried(socket.AF_INET, ('1.1.1.1', 80))\n"
            "tried(socket.AF_INET6, ('2606:4700:4700::1111', 80))\n"
            f"tried(socket.AF_UNIX, {abstract!r})\n"
            "print(*sorted(name for _, name in socket.if_nameindex()))\n"
        )
        for port in (False, True):
            result = await ran(sandbox, python(home, script), port=port)
            assert result.out == "lo\n", result.err


@scenario
async def what_is_seen_of_us(sandbox: Bubblewrap, home: Path) -> None:
    secret = a_marker()
    os.environ["BOTEQUIM_TEST_SECRET"] = secret
    try:
        kept = os.open(home, os.O_RDONLY)
        os.set_inheritable(kept, True)
        script = (
            "import os, pathlib\n"
            "for folder in pathlib.Path('/proc').glob('[0-9]*'):\n"
            "    for name in ('environ', 'cmdline'):\n"
            "        try: print(name, (folder / name).read_bytes())\n"
            "        except OSError: pass\n"
            "print(dict(os.environ))\n"
            "print('processes', len(list(pathlib.Path('/proc').glob('[0-9]*'))))\n"
            "print('files', sorted(int(name) for name in os.listdir('/proc/self/fd'))[:-1])\n"
            "print('host', os.uname().nodename)\n"
        )
        for port in (False, True):
            result = await ran(sandbox, python(home, script), port=port)
            assert result.status == 0, result.err
            assert secret not in result.out
            assert "processes 2\n" in result.out
            assert "files [0, 1, 2]\n" in result.out
            assert "host bot\n" in result.out
            assert Path(cgroups.__file__).name not in result.out
    finally:
        os.close(kept)
        del os.environ["BOTEQUIM_TEST_SECRET"]


@scenario
async def other_files(sandbox: Bubblewrap, home: Path) -> None:
    for name in ("one", "other"):
        (home / name).mkdir()
        (home / name / "own").write_text(name)
    (home / "secret").write_text("of ours")
    hidden = [
        home / "other" / "own",
        home / "secret",
        Path(__file__),
        Path("/etc/shadow"),
        Path("/sys/kernel"),
    ]
    closed = [Path("/"), Path("/usr"), Path("/etc"), Path("/dev"), Path("/proc"), home]
    script = (
        "import os, pathlib\n"
        "print('own', open('own').read())\n"
        f"for path in {[str(path) for path in hidden]!r}:\n"
        "    if os.path.exists(path): print('seen', path)\n"
        f"for path in {[str(path) for path in closed]!r}:\n"
        "    try: open(path + '/written', 'w'); print('written', path)\n"
        "    except OSError: pass\n"
        "open('new', 'w').write('mine'); assert open('new').read() == 'mine'\n"
        "try: open('own', 'w'); print('overwritten')\n"
        "except OSError: pass\n"
        "assert os.environ['HOME'] == os.environ['TMPDIR'] == '/tmp'\n"
        "try:\n"
        "    with open('/tmp/big', 'wb') as file:\n"
        "        for _ in range(64): file.write(bytes(1 << 20)); file.flush()\n"
        "except OSError: pass\n"
        "print('space', os.path.getsize('/tmp/big') >> 20)\n"
        "import multiprocessing; multiprocessing.Lock(); open('/dev/null', 'w').write('x')\n"
    )
    program = python(home / "one", script)
    result = await ran(sandbox, program)
    written = [f"written {home}\n"] if home.is_relative_to("/tmp") and os.geteuid() != 0 else []
    # the way to its folder may lie in its temporary space, which is its own
    assert result.out.replace("".join(written) or "-", "") == "own one\nspace 4\n", result.err
    assert result.status == 0 or "space left" in result.err, result.err
    assert not (home / "written").exists()
    assert sorted(path.name for path in (home / "one").iterdir()) == ["bot.py", "own"]


@scenario
async def a_build_works_in_memory_and_within_its_space(sandbox: Bubblewrap, home: Path) -> None:
    (home / "before").touch()
    script = (
        "read -r begin; ls; mkdir sub && echo made >sub/made && chmod 600 sub/made && ln -s /etc/passwd link;"
        "head -c 16000000 /dev/zero >big; rm link && ln -s sub/made link; setsid sleep 300 & exit 0"
    )
    process = sandbox.start(Launch(Program(("/bin/sh", "-c", script), home, writable=True), SMALL))
    await process.wait_running()
    folder = process.open_folder(home)
    try:
        process.end_input()
        assert await everything(process.stdout) == ""
        assert await process.wait_exit() == 0
        await process.close()
        found = {entry.path: entry.status.st_size for entry in walk(folder)}
    finally:
        os.close(folder)
    assert set(found) == {"big", "link", "sub", "sub/made"}, "what it left outlives the sandbox"
    assert found["big"] <= SMALL.space
    assert [path.name for path in home.iterdir()] == ["before"], "nothing of it is on the disk"


@scenario
async def doors_into_the_kernel(sandbox: Bubblewrap, home: Path) -> None:
    for command in ("unshare --user true", "unshare --mount true", "mount -t tmpfs none /tmp", "dmesg -C"):
        result = await ran(sandbox, shell(home, command))
        assert result.status != 0, command
    script = "grep -E 'CapEff|CapPrm|NoNewPrivs|Seccomp:' /proc/self/status; ulimit -c; id -u"
    result = await ran(sandbox, shell(home, script))
    *flags, core, uid = [words.split()[-1] for words in result.out.splitlines()]
    assert flags == ["0" * 16, "0" * 16, "1", "2"]
    assert core == "0"
    assert int(uid) >= 1000


@scenario
async def no_bit_passes(sandbox: Bubblewrap, home: Path) -> None:
    """Two instances of one bot share nothing by which one could send a bit to the other."""
    folder = home / "a strange, name: of \\ a folder"
    folder.mkdir()
    way = "root" if os.geteuid() == 0 else "user"
    found = await passing(sandbox, accomplice(folder), closed_channels(way))
    assert not found, found


ADVICE = """
import ctypes
libc = ctypes.CDLL(None)
print(libc.posix_fadvise(-1, 0, 0, 4))  # of no file at all, which is an error elsewhere
for advice in (20, 21):
    print(libc.madvise(ctypes.c_void_p(1), ctypes.c_size_t(4096), advice))  # of no page
print(libc.syscall(440, -1, None, ctypes.c_size_t(0), 21, 0))
"""


@scenario
async def pages_stay_in_memory(sandbox: Bubblewrap, home: Path) -> None:
    """A bot's advice to evict pages from memory is ignored."""
    result = await ran(sandbox, python(home, ADVICE))
    assert result.out.split() == ["0", "0", "0", "-1"], result.out + result.err


@scenario
async def a_database_of_its_own(sandbox: Bubblewrap, home: Path) -> None:
    """SQLite locks its files in a bot's own spaces as it does elsewhere."""
    script = (
        "import os, sqlite3\n"
        "for path in ('/tmp/own.db', os.getcwd() + '/own.db'):\n"
        "    mine, other = sqlite3.connect(path, isolation_level=None), None\n"
        "    mine.execute('create table t (x)')\n"
        "    mine.execute('begin exclusive')\n"
        "    mine.execute('insert into t values (1)')\n"
        "    for expected in ('locked', 'free'):\n"
        "        pid = os.fork()\n"
        "        if not pid:\n"
        "            other = sqlite3.connect(path, timeout=0, isolation_level=None)\n"
        "            try: other.execute('insert into t values (2)')\n"
        "            except sqlite3.OperationalError as error: print(error, flush=True)\n"
        "            os._exit(0)\n"
        "        os.waitpid(pid, 0)\n"
        "        if expected == 'locked': mine.execute('commit')\n"
        "    print(mine.execute('select count(*) from t').fetchone()[0], flush=True)\n"
    )
    result = await ran(sandbox, python(home, script))
    assert result.out == "database is locked\n2\n" * 2, result.err


@scenario
async def grandchildren(sandbox: Bubblewrap, home: Path) -> None:
    marker = a_marker()
    script = (
        "import os, sys, time\n"
        "if not os.fork():\n"
        "    os.setsid()\n"
        "    if not os.fork(): print('ready', flush=True); time.sleep(300)\n"
        "    os._exit(0)\n"
        "input()\n"
    )
    for early in (False, True):
        process = sandbox.start(Launch(python(home, script, marker=marker), SMALL))
        assert await line(process) == "ready"
        if not early:
            process.end_input()
            assert await process.wait_exit() == 1
        await process.close()
        assert marked_processes(marker) == []


@scenario
async def killed_while_it_starts(sandbox: Bubblewrap, home: Path) -> None:
    await _kill_after(sandbox, home, (0, 1, 2, 4, 8, 16))


@scenario
async def killed_at_every_moment_of_its_start(sandbox: Bubblewrap, home: Path) -> None:
    await _kill_after(sandbox, home, range(24))


async def _kill_after(sandbox: Bubblewrap, home: Path, milliseconds: Iterable[int]) -> None:
    marker = a_marker()
    for step in milliseconds:
        for port in (False, True):
            process = sandbox.start(Launch(shell(home, "sleep 300"), SMALL, arguments=(marker,), port=port))
            await asyncio.sleep(step * 0.001)
            await process.close()
            assert process.status is not None
            assert marked_processes(marker) == []


@scenario
async def a_flood(sandbox: Bubblewrap, home: Path) -> None:
    process = sandbox.start(Launch(shell(home, "yes >&2 & yes"), SMALL))
    await readable(process.stdout)
    await readable(process.stderr)
    await process.close()


@scenario
async def one_that_stops_itself(sandbox: Bubblewrap, home: Path) -> None:
    marker = a_marker()
    program = shell(home, "echo stopping; kill -STOP $$")
    process = sandbox.start(Launch(program, SMALL, arguments=(marker,)))
    assert await line(process) == "stopping"
    await process.close()
    assert marked_processes(marker) == []


@scenario
async def we_are_killed(sandbox: Bubblewrap, home: Path) -> None:
    marker = a_marker()
    way = "groups" if sandbox.group_parents else "plain"
    for moment in ("0", "2", "4", "8", "16", "ready"):
        held = subprocess.Popen(
            [sys.executable, "-m", "tests.support.sandbox_scenarios", way, "hold", marker, moment],
            stdout=subprocess.PIPE,
            cwd=ROOT,
        )
        assert held.stdout is not None
        with held.stdout:
            assert held.stdout.readline() == b"held\n"
            held.kill()
            held.wait()
        async with asyncio.timeout(SECONDS):
            while marked_processes(marker):
                await asyncio.sleep(0.01)
    async with asyncio.timeout(SECONDS):
        while _left_by(held.pid):  # a process can be gone from sight and still be in its group for a moment
            await asyncio.sleep(0.01)


def _left_by(pid: int) -> list[Path]:
    cgroups.group_parents.cache_clear()  # looking for parents removes the groups of processes that have ended
    return [left for place in cgroups.group_parents() for left in place.folder.glob(f"botequim-{pid}-*")]


async def hold(sandbox: Bubblewrap, marker: str, moment: str) -> None:
    """Start some instances, and wait to be killed."""
    with tempfile.TemporaryDirectory() as home:
        started = [
            sandbox.start(Launch(shell(Path(home), "sleep 300"), SMALL, arguments=(marker,), port=port))
            for port in (False, True)
        ]
        if moment == "ready":
            for process in started:
                await process.wait_running()
        else:
            await asyncio.sleep(int(moment) / 1000)
        Path(home).rmdir()
        print("held", flush=True)
        await asyncio.sleep(300)


@scenario
async def four_servers_on_one_port(sandbox: Bubblewrap, home: Path) -> None:
    (home / "server.js").write_text(NODE)
    server = python(home, SERVER)
    limits = Limits(memory=512 * MB)
    processes = [
        sandbox.start(Launch(server, limits, arguments=(name,), port=True)) for name in ("zero", "one")
    ]
    # the last listens on IPv6 only
    for name, address in (("two", "0.0.0.0"), ("three", "::1")):
        node = Program(("node", str(home / "server.js")), home)
        processes.append(sandbox.start(Launch(node, limits, arguments=(name, address), port=True)))
    for process in processes:
        assert await line(process) == "listening"
    async with asyncio.timeout(SECONDS):
        answers = await asyncio.gather(*(answer(process) for process in processes for _ in range(3)))
    assert answers == [name for name in ("zero", "one", "two", "three") for _ in range(3)]
    assert [await process.listening_ports() for process in processes] == [[8000]] * 4
    for process in processes:
        await process.close()


@scenario
async def a_port_nobody_listens_on(sandbox: Bubblewrap, home: Path) -> None:
    process = sandbox.start(Launch(shell(home, "echo $PORT; read line"), SMALL, port=True))
    for _ in range(2):
        with raises(ConnectionRefusedError):
            await process.connect()
        assert await process.listening_ports() == []
    assert await line(process) == "8000"
    process.end_input()
    assert await process.wait_exit() == 1
    with raises(ConnectionRefusedError):
        await process.connect()
    assert await process.listening_ports() == []
    waiting = sandbox.start(Launch(shell(home, "sleep 300"), SMALL, port=True))
    connecting = asyncio.ensure_future(waiting.connect())
    await asyncio.sleep(0)
    connecting.cancel()
    await asyncio.wait([connecting])
    assert await waiting.listening_ports() == []  # and not the answer to what was given up
    for one in (process, waiting):
        await one.close()


SLOW = {"killed_at_every_moment_of_its_start"}
"""Thorough versions of other scenarios."""
DIFFERENT_WITHOUT_GROUPS = {
    "one_hog", "many_hogs", "memory_in_the_kernel", "memory_that_is_only_reserved", "memory_in_no_process",
    "too_many_processes", "too_many_threads", "processors", "killed_while_it_starts", "we_are_killed",
}  # fmt: skip
"""Scenarios whose limits are enforced by other means, or whose ends are noticed in another way."""


def ways() -> dict[str, Bubblewrap]:
    """Return by name: with the control groups that we can make here, and without any."""
    places = cgroups.group_parents()
    found = {"groups": Bubblewrap(group_parents=places)} if places else {}
    return found | {"plain": Bubblewrap(group_parents=())}


def play(way: str, name: str) -> None:
    """Run a scenario, and check that nothing of it is left."""
    sandbox = ways()[way]

    def traces() -> tuple[object, ...]:
        groups = [place.folder.glob(f"botequim-{os.getpid()}-*") for place in sandbox.group_parents]
        gc.collect()  # descriptors that other tests let go of are not closed in the middle of this one
        # engines mount and unmount on the same machine at the same time
        mounts = [line for line in Path("/proc/self/mountinfo").read_text().splitlines() if home in line]
        return descriptors(), mounts, [len(list(group)) for group in groups]

    with tempfile.TemporaryDirectory(prefix="botequim-test-") as home:
        before = traces()
        asyncio.run(SCENARIOS[name](sandbox, Path(home)))  # type: ignore[arg-type]
        after = traces()
        assert after == before, f"left behind: {after}, before: {before}"


if __name__ == "__main__":
    if sys.argv[2] == "hold":
        asyncio.run(hold(ways()[sys.argv[1]], *sys.argv[3:]))
    else:
        play(*sys.argv[1:])
