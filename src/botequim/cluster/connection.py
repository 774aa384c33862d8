"""In a coordinator: the connection to the scheduler, which may be lost and made again.

Dask's client reconnects only for a while, and not always. So a client is closed as soon as its connection is
lost, and `connect` makes another.
"""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from queue import Empty, Full, Queue
from typing import Any, Final, Protocol

import dask.config
from distributed import Client

from botequim.cluster.addresses import security_for
from botequim.cluster.credentials import Credentials
from botequim.cluster.failures import failure_reason
from botequim.cluster.machines import CLIENT, MachineReport, not_our_scheduler
from botequim.cluster.playing import LIVE_TOPIC
from botequim.cluster.versions import difference, versions
from botequim.core import clock
from botequim.core.errors import BotequimError, InputError
from botequim.core.messages import msg
from botequim.engine.jobs import Observation

CONNECT_SECONDS: Final = 10.0
CALL_SECONDS: Final = 60.0
CLOSE_SECONDS: Final = 2.0
NO_LOG: Final = {"distributed.admin.low-level-log-length": 0}
"""A client would keep the last messages that it sent, with all jobs in them."""
MOST_MESSAGES: Final = 10_000
"""How many messages of live games may wait; further ones are dropped."""


class NoScheduler(BotequimError):
    """The scheduler does not answer."""


class Address(Protocol):
    """Where a scheduler is, and what it wants to see."""

    @property
    def address(self) -> str: ...

    @property
    def credentials(self) -> Credentials | None: ...


class Connection:
    """The connection of one run. It is made by `connect`."""

    def __init__(self, scheduler: Address, run: str, observation: Observation | None = None) -> None:
        self._scheduler: Final = scheduler
        self._topic: Final = LIVE_TOPIC.format(run=run)
        self._live: Final = None if observation is None else LiveMessages(observation)
        self._client: Client | None = None
        self._accepted = False

    @property
    def is_open(self) -> bool:
        return self._client is not None and self._client.status == "running"

    @property
    def was_open(self) -> bool:
        """Whether it has not been closed since it was made, even if it is lost."""
        return self._client is not None

    @property
    def client(self) -> Client:
        """Dask's client. Raise NoScheduler if there is none."""
        if self._client is None or self._client.status != "running":
            raise NoScheduler(msg("the connection was closed"))
        return self._client

    def connect(self) -> None:
        """Connect. Raise NoScheduler if the scheduler does not answer; the first time, an InputError."""
        self.close()
        try:
            self._open()
        except NoScheduler as error:
            self.close()
            if self._accepted:
                raise
            raise InputError(
                msg(
                    "no scheduler answers at {address}: {why}",
                    address=self._scheduler.address,
                    why=error.message,
                )
            ) from error
        except BaseException:
            self.close()
            raise
        self._accepted = True

    def _open(self) -> None:
        address, credentials = self._scheduler.address, self._scheduler.credentials
        try:
            with dask.config.set(NO_LOG):
                self._client = Client(
                    address,
                    security=security_for(address, credentials) or {},
                    timeout=CONNECT_SECONDS,
                    set_as_default=False,
                    direct_to_workers=False,
                    name=CLIENT,
                )
        except (OSError, TimeoutError, asyncio.CancelledError, RuntimeError) as error:
            raise NoScheduler(failure_reason(error)) from error
        # a connection that is lost cancels what waits for it; nobody else needs to hear of that
        loop: Any = self._client.loop
        loop.asyncio_loop.set_exception_handler(lambda loop, context: None)
        hello = self.call("botequim_hello")
        if hello is None:  # so Dask answers if it does not know the operation
            raise InputError(not_our_scheduler(address))
        found = difference(versions(), hello["versions"])
        if found is not None:
            raise InputError(msg("this machine does not fit the cluster: {why}", why=found))
        if self._live is not None:
            self._client.subscribe_topic(self._topic, self._live.put)

    def call(self, operation: str, **values: Any) -> Any:
        """Call a handler of `scheduler_plugin`. Raise NoScheduler if the scheduler does not answer."""
        client = self.client
        try:
            function = getattr(client.scheduler, operation)
            return client.sync(function, **values, callback_timeout=CALL_SECONDS)
        except (OSError, TimeoutError, asyncio.CancelledError) as error:
            raise NoScheduler(failure_reason(error)) from error

    def machines(self) -> list[MachineReport]:
        """Return the machines that take jobs now."""
        workers = self.call("botequim_machines")["workers"]
        return [MachineReport.from_json(report, address) for address, report in workers.items()]

    def standby(self) -> dict[str, str]:
        """Return the machines that take no jobs now, with the reason."""
        standby: dict[str, str] = self.call("botequim_machines")["standby"]
        return standby

    def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            with suppress(Exception):  # whatever it is: it is closed
                client.close(timeout=CLOSE_SECONDS)

    def end(self) -> None:
        """Close it for good."""
        self.close()
        if self._live is not None:
            self._live.close()


class LiveMessages:
    """Passes the messages of observers on to the coordinator, in a thread: receiving one may take a while."""

    def __init__(self, observation: Observation) -> None:
        self._observation: Final = observation
        self._queue: Final[Queue[tuple[dict[str, Any], float] | None]] = Queue(MOST_MESSAGES)
        self._offsets: Final[dict[str, float]] = {}
        self._thread: Final = threading.Thread(target=self._pass_on, name="live-messages", daemon=True)
        self._thread.start()

    def put(self, event: tuple[float, dict[str, Any]]) -> None:
        """Take an event of Dask."""
        with suppress(Full):
            self._queue.put_nowait((event[1], clock.now()))

    def close(self) -> None:
        with suppress(Full, Empty):
            if self._queue.full():
                self._queue.get_nowait()
            self._queue.put_nowait(None)
        self._thread.join()

    def _pass_on(self) -> None:
        while (found := self._queue.get()) is not None:
            content, now = found
            sender = content["sender"]
            # clocks of machines have different epochs; the fastest message shows the difference best
            offset = min(self._offsets.get(sender, now - content["now"]), now - content["now"])
            self._offsets[sender] = offset
            self._observation.receive(int(sender), content["message"], offset)
