"""In a worker: what Botequim adds to Dask's worker, and the task that plays jobs.

Import this module after `settings.apply_settings`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

from distributed import Status, get_worker
from distributed.diagnostics.plugin import WorkerPlugin

from botequim.cluster.bot_cache import BotCache
from botequim.cluster.jobs import Batch
from botequim.cluster.parcels import BadParcel, MissingParcel, ParcelFile
from botequim.cluster.platform_builds import PlatformBuilds
from botequim.cluster.portable import NotHere, PortableEntrant
from botequim.cluster.portable_build import BuiltFiles
from botequim.cluster.scheduler_calls import SchedulerCalls
from botequim.cluster.slots import Slots, elsewhere_message
from botequim.core import clock
from botequim.core.errors import BotequimError
from botequim.core.messages import Message, msg
from botequim.core.process import Sandbox
from botequim.engine.executors import Lost, Outcome
from botequim.engine.machine import Machine

LIVE_TOPIC: Final = "botequim-live-{run}"
"""The topic of Dask under which the messages of observers travel."""


class PlayingPlugin(WorkerPlugin):
    """What Botequim adds to a Dask worker: the processes that play, and the cache of bots."""

    name = "botequim"

    def __init__(self, machine: Machine, sandbox: Sandbox | None, cache: Path, cache_bytes: int) -> None:
        self._machine: Final = machine
        self._folder: Final = cache
        self._cache: Final = BotCache(cache / "bots", cache_bytes)
        self.slots: Final = Slots(machine, sandbox, self._forward)
        self.problem: Message | None = None
        """Why this machine cannot play at the moment, if that is not the fault of a job."""
        self._worker: Any = None
        self._scheduler: SchedulerCalls
        self._builds: PlatformBuilds
        self._loaded: Final[set[str]] = set()
        """Parcels of images that the engine of this machine has."""

    def setup(self, worker: Any) -> None:
        self._worker = worker
        self._scheduler = SchedulerCalls(worker)
        self._builds = PlatformBuilds(self._machine.label, self._scheduler, self._cache)

    def transition(self, key: Any, start: str, finish: str, **_: Any) -> None:
        if finish in ("cancelled", "released", "forgotten"):
            self.slots.cancel(str(key))

    def play(self, task: str, batch: Batch) -> list[Outcome]:
        """Play the jobs of a task. This is called in a thread of Dask."""
        with self.slots.task(task):
            return self._play(task, batch)

    def _play(self, task: str, batch: Batch) -> list[Outcome]:
        try:
            batch = self._with_builds(task, batch)
            with ExitStack() as opened:
                files: dict[str, Path] = {}
                for name, entrant in batch.parcels.items():
                    source = self._image(entrant) if entrant.image else self._bot(name)
                    if source is not None:
                        files[name] = opened.enter_context(source)
                outcomes = self.slots.play(task, batch, files)
        except NotHere as error:
            why = elsewhere_message(self._machine, error)
            label = self._machine.label
            return [Lost(one.job.id, why, by_job=False, unfit_machine=label) for one in batch.jobs]
        except MissingParcel as error:
            self._builds.forget()
            return [Lost(one.job.id, error.message, by_job=False) for one in batch.jobs]
        except BotequimError as error:
            problem = msg(
                "{machine} cannot get bots ready: {why}", machine=self._machine.label, why=error.message
            )
            self.problem = problem
            # the scheduler learns it before the outcome, so that the job does not come back at once
            self._worker.loop.add_callback(setattr, self._worker, "status", Status.paused)
            return [Lost(one.job.id, problem, by_job=False) for one in batch.jobs]
        self._loaded.update(name for name, entrant in batch.parcels.items() if entrant.image)
        return outcomes

    def _with_builds(self, task: str, batch: Batch) -> Batch:
        """Return a batch with bots that this machine can run. Raise NotHere if one cannot be built here."""
        builds: dict[str, BuiltFiles] = {}
        for need, entrant in batch.builds.items():
            files = self._builds.files(entrant, lambda request: self.slots.build(task, batch, request))
            if files is not None:
                builds[need] = files
        return batch.with_builds(builds) if builds else batch

    @contextmanager
    def _bot(self, name: str) -> Iterator[Path]:
        """Yield the folder of a bot. If its parcel is damaged, let the coordinator send another."""
        try:
            with self._cache.bot(name, partial(self._scheduler.fetch, name)) as folder:
                yield folder
        except BadParcel as error:
            self._scheduler.call("botequim_remove_parcel", name=name)
            raise MissingParcel(error.message) from error

    def _image(self, entrant: PortableEntrant) -> AbstractContextManager[Path] | None:
        """Return the archive of an image, unless it was loaded before."""
        return None if entrant.parcel in self._loaded else self._archive(entrant.parcel)

    @contextmanager
    def _archive(self, name: str) -> Iterator[Path]:
        """Download an image for a while."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="image-", dir=self._folder) as folder:
            path = Path(folder, "image.tar")
            with ParcelFile(path) as file:
                self._scheduler.fetch(name, file)
            yield path

    def _forward(self, run: str, sender: int, message: bytes) -> None:
        """Send a message of an observer to the coordinator, with the time of this machine's clock."""
        content = {"sender": str(sender), "message": message, "now": clock.now()}
        self._worker.log_event(LIVE_TOPIC.format(run=run), content)


def play_batch(content: bytes) -> list[Outcome]:
    """Play a batch. This is the task of Dask."""
    worker = get_worker()
    plugin = worker.plugins[PlayingPlugin.name]
    assert isinstance(plugin, PlayingPlugin)
    return plugin.play(str(worker.get_current_task()), Batch.decode(content))
