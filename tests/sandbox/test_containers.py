"""Real containers: limits read back from inside, three wires, how they end, and whose fault it is."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from botequim.bots.transports.http import Http
from botequim.bots.transports.once import Once
from botequim.bots.transports.process import LogTail
from botequim.core.errors import BotequimError, FaultKind, PlayerFault
from botequim.core.limits import MB, EnforcedLimit, Limits
from botequim.core.process import Launch, Process, Program
from botequim.core.wire import Question
from botequim.cup.paths import CupPaths
from botequim.sandbox import argv
from botequim.sandbox.containers import entering
from botequim.sandbox.containers.engine import Engine, Kind
from botequim.sandbox.containers.sandbox import Containers
from botequim.sandbox.running import readable
from tests.support import container_engine as engines
from tests.support.container_engine import BASE, engine_output, left, recipe
from tests.support.isolated_games import EXAMPLES, PYTHON_SERVER, TALKATIVE, faults, moves_of, play
from tests.support.pace import PATIENCE, until
from tests.support.sandbox_scenarios import ADVICE

LIMITS = Limits(move=20, memory=128 * MB, space=MB, processes=20)


@pytest.fixture(scope="session")
def containers() -> Containers:
    return engines.engine()


@pytest.fixture(scope="session")
def base(containers: Containers) -> str:
    found = asyncio.run(containers.engine.image(BASE))
    assert found is not None
    return found


async def _run(
    containers: Containers, image: str, command: Sequence[str], limits: Limits
) -> tuple[Process, str]:
    program = Program(tuple(command), Path("/"), image=image)
    process = containers.start(Launch(program, limits, stdin=False))
    output = LogTail(process.stdout)
    try:
        await process.wait_exit()
        return process, output.text()
    finally:
        output.close()
        await process.close()


def run(containers: Containers, image: str, *command: str, limits: Limits = LIMITS) -> tuple[Process, str]:
    """A container to its end, and what it printed."""
    return asyncio.run(_run(containers, image, command, limits))


# --- limits ----------------------------------------------------------------------------------------


def test_a_probe_has_shown_that_every_limit_holds(containers: Containers) -> None:
    assert containers.enforces == frozenset(EnforcedLimit)


INSIDE = """
import json, os, resource
def read(*names):
    for name in names:
        try: return open("/sys/fs/cgroup/" + name).read().split()[0]
        except OSError: pass
def status(key):
    return next(line.split()[1] for line in open("/proc/self/status") if line.startswith(key + ":"))
def writes(path):
    try: open(path + "/x", "w").write("x"); return True
    except OSError: return False
def appends(path):
    try: open(path, "a").write("x"); return True
    except OSError: return False
def fills(*paths):
    size = 0
    for path in paths:
        try:
            with open(path + "/much", "wb", 0) as much:
                while size < 64 << 20: size += much.write(bytes(1 << 16))
        except OSError: pass
    for path in paths: os.remove(path + "/much")
    return size
def makes(path):
    os.mkdir(path + "/many")
    try:
        for number in range(100_000): open(f"{path}/many/{number}", "w").close()
    except OSError: return number
