"""Every sandbox sets the same resource limits, each in its own words."""

from __future__ import annotations

import subprocess

import pytest

from botequim.sandbox import rlimits
from botequim.sandbox.argv import tool

TABLE = {**rlimits.resource_limits(processes=3000, open_files=700), "fsize": 1 << 20}
KERNEL = {
    "core": "Max core file size",
    "fsize": "Max file size",
    "msgqueue": "Max msgqueue size",
    "nofile": "Max open files",
    "nproc": "Max processes",
}
"""The names in /proc/self/limits."""


def limits_of(*words: str) -> dict[str, int]:
    """The limits of a program that is started by these words."""
    done = subprocess.run(
        [*words, "/bin/cat", "/proc/self/limits"], stdout=subprocess.PIPE, text=True, check=True
    )
    found = {}
    for name, title in KERNEL.items():
        (line,) = [line for line in done.stdout.splitlines() if line.startswith(title)]
        soft, hard, *_ = line.removeprefix(title).split()
        assert soft == hard, title
        found[name] = int(soft) if soft != "unlimited" else -1
    return found


def test_prlimit_sets_the_table() -> None:
    assert limits_of(tool("prlimit"), *rlimits.prlimit_options(TABLE), "--") == TABLE


@pytest.mark.parametrize("shell", [["/bin/sh"], ["/bin/bash", "--posix"]], ids=["sh", "bash"])
def test_a_shell_sets_all_of_the_table_that_it_can(shell: list[str]) -> None:
    script = "\n".join([*rlimits.shell_commands(TABLE), 'exec "$@"'])
    first = [tool("prlimit"), "--msgqueue=0", "--"]  # no shell has a word for it
    assert limits_of(*first, *shell, "-c", script, "sh") == TABLE


def test_engines_are_told_the_same_names_and_figures() -> None:
    words = rlimits.engine_options(TABLE)
    assert set(words[::2]) == {"--ulimit"}
    assert words[1::2] == [f"{name}={most}:{most}" for name, most in TABLE.items()]


def test_containers_have_the_table_as_far_as_our_own_limits_allow() -> None:
    limits = rlimits.container_limits()
    assert limits.keys() == TABLE.keys()
    assert limits["fsize"] == rlimits.LARGEST_FILE
    assert 0 < limits["nofile"] <= rlimits.OPEN_FILES
