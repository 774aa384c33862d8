"""What every answer and every request is held to."""

from __future__ import annotations

import json
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from botequim.core import clock
from botequim.core.messages import Message as Sentence
from botequim.core.messages import msg
from botequim.i18n import say
from botequim.web.talk import language_headers, speaking

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
"""Nothing comes from elsewhere, and nothing that stands in a page runs."""

HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "Cache-Control": "no-cache",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}

MUCH: Final = msg("that is more than anybody needs to send")
METHODS: Final = ("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS")
SAFE_METHODS: Final = ("GET", "HEAD", "OPTIONS")
"""They change nothing."""
LONGEST_ADDRESS: Final = 2000
LARGEST_BODY: Final = 65_536
"""Of what anybody sends us: forms, ballots, a contest's title."""
BODY_SECONDS: Final = 20.0
"""For each piece of it."""
MOST_ADDRESSES: Final = 20_000
"""That are remembered at a time."""


@dataclass(frozen=True, slots=True)
class Rate:
    """So many at once, and so many a second in the long run."""

    burst: float
    per_second: float


class Buckets:
    """Who asks too often, by address."""

    def __init__(self, rate: Rate) -> None:
        self.rate: Final = rate
        self._left: Final[OrderedDict[str, tuple[float, float]]] = OrderedDict()

    def take(self, who: str, cost: float = 1.0) -> float:
        """0.0, or in how many seconds to come again."""
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
    """What one address may ask for. A hall full of phones is one address, so pages are generous."""

    asking: Rate = field(default_factory=lambda: Rate(3000, 300))
    """Anything."""
    sending: Rate = field(default_factory=lambda: Rate(300, 20))
    """What changes something: forms, votes."""


class Guarded:
    """The headers on whatever is answered, and limits for whatever is asked."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self._app: Final = app
        self._asking: Final = Buckets(limits.asking)
        self._sending: Final = Buckets(limits.sending)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        head = scope["method"] == "HEAD"
        ended = False

        async def answered(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            elif head:
                nonlocal ended
                if ended:
                    return
                message, ended = {**message, "body": b"", "more_body": False}, True
            await send(message)

        refused = self._refused(scope)
        if refused is not None:
            await _refuse(answered, scope, *refused)
            return
        if head:  # whatever can be got can be asked about
            scope = {**scope, "method": "GET"}
        await self._app(scope, _capped(receive), answered)

    def _refused(self, scope: Scope) -> tuple[int, Sentence, int] | None:
        """Status, why, and when to come again."""
        method = scope["method"]
        if method not in METHODS:
            return 405, msg("this method is not known"), 0
        if len(scope.get("raw_path") or b"") + len(scope.get("query_string", b"")) > LONGEST_ADDRESS:
            return 414, msg("the address is too long"), 0
        for name, value in scope["headers"]:
            if name == b"content-length" and not (value.isdigit() and int(value[:12]) <= LARGEST_BODY):
                return 413, MUCH, 0
        if method not in SAFE_METHODS and _is_from_another_site(Headers(scope=scope)):
            return 403, msg("this form was not made by this site"), 0
        client = scope.get("client")
        who = str(client[0]) if client else ""
        wait = self._asking.take(who)
        if not wait and method not in SAFE_METHODS:
            wait = self._sending.take(who)
        if wait:
            return 429, msg("too many requests from this address"), int(wait) + 1
        return None


def _is_from_another_site(headers: Headers) -> bool:
    """Return whether a browser sends this for a page of another site.

    It would send our cookies with it. Newer browsers say which site a request comes from; of older ones, and
    over http, `Origin` is compared with the host that was asked. Programs send neither, and no form can send
    a bearer token.
    """
    if headers.get("authorization", "").lower().startswith("bearer "):
        return False
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in ("same-origin", "none")
    origin = headers.get("origin")
    return origin is not None and origin.partition("://")[2] != headers.get("host", "")


class TooLarge(Exception):
    """More was sent than is taken, or too slowly."""


def _capped(receive: Receive) -> Receive:
    """What is sent is counted as it comes, and waited for only for a while."""
    size, whole = 0, False

    async def counted() -> Message:
        nonlocal size, whole
        if whole:
            return await receive()  # that somebody leaves, however long it takes
        try:
            async with clock.timeout(BODY_SECONDS):
                message = await receive()
        except TimeoutError as error:
            raise TooLarge from error
        whole = not message.get("more_body", False)
        size += len(message.get("body", b""))
        if size > LARGEST_BODY:
            raise TooLarge
        return message

    return counted


async def _refuse(send: Send, scope: Scope, status: int, why: Sentence, wait: int) -> None:
    request = Request(scope)
    with speaking(request):
        words = say(why)
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
