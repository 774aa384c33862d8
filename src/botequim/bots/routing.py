"""Choose the sandbox of each bot: images run in their engine, all other programs in another sandbox."""

from __future__ import annotations

from collections.abc import Iterable

from botequim import interrupts
from botequim.bots.entrant import Entrant
from botequim.core.limits import EnforcedLimit
from botequim.core.process import Launch, Process, Program, Sandbox


class RoutingSandbox:
    """Two sandboxes for one table: one for images, one for all other programs."""

    def __init__(self, programs: Sandbox, images: Sandbox) -> None:
        self.programs = programs
        self.images = images

    @property
    def name(self) -> str:
        return f"{self.programs.name}, {self.images.name}"

    @property
    def enforces(self) -> frozenset[EnforcedLimit]:
        return self.programs.enforces & self.images.enforces

    @property
    def isolates(self) -> bool:
        return self.programs.isolates and self.images.isolates

    def sandbox_of(self, program: Program) -> Sandbox:
        return self.images if program.image else self.programs

    def start(self, launch: Launch) -> Process:
        return self.sandbox_of(launch.program).start(launch)


def sandbox_for(programs: Sandbox, entrants: Iterable[Entrant], *, isolated: bool = False) -> Sandbox:
    """Return the sandbox in which these prepared entrants run. Do not call it in a running event loop.

    `programs` is the sandbox for programs that are not images. With `isolated`, raise InputError if the
    container engine does not enforce every limit.
    """
    kinds = {bool(entrant.program.image) for entrant in entrants if entrant.program is not None}
    if True not in kinds:
        return programs
    from botequim.sandbox.containers.probe import require_engine
    from botequim.sandbox.probe import require_limits

    engine = interrupts.run(require_engine())
    if isolated:
        require_limits(engine)
    return RoutingSandbox(programs, engine) if False in kinds else engine
