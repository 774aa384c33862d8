"""What Botequim adds to Dask's scheduler: parcels of bots, machines that are drained, messages of workers.

The methods whose names begin with `botequim_` are called over the network, by workers and coordinators. They
exchange only plain values.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Final

from distributed.diagnostics.plugin import SchedulerPlugin

from botequim.cluster.build_rights import BuildRights
from botequim.cluster.machines import CLIENT, REPORT
from botequim.cluster.parcels import PARCEL_CHUNK, MissingParcel, ParcelStore
from botequim.cluster.versions import difference, versions
from botequim.core import clock
from botequim.core.errors import BotequimError
from botequim.core.messages import msg, plain

MOST_LOG_LINES: Final = 2000
STANDBY_SECONDS: Final = 30.0
"""A machine that is not in the cluster and has not asked for so long is forgotten."""
UPLOAD_SECONDS: Final = 60.0
"""An upload that does not go on for so long is given up."""


@dataclass
class _Upload:
    """A parcel that a coordinator is sending."""

    file: BinaryIO
    opened: ExitStack
    offset: int = 0
    last: float = field(default_factory=clock.now)


@dataclass
class _Standby:
    """A machine whose worker is not in the cluster at the moment."""

    why: str
    seen: float


class ClusterPlugin(SchedulerPlugin):
    """Handlers and state of Botequim in the scheduler. It may lose all of it at any time."""

    name = "botequim"

    def __init__(self, parcels: ParcelStore, report: Callable[[str], None]) -> None:
        """`report` prints a line."""
        self._parcels: Final = parcels
        self._builds: Final = BuildRights(parcels.has)
        self._report: Final = report
        self._uploads: Final[dict[tuple[str, str], _Upload]] = {}
        self._drained: Final[set[str]] = set()
        self._standby: Final[dict[str, _Standby]] = {}
        self._log: Final[deque[tuple[float, str, str]]] = deque(maxlen=MOST_LOG_LINES)
        self._labels: Final[dict[str, str]] = {}
        self._scheduler: Any = None

    async def start(self, scheduler: Any) -> None:
        self._scheduler = scheduler
        for name in dir(self):
            if name.startswith("botequim_"):
                scheduler.handlers[name] = getattr(self, name)

    async def close(self) -> None:
        """Give up the uploads that are under way, because the scheduler ends."""
        for key in list(self._uploads):
            self._abort_upload(key)

    # --- machines --------------------------------------------------------------------------------------

    def worker_refusal(self, address: str, extra: Mapping[str, Any]) -> str:
        """Return why a worker may not join, or nothing."""
        report = extra.get(REPORT)
        found = difference(versions(), report["versions"]) if report is not None else None
        problem = "it is not a worker of Botequim" if report is None else str(found or "")
        if problem:
            self._write("scheduler", f"the worker {address} was refused: {problem}")
        return problem

    def client_refusal(self, client: str) -> str:
        """Return why a client may not submit tasks, or nothing."""
        if client.startswith(f"Client-{CLIENT}-"):
            return ""
        problem = "it is not a coordinator of Botequim"
        self._write("scheduler", f"the client {client} was refused: {problem}")
        return problem

    def add_worker(self, scheduler: Any, worker: str) -> None:
        report = scheduler.workers[worker].extra[REPORT]
        if report["label"] in self._labels.values():
            problem = f"two workers are called {report['label']}; give one of them another --label"
            self._write("scheduler", problem)
        self._labels[worker] = report["label"]
        self._standby.pop(report["label"], None)
        self._write("scheduler", f"{report['label']} joined; slots: {report['slots']}")

    def remove_worker(self, scheduler: Any, worker: str, **_: Any) -> None:
        self._builds.forget_worker(worker)
        if label := self._labels.pop(worker, ""):
            self._write("scheduler", f"{label} left")

    def botequim_hello(self) -> dict[str, Any]:
        """Return what every member must share."""
        return {"versions": versions(), "drained": sorted(self._drained)}

    def botequim_machines(self) -> dict[str, Any]:
        """Return the reports of the workers by address, and the machines that are not in use."""
        now = clock.now()
        waiting = dict.fromkeys(self._drained, "drained")
        waiting |= {
            label: one.why for label, one in self._standby.items() if now - one.seen < STANDBY_SECONDS
        }
        state = self._scheduler
        for worker in state.workers.values():
            if REPORT in worker.extra and worker.status.name == "paused":
                waiting[worker.extra[REPORT]["label"]] = "leaving"
        return {
            "workers": {
                address: worker.extra[REPORT]
                | {
                    "playing": len(worker.processing),
                    "failed_builds": self._builds.failures(worker.extra[REPORT].get("platform", "")),
                }
                for address, worker in state.workers.items()
                if REPORT in worker.extra and worker.status.name == "running"
            },
            "standby": waiting,
        }

    def botequim_stand_by(self, label: str, why: str) -> bool:
        """Note that a machine is there but does not take part. Return whether it is drained."""
        self._standby[label] = _Standby(why, clock.now())
        return label in self._drained

    def botequim_is_drained(self, label: str) -> bool:
        return label in self._drained

    def botequim_drain(self, label: str, drained: bool) -> bool:
        """Let a machine take no more jobs, or take it back. Return whether the machine is known."""
        known = label in self._labels.values() or label in self._standby or label in self._drained
        if drained and known:
            self._drained.add(label)
        else:
            self._drained.discard(label)
        if known:
            self._write("scheduler", f"{label} is {'drained' if drained else 'taken back'}")
        return known

    # --- jobs ------------------------------------------------------------------------------------------

    def botequim_stuck(self, keys: Sequence[str]) -> list[str]:
        """Return those of these tasks that nobody will play: unknown ones, and those without a worker."""
        tasks = self._scheduler.tasks
        return [key for key in keys if key not in tasks or tasks[key].state == "no-worker"]

    # --- parcels ---------------------------------------------------------------------------------------

    def botequim_has_parcel(self, name: str) -> bool:
        return self._parcels.has(name)

    def botequim_remove_parcel(self, name: str) -> None:
        """Remove a parcel that is damaged, so that a coordinator sends it again."""
        self._parcels.remove(name)

    async def botequim_write_parcel(
        self, sender: str, name: str, offset: int, chunk: bytes, last: bool
    ) -> bool:
        """Append to the parcel that a sender writes. Return False if the sender has to begin anew."""
        self._abort_old_uploads()
        key = sender, name
        try:
            return await self._append(key, offset, chunk, last=last)
        except BotequimError as error:
            self._abort_upload(key)
            problem = msg("the scheduler cannot store the files of a bot: {why}", why=error.message)
            self._write("scheduler", str(problem))
            raise BotequimError(problem) from error

    async def _append(self, key: tuple[str, str], offset: int, chunk: bytes, *, last: bool) -> bool:
        if offset == 0:
            self._abort_upload(key)
            opened = ExitStack()
            self._uploads[key] = _Upload(opened.enter_context(self._parcels.writer(key[1])), opened)
        upload = self._uploads.get(key)
        if upload is None or upload.offset != offset:
            return False
        upload.last = clock.now()
        upload.offset += len(chunk)
        await asyncio.to_thread(upload.file.write, chunk)
        if last:
            del self._uploads[key]
            await asyncio.to_thread(upload.opened.close)  # it waits until the file is on the disk
        return True

    def _abort_old_uploads(self) -> None:
        for key, upload in list(self._uploads.items()):
            if clock.now() - upload.last > UPLOAD_SECONDS:
                self._abort_upload(key)

    def _abort_upload(self, key: tuple[str, str]) -> None:
        upload = self._uploads.pop(key, None)
        if upload is not None:
            error = BotequimError(plain("the upload was given up"))
            with suppress(BotequimError):
                upload.opened.__exit__(BotequimError, error, None)

    async def botequim_read_parcel(self, name: str, offset: int) -> dict[str, Any] | None:
        """Return the next part of a parcel, and its size; None if the parcel is not here."""
        try:
            chunk = await asyncio.to_thread(self._parcels.read, name, offset, PARCEL_CHUNK)
            return {"chunk": chunk, "size": self._parcels.size(name)}
        except MissingParcel:
            return None

    # --- builds ----------------------------------------------------------------------------------------

    def botequim_ask_build(self, need: str, platform: str, worker: str, seconds: float) -> dict[str, Any]:
        """See `BuildRights.ask`."""
        return self._builds.ask(need, platform, worker, seconds)

    def botequim_finish_build(self, need: str, platform: str, files: dict[str, Any]) -> dict[str, Any]:
        """See `BuildRights.finish`."""
        return self._builds.finish(need, platform, files)

    def botequim_fail_build(self, need: str, platform: str, worker: str, why: dict[str, Any] | None) -> None:
        """See `BuildRights.fail`."""
        self._builds.fail(need, platform, worker, why)

    # --- messages --------------------------------------------------------------------------------------

    def botequim_log(self, label: str, text: str) -> None:
        """Note a message of a worker."""
        self._write(label, text)

    def botequim_logs(self) -> list[tuple[float, str, str]]:
        """Return the last messages: Unix time, who, what."""
        return list(self._log)

    def _write(self, who: str, text: str) -> None:
        self._log.append((clock.date(clock.now()), who, text))
        self._report(f"{who}: {text}")
