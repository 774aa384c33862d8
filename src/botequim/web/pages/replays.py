"""The replay of every game, and its downloads, made of public records only."""

from __future__ import annotations

import asyncio
import json
import re
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from itertools import repeat
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, HTTPException, Query, Request
from starlette.responses import Response

from botequim.core.messages import msg
from botequim.render.scene import Perspective
from botequim.web.deps import served_cup
from botequim.web.jobs import records
from botequim.web.jobs.worker import BUSY_SECONDS, RenderError, RenderWorker, RenderWorkerBusy
from botequim.web.live.portraits import portrait_addresses, portrait_files
from botequim.web.live.public import PublicGame
from botequim.web.live.served import ServedCup
from botequim.web.templating import language_headers, language_of, page

router = APIRouter(include_in_schema=False)

KEPT = "private, max-age=3600"
"""The cache header: a finished game never changes."""
GAME = "/cups/{cup}/games/{series:int}/{game:int}"
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
    found: RenderWorkers = request.app.state.render_workers
    return found


async def lines_of(served: ServedCup, series: int, game: int) -> tuple[str, ...]:
    """Return the record of a public game; raise 404 if there is none, for whatever reason."""
    lines = await served.record(series, game)
    if lines is None:
        raise HTTPException(404)
    return tuple(line for line in lines if line)


async def shown_lines_of(served: ServedCup, series: int, game: int) -> tuple[str, ...]:
    """Return the same record with the titles of the players and without portraits, to be rendered."""
    return _titled(served, await lines_of(served, series, game), ())


async def illustrated_lines(request: Request, served: ServedCup, series: int, game: int) -> tuple[str, ...]:
    """Return the same record with small embedded portraits, because a downloaded file can fetch nothing."""
    lines = await lines_of(served, series, game)
    pictures = await asyncio.to_thread(portrait_files, served.public.cup, _seat_names(lines))
    quick = render_workers(request).quick
    return _titled(served, lines, [await _embedded_portrait(quick, picture) for picture in pictures])


async def _embedded_portrait(workshop: RenderWorker, picture: bytes) -> str:
    """Return a small PNG of a picture as a `data:` URL; "" if it cannot be made."""
    if not picture:
        return ""
    key = ("portrait", sha256(picture).digest())
    small = await _make(workshop, key, records.small_portrait, picture)
    return f"data:image/png;base64,{b64encode(small).decode()}" if small else ""


def _seat_names(lines: Sequence[str]) -> tuple[str, ...]:
    return tuple(str(seat["name"]) for seat in json.loads(lines[0])["seats"])


def _titled(served: ServedCup, lines: Sequence[str], portraits: Sequence[str]) -> tuple[str, ...]:
    header = json.loads(lines[0])
    title = served.public.cup.title
    header["seats"] = [
        {**seat, "title": title(str(seat["name"])), "portrait": portrait}
        for seat, portrait in zip(header["seats"], portraits or repeat(""), strict=False)
    ]
    return (json.dumps(header), *lines[1:])


async def render_in_worker(workshop: RenderWorker, key: Any, function: Any, *values: Any) -> bytes:
    """Render a record in a worker; raise 503 if too many requests wait."""
    lines = values[0]
    # the first line has the titles, the last one the digest of the whole game
    return await _make(workshop, (function.__name__, lines[0], lines[-1], *key), function, *values)


async def _make(workshop: RenderWorker, key: Any, function: Any, *values: Any) -> bytes:
    try:
        return await workshop.make(key, function, *values)
    except RenderWorkerBusy as error:
        raise HTTPException(503, error.message, {"Retry-After": str(BUSY_SECONDS)}) from error
    except RenderError as error:
        raise HTTPException(422, error.message) from error


def _download(served: ServedCup, seen: PublicGame, kind: str, hands: str = "open") -> dict[str, str]:
    view = {"open": "", "hidden": "-hidden"}.get(hands, f"-seat{hands}")
    name = f"{served.slug}-{seen.series.number}-{seen.number}{view}.{kind}"
    plain = re.sub(r"[^A-Za-z0-9._-]", "_", name)
    return {
        "Content-Disposition": f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}",
        "Cache-Control": KEPT,
    }


def seen_of(served: ServedCup, series: int, game: int) -> PublicGame:
    """Return a public game, or raise 404."""
    seen = served.public.game(series, game)
    if seen is None:
        raise HTTPException(404)
    return seen


