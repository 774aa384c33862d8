"""Dask's scheduler and worker, without what strangers could use.

Dask's own would listen for HTTP on another port, on every interface and without encryption; no option
prevents it. They would also put ``/tmp/dask-scratch-space`` at the front of Python's path, a folder that
another user of the machine may have made. Import this module after `settings.apply_settings`.
"""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Mapping
from typing import Any, Final, Protocol

from distributed import Scheduler, Worker

from botequim.core import clock


class Admission(Protocol):
    """Decides who may join a scheduler."""

    def worker_refusal(self, address: str, extra: Mapping[str, Any]) -> str:
        """Return why a worker may not join, or nothing. `extra` is what it says about itself."""

    def client_refusal(self, client: str) -> str:
        """Return why a client may not submit tasks, or nothing. `client` is its id."""


class ClusterScheduler(Scheduler):
    """A scheduler that listens on one port only, and has a temporary folder of its own."""

    def __init__(self, *, admission: Admission | None = None, **options: Any) -> None:
        """Without `admission`, every worker and client may join."""
        self._admission: Final = admission
        folder = tempfile.mkdtemp(prefix="botequim-scheduler-")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        super().__init__(local_directory=folder, **options)

    async def add_worker(self, comm: Any, *, address: str, extra: dict[Any, Any], **values: Any) -> None:
        """Add a worker, or tell it why it is refused. A plugin of Dask could not do that."""
        why = "" if self._admission is None else self._admission.worker_refusal(address, extra)
        if why:
            await comm.write({"status": "error", "message": why, "time": clock.date(clock.now())})
            return
        await super().add_worker(comm, address=address, extra=extra, **values)

    async def add_client(self, comm: Any, client: str, versions: dict[str, Any]) -> None:
        """Add a client, or tell it why it is refused."""
        why = "" if self._admission is None else self._admission.client_refusal(client)
        if why:
            await comm.write([{"op": "stream-start", "error": why}])
            await comm.close()
            return
        await super().add_client(comm, client, versions)

    def start_http_server(self, *arguments: Any, **options: Any) -> None:
        """Start nothing; Dask calls this in any case."""


class ClusterWorker(Worker):
    """A worker that listens on one port only. Its `local_directory` must be a folder of this user alone."""

    def __init__(self, address: str, *, local_directory: str, **options: Any) -> None:
        super().__init__(address, local_directory=local_directory, **options)

    def start_http_server(self, *arguments: Any, **options: Any) -> None:
        """Start nothing; Dask calls this in any case."""
