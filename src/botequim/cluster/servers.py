"""Dask's scheduler and worker, without what strangers could use.

Dask's own would listen for HTTP on another port, on every interface and without encryption; no option
prevents it. They would also put ``/tmp/dask-scratch-space`` at the front of Python's path, a folder that
another user of the machine may have made. Import this module after `settings.apply_settings`.
"""

from __future__ import annotations

import shutil
import tempfile
import weakref
from typing import Any

from distributed import Scheduler, Worker


class ClusterScheduler(Scheduler):
    """A scheduler that listens on one port only, and has a temporary folder of its own."""

    def __init__(self, **options: Any) -> None:
        folder = tempfile.mkdtemp(prefix="botequim-scheduler-")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        super().__init__(local_directory=folder, **options)

    def start_http_server(self, *arguments: Any, **options: Any) -> None:
        """Start nothing; Dask calls this in any case."""


class ClusterWorker(Worker):
    """A worker that listens on one port only. Its `local_directory` must be a folder of this user alone."""

    def __init__(self, address: str, *, local_directory: str, **options: Any) -> None:
        super().__init__(address, local_directory=local_directory, **options)

    def start_http_server(self, *arguments: Any, **options: Any) -> None:
        """Start nothing; Dask calls this in any case."""