def perspective_of(lines: Sequence[str], hands: str) -> Perspective:
    """Return the perspective for a game; raise 404 for a seat that it does not have."""
    perspective = records.perspective_of(hands)
    if isinstance(perspective, int) and perspective >= len(json.loads(lines[0])["seats"]):
        raise HTTPException(404, msg("there is no such seat in this game"))
    return perspective


@router.get(GAME + ".jsonl")
async def record(request: Request, cup: str, series: int, game: int) -> Response:
    served = served_cup(request, cup)
    seen = seen_of(served, series, game)
    lines = await lines_of(served, series, game)
    content = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")
    return Response(content, media_type="application/x-ndjson", headers=_download(served, seen, "jsonl"))


@router.get(GAME + ".html")
async def one_file(request: Request, cup: str, series: int, game: int, hands: Hands = "open") -> Response:
    served = served_cup(request, cup)
    seen = seen_of(served, series, game)
    lines = await illustrated_lines(request, served, series, game)
    perspective_of(lines, hands)
    language = language_of(request)
    quick = render_workers(request).quick
    content = await render_in_worker(quick, (hands, language), records.one_file, lines, hands, language)
    headers = _download(served, seen, "html", hands) | language_headers(request)
    headers |= {"Content-Security-Policy": "sandbox"}
    return Response(content, media_type="text/html", headers=headers)


@router.get(GAME + ".gif")
async def animation(request: Request, cup: str, series: int, game: int, hands: Hands = "open") -> Response:
    served = served_cup(request, cup)
    seen = seen_of(served, series, game)
    lines = await illustrated_lines(request, served, series, game)
    language, perspective = language_of(request), perspective_of(lines, hands)
    key = (language, perspective)
    content = await render_in_worker(
        render_workers(request).slow, key, records.animation, lines, language, perspective
    )
    headers = _download(served, seen, "gif", hands) | language_headers(request)
    return Response(content, media_type="image/gif", headers=headers)


@router.get(GAME + ".data")
async def replay_data(request: Request, cup: str, series: int, game: int) -> Response:
    """Return the data for the replay's script."""
    served = served_cup(request, cup)
    lines = await shown_lines_of(served, series, game)
    portraits = await asyncio.to_thread(portrait_addresses, served.public.cup, _seat_names(lines))
    content = await render_in_worker(
        render_workers(request).quick, (portraits,), records.data, lines, portraits
    )
    return Response(content, media_type="text/plain", headers={"Cache-Control": KEPT})


@router.get(GAME + "/{move:int}.svg")
async def drawing(
    request: Request, cup: str, series: int, game: int, move: int, hands: Hands = "open", theme: str = "auto"
) -> Response:
    """Return the picture of a position, for pages without scripts and for downloads."""
    served = served_cup(request, cup)
    lines = await illustrated_lines(request, served, series, game)
    if not 1 <= move <= len(lines) - 2 or theme not in ("auto", "light", "dark"):
        raise HTTPException(404)
    language, perspective = language_of(request), perspective_of(lines, hands)
    key = (move, perspective, language, theme)
    quick = render_workers(request).quick
    content = await render_in_worker(quick, key, records.drawing, lines, move, perspective, language, theme)
    headers = {
        **language_headers(request),
        "Cache-Control": KEPT,
        "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:",
    }
    return Response(content, media_type="image/svg+xml", headers=headers)


@router.get(GAME)
async def replay(request: Request, cup: str, series: int, game: int, hands: Hands = "open") -> Response:
    return await replay_at(request, cup, series, game, 1, hands)


@router.get(GAME + "/{move:int}")
async def replay_at(
    request: Request, cup: str, series: int, game: int, move: int, hands: Hands = "open"
) -> Response:
    served = served_cup(request, cup)
    seen = seen_of(served, series, game)
    lines = await shown_lines_of(served, series, game)
    turns = len(lines) - 2
    if not 1 <= move <= turns:
        raise HTTPException(404)
    perspective_of(lines, hands)
    before, after = served.public.neighbours(seen)
    return page(
        request,
        "replay.html",
        public=served.public,
        game=seen,
        move=move,
        moves=turns,
        hands=hands,
        before=before,
        after=after,
    )
