"""The configuration of Dask in all processes of a cluster.

Call `apply_settings` first in a process: before `distributed` is imported, because some of its modules read
the configuration only once. Dask's own files (``~/.config/dask``, ``/etc/dask``) and variables (``DASK_...``)
have no effect. They could start a dashboard, preload modules or allow weak ciphers, on one machine only.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Mapping
from typing import Final

from botequim.core.errors import InputError
from botequim.core.messages import msg, plain

SETTINGS: Final[Mapping[str, object]] = {
    # --- nothing for strangers -----------------------------------------------------------------------------
    # Dask serves pages on every interface, without encryption, even if its dashboard is switched off.
    # `servers` starts no HTTP server at all; if it did, the server would have no page.
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    # --- machines that vanish ------------------------------------------------------------------------------
    # A machine that says nothing for this long is lost, and its jobs are played elsewhere. By default that
    # takes five minutes. With 50 workers or more Dask waits at least 20 s, because they report less often.
    "distributed.scheduler.worker-ttl": "10s",
    "distributed.comm.timeouts.connect": "10s",
    # A connection whose other end does not acknowledge anything (a cut cable) is closed after this time.
    "distributed.comm.timeouts.tcp": "30s",
    # A job whose worker died is given back to the coordinator at once, which submits it again.
    "distributed.scheduler.allowed-failures": 0,
    # --- results and jobs ----------------------------------------------------------------------------------
    # The coordinator needs no connection to workers: results come through the scheduler.
    "distributed.client.direct-to-workers": False,
    # Jobs that wait on a busy machine move to an idle one.
    "distributed.scheduler.work-stealing": True,
    # --- nothing that slows bots down or stops workers -----------------------------------------------------
    # A worker keeps no data, and the memory of bots has limits of its own. By default Dask would pause or end
    # a worker because of the memory that its process uses.
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": False,
    "distributed.worker.memory.transfer": False,
    # It moves data between workers.
    "distributed.scheduler.active-memory-manager.start": False,
    # Samples the stacks of all threads a hundred times a second.
    "distributed.worker.profile.enabled": False,
    # Asks for the lock of the interpreter a thousand times a second.
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.admin.system-monitor.disk": False,
    # The scheduler stores so many messages of each topic; each run of a coordinator has one for live games.
    "distributed.admin.low-level-log-length": 50,
    # Looks for graphics cards.
    "distributed.diagnostics.nvml": False,
}
"""What differs from the defaults of Dask, or must not change with them.

`distributed.scheduler.pickle` stays true: Dask refuses to start without it. `distributed.worker.daemon` and
the settings of nannies have no effect, because a process of ours supervises workers. Dask has no telemetry.
"""


def apply_settings() -> None:
    """Configure Dask in this process: the defaults of the installed version, and `SETTINGS`."""
    try:
        import dask.config
    except ValueError as error:  # a file of the user or of the system; Dask reads it when it is imported
        raise InputError(
            msg("Dask cannot read its configuration: {why}", why=plain(" ".join(str(error).split())))
        ) from error
    dask.config.refresh(paths=[], env={})
    import distributed  # noqa: F401  # adds its defaults

    dask.config.set(dict(SETTINGS))
    # on a network without a way to the Internet it does not find its own address, which it does not need
    warnings.filterwarnings("ignore", "Couldn't detect a suitable IP address", RuntimeWarning)
    for name in [*logging.root.manager.loggerDict, "distributed"]:
        if name.split(".")[0] == "distributed":
            # we report what happens to machines and jobs; Dask would add tracebacks to lost connections
            logging.getLogger(name).setLevel(logging.CRITICAL)
    logging.getLogger("distributed.scheduler").addFilter(_concerns_the_cluster)


def _concerns_the_cluster(record: logging.LogRecord) -> bool:
    """Return whether a message of Dask's scheduler may be printed. One for a coordinator that was killed may
    not: it has a traceback, and it quotes what was sent of live games."""
    return not str(record.msg).startswith("Closed comm")
