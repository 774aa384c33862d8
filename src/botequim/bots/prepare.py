"""From a name to an entrant that can sit down: its files copied, its sources built, its image at hand.

A bot that runs isolated is a copy: what its author changes meanwhile changes no game, and its digest says in
the record what played. Your own bot on your own machine runs where it is, unless it must be built.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from botequim import registry
from botequim.core import clock
from botequim.core.errors import BotequimError, InputError, PlayerFault, os_reason
from botequim.core.limits import MB, Limits
from botequim.core.messages import Message, msg, plain
from botequim.core.process import Program, Sandbox
from botequim.core.wire import Carrier
from botequim.entrants.copies import blame, copy_entrant
from botequim.entrants.digests import digest_of
from botequim.entrants.entrant import Entrant
from botequim.entrants.images import imaged
from botequim.entrants.recognise import recognise
from botequim.entrants.seat import transport
from botequim.entrants.trees import copy_tree, remove_tree
from botequim.sandbox.bare import Bare
from botequim.transports.instance import Tail

LONGEST_COMMAND: Final = 32_000
"""Bytes of a command with all its words, or of a build. Linux takes 128 kB in one word."""
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
    with _charge_errors_to(given):
        entrant = recognise(given, game_name, workshop=workshop, tell=tell)
    _refuse_odd_words(entrant)
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
        entrant = copy_entrant(entrant, workshop)
    if entrant.build:
        tell(msg("building {name}: {step}", name=entrant.name, step=entrant.build))
        await _build(entrant, sandbox, build_seconds)
        assert entrant.program is not None
        entrant = replace(entrant, digest=digest_of(entrant.program.folder))
    if entrant.program is not None and isinstance(sandbox, Bare):
        await _refuse_fixed_port(entrant, sandbox, game_name)
    return entrant


@contextmanager
def _charge_errors_to(given: str) -> Iterator[None]:
    """An error that nobody foresaw, while an entrant's files are read, is an error of that entrant."""
    try:
        yield
    except BotequimError:
        raise
    except Exception as error:
        why = os_reason(error) if isinstance(error, OSError) else plain(f"{type(error).__name__}: {error}")
        raise InputError(msg('"{given}" cannot be read: {why}', given=given, why=why)) from error


def _refuse_odd_words(entrant: Entrant) -> None:
    """Raise InputError if no program could be started with what its author wrote, such as a 0 character."""
    command = entrant.program.command if entrant.program is not None else ()
    try:
        line = b" ".join(os.fsencode(word) for word in (*command, entrant.build))
    except UnicodeEncodeError:
        line = b"\0"
    if b"\0" in line:
        raise InputError(
            msg('"{given}": its command holds a character that no command can hold', given=entrant.given)
        )
    if len(line) > LONGEST_COMMAND:
        raise InputError(
            msg(
                '"{given}": its command is longer than {size} kB',
                given=entrant.given,
                size=LONGEST_COMMAND // 1000,
            )
        )


async def _refuse_fixed_port(entrant: Entrant, sandbox: Sandbox, game_name: str) -> None:
    """Raise InputError if a server does not listen on the port it is told: all instances share the machine's.

    Whatever else keeps it from starting is for games to find out.
    """
    assert entrant.wire is not None
    if registry.wire(game_name, entrant.wire).carrier is not Carrier.HTTP:
        return
    bot = transport(entrant, sandbox, game_name)
    try:
        await bot.start()
    except PlayerFault:
        pass
    except InputError as error:
        raise InputError(msg('"{given}": {why}', given=entrant.given, why=error.message)) from error
    finally:
        await bot.close()


# --- building --------------------------------------------------------------------------------------

SOURCE: Final = "source"
BUILT: Final = "built"
BUILD: Final = """
read -r begin
for path in "$1"/..?* "$1"/.[!.]* "$1"/*; do
    if [ -e "$path" ] || [ -L "$path" ]; then
        cp -R -P -p "$path" . || exit 125
    fi
done
exec /bin/sh -c "$2" </dev/null
"""
"""Waits for a line or the end of its input, copies the sources, and becomes the build."""


async def _build(entrant: Entrant, sandbox: Sandbox, seconds: float | None) -> None:
    """Run the build command inside the sandbox, and take over the files that it leaves.

    It works in a folder of its own, which is held by a descriptor and so outlives the sandbox. Isolated, that
    folder is in memory and has a limit; nothing of it reaches the disk before it was found to be a bot's.
    """
    assert entrant.program is not None
    folder = entrant.program.folder
    source, built = folder.with_name(SOURCE), folder.with_name(BUILT)
    folder.rename(source)
    folder.mkdir()
    limits = replace(entrant.limits or Limits(), **BUILD_LIMITS)
    limits = limits if seconds is None else replace(limits, build=seconds)
    command = ("/bin/sh", "-c", BUILD, "sh", str(source), entrant.build)
    also, alias = (*entrant.program.also, source), entrant.program.alias
    program = Program(command, folder, also=also, alias=alias, writable=True)
    process = sandbox.start(program, limits)
    log, output = Tail(process.stderr), Tail(process.stdout)
    status: int | None = None
    try:
        await process.running()
        result = process.open_folder(folder)
        try:
            process.end_input()
            try:
                async with clock.timeout(limits.build):
                    status = await process.exited()
            except TimeoutError:
                pass
            await process.close()
            if status == 0:
                with blame(entrant):
                    copy_tree(result, built, closed=True)
        finally:
            os.close(result)
    finally:
        said = (output.text() + log.text()).strip()
        log.close()
        output.close()
        await process.close()
    if status != 0:
        raise _build_failure(entrant, status, said)
    remove_tree(source)
    remove_tree(folder)
    built.rename(folder)


def _build_failure(entrant: Entrant, status: int | None, said: str) -> InputError:
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
    return failure
