"""No bit passes between two containers of a bot but by the channels that the documentation names.

For bubblewrap this is a scenario: see `tests/support/sandbox_scenarios.py`.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from botequim.core.process import Program
from tests.support import container_engine
from tests.zoo.channels import ACCOMPLICE, closed_channels, passing


def test_containers() -> None:
    containers = container_engine.engine()
    image = asyncio.run(containers.engine.image(container_engine.BASE))
    assert image is not None
    command = ("/usr/bin/python3", "-c", ACCOMPLICE.read_text(encoding="utf-8"))
    program = Program(command, Path("/"), image=image)
    assert asyncio.run(passing(containers, program, closed_channels("container"))) == set()
