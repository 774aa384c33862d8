"""The application: all routes, middleware and error handlers."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from fastapi import FastAPI
from fastapi import HTTPException as Refused
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from botequim.core.errors import BotequimError
from botequim.core.messages import Message, msg
from botequim.i18n import translate, use_language
from botequim.tables.tables import Tables
from botequim.version import VERSION
from botequim.web import files
from botequim.web.api import changes as changes_api
from botequim.web.api import cups as cups_api
from botequim.web.api import votes as contests_api
from botequim.web.api.problems import problems
from botequim.web.jobs.galleries import Galleries
from botequim.web.live.served import ServedCups
from botequim.web.pages import changes, events, gallery, home, organiser, reading, replays
from botequim.web.pages import cups as cup_pages
from botequim.web.pages.game_files import RenderWorkers
from botequim.web.pages.organiser import WrongTokens
from botequim.web.play import actions as play_actions
from botequim.web.play import desk as play_desk
from botequim.web.play import pages as play_pages
from botequim.web.play import replays as play_replays
from botequim.web.play.deps import PlayState
from botequim.web.server.middleware import (
    HEADERS,
    TOO_LARGE,
    BodyTooLarge,
    LanguageMiddleware,
    Limits,
    LimitsMiddleware,
    RateLimiter,
)
from botequim.web.templating import PageCache, language_headers, language_of, page
from botequim.web.votes import desk
from botequim.web.votes import pages as contest_pages
from botequim.web.votes.voting import WRONG_CODES

DESCRIPTION: Final = """\
Everything that the pages show, for programs.

Sentences for people (`detail` of a problem, `why` of a fault or of a place, `label`, `heading`, `absent`,
`trouble`) are in English, or in Portuguese where `lang` or `Accept-Language` asks for it; `Content-Language`
says which it is. Names, keys and all other words are the same in every language. A position is told in all
languages at once.
"""


def create_app(
    served_cups: ServedCups,
    limits: Limits | None = None,
    *,
    pace: float = 1.0,
    address: str = "",
    tables: Tables | None = None,
    is_local: bool = False,
) -> FastAPI:
    """Return the application that serves these cups. It follows their changes during its lifespan.

    `pace` is the suggested number of seconds between moves when the organiser shows a game; `address` is the
    address at which others reach the server. People play at `tables`; with None, there is no page for that.
    With `is_local`, requests for other names than those of this machine are refused.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await served_cups.open()
        if tables is not None:
            tables.open()
        yield
        await served_cups.close()
        if tables is not None:
            await tables.close()
        app.state.render_workers.close()
        app.state.galleries.close()

    app = FastAPI(
        title="Botequim",
        version=VERSION,
        description=DESCRIPTION,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.served_cups = served_cups
    app.state.galleries = Galleries()
    app.state.results = OrderedDict()
    app.state.wrong_codes = RateLimiter(WRONG_CODES)
    app.state.play = PlayState(tables)
    app.state.plays = tables is not None
    app.state.tables_token = lambda: "" if tables is None else tables.organiser
    app.state.pace = pace
    app.state.address = address
    app.state.audience = events.Audience()
    app.state.wrong_tokens = WrongTokens()
    app.state.render_workers = RenderWorkers()
    app.state.times = OrderedDict()
    app.state.page_cache = PageCache()
    app.add_middleware(GZipMiddleware, minimum_size=1000, compresslevel=5)
    app.add_middleware(LimitsMiddleware, limits=limits or Limits(), is_local=is_local)
    app.add_middleware(LanguageMiddleware)
    for part in (home, gallery, contest_pages, desk, replays, cup_pages, reading, events, files, organiser):
        app.include_router(part.router)
    for part in (play_pages, play_actions, play_replays, play_desk):
        app.include_router(part.router)
    app.include_router(changes.router)
    app.include_router(contests_api.router)
    app.include_router(changes_api.router)
    app.include_router(cups_api.router)
    app.include_router(cups_api.pages)
    app.add_exception_handler(HTTPException, _answer_error)
    app.add_exception_handler(BotequimError, _answer_unreadable)
    app.add_exception_handler(RequestValidationError, _answer_invalid_request)
    app.add_exception_handler(BodyTooLarge, _answer_too_large)
    app.add_exception_handler(Exception, _answer_internal_error)
    return app


async def _answer_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    detail: object = error.detail
    if request.url.path.startswith("/api/"):
        headers = {**(error.headers or {}), **language_headers(request)}
        return JSONResponse({"detail": _why(request, error)}, error.status_code, headers)
    why = {"why": detail} if isinstance(detail, Message) else {}
    answer = page(request, "error.html", error.status_code, status_code=error.status_code, **why)
    answer.headers.update(error.headers or {})
    return answer


WHY: Final = {
    404: msg("not found, or not public"),
    405: msg("method not allowed"),
    422: msg("invalid request"),
    503: msg("temporarily unavailable; try again in a moment"),
}
"""The sentences for errors that are fully described by their status."""


def _why(request: Request, error: HTTPException) -> str:
    detail: object = error.detail
    with use_language(language_of(request)):  # the middleware does not set it for internal errors
        if isinstance(detail, Message):
            return translate(detail)
        return translate(WHY.get(error.status_code, error.detail))


async def _answer_invalid_request(request: Request, error: Exception) -> Response:
    """Answer an invalid form or API request."""
    assert isinstance(error, RequestValidationError)
    if request.url.path.startswith("/api/"):
        return JSONResponse({"detail": problems(error.errors())}, 422, language_headers(request))
    return await _answer_error(request, HTTPException(422))


async def _answer_too_large(request: Request, error: Exception) -> Response:
    return await _answer_error(request, Refused(413, TOO_LARGE))


async def _answer_internal_error(request: Request, error: Exception) -> Response:
    """Answer for an internal error. It is logged, but its details are not sent."""
    answer = await _answer_error(request, Refused(500, msg("internal server error")))
    answer.headers.update(HEADERS)  # the middleware does not add them to this response
    return answer


async def _answer_unreadable(request: Request, error: Exception) -> Response:
    """Answer for a store that is locked or missing at the moment."""
    return await _answer_error(request, Refused(503, msg("try again later"), {"Retry-After": "5"}))
