"""In the scheduler: which machine builds a bot for its platform, and what came of it.

One worker at a time has the right to build. It loses that right if it leaves the cluster, or does not finish
in time. All of this is lost with the scheduler: then bots are built again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from botequim.core import clock

TRANSFER_SECONDS: Final = 300.0
"""The time for fetching the sources and sending what was built, beside the time for the build itself."""
MOST_BUILDS: Final = 10_000


@dataclass
class _Build:
    """One bot on one platform."""

    worker: str = ""
    """The address of the worker that builds it, or that has built it last."""
    until: float = 0.0
    """When the right of that worker ends."""
    files: dict[str, Any] | None = None
    """What was built, as `BuiltFiles.as_json`."""
    failure: dict[str, Any] | None = None
    """Why it cannot be built, as `message_json`."""


class BuildRights:
    """The builds of a cluster, by need (see `PortableBuild.need`) and platform.

    It exchanges only plain values.
    """

    def __init__(self, has_parcel: Callable[[str], bool]) -> None:
        self._has_parcel: Final = has_parcel
        self._builds: Final[dict[tuple[str, str], _Build]] = {}

    def ask(self, need: str, platform: str, worker: str, seconds: float) -> dict[str, Any]:
        """Return what was built (`files`), or why it cannot be built (`failure`).

        If neither is known, return whether this worker shall `build` it now. Otherwise another one does that,
        so ask again later. `seconds` is the time limit of the build.
        """
        build = self._builds.setdefault((need, platform), _Build())
        if build.files is not None and self._has_parcel(build.files["digest"]):
            return {"files": build.files}
        if build.failure is not None:
            return {"failure": build.failure}
        if build.until > clock.now():
            return {"build": False}
        while len(self._builds) > MOST_BUILDS:
            del self._builds[next(iter(self._builds))]
        self._builds[need, platform] = _Build(worker, clock.now() + seconds + TRANSFER_SECONDS)
        return {"build": True}

    def finish(self, need: str, platform: str, files: dict[str, Any]) -> dict[str, Any]:
        """Note what was built, and return it. If another worker was faster, return what that one built."""
        build = self._builds.setdefault((need, platform), _Build())
        if build.files is None:
            build.files, build.failure, build.until = files, None, 0.0
        return build.files

    def fail(self, need: str, platform: str, worker: str, why: dict[str, Any] | None) -> None:
        """Note why a worker could not build it; None: not because of the bot, so the next one may try."""
        build = self._builds.get((need, platform))
        if build is not None and build.worker == worker and build.files is None:
            build.failure, build.until = why, 0.0

    def forget_worker(self, worker: str) -> None:
        """Note that a worker has left. What it could not build may be tried again."""
        for build in self._builds.values():
            if build.worker == worker:
                build.failure, build.until = None, 0.0

    def failures(self, platform: str) -> list[str]:
        """Return what cannot be built on a platform."""
        return [
            need
            for (need, where), build in self._builds.items()
            if where == platform and build.failure is not None
        ]
