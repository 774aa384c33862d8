"""What is found out about the machine."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from botequim.botcheck import doctor
from botequim.core.errors import BotequimError, InputError
from botequim.core.limits import EnforcedLimit
from botequim.core.messages import msg, plain
from botequim.sandbox import argv, private, probe, selftest
from botequim.sandbox.bubblewrap import Bubblewrap
from botequim.sandbox.none import NoSandbox
from botequim.sandbox.procfs import descendants


@pytest.fixture(autouse=True)
def _afresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(probe, "_result", None)
    forget = argv.tool.cache_clear
    forget()
    yield
    forget()


def test_every_limit_holds_here() -> None:
    sandbox = probe.isolating_sandbox()
    assert sandbox is probe.best_sandbox()
    assert sandbox.enforces == frozenset(EnforcedLimit)
    assert isinstance(sandbox, Bubblewrap)
    assert sandbox.private


def test_every_limit_holds_among_few_processes_as_in_a_container() -> None:
    user = [] if os.geteuid() == 0 else ["--user", "--map-current-user"]
    spaces = [argv.tool("unshare"), *user, "--pid", "--fork", "--kill-child=KILL", "--mount-proc", "--"]
    source = "from botequim.sandbox import probe; print(*sorted(probe.isolating_sandbox().enforces))"
    ran = subprocess.run([*spaces, sys.executable, "-c", source], capture_output=True, text=True, check=False)
    assert (ran.stdout.split(), ran.stderr) == (sorted(EnforcedLimit), "")


def test_files_that_instances_share_without_overlays_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(private, "_folders", lambda trees, mounted: [])
    sandbox = probe.isolating_sandbox()
    assert isinstance(sandbox, Bubblewrap)
    assert not sandbox.private
    finding = next(finding for finding in doctor.examine() if "bubblewrap" in str(finding.part))
    assert finding.state is doctor.State.BROKEN
    assert "by locks on shared files" in str(finding.detail)
    assert "overlayfs" in str(finding.remedy)


def test_it_is_found_once() -> None:
    async def main() -> None:
        first = await probe.probe_bubblewrap()
        assert await probe.probe_bubblewrap() is first
        assert probe.best_sandbox() is first.sandbox

    asyncio.run(main())


def test_without_control_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("botequim.sandbox.cgroups.group_parents", tuple)
    assert probe.probe_result().by_groups == frozenset()
    assert probe.isolating_sandbox().enforces == frozenset(EnforcedLimit)


def test_a_limit_that_does_not_hold_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("botequim.sandbox.cgroups.group_parents", tuple)
    real = argv.last_steps

    def no_limit(*words: Any, **named: Any) -> list[str]:
        steps = real(*words, **named)
        return [word.replace("ulimit -u", "true").replace("ulimit -p", "true") for word in steps]

    monkeypatch.setattr(argv, "last_steps", no_limit)
    sandbox = probe.best_sandbox()
    assert sandbox is not None
    assert sandbox.enforces == frozenset(EnforcedLimit) - {EnforcedLimit.PROCESSES}
    with pytest.raises(InputError, match="does not enforce processes here: run as root"):
        probe.isolating_sandbox()
    finding = next(finding for finding in doctor.examine() if "bubblewrap" in str(finding.part))
    assert finding.state is doctor.State.BROKEN
    assert "does not enforce: processes" in str(finding.remedy)


def test_no_bubblewrap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name, path: None if name == "bwrap" else name)
    assert probe.best_sandbox() is None
    with pytest.raises(InputError, match="apt-get install bubblewrap"):
        probe.isolating_sandbox()
    finding = next(finding for finding in doctor.examine() if "bubblewrap" in str(finding.part))
    assert finding.state is doctor.State.MISSING
    assert "apt-get install bubblewrap" in str(finding.detail)


def test_bubblewrap_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    real = argv.tool
    monkeypatch.setattr(argv, "tool", lambda name: "/bin/false" if name == "bwrap" else real(name))
    found = probe.probe_result()
    assert found.sandbox is None
    assert "bubblewrap does not work here" in str(found.why)


def _kill_trials(monkeypatch: pytest.MonkeyPatch, attempts: range) -> list[int]:
    """Kill bwrap in these attempts of the probe, as somebody's `pkill bwrap` does; return all attempts."""
    real = probe._enforced_limits
    made: list[int] = []

    async def attempt(sandbox: Bubblewrap) -> frozenset[EnforcedLimit]:
        made.append(len(made))
        trying = asyncio.ensure_future(real(sandbox))
        if made[-1] in attempts:
            while not trying.done():
                for pid in descendants(os.getpid()):
                    with contextlib.suppress(OSError):
                        if Path(f"/proc/{pid}/comm").read_text() == "bwrap\n":
                            os.kill(pid, signal.SIGKILL)
                await asyncio.sleep(0.001)
        return await trying

    monkeypatch.setattr(probe, "_enforced_limits", attempt)
    return made


def test_a_process_killed_during_the_probe_is_no_reason_to_give_up(monkeypatch: pytest.MonkeyPatch) -> None:
    made = _kill_trials(monkeypatch, range(1))
    assert probe.isolating_sandbox().enforces == frozenset(EnforcedLimit)
    assert len(made) > 1


def test_whoever_kills_every_trial_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    _kill_trials(monkeypatch, range(selftest.ATTEMPTS))
    found = probe.probe_result()
    assert found.sandbox is None
    assert "somebody ended the programs that test bubblewrap" in str(found.why)


@pytest.mark.parametrize(
    ("said", "advice"),
    [
        ("bwrap: Unknown option --size", "too old"),
        ("bwrap: No permissions to create new namespace, likely because ...", "disabled for ordinary"),
        ("bwrap: setting up uid map: Permission denied", "disabled for ordinary"),
        ("unshare: mount /proc failed: Operation not permitted", "which privileges a worker in a container"),
        (
            "bwrap: Can't set hostname to bot: Operation not permitted",
            "which privileges a worker in a container",
        ),
        ("something else", "does not work here: something else"),
    ],
)
def test_what_is_advised(said: str, advice: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def failing(sandbox: Bubblewrap) -> frozenset[EnforcedLimit]:
        raise BotequimError(plain(said))

    monkeypatch.setattr(probe, "_enforced_limits", failing)
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert advice in str(probe.probe_result().why)


def test_no_isolation_is_refused() -> None:
    with pytest.raises(InputError) as raised:
        probe.require_limits(NoSandbox(), [EnforcedLimit.MEMORY, EnforcedLimit.FILES])
    assert (
        raised.value.message.template
        == msg('the sandbox "{name}" does not enforce {limits} here: {remedy}').template
    )
    assert "memory, files" in str(raised.value)
    probe.require_limits(NoSandbox(), [])
