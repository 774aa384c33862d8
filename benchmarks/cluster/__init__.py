"""What a cluster costs: its coordinator, its scheduler, its workers. `python -m benchmarks.cluster` runs all.

It needs the extras `cluster` and `postgres`, a PostgreSQL and bubblewrap. Everything is on this machine and
on the loopback interface, with TLS. Start reading in `__main__`.
"""

from botequim.cluster.settings import apply_settings

apply_settings()  # before anything imports Dask