print(json.dumps({
    "memory": read("memory.max", "memory/memory.limit_in_bytes"),
    "swap": read("memory.swap.max", "memory/memory.memsw.limit_in_bytes"),
    "cpus": read("cpu.max", "cpu/cpu.cfs_quota_us"),
    "processes": read("pids.max", "pids/pids.max"),
    "devices": [line.split(":")[0].strip() for line in open("/proc/net/dev").readlines()[2:]],
    "capabilities": [status("CapEff"), status("CapBnd")],
    "no_new_privileges": status("NoNewPrivs"),
    "open files": resource.getrlimit(resource.RLIMIT_NOFILE)[1],
    "core": resource.getrlimit(resource.RLIMIT_CORE)[1],
    "writable": [place for place in ("/", "/app", "/etc", "/usr", "/var", "/tmp") if writes(place)],
    "shared": [place for place in ("/dev", "/sys", "/proc/sys", "/run/podman-init") if writes(place)]
        + [path for path in ("/etc/hosts", "/etc/hostname", "/run/.containerenv") if appends(path)],
    "room": fills(*[place for place in ("/", "/tmp") if writes(place)]),
    "files at most": makes("/tmp"),
    "first": open("/proc/1/comm").read().strip(),
    "pid": os.getpid(),
    "environment": sorted(os.environ),
}))
"""


def test_every_limit_read_back_from_inside(containers: Containers, base: str) -> None:
    _, said = run(containers, base, "/usr/bin/python3", "-c", INSIDE)
    found = json.loads(said)
    assert found["memory"] == str(LIMITS.memory)
    assert found["swap"] in (str(LIMITS.memory), "0")  # with memory in version 1, on top of it in version 2
    assert found["cpus"] == "100000"
    assert found["processes"] == str(LIMITS.processes + 1)
    assert found["devices"] == ["lo"]
    assert {int(word, 16) for word in found["capabilities"]} == {0}
    assert found["no_new_privileges"] == "1"
    assert found["open files"] == 4096
    assert found["core"] == 0
    assert found["writable"] == ["/", "/etc", "/usr", "/var", "/tmp"]
    assert found["shared"] == []
    assert 0 < found["room"] <= LIMITS.space
    assert found["files at most"] <= LIMITS.space // 4096
    assert "init" in found["first"]
    assert found["pid"] > 1
    assert "BOTEQUIM_NO_SKIP" not in found["environment"]


def test_what_one_instance_writes_no_other_sees(containers: Containers, base: str) -> None:
    script = (
        "cat /note /usr/note; echo one >/note; echo two >/usr/note; cat /note /usr/note; rm /usr/bin/tail"
    )
    for _ in range(2):
        process, said = run(containers, base, "/bin/sh", "-c", script)
        assert said == "one\ntwo\n"
        assert process.status == 0


LOCKS = """
import fcntl, os, time
shared = ("/run/podman-init", "/etc/hosts", "/etc/hostname", "/bin/sh", "/usr/bin/python3", "/dev/null")
files = [open(path, "rb", 0) for path in shared if os.path.exists(path)]
busy = []
for file in files:
    try: fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError: busy.append(file.name)
