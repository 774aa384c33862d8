"""Both filters of system calls follow one table."""

from __future__ import annotations

import errno
import json
import os
import struct
from pathlib import Path

import pytest

from botequim.sandbox import seccomp, syscalls
from botequim.sandbox.containers import seccomp as of_containers

ALLOW, ERRNO = 0x7FFF0000, 0x00050000
PROGRAM = seccomp.program(accounted=False)
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="the numbers of this machine are not known")


def verdict(program: bytes, number: int, first: int = 0, third: int = 0) -> int:
    """Run the filter as the kernel does: what becomes of a system call with these arguments."""
    _, arch = seccomp.MACHINES[os.uname().machine]
    words = {0: number, 4: arch, 16: first, 32: third}
    steps = list(struct.iter_unpack("=HBBI", program))
    at, loaded = 0, 0
    while True:
        code, if_true, if_false, value = steps[at]
        at += 1
        match code:
            case 0x20:
                loaded = words[value]
                continue
            case 0x06:
                return int(value)
            case 0x15:
                holds = loaded == value
            case 0x35:
                holds = loaded >= value
            case _:
                holds = bool(loaded & value)
        at += if_true if holds else if_false


def column() -> int:
    return seccomp.MACHINES[os.uname().machine][0]


@pytest.mark.parametrize("accounted", [True, False])
def test_bubblewrap_refuses_what_the_table_says(accounted: bool) -> None:
    program = seccomp.program(accounted=accounted)
    assert program is not None
    at = column()
    for numbers in (syscalls.REFUSED | syscalls.REFUSED_BY_BUBBLEWRAP).values():
        assert verdict(program, numbers[at]) == ERRNO | errno.EPERM
    for numbers in syscalls.UNACCOUNTED.values():
        assert verdict(program, numbers[at]) == (ALLOW if accounted else ERRNO | errno.EPERM)
    for numbers in syscalls.IGNORED.values():
        assert verdict(program, numbers[at]) == ERRNO
    assert verdict(program, syscalls.CLONE3) == ERRNO | errno.ENOSYS
    assert verdict(program, syscalls.CLONE[at], first=17) == ALLOW
    assert verdict(program, syscalls.CLONE[at], first=0x10000000) == ERRNO | errno.EPERM
    families = {family: verdict(program, syscalls.SOCKET[at], first=family) for family in range(64)}
    refused = {family for family, what in families.items() if what != ALLOW}
    assert refused == {syscalls.AF_ALG, syscalls.AF_VSOCK}
    ignored = {
        advice for advice in range(64) if verdict(program, syscalls.MADVISE[at], third=advice) == ERRNO
    }
    assert ignored == set(syscalls.IGNORED_ADVICE)


def test_containers_refuse_the_same(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    usual = tmp_path / "seccomp.json"
    refused = {*syscalls.REFUSED, *syscalls.REFUSED_BY_CONTAINERS}
    names = [*refused, *syscalls.REFUSED_BY_BUBBLEWRAP, *syscalls.UNACCOUNTED, "read", "clone3", "madvise"]
    rules = [{"names": names, "action": "SCMP_ACT_ALLOW"}]
    usual.write_text(json.dumps({"defaultAction": "SCMP_ACT_ERRNO", "syscalls": rules}))
    monkeypatch.setattr(of_containers, "USUAL", (usual,))
    profile = of_containers.profile()
    assert profile is not None
    always = {
        name
        for rule in json.loads(profile)["syscalls"]
        if rule["action"] == "SCMP_ACT_ALLOW" and not rule.get("args")
        for name in rule["names"]
    }
    assert always == {"read", *syscalls.REFUSED_BY_BUBBLEWRAP, *syscalls.UNACCOUNTED}
