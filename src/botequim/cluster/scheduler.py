"""`botequim scheduler`: Dask's scheduler with what Botequim adds to it.

It stores nothing that cannot be lost: if it is started again, workers and coordinators find it, and what was
not finished is submitted once more.
"""

from __future__ import annotations

import asyncio
import resource
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from botequim.cluster.addresses import security_for
from botequim.cluster.credentials import Credentials
from botequim.cluster.parcels import ParcelStore
from botequim.cluster.settings import apply_settings
from botequim.core import clock
from botequim.core.errors import InputError, os_reason
from botequim.core.messages import msg

REPORT_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class SchedulerSettings:
    """What the command line of a scheduler says."""

    address: str
    """Where it listens, with scheme and port."""
    credentials: Credentials | None
    parcels: Path
    """The folder for the files of bots."""
    parcel_bytes: int


async def run_scheduler(
    settings: SchedulerSettings, on_start: Callable[[str], None], report: Callable[[str], None]
) -> None:
    """Run a scheduler until it is cancelled. `on_start` receives its address, and `report` its messages."""
    apply_settings()
    from botequim.cluster.scheduler_plugin import ClusterPlugin
    from botequim.cluster.servers import ClusterScheduler

    scheme, _, place = settings.address.partition("://")
    host, _, port = place.rpartition(":")
    plugin = ClusterPlugin(ParcelStore(settings.parcels, settings.parcel_bytes), report)
    scheduler = ClusterScheduler(
        admission=plugin,
        host=host,
        port=int(port),
        protocol=f"{scheme}://",
        security=security_for(settings.address, settings.credentials) or {},
        plugins=[plugin],
        dashboard=False,
    )
    try:
        await scheduler
    except (OSError, RuntimeError) as error:
        cause = error if isinstance(error, OSError) else error.__cause__  # Dask puts it into a RuntimeError
        if not isinstance(cause, OSError):
            raise
        raise InputError(
            msg(
                "the scheduler cannot listen on {address}: {why}",
                address=settings.address,
                why=os_reason(cause),
            )
        ) from error
    _limit_reports(report)
    try:
        on_start(scheduler.address)
        await scheduler.finished()  # type: ignore[no-untyped-call]
    finally:
        await scheduler.close(reason="botequim-stops")


def _limit_reports(report: Callable[[str], None]) -> None:
    """Accept as many connections as the system allows, and report errors of connections once a minute.

    Strangers can open many connections. Each one that cannot be accepted would add a traceback to the log.
    """
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    reported = -REPORT_SECONDS

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        nonlocal reported
        if clock.now() - reported >= REPORT_SECONDS:
            reported = clock.now()
            report(f"scheduler: {context.get('exception') or context['message']}")

    asyncio.get_running_loop().set_exception_handler(handle)