print(len(files), busy, flush=True)
time.sleep(float(os.environ["STAY"]))
"""


def test_instances_cannot_meet_by_locks_on_files(containers: Containers, base: str) -> None:
    async def meet() -> list[str]:
        said = []
        program = Program(("/usr/bin/python3", "-c", LOCKS), Path("/"), image=base)
        first = containers.start(Launch(program, Limits(), stdin=False, environment={"STAY": "1000"}))
        try:
            await first.wait_running()
            await readable(first.stdout)
            said.append(os.read(first.stdout, 4096).decode())
            second = containers.start(Launch(program, Limits(), stdin=False, environment={"STAY": "0"}))
            output = LogTail(second.stdout)
            try:
                await second.wait_exit()
                said.append(output.text())
            finally:
                output.close()
                await second.close()
        finally:
            await first.close()
        return said

    assert asyncio.run(meet()) == ["6 []\n", "6 []\n"]


def test_a_full_layer_is_what_its_program_hears_of(containers: Containers, base: str) -> None:
    """It counts as memory too, so a layer as large as the memory ends the program."""
    script = "head -c 3000000 /dev/zero >/out.log || echo refused; echo more >/out.log && cat /out.log"
    process, said = run(containers, base, "/bin/sh", "-c", script)
    assert (process.status, said) == (0, "refused\nmore\n")
    much = replace(LIMITS, memory=32 * MB, space=256 * MB)
    process, _ = run(containers, base, "/bin/sh", "-c", "head -c 200000000 /dev/zero >/out.log", limits=much)
    assert process.exceeded is EnforcedLimit.MEMORY


def test_a_root_that_is_read_only_where_no_layer_can_be_had(containers: Containers, base: str) -> None:
    without = Containers(containers.engine, containers.enforces, layered=False)
    places = "/ /etc /usr /var /tmp"
    _, said = run(without, base, "/bin/sh", "-c", f"for at in {places}; do touch $at/x && echo $at; done")
    assert said.split() == ["/tmp"]


def test_a_container_cannot_put_pages_out_of_memory(containers: Containers, base: str) -> None:
    """They are pages of its image, which others use too."""
    attempts = (
        "import mmap\n"
        "for advice in (20, 21):\n"
        "    try: mmap.mmap(-1, 4096).madvise(advice)\n"
        "    except OSError: print('refused')\n"
    )
    _, said = run(containers, base, "/usr/bin/python3", "-c", f"{ADVICE}{attempts}")
    by_descriptor, *_, cold, out = said.split()
    assert (by_descriptor, cold, out) == ("0", "refused", "refused")


def test_too_much_memory_is_told_as_that(containers: Containers, base: str) -> None:
    process, _ = run(containers, base, "/usr/bin/python3", "-c", "x = bytearray(500_000_000)")
    assert process.exceeded is EnforcedLimit.MEMORY
    assert process.usage.memory is not None
    assert process.usage.memory <= LIMITS.memory


def test_too_many_processes_are_told_as_that(containers: Containers, base: str) -> None:
    bomb = "import os\nfor i in range(100):\n    if os.fork() == 0:\n        import time; time.sleep(60)"
    process, _ = run(containers, base, "/usr/bin/python3", "-c", bomb)
    assert process.exceeded is EnforcedLimit.PROCESSES
    assert not left(containers)


def test_a_program_starts_only_when_it_is_watched(containers: Containers, base: str) -> None:
    """Whatever it does in the first moment is seen, also by a referee that is busy with something else."""
    bomb = "import os\nfor i in range(100): os.fork() or os.execv('/bin/sleep', ['sleep', '60'])"

    async def look_late() -> Process:
        program = Program(("/usr/bin/python3", "-c", bomb), Path("/"), image=base)
        process = containers.start(Launch(program, LIMITS, stdin=False))
        time.sleep(3)
        try:
            await process.wait_exit()
            return process
        finally:
            await process.close()

    process = asyncio.run(look_late())
    assert process.exceeded is EnforcedLimit.PROCESSES
    assert process.setup > 2.9


def test_what_was_counted_can_be_read_after_the_engine_has_removed_its_groups(
    containers: Containers, base: str
) -> None:
    """A busy referee may look only after the engine has cleared everything of the container away."""
    bomb = "import os\nfor i in range(100): os.fork() or os.execv('/bin/sleep', ['sleep', '60'])"

    def groups_of_the_engine(identity: str) -> list[Path]:
        return [path for path in Path("/sys/fs/cgroup").rglob(f"*{identity}*") if path.is_dir()]

    async def look_late() -> Process:
        program = Program(("/usr/bin/python3", "-c", bomb), Path("/"), image=base)
        process = containers.start(Launch(program, LIMITS, stdin=False))
        try:
            await process.wait_running()
            name = f"botequim-{os.getpid()}-"
            everyone = [
                *containers.engine.command,
                "ps",
                "--all",
                "--no-trunc",
                "--format",
                "{{.Names}} {{.ID}}",
            ]
            listing = subprocess.run(everyone, check=True, capture_output=True, text=True).stdout
            (identity,) = [line.split()[1] for line in listing.splitlines() if line.startswith(name)]
            until(lambda: not groups_of_the_engine(identity))  # this blocks our event loop
            await process.wait_exit()
            return process
        finally:
            await process.close()

    process = asyncio.run(look_late())
    assert process.exceeded is EnforcedLimit.PROCESSES
    assert process.usage.memory


# --- ends ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "status"),
    [
        pytest.param("exit 0", 0, marks=pytest.mark.slow),
        ("exit 3", 3),
        ("exit 125", 125),  # what the engine's command ends with when it fails itself
        pytest.param("exit 127", 127, marks=pytest.mark.slow),
        ("kill -SEGV $$", -11),
    ],
)
def test_how_a_bot_ended(containers: Containers, base: str, command: str, status: int) -> None:
    process, _ = run(containers, base, "/bin/sh", "-c", command)
    assert process.status == status
    assert process.exceeded is None
    assert not left(containers)


def test_a_program_that_the_image_does_not_have_is_the_bots_affair(containers: Containers, base: str) -> None:
    process, _ = run(containers, base, "/no/such/program")
    assert process.status not in (None, 0)


async def _start_server(containers: Containers, image: str, script: str) -> PlayerFault:
    program = Program(("/bin/sh", "-c", script), Path("/"), image=image)
    limits = replace(LIMITS, start=PATIENCE)
    server = Http(limits, launch=lambda: containers.start(Launch(program, limits, stdin=False, port=True)))
    try:
        with pytest.raises(PlayerFault) as raised:
            await server.start()
        return raised.value
    finally:
        await server.close()


@pytest.mark.parametrize("kind", [Kind.PODMAN, Kind.DOCKER])
@pytest.mark.parametrize("seconds", ["0", pytest.param("0.02", marks=pytest.mark.slow)])
def test_a_server_that_ends_at_once_has_crashed(
    containers: Containers,
    base: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kind: Kind,
    seconds: str,
) -> None:
    """It is never our failure, however late its network is entered. An engine like docker has no gate."""
    late = tmp_path / "nsenter"
    late.write_text(f'#!/bin/sh\nsleep 1\nexec {argv.tool("nsenter")} "$@"\n')
    late.chmod(0o755)
    monkeypatch.setattr(entering, "tool", lambda name: str(late))
    engine = replace(containers.engine, kind=kind)
    script = f"sleep {seconds}; echo oh >&2; exit 3"
    fault = asyncio.run(_start_server(Containers(engine), base, script)).fault
    assert fault.kind is FaultKind.CRASH
    assert (fault.evidence["exit"], fault.evidence["stderr"]) == (3, "oh\n")
    assert not left(containers)


def test_an_image_that_is_not_there_is_ours(containers: Containers) -> None:
    with pytest.raises(BotequimError, match="could not be run"):
        run(containers, "sha256:" + "0" * 64, "/bin/true")
    assert not left(containers)


def test_an_engine_that_does_not_work_is_ours(base: str) -> None:
    broken = Containers(Engine(Kind.PODMAN, "/bin/false"))
    with pytest.raises(BotequimError):
        run(broken, base, "/bin/true")


async def _kill_in_the_middle(containers: Containers, image: str, how: str) -> None:
    program = Program(("/bin/sh", "-c", "trap '' TERM; sleep 100 & wait"), Path("/"), image=image)
    process = containers.start(Launch(program, LIMITS, stdin=False))
    try:
        await process.wait_running()
        if how == "ours":
            process.kill()
            await process.wait_ended()
        elif how == "removed":
            await containers.engine.remove(process._name)
            with pytest.raises(BotequimError, match="could not be run"):
                await process.wait_exit()
    finally:
        await process.close()


@pytest.mark.parametrize("how", ["ours", "removed", "closed"])
def test_a_container_that_is_ended_in_the_middle_leaves_nothing(
    containers: Containers, base: str, how: str
) -> None:
    asyncio.run(_kill_in_the_middle(containers, base, how))
    assert not left(containers)


def test_one_that_is_closed_while_it_is_made_leaves_nothing(containers: Containers, base: str) -> None:
    async def start_and_close() -> None:
        process = containers.start(Launch(Program(("/bin/sleep", "100"), Path("/"), image=base), LIMITS))
        await process.close()

    asyncio.run(start_and_close())
    assert not left(containers)


KILLED = """
import asyncio, sys, time
from pathlib import Path
from botequim.sandbox.containers.sandbox import Containers
from botequim.sandbox.containers.engine import Engine, Kind
from botequim.core.limits import Limits
from botequim.core.process import Launch, Program
async def main(kind, path, image, *options):
    containers = Containers(Engine(Kind(kind), path, options))
    program = Program(("/bin/sleep", "1000"), Path("/"), image=image)
    process = containers.start(Launch(program, Limits(), stdin=False))
    await process.wait_running()
    print(process._name, flush=True)
    time.sleep(100)
