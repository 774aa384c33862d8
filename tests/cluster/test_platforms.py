"""What a machine needs to run the files of a bot."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from botequim.bots.interpreters import python
from botequim.cluster import platforms
from botequim.cluster.platforms import capabilities
from botequim.cluster.portable import NotHere, from_portable, to_portable
from tests.support.portable_bots import bot, copy_of


def test_programs_that_a_script_of_the_shell_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "bot"
    folder.mkdir()
    script = folder / "run.sh"
    script.write_text("#!/bin/sh\n# not ruby\ncd src; exec /usr/bin/perl -w bot.pl\n")
    script.chmod(0o755)
    portable = to_portable(bot(folder, str(script)))
    assert portable.needs == {"program:sh", "program:perl"}
    assert to_portable(bot(folder, "/bin/sh", str(script))).needs == portable.needs
    assert to_portable(bot(folder, "/bin/sh", "-c", "perl bot.pl")).needs == portable.needs
    monkeypatch.setattr("botequim.cluster.portable.SANDBOX_PATH", str(tmp_path))
    with pytest.raises(NotHere, match="needs perl"):
        from_portable(portable, folder)


def compile_c(path: Path, *options: str) -> None:
    path.parent.mkdir(exist_ok=True)
    source = path.with_suffix(".c")
    source.write_text('#include <stdio.h>\nint main(void) { return puts("hello"); }\n')
    subprocess.run(["cc", *options, "-o", str(path), str(source)], check=True)


@pytest.mark.parametrize(
    ("options", "dynamic"), [((), True), (("-static",), False), (("-shared", "-fPIC"), True), (("-c",), None)]
)
def test_binaries_need_their_platform(tmp_path: Path, options: tuple[str, ...], dynamic: bool | None) -> None:
    compile_c(tmp_path / "bot" / "x", *options)
    local = os.uname().machine
    expected = set() if dynamic is None else {f"platform:{local}"}
    expected |= {"libc:glibc"} if dynamic and "libc:glibc" in capabilities() else set()
    assert to_portable(bot(tmp_path / "bot", str(tmp_path / "bot" / "x"))).needs == expected
    assert expected <= capabilities()


def test_a_binary_of_another_platform_counts_only_if_there_is_none_for_this_one(tmp_path: Path) -> None:
    folder = tmp_path / "bot"
    compile_c(folder / "x", "-static")
    other = bytearray((folder / "x").read_bytes())
    other[18:20] = (243).to_bytes(2, "little")
    (folder / "y").write_bytes(other)
    entrant = bot(folder, str(folder / "x"))
    assert to_portable(entrant).needs == {f"platform:{os.uname().machine}"}
    (folder / "x").unlink()
    assert to_portable(entrant).needs == {"platform:riscv64"}
    (folder / "y").write_bytes(other[:64] + b"\xff" * 5000)  # a broken one
    assert to_portable(entrant).needs == {"platform:riscv64"}


def test_a_binary_that_needs_a_newer_glibc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if platforms.glibc_version() is None:
        pytest.skip("another C library")
    compile_c(tmp_path / "bot" / "x")
    portable = to_portable(bot(tmp_path / "bot", str(tmp_path / "bot" / "x")))
    assert from_portable(portable, tmp_path / "bot").program is not None
    monkeypatch.setattr("botequim.cluster.portable.glibc_version", lambda: 1)
    with pytest.raises(NotHere, match=r"needs glibc 2\.\d+, which is not on this machine"):
        from_portable(portable, copy_of(tmp_path / "bot"))


def test_a_version_manager_may_name_pythons_that_it_does_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in ("shims", "bin"):
        for name in ("python3.99" if place == "shims" else "python3.98", "ruby3.1", "tool"):
            path = tmp_path / place / name
            path.parent.mkdir(exist_ok=True)
            path.touch(mode=0o755)
    (tmp_path / "bin" / "bun").touch(mode=0o644)
    monkeypatch.setenv("PATH", f"{tmp_path}/shims:{tmp_path}/bin:{tmp_path}/none")
    monkeypatch.setattr(platforms, "SANDBOX_PATH", "")
    found = {name for name in capabilities() if name.startswith("program:")}
    assert found == {f"program:{python().name}", "program:python3.98", "program:ruby3.1"}
