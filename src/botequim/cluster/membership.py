"""In the process of a worker: one membership in a cluster, from joining it until leaving it.

It waits until a scheduler answers that wants this machine, and joins it. It ends when the scheduler is gone,
when the machine is drained, or outside its hours of use. Import this module after `settings.apply_settings`.
"""

from __future__ import annotations

import asyncio
import secrets
from datetime import datetime
from typing import Any, Final

from distributed import Status
from distributed.core import rpc

from botequim import interrupts
from botequim.cluster.addresses import listening_host, security_for
from botequim.cluster.failures import failure_reason
from botequim.cluster.hours import OUTSIDE_HOURS
from botequim.cluster.machines import ISOLATED, REPORT, MachineReport, not_our_scheduler
from botequim.cluster.platforms import platform_name
from botequim.cluster.playing import PlayingPlugin
from botequim.cluster.portable import capabilities
from botequim.cluster.program_trials import unusable_programs
from botequim.cluster.servers import ClusterWorker
from botequim.cluster.versions import difference, versions
from botequim.cluster.worker import Departure, WorkerSettings
from botequim.core import clock
from botequim.core.errors import InputError
from botequim.core.limits import EnforcedLimit
from botequim.core.messages import Message, msg
from botequim.core.process import Sandbox

LOOK_SECONDS: Final = 1.0
STANDBY_SECONDS: Final = 5.0
CONNECT_SECONDS: Final = 10.0
SILENCE_SECONDS: Final = 30.0
"""How long a scheduler does not answer before the worker says so."""
PROGRAM: Final = "program:"
UNFIT_SECONDS: Final = 60.0
"""How long a machine that cannot get bots ready, for example because its disk is full, stays away."""
RESULT_SECONDS: Final = 60.0
"""How long a machine that leaves waits until coordinators have fetched its last results."""


