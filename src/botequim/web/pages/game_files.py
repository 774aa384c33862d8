"""The files that are made of the record of a public game: its picture, its animation, its page in one file.

Workers render them. Whoever calls these functions has decided that the game is public.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from fastapi import HTTPException, Query, Request
from starlette.responses import Response

from botequim.core.messages import msg
from botequim.render.scene import Perspective
from botequim.web.jobs import records
from botequim.web.jobs.worker import BUSY_SECONDS, RenderError, RenderWorker, RenderWorkerBusy
from botequim.web.templating import language_headers, language_of

CACHE_CONTROL = "private, max-age=3600"
"""The cache header: a finished game never changes."""
Hands = Annotated[str, Query(pattern=records.HANDS, description="whose are seen")]
"""The visible hands of a finished game, open by default."""


class RenderWorkers:
    """One worker for quick jobs and one for slow jobs, so that neither delays the other."""

    def __init__(self) -> None:
        self.quick = RenderWorker(120, niceness=0)
        self.slow = RenderWorker(300)

    def close(self) -> None:
        self.quick.close()
        self.slow.close()


def render_workers(request: Request) -> RenderWorkers:
    workers: RenderWorkers = request.app.state.render_workers
    return workers


def perspective_of(lines: Sequence[str], hands: str) -> Perspective:
    """Return the perspective for a game; raise 404 for a seat that it does not have."""
    perspective = records.perspective_of(hands)
    if isinstance(perspective, int) and perspective >= len(json.loads(lines[0])["seats"]):
        raise HTTPException(404, msg("there is no such seat in this game"))
    return perspective


async def render_in_worker(worker: RenderWorker, key: Any, function: Any, *values: Any) -> bytes:
    """Render a record in a worker; raise 503 if too many requests wait."""
    lines = values[0]
    # for the cache it is enough to compare the first line, with the titles, and the last, with the digest
    return await make_in_worker(worker, (function.__name__, lines[0], lines[-1], *key), function, *values)


async def make_in_worker(worker: RenderWorker, key: Any, function: Any, *values: Any) -> bytes:
    """Call a function in a worker; raise 503 if too many requests wait."""
    try:
        return await worker.make(key, function, *values)
    except RenderWorkerBusy as error:
        raise HTTPException(503, error.message, {"Retry-After": str(BUSY_SECONDS)}) from error
    except RenderError as error:
        raise HTTPException(422, error.message) from error


def check_move(lines: Sequence[str], move: int) -> int:
    """Return the number of turns of a game. Raise 404 if it has no such turn."""
    turns = len(lines) - 2
    if not 1 <= move <= turns:
        raise HTTPException(404)
    return turns


def record_response(lines: Sequence[str], headers: Mapping[str, str]) -> Response:
    content = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")
    return Response(content, media_type="application/x-ndjson", headers=dict(headers))


async def page_file_response(
    request: Request, lines: Sequence[str], hands: str, headers: Mapping[str, str]
) -> Response:
    """Return the replay as one HTML file."""
    perspective_of(lines, hands)
    language = language_of(request)
    quick = render_workers(request).quick
    content = await render_in_worker(quick, (hands, language), records.one_file, lines, hands, language)
    headers = {**headers, **language_headers(request), "Content-Security-Policy": "sandbox"}
    return Response(content, media_type="text/html", headers=headers)


async def animation_response(
    request: Request, lines: Sequence[str], hands: str, headers: Mapping[str, str]
) -> Response:
    """Return the game as a GIF."""
    language, perspective = language_of(request), perspective_of(lines, hands)
    slow = render_workers(request).slow
    key = (language, perspective)
    content = await render_in_worker(slow, key, records.animation, lines, language, perspective)
    return Response(content, media_type="image/gif", headers={**headers, **language_headers(request)})


async def replay_data_response(
    request: Request, lines: Sequence[str], portraits: tuple[str, ...]
) -> Response:
    """Return the data for the replay's script."""
    quick = render_workers(request).quick
    content = await render_in_worker(quick, (portraits,), records.data, lines, portraits)
    return Response(content, media_type="text/plain", headers={"Cache-Control": CACHE_CONTROL})


async def drawing_response(
    request: Request, lines: Sequence[str], move: int, hands: str, theme: str
) -> Response:
    """Return the picture of a position, for pages without scripts and for downloads."""
    check_move(lines, move)
    if theme not in ("auto", "light", "dark"):
        raise HTTPException(404)
    language, perspective = language_of(request), perspective_of(lines, hands)
    key = (move, perspective, language, theme)
    quick = render_workers(request).quick
    content = await render_in_worker(quick, key, records.drawing, lines, move, perspective, language, theme)
    headers = {
        **language_headers(request),
        "Cache-Control": CACHE_CONTROL,
        "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:",
    }
    return Response(content, media_type="image/svg+xml", headers=headers)
