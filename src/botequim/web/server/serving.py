"""The server: uvicorn, with limits for slow requests and for the number of connections.

uvicorn takes a protocol class (`Config(http=...)`), but has no setting for the time limit of the head of a
request, and with httptools none for its size. So `Connection` extends uvicorn's own class: it overrides
methods of `asyncio.Protocol` and callbacks of the httptools parser, and also uses `scope`, `transport` and
`send_400_response`. For that reason, pyproject.toml bounds the version of uvicorn.
"""

from __future__ import annotations

import asyncio
import errno
import fcntl
import ipaddress
import resource
import socket
import struct
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from types import FrameType
from typing import Any, Final

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from botequim import interrupts
from botequim.core import clock
from botequim.core.errors import InputError
from botequim.core.messages import Message, msg
from botequim.web.server.tls import TlsFiles

LARGEST_HEAD: Final = 32_768
"""The largest head of a request, before its body."""
HEAD_SECONDS: Final = 15.0
"""The time limit from the first byte of a request to the end of its head, and for a TLS handshake."""
MOST_CONNECTIONS = 4000
MOST_OF_AN_ADDRESS = 2000
"""The most connections of one address. A hall full of phones may share one, but must not take all."""
END_SECONDS: Final = 2
"""The time for responses in progress when the server ends."""
_GET_ADDRESS: Final = 0x8915


class CountedConnection(socket.socket):
    """An accepted connection that calls `on_close` once when it is closed."""

    on_close: Callable[[], None] | None = None

    def close(self) -> None:
        super().close()
        if self.on_close is not None:
            on_close, self.on_close = self.on_close, None
            on_close()


class CountingListener(socket.socket):
    """A listening socket that limits the connections of one address, and of all.

    A connection counts from the moment it is accepted, so one that never ends its TLS handshake counts too.
    """

    def __init__(self, listening: socket.socket) -> None:
        super().__init__(listening.family, listening.type, listening.proto, listening.detach())
        self._by_address: Final[Counter[str]] = Counter()

    def accept(self) -> tuple[socket.socket, Any]:
        connection, where = super().accept()
        address = str(where[0])
        if self._by_address.total() >= MOST_CONNECTIONS or self._by_address[address] >= MOST_OF_AN_ADDRESS:
            connection.close()
            raise ConnectionAbortedError  # asyncio waits for the next one
        counted_connection = CountedConnection(
            connection.family, connection.type, connection.proto, connection.detach()
        )
        self._by_address[address] += 1
        counted_connection.on_close = partial(self._forget, address)
        return counted_connection, where

    def _forget(self, address: str) -> None:
        self._by_address[address] -= 1
        if not self._by_address[address]:
            del self._by_address[address]


class Connection(HttpToolsProtocol):
    """A connection that is cut off when the head of a request takes too long or is too large.

    The application can also cut it off, by `scope["botequim.abort"]()`, when its client reads too slowly.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._head: int | None = 0
        """The bytes of an incomplete head; None when it is complete."""
        self._timer: clock.Timer | None = clock.call_later(HEAD_SECONDS, transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope["botequim.abort"] = self.transport.abort  # type: ignore[typeddict-unknown-key]
        self._head = 0
        if self._timer is None:
            self._timer = clock.call_later(HEAD_SECONDS, self.transport.abort)

    def on_headers_complete(self) -> None:
        self._head = None
        self._stop_timer()
        super().on_headers_complete()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._head is not None:
            self._head += len(data)
            if self._head > LARGEST_HEAD and not self.transport.is_closing():
                self.send_400_response("The head of the request is too large.")

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class Server(uvicorn.Server):
    """A server that stops at once on a signal, even if event streams are open."""

    def __init__(
        self,
        app: FastAPI,
        on_start: Callable[[], None] = lambda: None,
        tls_files: TlsFiles | None = None,
        proxies: Sequence[str] = (),
    ) -> None:
        """`proxies` are the addresses and networks whose `X-Forwarded-For` and `-Proto` are trusted."""
        super().__init__(
            uvicorn.Config(
                app,
                http=Connection,
                ws="none",
                lifespan="on",
                log_level="error",
                access_log=False,
                server_header=False,
                proxy_headers=bool(proxies),
                forwarded_allow_ips=list(proxies),
                timeout_keep_alive=20,
                timeout_graceful_shutdown=END_SECONDS,
                backlog=2048,
                ssl_certfile=tls_files.certificate if tls_files else None,
                ssl_keyfile=tls_files.key if tls_files else None,
            )
        )
        self._app: Final = app
        self._on_start: Final = on_start

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup([])  # without sockets, which uvicorn would give a minute for each TLS handshake
        if self.should_exit:
            return
        loop = asyncio.get_running_loop()
        for listening in sockets or ():
            self.servers.append(
                await loop.create_server(
                    self._connection,
                    sock=CountingListener(listening),
                    ssl=self.config.ssl,
                    backlog=self.config.backlog,
                    ssl_handshake_timeout=HEAD_SECONDS if self.config.ssl else None,
                )
            )
        self._on_start()

    def run_on(self, listening: socket.socket) -> int:
        """Serve at a socket until Ctrl-C, and return the exit status of the command.

        KeyboardInterrupt is raised if Ctrl-C came before the server had started.
        """
        try:
            interrupts.run(self.serve([listening]))
        except KeyboardInterrupt:
            if not self.started:
                raise
        print()
        return 0 if self.started else 1

    def _connection(self) -> Connection:
        return Connection(config=self.config, server_state=self.server_state, app_state=self.lifespan.state)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop on Ctrl-C. A second Ctrl-C has no effect; uvicorn's own handler would drop all connections and
        print a traceback for each."""
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._app.state.served_cups.close_streams()
        self._app.state.play.close_streams()
        await super().shutdown(sockets)


