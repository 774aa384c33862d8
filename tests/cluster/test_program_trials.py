"""An interpreter that cannot be started in the sandbox is not offered: its bots would be charged for that."""

from __future__ import annotations

from pathlib import Path

import pytest

from botequim import interrupts
from botequim.cluster.program_trials import unusable_programs
from botequim.sandbox.probe import isolating_sandbox


def test_a_program_that_only_works_outside_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hidden = tmp_path / "hidden"
    hidden.symlink_to("/bin/sh")
    tools = tmp_path / "tools"
    tools.mkdir()
    wrapper = tools / "deno"
    wrapper.write_text(f'#!/bin/sh\nexec {hidden} -c "exit 0"\n', encoding="utf-8")
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    found = interrupts.run(unusable_programs(["sh", "bash", "deno", "missing"], isolating_sandbox()))
    assert found == {"deno", "missing"}
