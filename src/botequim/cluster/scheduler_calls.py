"""In a worker: calls of the scheduler's handlers, from the threads that play."""

from __future__ import annotations

from typing import Any, BinaryIO, Final

from distributed.utils import sync

from botequim.cluster.parcels import MissingParcel
from botequim.core.messages import msg


class SchedulerCalls:
    """Calls the handlers of `scheduler_plugin` over the connection of a Dask worker."""

    def __init__(self, worker: Any) -> None:
        self._worker: Final = worker

    @property
    def sender(self) -> str:
        """The address of the worker, by which the scheduler knows it."""
        return str(self._worker.address)

    def call(self, operation: str, **values: Any) -> Any:
        return sync(self._worker.loop, getattr(self._worker.scheduler, operation), **values)

    def fetch(self, name: str, file: BinaryIO) -> None:
        """Download a parcel. Raise MissingParcel if the scheduler does not have it."""
        offset, size = 0, 1
        while offset < size:
            part = self.call("botequim_read_parcel", name=name, offset=offset)
            if part is None:
                raise MissingParcel(msg("the scheduler does not have the files of a bot any more"))
            file.write(part["chunk"])
            offset += len(part["chunk"])
            size = part["size"]
