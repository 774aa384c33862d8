"""Installation without Internet, services and containers, as the guide to clusters describes them."""

from __future__ import annotations

import configparser
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from botequim.bots.images import alone
from botequim.cli import parser
from botequim.core.limits import EnforcedLimit
from tests import ROOT
from tests.support.deployments import free_port, require_podman, run, write_cup
from tests.support.document_commands import block_with, command_blocks
from tests.support.pace import until

GUIDE: Final = ROOT / "docs" / "how-to" / "cluster.md"
UNITS: Final = ("botequim-scheduler.service", "botequim-worker.service")
HOME: Final = "/opt/botequim"
"""Where the guide installs Botequim."""
ULIMITS: Final = ("--ulimit", "nofile=8192:8192", "--ulimit", "nproc=8192:8192")
SYSTEMD: Final = "systemd,systemd-sysv,passwd,python3,python3-venv,bubblewrap,mount"


# --- without anything installed --------------------------------------------------------------------


@pytest.mark.parametrize("name", UNITS)
def test_a_unit_runs_a_command_that_exists_and_again_after_any_end(name: str) -> None:
    unit = configparser.ConfigParser(interpolation=None, strict=False, allow_no_value=True)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read(ROOT / "deploy" / name)
    service = unit["Service"]
    assert (service["Restart"], unit["Install"]["WantedBy"]) == ("always", "multi-user.target")
    assert service["User"] != "root"
    program, *words = shlex.split(service["ExecStart"].replace("$SCHEDULER", "tls://lab-1:8786"))
    assert program == f"{HOME}/bin/botequim"
    options = (ROOT / "deploy" / name).read_text().partition("OPTIONS=")[2].partition("\n")[0].split()
    words = [word for one in words for word in (options if one == "$OPTIONS" else [one])]
    assert callable(parser(words).parse_args(words).run)
    if name == "botequim-worker.service":
        assert service["Delegate"] == "yes"  # for the control groups of bots


def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("there is no systemd-analyze")
    for name in UNITS:
        text = (ROOT / "deploy" / name).read_text()
        (tmp_path / name).write_text(text.replace(f"{HOME}/bin/botequim", sys.executable))
    words = ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no"]
    ran = subprocess.run(
        [*words, *(tmp_path / name for name in UNITS)], capture_output=True, text=True, check=False
    )
    newer = "Unknown key( name)? 'DelegateSubgroup'"  # for systemd 254; older ones ignore it
    assert [line for line in ran.stderr.splitlines() if not re.search(newer, line)] == []


def test_the_guide_names_extras_and_targets_that_exist() -> None:
    lines = [line for block in command_blocks(GUIDE) for line in block]
    (plain,) = [line for line in lines if line.startswith("pip install")]
    assert plain == "pip install '.[cluster]'"
    assert "\ncluster = [" in (ROOT / "pyproject.toml").read_text()
    assert "make wheels" in lines
    assert "\nwheels: .venv/.run\n\tsh scripts/wheels.sh\n" in (ROOT / "Makefile").read_text()


# --- a folder of wheels ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder that `make wheels` writes."""
    folder = tmp_path_factory.mktemp("without-internet") / "wheels"
    printed = run(["sh", ROOT / "scripts" / "wheels.sh", folder], {"PYTHON": sys.executable})
    assert "not compiled" not in printed or os.environ.get("BOTEQUIM_COMPILE") == "0"
    return folder


