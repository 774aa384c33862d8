"""No bit passes between two containers of a bot but by the channels that the documentation names.

For bubblewrap this is a scenario: see `tests/support/sandbox_scenarios.py`.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from botequim.botcheck import doctor
from botequim.core.process import Program
from botequim.sandbox import probe
from tests.support import container_engine
from tests.zoo.channels import ACCOMPLICE, CHANNELS, OPEN_IN, closed_channels, passing


def test_every_channel_that_doctor_names_is_tried() -> None:
    assert set(OPEN_IN) <= {channel.name for channel in CHANNELS}


def detail(part: str) -> str:
    """What doctor says of a part."""
    return next(str(finding.detail) for finding in doctor.examine() if part in str(finding.part))


def test_doctor_names_the_channels_that_are_open_in_containers() -> None:
    container_engine.engine()
    channels = "signals that wait, inotify instances of a user, descriptors in flight"
    assert f"two instances of one bot can signal to each other by {channels}" in detail("podman")


def test_doctor_names_the_channels_that_are_open_to_an_ordinary_user(monkeypatch: pytest.MonkeyPatch) -> None:
    if probe.probe_result().sandbox is None:
        pytest.skip("no bubblewrap")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)  # after the probe, which has to be root
    channels = "locks on devices (/dev/null), inotify on devices, descriptors in flight"
    assert f"two instances of one bot can signal to each other by {channels}" in detail("bubblewrap")


def test_containers() -> None:
    containers = container_engine.engine()
    image = asyncio.run(containers.engine.image(container_engine.BASE))
    assert image is not None
    command = ("/usr/bin/python3", "-c", ACCOMPLICE.read_text(encoding="utf-8"))
    program = Program(command, Path("/"), image=image)
    assert asyncio.run(passing(containers, program, closed_channels("container"))) == set()
