"""What a worker reports about its machine, and which jobs may run there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from botequim.cluster.portable_build import BUILD
from botequim.core.messages import Message, msg

ISOLATED: Final = "isolated"
"""The need of bots that must be kept apart from the machine, with every limit enforced."""
REPORT: Final = "botequim"
"""The name under which Dask's scheduler stores what a worker reports."""
CLIENT: Final = "botequim"
"""The name of the Dask clients of coordinators, which becomes a part of their ids."""


@dataclass(frozen=True, slots=True)
class MachineReport:
    """One machine of a cluster. Dask carries it as JSON-like values."""

    label: str
    slots: int
    speed: float
    """See `engine.machine.measure_speed`."""
    offers: frozenset[str]
    """What jobs may need: `isolated`, `containers`, `platform:x86_64`, `program:node`..."""
    versions: Mapping[str, str]
    problem: str = ""
    """Why bots cannot be isolated there, in English."""
    platform: str = ""
    """The platform that bots are built for there; see `platforms.platform_name`."""
    failed_builds: frozenset[str] = frozenset()
    """Needs that begin with `build:` and are not met there, because the build has failed on that platform."""
    address: str = ""
    """Dask's address of the worker, as the scheduler knows it."""

    def missing(self, needs: frozenset[str]) -> frozenset[str]:
        """Return what this machine lacks of the needs of a job."""
        builds = {need for need in needs if need.startswith(BUILD)}
        return (needs - builds - self.offers) | (builds & self.failed_builds)

    def as_json(self) -> dict[str, Any]:
        return {
            "label": self.label,
            "slots": self.slots,
            "speed": self.speed,
            "offers": sorted(self.offers),
            "versions": dict(self.versions),
            "problem": self.problem,
            "platform": self.platform,
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any], address: str) -> MachineReport:
        return cls(
            value["label"],
            value["slots"],
            value["speed"],
            frozenset(value["offers"]),
            value["versions"],
            value["problem"],
            value.get("platform", ""),
            frozenset(value.get("failed_builds", ())),
            address,
        )


def missing_message(machine: MachineReport, needs: frozenset[str]) -> Message:
    """Return what a machine lacks of the needs of a job."""
    absent = machine.missing(needs)
    missing = ", ".join(sorted({BUILD[:-1] if need.startswith(BUILD) else need for need in absent}))
    if ISOLATED in absent and machine.problem:
        return msg(
            "{label}: {missing} ({problem})", label=machine.label, missing=missing, problem=machine.problem
        )
    return msg("{label}: {missing}", label=machine.label, missing=missing)


def not_our_scheduler(address: str) -> Message:
    """Return what is wrong with a scheduler that does not know the operations of Botequim."""
    return msg("{address} is not a scheduler of Botequim; start `botequim scheduler`", address=address)
