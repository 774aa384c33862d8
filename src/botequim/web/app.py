"""The application: every route, behind the same guard."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from botequim.core.errors import BotequimError
from botequim.version import VERSION
from botequim.web import (
    api,
    contests,
    contests_api,
    cup_pages,
    desk,
    events,
    files,
    gallery,
    organiser,
    pages,
    reading,
    replays,
)
from botequim.web.galleries import Galleries
from botequim.web.house import House
from botequim.web.organiser import Doorkeeper
from botequim.web.safety import HEADERS, Buckets, Guarded, Limits, TooLarge
from botequim.web.talk import Kept, page
from botequim.web.voting import WRONG_CODES


def create_app(
    house: House, limits: Limits | None = None, *, pace: float = 1.0, address: str = ""
) -> FastAPI:
    """A server of these cups. It looks at them while it runs (its lifespan).

    `pace` is what the organiser is offered for showing a game, in seconds from move to move; `address` is
    where others find us.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await house.open()
        yield
        await house.close()
        app.state.workshops.close()
        app.state.galleries.close()

    app = FastAPI(
        title="Botequim",
        version=VERSION,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.house = house
    app.state.galleries = Galleries()
    app.state.results = OrderedDict()
    app.state.wrong_codes = Buckets(WRONG_CODES)
    app.state.pace = pace
    app.state.address = address
    app.state.audience = events.Audience()
    app.state.doorkeeper = Doorkeeper()
    app.state.workshops = replays.Workshops()
    app.state.times = OrderedDict()
    app.state.kept = Kept()
    app.add_middleware(GZipMiddleware, minimum_size=1000, compresslevel=5)
    app.add_middleware(Guarded, limits=limits or Limits())
    for part in (pages, gallery, contests, desk, replays, cup_pages, reading, events, files, organiser):
        app.include_router(part.router)
    app.include_router(contests_api.router)
    app.include_router(api.router)
    app.include_router(api.pages)
    app.add_exception_handler(HTTPException, _explained)
    app.add_exception_handler(BotequimError, _unreadable)
    app.add_exception_handler(RequestValidationError, _odd)
    app.add_exception_handler(TooLarge, _too_large)
    app.add_exception_handler(Exception, _broken)
    return app


async def _explained(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if request.url.path.startswith("/api/"):
        return JSONResponse({"detail": error.detail}, error.status_code, error.headers)
    answer = page(request, "error.html", error.status_code, status_code=error.status_code)
    answer.headers.update(error.headers or {})
    return answer


async def _odd(request: Request, error: Exception) -> Response:
    """A form, or a question to the API, that makes no sense."""
    assert isinstance(error, RequestValidationError)
    if request.url.path.startswith("/api/"):
        return JSONResponse({"detail": _problems(error)}, 422)
    return await _explained(request, HTTPException(422))


def _problems(error: RequestValidationError) -> str:
    """Where and what, in a line; what was sent is not sent back."""
    return "; ".join(
        f"{'.'.join(str(part) for part in problem['loc'])}: {problem['msg']}"
        for problem in error.errors()[:5]
    )[:500]


async def _too_large(request: Request, error: Exception) -> Response:
    return await _explained(request, HTTPException(413, "that is more than anybody needs to send"))


async def _broken(request: Request, error: Exception) -> Response:
    """A mistake of ours. It is logged, and nothing of it is told."""
    answer = await _explained(request, HTTPException(500, "something is wrong here"))
    answer.headers.update(HEADERS)  # nobody else does so that far outside
    return answer


async def _unreadable(request: Request, error: Exception) -> Response:
    """A file that was there is locked, or gone: that passes."""
    return await _explained(request, HTTPException(503, "try again later", {"Retry-After": "5"}))
