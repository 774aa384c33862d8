"""`/cups/{cup}/events`, the event streams for pages."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import Response

from botequim import i18n
from botequim.core.messages import msg
from botequim.render.layout import Shape
from botequim.web.deps import address_of, find_cup
from botequim.web.live.boards import Variant
from botequim.web.live.feed import EventStream

router = APIRouter(include_in_schema=False)

MOST_OF_AN_ADDRESS: Final = 600
"""The most viewers from one address, which a whole hall may share."""
MOST_OF_ALL: Final = 2000
AGAIN_SECONDS: Final = 10


class Audience:
    """The number of viewers by address."""

    def __init__(self) -> None:
        self._from: Final[Counter[str]] = Counter()
        self._all = 0

    def come(self, address: str) -> bool:
        """Add a viewer, and return whether there is room."""
        if self._all >= MOST_OF_ALL or self._from[address] >= MOST_OF_AN_ADDRESS:
            return False
        self._all += 1
        self._from[address] += 1
        return True

    def leave(self, address: str) -> None:
        self._all -= 1
        self._from[address] -= 1
        if self._from[address] <= 0:
            del self._from[address]


class Streaming(Response):
    """An event stream as a response of FastAPI."""

    def __init__(self, stream: EventStream) -> None:
        self._stream = stream
        self.background = None
        self.status_code = 200

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self._stream(scope, receive, send)


@router.get("/cups/{cup}/events")
async def events(request: Request, cup: str) -> Response:
    served_cup = find_cup(request, cup)
    language = i18n.supported_language(request.query_params.get("lang", "")) or "en"
    asked = request.query_params.get("shape")
    shape = next((one for one in Shape if one == asked), Shape.WIDE)
    packs = "gzip" in request.headers.get("accept-encoding", "")
    audience: Audience = request.app.state.audience
    address = address_of(request)
    if not audience.come(address):
        raise HTTPException(503, msg("too many viewers"), {"Retry-After": str(AGAIN_SECONDS)})
    variant = Variant(language, shape)
    try:
        listener = served_cup.listen(variant, request.headers.get("last-event-id", ""), packs=packs)
    except BaseException:
        audience.leave(address)
        raise

    def left() -> None:
        audience.leave(address)
        served_cup.feed.leave(variant, listener)

    return Streaming(EventStream(listener, left))
