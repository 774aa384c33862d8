"""In a worker of a cluster: the processes that play jobs, one for each thread of Dask.

Dask runs tasks in threads. A game needs a process of its own, whose main thread starts bots. So each task
borrows a `HelperProcess`. If Dask cancels the task, the process is ended together with its bots.
"""

from __future__ import annotations

import os
import secrets
import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from botequim import interrupts
from botequim.cluster.jobs import Batch, PortableJob
from botequim.cluster.platform_builds import BuildRequest, build_here
from botequim.cluster.portable import NotHere, load_image
from botequim.cluster.portable_build import BuiltFiles
from botequim.core.messages import Message, msg
from botequim.core.process import Sandbox
from botequim.engine.executors import Completed, Failed, Lost, Outcome
from botequim.engine.helper_process import HelperEnded, HelperProcess
from botequim.engine.jobs import GameObserver, JobId, MessageSender, run_job
from botequim.engine.machine import Machine
from botequim.engine.message_channel import MessageReader, Sender, inherited_sender

ForwardMessage = Callable[[str, int, bytes], None]
"""Sends a message of an observer to the coordinator: name of the run, number of the sender, message."""
FLUSH_SECONDS: Final = 10.0


class Slots:
    """Plays batches of jobs in helper processes. Its methods may be called in any thread."""

    def __init__(self, machine: Machine, sandbox: Sandbox | None, forward: ForwardMessage) -> None:
        self._machine: Final = machine
        self._sandbox: Final = sandbox
        self._forward: Final = forward
        self._lock: Final = threading.Lock()
        self._idle: Final[list[_Slot]] = []
        self._busy: Final[dict[str, _Slot]] = {}
        self._tasks: Final[set[str]] = set()
        self._cancelled: Final[set[str]] = set()
        self._messages: Final[dict[str, _Messages]] = {}
        """By run: what its observers send."""
        self._closed = False

    @contextmanager
    def task(self, name: str) -> Iterator[None]:
        """Note that a task runs, so that `cancel` reaches it also before it has a process."""
        with self._lock:
            self._tasks.add(name)
        try:
            yield
        finally:
            with self._lock:
                self._tasks.discard(name)
                self._cancelled.discard(name)

    def play(self, task: str, batch: Batch, files: Mapping[str, Path]) -> list[Outcome]:
        """Play the jobs of a task. `files` are by parcel: the folders of bots, and images to be loaded."""
        try:
            outcomes: list[Outcome] = self._ask(task, batch, (batch, dict(files)))
        except HelperEnded:
            return [self._loss(one.job.id) for one in batch.jobs]
        with self._lock:
            messages = self._messages.get(batch.run)
        if messages is not None:
            messages.flush()
        return outcomes

    def _loss(self, job: JobId) -> Lost:
        machine = self._machine.label
        if self._closed:
            gone = msg("{machine} is gone; its series is played again", machine=machine)
            return Lost(job, gone, by_job=False)
        ended = msg(
            "a worker process on {machine} ended unexpectedly; its series is played again", machine=machine
        )
        return Lost(job, ended)

    def build(self, task: str, batch: Batch, request: BuildRequest) -> BuiltFiles:
        """Build a bot of a batch. Raise InputError if that fails."""
        try:
            built: BuiltFiles = self._ask(task, batch, request)
        except HelperEnded as error:
            raise NotHere(msg("a worker process ended unexpectedly while it built a bot")) from error
        else:
            return built

    def _ask(self, task: str, batch: Batch, request: object) -> Any:
        slot = self._take(task, batch)
        try:
            answer = slot.process.ask(request)
        except BaseException:
            self._put_back(task, slot, reusable=False)
            raise
        self._put_back(task, slot, reusable=True)
        return answer

    @property
    def is_idle(self) -> bool:
        return not self._tasks

    def cancel(self, task: str) -> None:
        """End the process that plays a task, and its bots."""
        with self._lock:
            if task in self._tasks:
                self._cancelled.add(task)
            slot = self._busy.get(task)
        if slot is not None:
            slot.process.hang_up()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            slots = [*self._idle, *self._busy.values()]
            messages = list(self._messages.values())
            self._idle.clear()
            self._messages.clear()
        for slot in slots:
            slot.process.hang_up()
        for slot in slots:
            slot.process.close()
        for one in messages:
            one.close()

    def _take(self, task: str, batch: Batch) -> _Slot:
        with self._lock:
            if self._closed or task in self._cancelled:
                raise HelperEnded
            slot = next((one for one in self._idle if one.run == batch.run), None)
            others = [] if slot is not None else [one for one in self._idle if one.run != batch.run][:1]
            for one in [slot] if slot is not None else others:
                self._idle.remove(one)
            if slot is None:
                slot = self._start(batch)
            self._busy[task] = slot
        for other in others:
            other.process.close()
        return slot

    def _start(self, batch: Batch) -> _Slot:
        if batch.start_observer is None:
            return _Slot(batch.run, HelperProcess(BatchPlayer, self._machine, self._sandbox))
        if batch.run not in self._messages:
            self._messages[batch.run] = _Messages(batch.run, self._forward)
        channel = self._messages[batch.run].descriptor
        process = HelperProcess(
            BatchPlayer, self._machine, self._sandbox, batch.start_observer, channel, pass_fds=[channel]
        )
        return _Slot(batch.run, process)

    def _put_back(self, task: str, slot: _Slot, *, reusable: bool) -> None:
        with self._lock:
            self._busy.pop(task, None)
            reusable = reusable and not self._closed
            if reusable:
                self._idle.append(slot)
            runs = {one.run for one in (*self._idle, *self._busy.values())} | {slot.run}
            unused = [self._messages.pop(run) for run in list(self._messages) if run not in runs]
        if not reusable:
            slot.process.close()
        for messages in unused:
            messages.close()