@pytest.mark.slow
def test_wheels_are_installed_without_a_network(wheels: Path, tmp_path: Path) -> None:
    home = tmp_path / "botequim"
    (tmp_path / "wheels").symlink_to(wheels)
    nothing = {"PIP_CONFIG_FILE": os.devnull, "PIP_FIND_LINKS": "", "PIP_EXTRA_INDEX_URL": ""}
    cut = ["unshare", "--net"] if os.geteuid() == 0 else []
    for line in block_with(GUIDE, "--no-index"):
        words = shlex.split(line.replace(HOME, str(home)))
        words[0] = sys.executable if words[0] == "python3" else words[0]
        run([*cut, *words], nothing, tmp_path)
    run([*cut, home / "bin" / "botequim", "cluster", "create", "lab"], cwd=tmp_path)
    assert (tmp_path / "lab.cluster.pem").exists()
    findings = json.loads(run([*cut, home / "bin" / "botequim", "doctor", "--json"], cwd=tmp_path))
    rules = next(one for one in findings if "rules" in one["part"])
    assert rules["state"] == "works" or os.environ.get("BOTEQUIM_COMPILE") == "0"
    extras = [f"botequim[{name}]" for name in ("pictures", "postgres", "swiss", "web")]
    run([*cut, home / "bin" / "pip", "install", "--no-index", "--find-links", wheels, *extras], nothing)


# --- services ----------------------------------------------------------------------------------------


class Systemd:
    """A container in which systemd is the first process, as on a machine."""

    def __init__(self, name: str) -> None:
        self._name: Final = name

    def run(self, command: str) -> str:
        return run(["podman", "exec", "--workdir", "/root", self._name, "sh", "-c", command])

    def kill(self, unit: str) -> None:
        """Kill the first process of a service, and wait until systemd has started another."""
        before = self._first_process(unit)
        self.run(f"kill -KILL {before}")
        until(lambda: self._first_process(unit) not in ("0", before), f"that {unit} is started again")

    def _first_process(self, unit: str) -> str:
        return self.run(f"systemctl show --property=MainPID --value {unit}").strip()

    def machines(self) -> list[dict[str, Any]]:
        key = "--key-file /etc/botequim/cluster.pem"
        try:
            text = self.run(f"{HOME}/bin/botequim cluster status tls://localhost:8786 --json {key}")
        except AssertionError:  # the scheduler does not answer yet
            return []
        found: list[dict[str, Any]] = json.loads(text)["machines"]
        return found


@pytest.fixture(scope="module")
def systemd(wheels: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Systemd]:
    engine = require_podman("mmdebstrap").engine
    image, name = "localhost/botequim-test-systemd:bookworm", f"botequim-test-systemd-{os.getpid()}"
    if subprocess.run(["podman", "image", "exists", image], check=False).returncode:
        archive = tmp_path_factory.mktemp("systemd") / "base.tar"
        run(["mmdebstrap", "--quiet", "--variant=essential", f"--include={SYSTEMD}", "bookworm", archive])
        with alone(engine):
            run(["podman", "import", "--quiet", archive, image])
    volumes = ("--volume", f"{wheels}:/root/wheels:ro", "--volume", f"{ROOT / 'deploy'}:/root/deploy:ro")
    options = ("--name", name, "--systemd=always", "--privileged", "--network=none", *ULIMITS, *volumes)
    run(["podman", "run", "--detach", *options, image, "sh", "-c", START])
    try:
        container = Systemd(name)
        until(
            lambda: "running" in container.run("systemctl is-system-running || true"), "that systemd starts"
        )
        yield container
    finally:
        run(["podman", "rm", "--force", "--time=0", "--volumes", name])


START: Final = """
for unit in systemd-sysctl systemd-modules-load systemd-binfmt; do
    ln -s /dev/null /etc/systemd/system/$unit.service
done
exec /sbin/init
"""
"""The settings of the kernel are those of the machine that runs the tests: no service changes them."""


