"""A small program that runs in the network namespace of an HTTP bot and sends sockets of it.

A TCP socket always belongs to the network namespace in which it was created. This program is started in a new
namespace, starts the sandbox there, and sends new sockets to the referee, who connects them to the bot. So
there is no proxy, and no other connection in either direction. It stays outside of the sandbox, so the bot
cannot affect it.

Run as `python -I -S launcher.py COMMAND...`, or without a command in an existing network, as that of a
container. Only built-in modules are imported, because it is started for every HTTP bot. A request is one
packet: `4` or `6` for a socket of that version of IP, `l` for the ports on which programs listen, `o` for
those that only the loopback interface reaches. It ends with the sandbox, with the same exit code. The sandbox
ends with it too, because it is the first process of a namespace.
"""

import _socket
import fcntl
import os
import select
import struct
import sys

CONTROL = 10
"""The descriptor for requests. Lower descriptors belong to the sandbox."""
TABLE = 11
ALL = 20
"""Descriptors between `TABLE` and this one belong to the sandbox too."""
SIGPIPE, SIGXFSZ = 13, 25
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1


def main() -> int:
    command = sys.argv[1:]
    _bring_up_loopback()
    os.set_inheritable(CONTROL, False)
    poll = select.poll()
    child = end = -1
    if command:
        # Python ignores these signals, but the bot must not inherit that
        child = os.posix_spawn(command[0], command, os.environ, setsigdef=(SIGPIPE, SIGXFSZ))
    _close_pipes()
    if command:
        end = os.pidfd_open(child)
        poll.register(end, select.POLLIN)
    control = _socket.socket(fileno=CONTROL)
    poll.register(control.fileno(), select.POLLIN)
    while True:
        for descriptor, _ in poll.poll():
            if descriptor == end:
                code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
                return code if code >= 0 else 128 - code
            request = control.recv(1)
            if not request:  # the referee's process has ended
                return 1
            _answer(control, request)


def _bring_up_loopback() -> None:
    sock = _socket.socket(_socket.AF_INET, _socket.SOCK_DGRAM)
    request = struct.pack("16sH14x", b"lo", 0)
    flags = struct.unpack("16xH14x", fcntl.ioctl(sock.fileno(), SIOCGIFFLAGS, request))[0]
    fcntl.ioctl(sock.fileno(), SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", flags | IFF_UP))
    sock.close()


def _close_pipes() -> None:
    """Close this program's copies of the bot's pipes, so that the referee notices when the bot closes
    them."""
    os.closerange(TABLE, ALL)
    nothing = os.open("/dev/null", os.O_RDWR)
    for descriptor in range(3):
        os.dup2(nothing, descriptor)
    os.closerange(3, CONTROL)
    if nothing > CONTROL:
        os.close(nothing)


def _answer(control: "_socket.socket", request: bytes) -> None:
    if request in (b"l", b"o"):
        ports = _listening(loopback_only=request == b"o")
        control.send(request + b",".join(b"%d" % port for port in ports))
        return
    try:
        sock = _socket.socket(
            _socket.AF_INET6 if request == b"6" else _socket.AF_INET,
            _socket.SOCK_STREAM | _socket.SOCK_NONBLOCK | _socket.SOCK_CLOEXEC,
        )
    except OSError:
        control.send(b"e")
        return
    rights = struct.pack("i", sock.fileno())
    control.sendmsg([b"s"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, rights)])
    sock.close()


def _listening(loopback_only: bool) -> "list[int]":
    local: set[int] = set()
    others: set[int] = set()
    for name in ("tcp", "tcp6"):
        try:
            with open(f"/proc/self/net/{name}") as table:
                lines = table.readlines()[1:]
        except OSError:
            continue
        for line in lines:
            fields = line.split()
            if fields[3] == "0A":
                address, _, port = fields[1].rpartition(":")
                # in the byte order of this machine: 127.x.x.x, alone or mapped to IPv6, or ::1
                is_local = address.endswith("7F") or address == "0" * 24 + "01000000"
                (local if is_local else others).add(int(port, 16))
    return sorted(local - others if loopback_only else local | others)[:1000]


if __name__ == "__main__":
    sys.exit(main())
