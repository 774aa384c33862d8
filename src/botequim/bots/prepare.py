"""Make an entrant ready to play: copy its files, build its sources, get its image.

A bot that runs isolated runs from a copy: what its author changes meanwhile changes no game, and its digest
in the record says what played. Your own bot on your own machine runs where it is, unless it must be built.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from botequim.bots.building import build_copy
from botequim.bots.entrant import Entrant
from botequim.bots.resolve import resolve
from botequim.bots.seat import make_transport
from botequim.bots.snapshot import snapshot_files
from botequim.core.errors import BotequimError, InputError, PlayerFault, os_reason
from botequim.core.messages import Message, msg, plain
from botequim.core.process import Sandbox
from botequim.core.wire import TransportKind

LONGEST_COMMAND: Final = 32_000
"""Bytes of a command with all its words, or of a build. Linux accepts 128 kB in one word."""
ShowStep = Callable[[Message], None]
"""Shows a step that takes a while."""


def recognise(given: str, game_name: str, *, workshop: Path, tell: ShowStep = lambda step: None) -> Entrant:
    """Return the entrant that a name means, not prepared yet. Raise InputError, which names it."""
    with _charge_errors_to(given):
        entrant = resolve(given, game_name, workshop=workshop, tell=tell)
    _refuse_unusable_command(entrant)
    return entrant


async def prepare(
    given: str | Entrant,
    game_name: str,
    sandbox: Sandbox,
    *,
    workshop: Path,
    isolated: bool,
    build_seconds: float | None = None,
    tell: ShowStep = lambda step: None,
) -> Entrant:
    """Return the entrant that is meant, ready to play, with its wire and its limits.

    `given` is a name, or an entrant that was recognised already. With `isolated` its files are copied.
    `build_seconds` is the time for a build, if that is not the limit of its wire.
    """
    entrant = recognise(given, game_name, workshop=workshop, tell=tell) if isinstance(given, str) else given
    seconds = build_seconds or entrant.limits.build
    if entrant.image is not None:
        from botequim.bots.images import prepare_image

        return await prepare_image(entrant, workshop=workshop, build_seconds=seconds, tell=tell)
    if entrant.program is not None and (isolated or entrant.build):
        entrant = snapshot_files(entrant, workshop)
    if entrant.build:
        tell(msg("building {name}: {step}", name=entrant.name, step=entrant.build))
        entrant = await build_copy(entrant, sandbox, seconds)
    if entrant.program is not None and not sandbox.isolates:
        await _refuse_fixed_port(entrant, sandbox)
    return entrant


@contextmanager
def _charge_errors_to(given: str) -> Iterator[None]:
    """Turn an unexpected error, while an entrant's files are read, into an InputError of that entrant."""
    try:
        yield
    except BotequimError:
        raise
    except Exception as error:
        why = os_reason(error) if isinstance(error, OSError) else plain(f"{type(error).__name__}: {error}")
        raise InputError(msg('"{given}" cannot be read: {why}', given=given, why=why)) from error


def _refuse_unusable_command(entrant: Entrant) -> None:
    """Raise InputError if its command has a character that no program can be started with, or is too long."""
    command = entrant.program.command if entrant.program is not None else ()
    try:
        line = b" ".join(os.fsencode(word) for word in (*command, entrant.build))
    except UnicodeEncodeError:
        line = b"\0"
    if b"\0" in line:
        raise InputError(
            msg(
                '"{given}": its command contains a character that is not allowed in commands',
                given=entrant.given,
            )
        )
    if len(line) > LONGEST_COMMAND:
        raise InputError(
            msg(
                '"{given}": its command is longer than {size} kB',
                given=entrant.given,
                size=LONGEST_COMMAND // 1000,
            )
        )


async def _refuse_fixed_port(entrant: Entrant, sandbox: Sandbox) -> None:
    """Raise InputError if a server does not listen on the port that it is told.

    Without isolation all instances share the ports of this machine. If it fails to start for another reason,
    the games show that.
    """
    if entrant.wire is None or entrant.wire.transport is not TransportKind.HTTP:
        return
    bot = make_transport(entrant, sandbox)
    try:
        await bot.start()
    except PlayerFault:
        pass
    except InputError as error:
        raise InputError(msg('"{given}": {why}', given=entrant.given, why=error.message)) from error
    finally:
        await bot.close()