asyncio.run(main(*sys.argv[1:]))
"""


def test_containers_end_with_a_referee_that_is_killed(containers: Containers, base: str) -> None:
    engine = containers.engine
    command = [sys.executable, "-c", KILLED, engine.kind.value, engine.path, base, *engine.options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as referee:
        assert referee.stdout is not None
        name = referee.stdout.readline().strip()
        assert name in engine_output(containers, "ps", "--format", "{{.Names}}").split()
        referee.send_signal(signal.SIGKILL)
    until(lambda: name not in engine_output(containers, "ps", "--all", "--format", "{{.Names}}").split())


# --- time ------------------------------------------------------------------------------------------


def test_what_the_engine_takes_is_not_the_bots_time(containers: Containers, base: str) -> None:
    program = Program(("/bin/sh", "-c", "sleep 100"), Path("/"), image=base)
    limits = Limits(move=0.2)

    async def ask() -> PlayerFault:
        once = Once(lambda question: containers.start(Launch(program, limits, stdin=False)), limits)
        with pytest.raises(PlayerFault) as raised:
            await once.exchange(Question(), lambda answer: None)
        return raised.value

    fault = asyncio.run(ask()).fault
    assert fault.kind is FaultKind.TIMEOUT
    assert fault.evidence["allowed"] == 0.2
    assert fault.evidence["setup"] > 0.02  # more than a container can be made in, and told apart


# --- at the table ----------------------------------------------------------------------------------

BOTS = {
    "cubos": PYTHON_SERVER,
    "uno": TALKATIVE,
    "rps": (EXAMPLES / "rps" / "bot.py").read_text(),
}


@pytest.mark.parametrize("game", BOTS)
def test_each_wire_works_the_same_in_a_container(game: str, containers: Containers, tmp_path: Path) -> None:
    bot = recipe(tmp_path / "bot", BOTS[game])
    options = {"rounds": 3} if game == "rps" else {}
    (record,) = play(game, [bot, "random"], containers, tmp_path, **options)
    assert faults([record]) == []
    assert moves_of(record, 0)
    (header, *_) = record.contents()
    seat = header["seats"][0]
    assert seat["sandbox"] == containers.name
    assert seat["enforced"] == sorted(EnforcedLimit)
    assert seat["image"].startswith("sha256:")
    assert seat["files"].startswith("v2-")
    assert not left(containers)


@pytest.mark.slow
def test_four_servers_on_one_port_at_once(containers: Containers, tmp_path: Path) -> None:
    bot = recipe(tmp_path / "bot", PYTHON_SERVER)
    (record,) = play("cubos", [bot, bot], containers, tmp_path)
    assert faults([record]) == []


def test_faults_in_a_container_have_their_evidence(containers: Containers, tmp_path: Path) -> None:
    hog = recipe(tmp_path / "hog", "import sys; print('big', file=sys.stderr); x = bytearray(2_000_000_000)")
    crash = recipe(tmp_path / "crash", "import sys; print('oh', file=sys.stderr); sys.exit(4)")
    (record,) = play("rps", [hog, crash], containers, tmp_path, rounds=1)
    (first,), (second,) = moves_of(record, 0), moves_of(record, 1)
    assert first.fault is not None
    assert second.fault is not None
    assert (first.fault.kind, first.fault.evidence["limit"]) == (FaultKind.LIMIT, "memory")
    assert first.fault.evidence["stderr"] == "big\n"
    assert (second.fault.kind, second.fault.evidence["exit"]) == (FaultKind.CRASH, 4)
    assert second.fault.evidence["stderr"] == "oh\n"
    assert second.fault.evidence["setup"] > 0


# --- a championship --------------------------------------------------------------------------------

ARENA_LINES = (EXAMPLES / "arena-lines" / "bot.py").read_text()
ARENA_SERVER = """
import json, random
from http.server import BaseHTTPRequestHandler, HTTPServer

