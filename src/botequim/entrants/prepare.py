"""From a name to an entrant that can sit down: its files copied, its sources built, its image at hand.

A bot that runs isolated is a copy: what its author changes meanwhile changes no game, and its digest says in
the record what played. Your own bot on your own machine runs where it is, unless it must be built.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from botequim import registry
from botequim.core import clock
from botequim.core.errors import InputError
from botequim.core.limits import MB, Limits
from botequim.core.messages import Message, msg
from botequim.core.process import Program, Sandbox
from botequim.core.wire import Carrier
from botequim.entrants.copies import copied
from botequim.entrants.entrant import Entrant
from botequim.entrants.images import imaged
from botequim.entrants.recognise import recognise
from botequim.transports.instance import Tail

BUILD_LIMITS: Final = {"memory": 2048 * MB, "space": 512 * MB}


async def prepare(
    given: str,
    game_name: str,
    sandbox: Sandbox,
    *,
    workshop: Path,
    isolated: bool,
    build_seconds: float | None = None,
    tell: Callable[[Message], None] = lambda said: None,
) -> Entrant:
    """The entrant that is meant, ready to be seated; `tell` hears what is done, while it takes long.

    `build_seconds` is how long a build may take, where that is not the wire's own limit.
    """
    entrant = recognise(given, game_name, workshop=workshop, tell=tell)
    if entrant.image is not None:
        assert entrant.wire is not None
        wire = registry.wire(game_name, entrant.wire)
        return await imaged(
            entrant,
            entrant.image,
            once=wire.carrier is Carrier.ONCE and bool(wire.game),  # arena asks by standard input
            workshop=workshop,
            build=build_seconds or wire.limits.build,
            tell=tell,
        )
    if entrant.program is not None and (isolated or entrant.build):
        entrant = copied(entrant, workshop)
    if entrant.build:
        tell(msg("building {name}: {step}", name=entrant.name, step=entrant.build))
        await _build(entrant, sandbox, build_seconds)
    return entrant


# --- building --------------------------------------------------------------------------------------


async def _build(entrant: Entrant, sandbox: Sandbox, seconds: float | None) -> None:
    """Run the build command where the files are, inside the sandbox."""
    assert entrant.program is not None
    folder = entrant.program.folder
    limits = replace(entrant.limits or Limits(), **BUILD_LIMITS)
    limits = limits if seconds is None else replace(limits, build=seconds)
    program = Program(("/bin/sh", "-c", entrant.build), folder, also=entrant.program.also, writable=True)
    _open_to_all(folder, writable=True)
    process = sandbox.start(program, limits, input=False)
    log, output = Tail(process.stderr), Tail(process.stdout)
    status: int | None = None
    try:
        async with clock.timeout(limits.build):
            status = await process.exited()
    except TimeoutError:
        pass
    finally:
        said = (output.text() + log.text()).strip()
        log.close()
        output.close()
        await process.close()
        _open_to_all(folder, writable=False)
    if status == 0:
        return
    why = msg("exit code {code}", code=status) if status is not None else msg("it took too long")
    failure = InputError(
        msg(
            '"{given}" cannot be built with `{build}`: {why}',
            given=entrant.given,
            build=entrant.build,
            why=why,
        )
    )
    failure.details = said[-4000:]
    raise failure


def _open_to_all(folder: Path, *, writable: bool) -> None:
    """Inside a sandbox a bot is somebody else."""
    for place, _, names in os.walk(folder):
        Path(place).chmod(0o777 if writable else 0o755)
        for name in names:
            path = Path(place, name)
            if not path.is_symlink():
                mode = 0o755 if path.stat().st_mode & stat.S_IXUSR else 0o644
                path.chmod(mode | 0o222 if writable else mode)
