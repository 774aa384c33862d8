"""Builds the programs of bots from their sources, in the sandbox.

The sources are kept beside the copy that plays, so that the bot can be built again on another platform.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Final

from botequim.bots.digests import digest_of
from botequim.bots.entrant import Entrant, Sources
from botequim.bots.snapshot import charge_tree_errors_to
from botequim.bots.tree_files import copy_tree, remove_tree
from botequim.core import clock
from botequim.core.errors import InputError
from botequim.core.limits import MB
from botequim.core.messages import msg
from botequim.core.process import Launch, Program, Sandbox

BUILD_LIMITS: Final = {"memory": 2048 * MB, "space": 512 * MB}
NOT_FOUND: Final = 127
"""The exit code of a shell that does not find a program."""
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


async def build_copy(entrant: Entrant, sandbox: Sandbox, seconds: float) -> Entrant:
    """Build an entrant from the copy of its sources. Its program is then where they were."""
    assert entrant.program is not None
    folder = entrant.program.folder
    sources = Sources(folder.with_name(SOURCE), entrant.digest)
    folder.rename(sources.folder)
    folder.mkdir()
    await build_files(entrant, sources.folder, sandbox, seconds)
    return replace(entrant, digest=digest_of(folder), sources=sources)


async def build_files(entrant: Entrant, source: Path, sandbox: Sandbox, seconds: float) -> None:
    """Run the build command in the sandbox, and move the files that it makes to the folder of the program.

    That folder must be empty. The command works in a folder of its own. A descriptor keeps it after the
    sandbox has ended. With isolation the folder is in memory and has a limit. Its files are copied to the
    disk only after they were examined. Raise InputError if the build fails.
    """
    from botequim.bots.transports.process import LogTail

    assert entrant.program is not None
    folder = entrant.program.folder
    built = folder.with_name(BUILT)
    limits = replace(entrant.limits, **BUILD_LIMITS, build=seconds)
    command = ("/bin/sh", "-c", BUILD, "sh", str(source), entrant.build)
    extra_paths, alias = (*entrant.program.extra_paths, source), entrant.program.alias
    program = Program(command, folder, extra_paths=extra_paths, alias=alias, writable=True)
    process = sandbox.start(Launch(program, limits))
    log, output = LogTail(process.stderr), LogTail(process.stdout)
    status: int | None = None
    try:
        await process.wait_running()
        result = process.open_folder(folder)
        try:
            process.end_input()
            try:
                async with clock.timeout(limits.build):
                    status = await process.wait_exit()
            except TimeoutError:
                pass
            await process.close()
            if status == 0:
                with charge_tree_errors_to(entrant):
                    copy_tree(result, built, closed=True)
        finally:
            os.close(result)
    finally:
        text = (output.text() + log.text()).strip()
        log.close()
        output.close()
        await process.close()
    if status != 0:
        raise _build_failure(entrant, status, text)
    remove_tree(folder)
    built.rename(folder)


def _build_failure(entrant: Entrant, status: int | None, text: str) -> InputError:
    if status is None:
        why = msg("it took too long")
    elif status == NOT_FOUND:
        why = msg(
            "exit code {code}: it calls a program that is not found. A build sees only the programs of the "
            "system (/usr/bin): install the program there, or build the bot yourself",
            code=status,
        )
    else:
        why = msg("exit code {code}", code=status)
    failure = InputError(
        msg(
            '"{given}" cannot be built with `{build}`: {why}',
            given=entrant.given,
            build=entrant.build,
            why=why,
        )
    )
    failure.details = text[-4000:]
    return failure
