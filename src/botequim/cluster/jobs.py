"""Jobs as they travel to the machines of a cluster.

A job contains no path, descriptor, clock time or control group of the coordinator's machine: its entrants are
`PortableEntrant` values, and it says only whether bots must be isolated. A worker turns it back into a
`SeriesJob` with bots and a sandbox of its own machine.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from botequim.bots.entrant import Entrant
from botequim.bots.routing import sandbox_for
from botequim.cluster.machines import ISOLATED
from botequim.cluster.portable import NotHere, PortableEntrant, from_portable
from botequim.cluster.portable_build import BuiltFiles
from botequim.core.messages import msg
from botequim.core.process import Sandbox
from botequim.engine.jobs import GameObserver, MessageSender, SeriesJob
from botequim.sandbox.none import NoSandbox


@dataclass(frozen=True, slots=True)
class PortableJob:
    """A job without anything of the coordinator's machine."""

    job: SeriesJob[Any]
    """Without entrants and sandbox."""
    entrants: tuple[PortableEntrant, ...]
    isolated: bool
    """Whether its bots are isolated, with every limit enforced."""

    @classmethod
    def of(cls, job: SeriesJob[Any], entrants: tuple[PortableEntrant, ...], *, isolated: bool) -> PortableJob:
        return cls(replace(job, entrants=(), sandbox=None), entrants, isolated)

    @property
    def needs(self) -> frozenset[str]:
        """What a machine must offer to play it."""
        each = [entrant.needs_of_machine(isolated=self.isolated) for entrant in self.entrants]
        needs = frozenset[str]().union(*each)
        return needs | {ISOLATED} if self.isolated and self._runs_programs else needs

    @property
    def parcels(self) -> frozenset[str]:
        """The names of its bots' files and images."""
        return frozenset(entrant.parcel for entrant in self.entrants if entrant.parcel)

    @property
    def _runs_programs(self) -> bool:
        return bool(self.parcels)

    def on_this_machine(self, folders: Mapping[str, Path], sandbox: Sandbox | None) -> SeriesJob[Any]:
        """Return the job with bots from these folders, by parcel. `sandbox` isolates bots on this machine."""
        entrants = tuple(from_portable(one, folders.get(one.parcel)) for one in self.entrants)
        return replace(self.job, entrants=entrants, sandbox=self._sandbox(entrants, sandbox))

    def _sandbox(self, entrants: tuple[Entrant, ...], sandbox: Sandbox | None) -> Sandbox | None:
        if not self._runs_programs:
            return None
        if self.isolated and sandbox is None:  # a worker that joined while the job was on its way
            raise NotHere(msg("bots cannot be isolated on this machine"))
        programs = sandbox if self.isolated and sandbox is not None else NoSandbox()
        return sandbox_for(programs, entrants, isolated=self.isolated)


@dataclass(frozen=True, slots=True)
class Batch:
    """The jobs of one task of Dask: several short ones, or one."""

    run: str
    """The random name of the coordinator's run."""
    jobs: tuple[PortableJob, ...]
    start_observer: Callable[[MessageSender], GameObserver] | None
    """How games are observed; it is pickled by its name."""

    @property
    def parcels(self) -> dict[str, PortableEntrant]:
        """The entrants whose files or images a worker needs, by parcel."""
        return {one.parcel: one for job in self.jobs for one in job.entrants if one.parcel}

    @property
    def uploads(self) -> list[str]:
        """The parcels that workers may need: files, images and sources."""
        sources = [one.build.source for one in self.builds.values() if one.build is not None]
        return [*self.parcels, *sources]

    @property
    def builds(self) -> dict[str, PortableEntrant]:
        """The entrants that can be built for other platforms, by the need that this meets."""
        return {
            one.build.need: one
            for job in self.jobs
            for one in job.entrants
            if job.isolated and one.build is not None
        }

    def with_builds(self, builds: Mapping[str, BuiltFiles]) -> Batch:
        """Return the same batch with files for another platform, by need."""
        return replace(
            self,
            jobs=tuple(
                replace(
                    job,
                    entrants=tuple(
                        one.with_files(builds[one.build.need])
                        if one.build and one.build.need in builds
                        else one
                        for one in job.entrants
                    ),
                )
                for job in self.jobs
            ),
        )

    def encode(self) -> bytes:
        return pickle.dumps(self)

    @staticmethod
    def decode(content: bytes) -> Batch:
        batch = pickle.loads(content)
        assert isinstance(batch, Batch)
        return batch