class Bot(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        body = json.dumps({"move": random.choice(asked["legal"])}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *words):
        pass

HTTPServer(("127.0.0.1", 8000), Bot).serve_forever()
"""
CUP = """
name = "Six containers"
game = "rps"
seed = "a seed that was drawn long before the day of the cup"

[options]
rounds = 1

[[stages]]
name = "league"
format = "round_robin"
"""


@pytest.mark.slow
def test_a_championship_of_six_container_bots_of_three_wires(containers: Containers, tmp_path: Path) -> None:
    text, names = CUP, []
    for wire, source in {"rps": BOTS["rps"], "arena-lines": ARENA_LINES, "arena-http": ARENA_SERVER}.items():
        for number in (1, 2):
            recipe(tmp_path / f"{wire}-{number}", f"# {number}\n{source}")
            names.append(f"{wire} {number}")
            text += f'\n[[entrants]]\nname = "{wire} {number}"\nbot = "{wire}-{number}"\nwire = "{wire}"\n'
    cup = tmp_path / "six.toml"
    cup.write_text(text)
    command = [sys.executable, "-m", "botequim", "cup"]
    ran = subprocess.run([*command, "run", str(cup)], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    status = subprocess.run(
        [*command, "status", str(cup), "--json"], capture_output=True, text=True, check=True
    )
    (stage,) = json.loads(status.stdout)["stages"]
    assert sorted(row["entrant"] for row in stage["standings"]) == sorted(names)
    assert {row["place"] for row in stage["standings"]} <= set(range(1, 7))
    with CupPaths.of(cup).storage.open_results() as store:
        headers = [json.loads(lines[0]) for *_, lines in store.records()]
        assert store.faults() == []
    assert len(headers) >= 15  # more where equals played for their places
    seats = [seat for header in headers for seat in header["seats"]]
    assert {seat["wire"] for seat in seats} == {"rps", "arena-lines", "arena-http"}
    assert len({seat["image"] for seat in seats}) == 6


# --- ours, not theirs ------------------------------------------------------------------------------

FLAKY = """#!/bin/sh
# an engine that is stopped when the first bot of a game is started, and works again after that
case " $* " in
    *" run "*" --interactive "*)
        mkdir {place}/failed 2>/dev/null && {{ echo "engine is gone" >&2; exit 125; }} ;;
