"""Dask's scheduler and worker without their HTTP servers.

Both would listen for HTTP on a port of its own, on every interface and without encryption; no option of Dask
prevents it. Import this module after `settings.apply_settings`.
"""

from __future__ import annotations

from typing import Any

from distributed import Scheduler, Worker


class ClusterScheduler(Scheduler):
    """A scheduler that listens on one port only."""

    def start_http_server(self, *arguments: Any, **options: Any) -> None:
        """Start nothing; Dask calls this in any case."""


class ClusterWorker(Worker):
    """A worker that listens on one port only."""

    def start_http_server(self, *arguments: Any, **options: Any) -> None:
        """Start nothing; Dask calls this in any case."""
