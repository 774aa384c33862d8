"""Middleware: the language of a request, limits for requests, and headers of responses."""

from __future__ import annotations

import json
from collections import OrderedDict
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from botequim.core import clock
from botequim.core.messages import Message as Sentence
from botequim.core.messages import msg
from botequim.i18n import translate, use_language
from botequim.web.templating import language_headers, language_of

POLICY: Final = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ]
)
"""A policy by which nothing is loaded from other sites, and no inline script runs."""

HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "Cache-Control": "no-cache",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}

LOCAL_ONLY: Final = msg(
    "this server listens on this machine only, and answers only to its names, such as localhost; name a "
    "proxy in front of it with --trusted-proxy"
)
TOO_LARGE: Final = msg("the request is too large, or too slow")
METHODS: Final = ("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS")
SAFE_METHODS: Final = ("GET", "HEAD", "OPTIONS")
"""Methods that change nothing."""
LONGEST_ADDRESS: Final = 2000
LARGEST_BODY: Final = 65_536
"""The largest body of a request: forms, ballots, a contest's title."""
BODY_SECONDS: Final = 20.0
"""The time limit for each piece of the body."""
MOST_ADDRESSES: Final = 20_000
"""The number of addresses that are remembered."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A limit of requests: how many at once, and how many per second on average."""

    burst: float
    per_second: float


class RateLimiter:
    """Limits the rate of requests from each address."""

    def __init__(self, rate: Rate) -> None:
        self.rate: Final = rate
        self._left: Final[OrderedDict[str, tuple[float, float]]] = OrderedDict()

    def take(self, who: str, cost: float = 1.0) -> float:
        """Return 0.0 if the request is allowed, else after how many seconds to try again."""
        now = clock.now()
        left, since = self._left.get(who, (self.rate.burst, now))
        left = min(self.rate.burst, left + (now - since) * self.rate.per_second)
        if left < cost:
            self._keep(who, left, now)
            return (cost - left) / self.rate.per_second
        self._keep(who, left - cost, now)
        return 0.0

    def _keep(self, who: str, left: float, now: float) -> None:
        self._left[who] = (left, now)
        self._left.move_to_end(who)
        if len(self._left) > MOST_ADDRESSES:
            self._left.popitem(last=False)


@dataclass(frozen=True)
class Limits:
    """The limits for one address. They are high for pages, because a hall full of phones may share one."""

    asking: Rate = field(default_factory=lambda: Rate(3000, 300))
    """The limit for all requests."""
    sending: Rate = field(default_factory=lambda: Rate(300, 20))
    """The limit for requests that change something: forms, votes."""


class LanguageMiddleware:
    """Sets the language of the context in which each request is answered."""

    def __init__(self, app: ASGIApp) -> None:
        self._app: Final = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        with use_language(language_of(Request(scope))):
            await self._app(scope, receive, send)


class LimitsMiddleware:
    """Limits requests by size, rate and origin, and adds security headers to every response."""

    def __init__(self, app: ASGIApp, limits: Limits, *, is_local: bool = False) -> None:
        """With `is_local`, only requests for names of this machine are answered: a page of another site
        could otherwise let its own name lead to this server, and read what it answers."""
        self._app: Final = app
        self._is_local: Final = is_local
        self._asking: Final = RateLimiter(limits.asking)
        self._sending: Final = RateLimiter(limits.sending)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        head = scope["method"] == "HEAD"
        is_over = False

        async def send_response(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            elif head:
                nonlocal is_over
                if is_over:
                    return
                message, is_over = {**message, "body": b"", "more_body": False}, True
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            await _refuse(send_response, scope, *refusal)
            return
        if head:  # HEAD is answered like GET
            scope = {**scope, "method": "GET"}
        await self._app(scope, _limit_body(receive), send_response)

    def _refusal(self, scope: Scope) -> tuple[int, Sentence, int] | None:
        """Return the status, the reason and the seconds to wait, or None if the request is allowed."""
        method = scope["method"]
        if method not in METHODS:
            return 405, msg("unknown method"), 0
        if len(scope.get("raw_path") or b"") + len(scope.get("query_string", b"")) > LONGEST_ADDRESS:
            return 414, msg("the address is too long"), 0
        if self._is_local and not _is_loopback(Headers(scope=scope).get("host", "localhost")):
            return 421, LOCAL_ONLY, 0
        for name, value in scope["headers"]:
            if name == b"content-length" and not (value.isdigit() and int(value[:12]) <= LARGEST_BODY):
                return 413, TOO_LARGE, 0
        if method not in SAFE_METHODS and _is_from_another_site(Headers(scope=scope)):
            return 403, msg("this form was not sent from this site"), 0
        client = scope.get("client")
        who = str(client[0]) if client else ""
        wait = self._asking.take(who)
        if not wait and method not in SAFE_METHODS:
            wait = self._sending.take(who)
        if wait:
            return 429, msg("too many requests from this address"), int(wait) + 1
        return None


def _is_loopback(host: str) -> bool:
    """Return whether the name of a host, which may have a port, stands for this machine."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
        return name == "localhost" or name.endswith(".localhost") or ip_address(name).is_loopback
    except ValueError:
        return False


def _is_from_another_site(headers: Headers) -> bool:
    """Return whether a browser sends this request for a page of another site, perhaps with our cookies.

    Newer browsers say which site a request comes from. For older ones, and over http, `Origin` is compared
    with the host of the request. Programs send neither, and no form can send a bearer token.
    """
    if headers.get("authorization", "").lower().startswith("bearer "):
        return False
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in ("same-origin", "none")
    origin = headers.get("origin")
    return origin is not None and origin.partition("://")[2] != headers.get("host", "")


class BodyTooLarge(Exception):
    """The body of a request is too large, or arrives too slowly."""


def _limit_body(receive: Receive) -> Receive:
    """Return a `receive` that limits the size of the body, and the time for each piece of it."""
    size, whole = 0, False

    async def receive_limited() -> Message:
        nonlocal size, whole
        if whole:
            return await receive()  # wait for the disconnection without a limit
        try:
            async with clock.timeout(BODY_SECONDS):
                message = await receive()
        except TimeoutError as error:
            raise BodyTooLarge from error
        whole = not message.get("more_body", False)
        size += len(message.get("body", b""))
        if size > LARGEST_BODY:
            raise BodyTooLarge
        return message

    return receive_limited


async def _refuse(send: Send, scope: Scope, status: int, why: Sentence, wait: int) -> None:
    request = Request(scope)
    words = translate(why)
    kind = b"text/plain; charset=utf-8"
    body = f"{words}\n".encode()
    if scope["path"].startswith("/api/"):
        kind, body = b"application/json", json.dumps({"detail": words}).encode()
    headers = [(b"content-type", kind), (b"content-length", str(len(body)).encode())]
    headers += [(name.lower().encode(), value.encode()) for name, value in language_headers(request).items()]
    headers += [(b"connection", b"close")]
    if wait:
        headers.append((b"retry-after", str(wait).encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})
