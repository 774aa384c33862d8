"""Messages from many local workers to one coordinator: how `LocalProcesses` carries those of observers.

A worker may be killed at any moment, also while it sends, and a busy coordinator must not slow workers down.
So messages are sent as datagrams: each arrives as a whole or not at all, whoever else sends. A long message
is several datagrams, and counts when all of them have arrived. A message that finds no space in the channel
for a moment is not sent, and its sender learns that.
"""

from __future__ import annotations

import os
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from typing import Final

PART_BYTES: Final = 30_000
MOST_PARTS: Final = 400
BUFFER_BYTES: Final = 4 << 20
SEND_SECONDS: Final = 0.2
"""How long a sender waits for space in the channel."""
LOOK_SECONDS: Final = 1.0

_HEAD: Final = struct.Struct("!QIHH")


def message_channel() -> tuple[socket.socket, socket.socket]:
    """Return the receiving and the sending end; the second may be passed to other processes."""
    receiving, sending = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    sending.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER_BYTES)  # or as much as the system gives
    return receiving, sending


def inherited_sender(descriptor: int) -> Sender:
    """In a worker: return a sender for a descriptor that it inherited."""
    os.set_inheritable(descriptor, False)  # bots must not send anything here
    return Sender(socket.socket(fileno=os.dup(descriptor)))


class Sender:
    """Sends messages, from one thread."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel: Final = channel
        self._channel.settimeout(SEND_SECONDS)
        self._id: Final = int.from_bytes(os.urandom(8), "big")
        self._number = 0
        self.closed = False
        """Whether the receiver is gone."""

    def send(self, message: bytes) -> bool:
        """Return whether the whole message was sent. It waits for `SEND_SECONDS` at most."""
        parts = [message[at : at + PART_BYTES] for at in range(0, len(message), PART_BYTES)] or [b""]
        if len(parts) > MOST_PARTS or self.closed:
            return False
        self._number = (self._number + 1) % (1 << 32)
        for at, part in enumerate(parts):
            try:
                self._channel.send(_HEAD.pack(self._id, self._number, at, len(parts)) + part)
            except (TimeoutError, BlockingIOError):
                return False
            except OSError:
                self.closed = True
                return False
        return True

    def close(self) -> None:
        self._channel.close()


class Receiver:
    """Receives messages, and joins their parts."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel: Final = channel
        self._incomplete: dict[int, tuple[int, list[bytes]]] = {}

    def messages(self, timeout: float) -> Iterator[tuple[int, bytes]]:
        """Return sender and message of everything that has arrived; wait for the first one this long."""
        self._channel.settimeout(max(timeout, 0.0))
        while True:
            try:
                packet = self._channel.recv(_HEAD.size + PART_BYTES)
            except (TimeoutError, BlockingIOError):
                return
            self._channel.settimeout(0)
            sender, number, at, parts = _HEAD.unpack(packet[: _HEAD.size])
            before = self._incomplete.pop(sender, (number, []))
            found = before[1] if before[0] == number else []
            if len(found) != at:
                continue  # its first parts were lost
            found.append(packet[_HEAD.size :])
            if len(found) == parts:
                yield sender, b"".join(found)
            else:
                self._incomplete[sender] = (number, found)


class MessageReader:
    """A channel, and a thread that passes on what arrives there."""

    def __init__(self, receive: Callable[[int, bytes], None]) -> None:
        """`receive` is called with the sender's number and the message."""
        self._receive: Final = receive
        self._receiving, self._sending = message_channel()
        self._closing: Final = threading.Event()
        self._thread: Final = threading.Thread(target=self._read, name="message-reader", daemon=True)
        self._thread.start()

    @property
    def descriptor(self) -> int:
        """The sending end, for `inherited_sender`."""
        return self._sending.fileno()

    def close(self) -> None:
        """Pass on what is left, and stop. Call this after the senders have ended."""
        self._closing.set()
        Sender(self._sending).send(b"")  # wakes the thread
        self._thread.join()
        self._receiving.close()
        self._sending.close()

    def _read(self) -> None:
        receiver = Receiver(self._receiving)
        last = False
        while not last:
            last = self._closing.is_set()
            for sender, message in receiver.messages(0.0 if last else LOOK_SECONDS):
                if message:
                    self._receive(sender, message)