def listening_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens there. Raise InputError with the reason if that fails."""
    if not 0 <= port <= 65535:
        raise InputError(msg("there is no port {port}: ports are 1 to 65535", port=port))
    try:
        infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        raise InputError(msg("{host} is not an address of this machine", host=host)) from error
    family, _, _, _, where = infos[0]
    try:
        return socket.create_server(where[:2], family=family, backlog=2048)
    except OSError as error:
        raise InputError(_bind_problem(error, host, port)) from error


def _bind_problem(error: OSError, host: str, port: int) -> Message:
    match error.errno:
        case errno.EADDRINUSE:
            return msg(
                "port {port} is in use by another program: end it, or choose another port (--port {other})",
                port=port,
                other=port + 1,
            )
        case errno.EACCES:
            return msg("permission denied for port {port}: choose one above 1023 (--port 8080)", port=port)
        case errno.EADDRNOTAVAIL:
            return msg("{host} is not an address of this machine", host=host)
    return msg("port {port} cannot be used: {why}", port=port, why=error.strerror or str(error))


def trusted_proxies(texts: Sequence[str]) -> list[str]:
    """Return the addresses and networks. Raise InputError for a text that is neither."""
    for one in texts:
        try:
            ipaddress.ip_network(one)
        except ValueError as error:
            raise InputError(
                msg(
                    "--trusted-proxy takes an address (127.0.0.1) or a network (10.0.0.0/8), not {given}",
                    given=one,
                )
            ) from error
    return list(texts)


def raise_open_file_limit() -> None:
    """Allow as many connections as the system permits."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = min(hard, 2 * MOST_CONNECTIONS) if hard != resource.RLIM_INFINITY else 2 * MOST_CONNECTIONS
    if soft != resource.RLIM_INFINITY and soft < limit:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))


def addresses(host: str, port: int, tls_files: TlsFiles | None = None) -> list[str]:
    """Return the addresses at which the server can be reached, the most public first."""
    scheme, usual = ("https", 443) if tls_files else ("http", 80)
    if host not in ("0.0.0.0", "::", ""):
        hosts = [f"[{host}]" if ":" in host else host]
    else:
        # names first: for an IP address, every browser would warn that the certificate is for a name
        hosts = [*(tls_files.names if tls_files else ()), *_own_addresses(), "127.0.0.1"]
    where = f":{port}" if port != usual else ""
    return [f"{scheme}://{name}{where}/" for name in hosts]


def _own_addresses() -> list[str]:
    """Return the addresses of this machine in its networks."""
    addresses = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        for _, name in socket.if_nameindex():
            try:
                answer = fcntl.ioctl(asking, _GET_ADDRESS, struct.pack("256s", name.encode()[:15]))
            except OSError:
                continue  # this interface has no address
            address = socket.inet_ntoa(answer[20:24])
            if not address.startswith("127."):
                addresses.append(address)
    return addresses