class Membership:
    """One membership of this machine in a cluster."""

    def __init__(self, settings: WorkerSettings, previous: Message | None) -> None:
        """Find out what this machine offers. This must be called in the main thread.

        `previous` says how the membership before this one ended, for the log of the cluster.
        """
        self._settings: Final = settings
        self._previous = previous
        sandbox, problem = _isolation()
        self._report: Final = _report(settings, sandbox, problem)
        cache = settings.cache, settings.cache_bytes
        self._playing: Final = PlayingPlugin(settings.machine, sandbox, *cache)

    def close(self) -> None:
        self._playing.slots.close()

    async def run(self) -> Departure:
        """Return when it has ended, and why."""
        scheduler = _connection(self._settings)
        try:
            departure = await self._wait_until_wanted(scheduler)
        finally:
            await scheduler.close_rpc()
        if departure is not None:
            return departure
        try:
            return await self._join()
        finally:
            self.close()

    async def _wait_until_wanted(self, scheduler: Any) -> Departure | None:
        """Wait until there is a scheduler that wants this machine. Return why we do not join it, if so."""
        label = self._settings.machine.label
        last_answer = clock.now()
        while True:
            try:
                async with clock.timeout(CONNECT_SECONDS):
                    hello = await scheduler.botequim_hello()
                last_answer = clock.now()
                if hello is None:  # so Dask answers if it does not know the operation
                    return Departure(not_our_scheduler(self._settings.address), final=True)
                if self._previous is not None:
                    await scheduler.botequim_log(label=label, text=str(self._previous))
                    self._previous = None
                found = difference(versions(), hello["versions"])
                if found is not None:
                    refusal = msg("this machine does not fit the cluster: {why}", why=found)
                    await scheduler.botequim_log(label=label, text=str(refusal))
                    return Departure(refusal, final=True)
                why = self._absence(drained=label in hello["drained"])
                if not why:
                    return None
                await scheduler.botequim_stand_by(label=label, why=why)
                await clock.pause(STANDBY_SECONDS)
            except (OSError, TimeoutError) as error:
                if clock.now() - last_answer > SILENCE_SECONDS:
                    return Departure(_no_answer(self._settings.address, error))
                await clock.pause(LOOK_SECONDS)

    def _absence(self, *, drained: bool) -> str:
        """Return why this machine does not take part at the moment, or nothing."""
        if drained:
            return "drained"
        hours = self._settings.hours
        if hours is not None and datetime.fromtimestamp(clock.date(clock.now())) not in hours:
            return f"{OUTSIDE_HOURS}{hours}"
        return ""

    async def _join(self) -> Departure:
        settings, report = self._settings, self._report
        worker = ClusterWorker(
            settings.address,
            name=f"{report.label}-{secrets.token_hex(4)}",
            nthreads=settings.slots,
            host=listening_host(settings.address),
            port=settings.ports,
            security=security_for(settings.address, settings.credentials) or {},
            startup_information={REPORT: lambda worker: report.as_json()},
            plugins=(self._playing,),
            local_directory=str(settings.cache / "dask"),
            memory_limit=0,
            death_timeout=None,
        )
        try:
            await worker
        except (OSError, ValueError, TimeoutError, RuntimeError) as error:  # Dask wraps the last kind
            why = str(error.__cause__ or error)
            return Departure(msg("the cluster cannot be joined: {why}", why=why), pause=STANDBY_SECONDS)
        try:
            return await self._watch(worker)
        finally:
            # first, because Dask waits half a minute for tasks that still run, and so would their bots
            await asyncio.to_thread(self.close)
            await worker.close(executor_wait=False, reason="botequim-leaves")

    async def _watch(self, worker: ClusterWorker) -> Departure:
        """Return when the worker has left, or when it should and plays nothing any more."""
        departure: Departure | None = None
        leave_at = 0.0
        while True:
            if worker.status in (Status.closed, Status.closing, Status.failed):
                return Departure(msg("the connection to the scheduler is lost"))
            if departure is None:
                departure = await self._departure(worker)
            if departure is not None:
                if worker.status is Status.running:
                    worker.status = Status.paused  # the scheduler gives it no more tasks
                if not self._playing.slots.is_idle:
                    leave_at = clock.now() + RESULT_SECONDS
                elif not worker.data or clock.now() >= leave_at:  # its results have been fetched
                    return departure
            await clock.pause(LOOK_SECONDS)

    async def _departure(self, worker: ClusterWorker) -> Departure | None:
        """Return why this machine should leave, if it should."""
        problem = self._playing.problem
        if problem is not None:
            return Departure(problem, pause=UNFIT_SECONDS)
        try:
            drained = await worker.scheduler.botequim_is_drained(label=self._settings.machine.label)
        except (OSError, TimeoutError):
            drained = False
        absence = self._absence(drained=drained)
        return Departure(msg("this machine has left the cluster: {why}", why=absence)) if absence else None


# --- what this machine offers ----------------------------------------------------------------------------


def _isolation() -> tuple[Sandbox | None, str]:
    """Return the sandbox that enforces every limit here, or why there is none."""
    from botequim.sandbox.probe import isolating_sandbox

    try:
        return isolating_sandbox(), ""
    except InputError as error:
        return None, str(error.message)


def _report(settings: WorkerSettings, sandbox: Sandbox | None, problem: str) -> MachineReport:
    offers = capabilities() | _containers()
    if sandbox is not None:
        programs = {offer.removeprefix(PROGRAM) for offer in offers if offer.startswith(PROGRAM)}
        unusable = interrupts.run(unusable_programs(programs, sandbox))
        offers = (offers | {ISOLATED}) - {f"{PROGRAM}{name}" for name in unusable}
    machine = settings.machine
    known = versions(), problem, platform_name()
    return MachineReport(machine.label, settings.slots, machine.speed, offers, *known)


def _containers() -> frozenset[str]:
    from botequim.sandbox.containers.probe import require_engine

    try:
        engine = interrupts.run(require_engine())
    except InputError:
        return frozenset()
    enforced = all(limit in engine.enforces for limit in EnforcedLimit)
    return frozenset({"containers"}) if enforced else frozenset()


# --- connections ----------------------------------------------------------------------------


def _no_answer(address: str, error: BaseException) -> Message:
    return msg(
        "the scheduler {address} does not answer ({why}); this machine goes on trying",
        address=address,
        why=failure_reason(error),
    )


def _connection(settings: WorkerSettings) -> Any:
    security = security_for(settings.address, settings.credentials)
    arguments = {} if security is None else security.get_connection_args("worker")
    return rpc(settings.address, connection_args=arguments, timeout=CONNECT_SECONDS)