@dataclass(frozen=True, slots=True)
class _Slot:
    run: str
    process: HelperProcess


class _Messages:
    """The messages of the observers of one run, on their way to the coordinator."""

    def __init__(self, run: str, forward: ForwardMessage) -> None:
        self._run: Final = run
        self._forward: Final = forward
        self._flushes: Final[dict[bytes, threading.Event]] = {}
        self._reader: Final = MessageReader(self._receive)

    @property
    def descriptor(self) -> int:
        return self._reader.descriptor

    def flush(self) -> None:
        """Wait until what was sent before has been forwarded: nobody waits for it after the last result."""
        mark, passed = secrets.token_bytes(16), threading.Event()
        self._flushes[mark] = passed
        with suppress(OSError):  # it has been closed
            sender = Sender(socket.socket(fileno=os.dup(self.descriptor)))
            if sender.send(mark):
                passed.wait(FLUSH_SECONDS)
            sender.close()
        self._flushes.pop(mark, None)

    def close(self) -> None:
        self._reader.close()

    def _receive(self, sender: int, message: bytes) -> None:
        passed = self._flushes.get(message)
        if passed is None:
            self._forward(self._run, sender, message)
        else:
            passed.set()


def elsewhere_message(machine: Machine, error: NotHere) -> Message:
    return msg(
        "{machine} cannot play a series, which is played elsewhere: {why}",
        machine=machine.label,
        why=error.message,
    )


# --- in the helper process -----------------------------------------------------------------------------


class BatchPlayer:
    """Plays the jobs of batches, one after another."""

    def __init__(
        self,
        machine: Machine,
        sandbox: Sandbox | None,
        start_observer: Callable[[MessageSender], GameObserver] | None = None,
        channel: int = -1,
    ) -> None:
        self._machine: Final = machine
        self._sandbox: Final = sandbox
        self._observer: GameObserver | None = None
        if start_observer is not None:
            self._observer = start_observer(inherited_sender(channel))

    def handle(
        self, request: tuple[Batch, Mapping[str, Path]] | BuildRequest
    ) -> Sequence[Outcome] | BuiltFiles:
        if isinstance(request, BuildRequest):
            assert self._sandbox is not None
            return interrupts.run(build_here(request, self._sandbox))
        batch, files = request
        for name, entrant in batch.parcels.items():
            if entrant.image and name in files:
                interrupts.run(load_image(entrant, files[name]))
        return [self._play(one, files) for one in batch.jobs]

    def close(self) -> None:
        if self._observer is not None:
            self._observer.close()

    def _play(self, portable: PortableJob, folders: Mapping[str, Path]) -> Outcome:
        name = portable.job.id
        try:
            job = portable.on_this_machine(folders, self._sandbox)
            return Completed(name, run_job(job, self._observer, self._machine))
        except NotHere as error:
            why = elsewhere_message(self._machine, error)
            return Lost(name, why, by_job=False, unfit_machine=self._machine.label)
        except Exception as error:
            return Failed(name, error)