@pytest.mark.slow
def test_services_start_isolate_bots_and_come_back(systemd: Systemd) -> None:
    for line in block_with(GUIDE, "--no-index"):
        systemd.run(line)
    systemd.run(f"{HOME}/bin/botequim cluster create lab")
    for line in block_with(GUIDE, "useradd"):
        systemd.run(line.replace("lab-1", "localhost"))
    systemd.run("cp deploy/botequim-scheduler.service /etc/systemd/system/")
    systemd.run("systemctl enable --now botequim-scheduler")
    (machine,) = until(systemd.machines, "that the worker joins")
    assert "isolated" in machine["offers"], machine["problem"]
    for unit in ("botequim-worker", "botequim-scheduler"):
        systemd.kill(unit)
    until(systemd.machines, "that the worker joins again")
    systemd.run("systemctl stop botequim-worker botequim-scheduler")
    assert systemd.run("systemctl --failed --no-legend").strip() == ""
    assert "botequim" not in systemd.run("cat /proc/[0-9]*/comm")


# --- containers --------------------------------------------------------------------------------------


class Compose:
    """The containers of compose.yaml, under names of their own."""

    def __init__(self, folder: Path) -> None:
        self.project: Final = f"botequim-test-{os.getpid()}"
        self.cups: Final = folder / "cups"
        self.port: Final = free_port()
        self.environment: Final = {
            "TAG": self.project,
            "CUPS": str(self.cups),
            "WEB_PORT": f"127.0.0.1:{self.port}",
            "SCHEDULER_PORT": f"127.0.0.1:{free_port()}",
        }

    def run(self, line: str) -> str:
        """Run a command of the guide."""
        line = line.replace("podman-compose", f"podman-compose --project-name {self.project}")
        return run(shlex.split(line.replace("deploy/cups", str(self.cups))), self.environment)

    def container(self, service: str) -> str:
        return f"{self.project}_{service}_1"

    def has_ended(self, service: str) -> bool:
        """Return whether a service has ended with success; it is started again if it fails."""
        state = json.loads(run(["podman", "inspect", "--format", "{{json .State}}", self.container(service)]))
        return bool(state["Status"] == "exited" and state["ExitCode"] == 0)

    def get(self, path: str) -> str:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=60) as answer:
            text: str = answer.read().decode()
            return text

    def close(self) -> None:
        self.run("podman-compose -f deploy/compose.yaml down --volumes")
        run(["podman", "network", "rm", f"{self.project}_default", f"{self.project}_nobody"])
        images = [f"localhost/{name}:{self.project}" for name in ("botequim", "botequim-database")]
        run(["podman", "rmi", "--force", *images])
        label = f"label=io.podman.compose.project={self.project}"
        for kind in ("container", "volume", "network"):
            assert run(["podman", kind, "ls", "--quiet", "--filter", label]).strip() == "", kind


@pytest.fixture(scope="module")
def compose(wheels: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Compose]:
    engine = require_podman("mmdebstrap", "podman-compose").engine
    started = Compose(tmp_path_factory.mktemp("compose"))
    started.cups.mkdir()
    write_cup(started.cups)
    with alone(engine):
        run([ROOT / "deploy" / "build-images", started.project], {"WHEELS": str(wheels)})
    try:
        yield started
    finally:
        started.close()


@pytest.mark.slow
def test_containers_play_a_cup_with_an_isolated_bot(compose: Compose) -> None:
    done = ("make wheels", "deploy/build-images")
    for line in [line for line in block_with(GUIDE, "podman-compose") if line not in done]:
        if line.endswith("down"):
            break
        compose.run(line)
    until(lambda: compose.has_ended("coordinator"), "that the cup is played")
    assert json.loads(compose.get("/api/cups/rinha"))["pace"]["state"] == "over"
    header = json.loads(compose.get("/cups/rinha/games/1/1.jsonl").splitlines()[0])
    assert header["machine"]["label"] in ("worker-1", "worker-2")
    (bot,) = [seat for seat in header["seats"] if seat["name"] == "lines"][:1]
    assert (bot["sandbox"], set(bot["enforced"])) == ("bubblewrap", set(EnforcedLimit))
    # the workers cannot reach the database, nor the server the key file
    for service, folder in (("worker-1", "/run/postgresql"), ("server", "/keys")):
        assert run(["podman", "exec", compose.container(service), "ls", "-A", folder]).strip() == ""
