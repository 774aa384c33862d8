"""In a worker: the files of bots that this machine cannot run as they were sent.

A machine of its platform builds such a bot once, and sends the result to the scheduler, where all others of
that platform fetch it. The scheduler decides who builds; see `build_rights`.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from botequim.bots.building import build_files
from botequim.bots.entrant import Entrant
from botequim.bots.links import examine_links
from botequim.bots.snapshot import COPY, charge_tree_errors_to
from botequim.cluster.bot_cache import BotCache
from botequim.cluster.bot_parcels import send_parcel
from botequim.cluster.parcels import pack
from botequim.cluster.platforms import platform_name
from botequim.cluster.portable import NotHere, PortableEntrant, describe_build, runs_here
from botequim.cluster.portable_build import BuiltFiles, PortableBuild
from botequim.core.errors import BotequimError, InputError
from botequim.core.messages import Message, msg
from botequim.core.process import Program, Sandbox
from botequim.records.record import message_from, message_json

if TYPE_CHECKING:
    from botequim.cluster.scheduler_calls import SchedulerCalls

ASK_SECONDS: Final = 1.0
"""How often the scheduler is asked while another machine builds."""


@dataclass(frozen=True, slots=True)
class BuildRequest:
    """Asks a helper process to build a bot."""

    entrant: PortableEntrant
    source: Path
    workshop: Path
    """An empty folder. What is built is then in its folder `COPY`."""


RunBuild: TypeAlias = Callable[[BuildRequest], BuiltFiles]


class PlatformBuilds:
    """What was built for the platform of this machine. Its methods may be called in any thread."""

    def __init__(self, label: str, scheduler: SchedulerCalls, cache: BotCache) -> None:
        self._label: Final = label
        self._scheduler: Final = scheduler
        self._cache: Final = cache
        self._platform: Final = platform_name()
        self._known: Final[dict[str, BuiltFiles]] = {}

    def forget(self) -> None:
        """Ask the scheduler again, because it has lost what was built."""
        self._known.clear()

    def files(self, entrant: PortableEntrant, run: RunBuild) -> BuiltFiles | None:
        """Return the files that an entrant plays with here; None: those that were sent.

        Wait until they are built, or build them with `run`. Raise NotHere if they cannot be built.
        """
        build = entrant.build
        if build is None or runs_here(entrant):
            return None
        seconds = entrant.limits.build
        while build.need not in self._known:
            answer = self._call("ask", build, worker=self._scheduler.sender, seconds=seconds)
            if answer.get("failure") is not None:
                raise NotHere(message_from(answer["failure"]))
            if answer.get("files") is not None:
                self._known[build.need] = BuiltFiles.from_json(answer["files"])
            elif answer["build"]:
                self._known[build.need] = self._build(entrant, build, run)
            else:
                threading.Event().wait(ASK_SECONDS)
        return self._known[build.need]

    def _build(self, entrant: PortableEntrant, build: PortableBuild, run: RunBuild) -> BuiltFiles:
        """Build an entrant, and send the files to the scheduler. Tell the scheduler how it ended."""
        fetch = partial(self._scheduler.fetch, build.source)
        try:
            with self._cache.bot(build.source, fetch) as source, self._cache.staging() as workshop:
                built = run(BuildRequest(entrant, source, workshop))
                self._send(built, workshop / COPY)
            agreed = self._call("finish", build, files=built.as_json())
        except Exception as error:
            why = self._failure(error)
            self._call("fail", build, worker=self._scheduler.sender, why=why and message_json(why))
            if why is None:
                raise
            raise NotHere(why) from error
        self._log(f"built {entrant.given} for {self._platform}")
        return BuiltFiles.from_json(agreed)

    def _failure(self, error: Exception) -> Message | None:
        """Return why a bot cannot be built on this platform; None if the error has another reason."""
        if not isinstance(error, InputError):
            return None
        why = msg(
            "{why} (on {machine}, for {platform})",
            why=error.message,
            machine=self._label,
            platform=self._platform,
        )
        self._log("\n".join(filter(None, [str(why), error.details])))
        return why

    def _send(self, built: BuiltFiles, folder: Path) -> None:
        with tempfile.TemporaryFile(prefix="botequim-") as file:
            pack(folder, file)
            if not send_parcel(self._scheduler.call, self._scheduler.sender, built.digest, file):
                raise BotequimError(msg("the files of a bot could not be sent"))

    def _call(self, what: str, build: PortableBuild, **values: Any) -> Any:
        operation = f"botequim_{what}_build"
        return self._scheduler.call(operation, need=build.need, platform=self._platform, **values)

    def _log(self, text: str) -> None:
        self._scheduler.call("botequim_log", label=self._label, text=text)


# --- in the helper process -----------------------------------------------------------------------------


async def build_here(request: BuildRequest, sandbox: Sandbox) -> BuiltFiles:
    """Build a bot in the sandbox. Raise InputError if that fails."""
    entrant, folder = request.entrant, request.workshop / COPY
    build = entrant.build
    assert build is not None
    folder.mkdir()
    program = Program((), folder, alias=Path(build.alias) if build.alias else None)
    bot = Entrant(entrant.name, entrant.given, build=build.command, limits=entrant.limits)
    with charge_tree_errors_to(bot):
        links = examine_links(request.source, request.source, ())
        bot = replace(bot, program=replace(program, extra_paths=links.interpreters))
        await build_files(bot, request.source, sandbox, entrant.limits.build)
        return describe_build(program)
