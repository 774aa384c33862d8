"""Who runs where: images in their engine, all else in the sandbox for programs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from botequim import interrupts
from botequim.containers import probe
from botequim.core.limits import Enforced, Limits
from botequim.core.process import Process, Program, Sandbox
from botequim.entrants.entrant import Entrant
from botequim.sandbox.probe import require


class Both:
    """At one table both kinds may sit."""

    def __init__(self, programs: Sandbox, images: Sandbox) -> None:
        self.programs = programs
        self.images = images

    @property
    def name(self) -> str:
        return f"{self.programs.name}, {self.images.name}"

    @property
    def enforces(self) -> frozenset[Enforced]:
        return self.programs.enforces & self.images.enforces

    def start(
        self,
        program: Program,
        limits: Limits,
        *,
        arguments: tuple[str, ...] = (),
        environment: Mapping[str, str] | None = None,
        input: bool = True,
        port: bool = False,
    ) -> Process:
        return housing(self, program).start(
            program, limits, arguments=arguments, environment=environment, input=input, port=port
        )


def housing(sandbox: Sandbox, program: Program) -> Sandbox:
    """Where a program runs."""
    if isinstance(sandbox, Both):
        return sandbox.images if program.image else sandbox.programs
    return sandbox


def housed(programs: Sandbox, entrants: Iterable[Entrant], *, isolated: bool = False) -> Sandbox:
    """The sandbox for all of these, once they are prepared. Not to be called where an event loop runs.

    With `isolated` an engine that does not hold every limit is refused.
    """
    images = {bool(entrant.program.image) for entrant in entrants if entrant.program is not None}
    if True not in images:
        return programs
    engine = interrupts.run(probe.needed())
    if isolated:
        require(engine)
    return Both(programs, engine) if False in images else engine
