"""Finds out which interpreters of this machine can be started in its sandbox.

A program on the PATH may be a script of a version manager, or a link, that only works outside of a sandbox.
Bots that need it would crash here, and would be charged for that. So each interpreter is tried once.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from botequim.bots.interpreters import find_program
from botequim.core import clock
from botequim.core.errors import BotequimError, InputError
from botequim.core.limits import Limits
from botequim.core.process import Launch, Program, Sandbox

TRIAL_SECONDS: Final = 60.0
CANNOT_RUN: Final = (126, 127)
"""Exit codes of a shell, or of a sandbox, that cannot run a program."""


async def unusable_programs(names: Iterable[str], sandbox: Sandbox) -> set[str]:
    """Return those of these programs that cannot be started in the sandbox."""
    wanted = sorted(set(names))
    with tempfile.TemporaryDirectory(prefix="botequim-") as folder:
        found = await asyncio.gather(*(_can_start(one, Path(folder), sandbox) for one in wanted))
    return {one for one, usable in zip(wanted, found, strict=True) if not usable}


async def _can_start(name: str, folder: Path, sandbox: Sandbox) -> bool:
    try:
        command, extra_paths = find_program([name, "--version"], folder, given=name)
    except InputError:
        return False
    process = sandbox.start(Launch(Program(command, folder, extra_paths=extra_paths), Limits(), stdin=False))
    try:
        async with clock.timeout(TRIAL_SECONDS):
            return await process.wait_exit() not in CANNOT_RUN
    except TimeoutError:
        return True  # it runs
    except BotequimError:
        return False
    finally:
        await process.close()
