"""A Python process of our own that answers requests: workers, players that think for long, drawing.

`HelperProcess(setup, *arguments)` starts a process that calls `setup` once and then its result for each
request. Requests, answers and exceptions travel as pickles over a socket, so both sides must trust each
other. `setup` must be importable by its module and name.

The process leaves the terminal, so Ctrl-C reaches only its owner. It ends when its end of the socket is
closed, whatever it is doing: when the owner calls `close`, and also when the owner is killed. Before that it
ends what it has started (`interrupts.add_exit_hook`) and calls the handler's `close`.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import socket
import struct
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Collection
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, ClassVar, Final, Protocol

from botequim import interrupts

_LENGTH: Final = struct.Struct("!Q")
# -P: a file of the user's that is called like a module of the standard library must not be imported
_COMMAND: Final = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[2]); "
    "from botequim.engine import helper_process; helper_process.main(int(sys.argv[1]))"
)


class Handler(Protocol):
    """What answers requests in a helper process."""

    def handle(self, request: Any) -> Any:
        """Return the answer to a request. Exceptions are raised again in the owner's process."""

    def close(self) -> None:
        """Clean up before the process ends. Another thread calls it, maybe during a request."""


class HelperEnded(Exception):
    """The process ended before it answered."""


# --- in the process of the owner ------------------------------------------------------------------------


class HelperProcess:
    """A running helper process and the socket to it. Requests are answered in the order they are sent."""

    running: ClassVar[set[int]] = set()
    """The process ids of all helpers of this process that were not closed yet."""

    def __init__(
        self, setup: Callable[..., Handler], *arguments: Any, pass_fds: Collection[int] = ()
    ) -> None:
        """Start it. `pass_fds` are open in the helper too, under the same numbers."""
        self._socket, theirs = socket.socketpair()
        self._process: subprocess.Popen[bytes] | None = None
        command = [sys.executable, "-P", "-c", _COMMAND, str(theirs.fileno()), json.dumps(sys.path)]
        try:
            with theirs, interrupts.BlockedSignals():
                self._process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    pass_fds=[theirs.fileno(), *pass_fds],
                    start_new_session=True,
                )
                self.running.add(self._process.pid)
            with suppress(BrokenPipeError, ConnectionResetError):  # `receive` says that it has ended
                self._socket.sendall(_frame((setup, arguments)))
        except BaseException:
            self.kill()
            raise

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def fileno(self) -> int:
        """Return a file descriptor that is readable when an answer has come or the process has ended."""
        return self._socket.fileno()

    def ask(self, request: Any, timeout: float | None = None) -> Any:
        """Return the answer. Raise what the handler raised, HelperEnded, or TimeoutError."""
        self.send(request)
        return self.receive(timeout)

    def send(self, request: Any) -> None:
        frame = _frame(request)
        try:
            self._socket.settimeout(None)
            self._socket.sendall(frame)
        except OSError as error:
            raise HelperEnded from error

    def receive(self, timeout: float | None = None) -> Any:
        """Return the next answer. Raise what the handler raised, HelperEnded, or TimeoutError."""
        try:
            self._socket.settimeout(timeout)
            head = _read(self._socket, _LENGTH.size)
            self._socket.settimeout(None)
            frame = _read(self._socket, _LENGTH.unpack(head)[0])
        except TimeoutError:
            raise
        except OSError as error:
            raise HelperEnded from error
        return _answer(frame)

    async def ask_async(self, request: Any) -> Any:
        """Return the answer, like `ask`, while the event loop goes on. Kill the helper if it is cancelled."""
        import asyncio

        loop = asyncio.get_running_loop()
        frame: bytes | bytearray = _frame(request)
        try:
            self._socket.setblocking(False)
            await loop.sock_sendall(self._socket, frame)
            head = await _read_async(loop, self._socket, _LENGTH.size)
            frame = await _read_async(loop, self._socket, _LENGTH.unpack(head)[0])
        except OSError as error:
            raise HelperEnded from error
        return _answer(frame)

    def hang_up(self) -> None:
        """Let the process end, and do not wait for it yet. Whoever waits for an answer gets HelperEnded."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def close(self) -> int:
        """End the process, wait for it, and return its exit code."""
        self.hang_up()
        if self._process is None:
            return 0
        code = self._process.wait()
        self.running.discard(self._process.pid)
        return code

    def kill(self) -> int:
        """End the process without letting it clean up, wait for it, and return its exit code."""
        if self._process is not None:
            self._process.kill()
        return self.close()


def _answer(frame: bytes | bytearray) -> Any:
    is_error, value = pickle.loads(frame)
    if is_error:
        raise value
    return value


def _frame(value: Any) -> bytes:
    body = pickle.dumps(value)
    return _LENGTH.pack(len(body)) + body


def _read(source: socket.socket, size: int) -> bytearray:
    content = bytearray(size)
    left = memoryview(content)
    while left:
        count = source.recv_into(left)
        if not count:
            raise ConnectionResetError
        left = left[count:]
    return content


async def _read_async(loop: Any, source: socket.socket, size: int) -> bytearray:
    content = bytearray(size)
    left = memoryview(content)
    while left:
        count = await loop.sock_recv_into(source, left)
        if not count:
            raise ConnectionResetError
        left = left[count:]
    return content


# --- in the helper process ------------------------------------------------------------------------------


def main(descriptor: int) -> None:
    """Answer requests until the owner closes the socket."""
    # a service manager that stops us sends SIGTERM to all processes: the owner ends this one, after its bots
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    interrupts.leave_terminal()
    os.set_inheritable(descriptor, False)
    with suppress(OSError):
        os.dup2(2, 1)  # what players print must not be mixed into the owner's results
    channel = socket.socket(fileno=descriptor)
    _Helper(channel).run()


class _Helper:
    """Answers requests in the main thread; another thread reads them and notices the owner's end."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel: Final = channel
        self._requests: Final[SimpleQueue[bytearray]] = SimpleQueue()
        self._handler: Handler | None = None

    def run(self) -> None:
        threading.Thread(target=self._read_requests, daemon=True).start()
        try:
            setup, arguments = self._next_request()
            handler = self._handler = setup(*arguments)
        except Exception as error:
            self._send_error(error)
            return
        while True:
            try:
                answer = _frame((False, handler.handle(self._next_request())))
            except Exception as error:
                self._send_error(error)
            else:
                self._send(answer)

    def _next_request(self) -> Any:
        return pickle.loads(self._requests.get())

    def _send_error(self, error: Exception) -> None:
        text = "".join(traceback.format_exception(error))
        try:
            error.add_note(text)
            frame = _frame((True, error))
            pickle.loads(frame[_LENGTH.size :])
        except Exception:  # no pickle can be made of it, or it cannot be rebuilt from one
            frame = _frame((True, RuntimeError(text)))
        self._send(frame)

    def _send(self, frame: bytes) -> None:
        with suppress(OSError):  # the owner has gone: the other thread ends this process
            self._channel.sendall(frame)

    def _read_requests(self) -> None:
        with suppress(OSError):
            while True:
                head = _read(self._channel, _LENGTH.size)
                self._requests.put(_read(self._channel, _LENGTH.unpack(head)[0]))
        try:
            interrupts.run_exit_hooks()
            if self._handler is not None:
                self._handler.close()
        finally:
            os._exit(0)