esac
exec {path} "$@"
"""
TWO = """
name = "Two"
game = "rps"
seed = "another seed that was drawn long before the day of the cup"
options = { rounds = 1 }

[[entrants]]
name = "one"
bot = "one"
wire = "arena-lines"

[[entrants]]
name = "two"
bot = "two"
wire = "arena-lines"

[[stages]]
name = "first"
format = "round_robin"

[[stages]]
name = "second"
format = "round_robin"
from = "first"
top = 2
"""


def _two(place: Path, mark: str = "") -> Path:
    """A cup of two. Their images are the same in every run, but for `mark`, which is in that of the first."""
    for name, more in (("one", mark), ("two", "")):
        recipe(place / name, f"# {name} {more}\n{ARENA_LINES}")
    cup = place / "two.toml"
    cup.write_text(TWO)
    return cup


def _cup(cup: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "botequim", "cup", "run", str(cup), *words]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )


def test_a_series_whose_engine_failed_is_played_again_and_charged_to_nobody(
    containers: Containers, tmp_path: Path
) -> None:
    cup = _two(tmp_path)
    wrapper = tmp_path / "bin" / containers.engine.kind.value
    wrapper.parent.mkdir()
    wrapper.write_text(FLAKY.format(place=tmp_path, path=containers.engine.path))
    wrapper.chmod(0o755)
    ran = _cup(cup, "--stage", "first", PATH=f"{wrapper.parent}:{os.environ['PATH']}")
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "failed").exists()
    assert "engine is gone" in ran.stderr
    with CupPaths.of(cup).storage.open_results() as store:
        assert store.faults() == []
        assert len(list(store.records())) == 1


def test_an_image_that_was_deleted_stops_the_cup_and_loses_nothing(
    containers: Containers, tmp_path: Path
) -> None:
    cup = _two(tmp_path, str(tmp_path))
    assert _cup(cup, "--stage", "first").returncode == 0
    with CupPaths.of(cup).storage.open_results() as store:
        image = store.entrants()["one"]["program"]["image"]
    engine_output(containers, "rmi", "--force", image.removeprefix("sha256:"))
    ran = _cup(cup)
    assert ran.returncode == 2
    assert "no longer exists" in ran.stderr
    with CupPaths.of(cup).storage.open_results() as store:
        assert len(list(store.records())) == 1
        assert store.faults() == []
