"""The replay page of a game and its downloads, made of public records only."""

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
from botequim.web.deps import find_cup
from botequim.web.jobs import records
from botequim.web.jobs.worker import BUSY_SECONDS, RenderError, RenderWorker, RenderWorkerBusy
from botequim.web.live.portraits import portrait_addresses, portrait_files
from botequim.web.live.public import PublicGame
from botequim.web.live.served import ServedCup
from botequim.web.templating import language_headers, language_of, page

router = APIRouter(include_in_schema=False)

CACHE_CONTROL = "private, max-age=3600"
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
    workers: RenderWorkers = request.app.state.render_workers
    return workers


async def lines_of(served_cup: ServedCup, series: int, game: int) -> tuple[str, ...]:
    """Return the record of a public game. Raise 404 if there is none, without the reason."""
    lines = await served_cup.record(series, game)
    if lines is None:
        raise HTTPException(404)
    return tuple(line for line in lines if line)


async def lines_to_render(served_cup: ServedCup, series: int, game: int) -> tuple[str, ...]:
    """Return the record of a public game with the titles of the players and without portraits."""
    return _with_titles(served_cup, await lines_of(served_cup, series, game), ())


async def illustrated_lines(
    request: Request, served_cup: ServedCup, series: int, game: int
) -> tuple[str, ...]:
    """Return the record of a public game with titles and small embedded portraits, for downloads."""
    lines = await lines_of(served_cup, series, game)
    pictures = await asyncio.to_thread(portrait_files, served_cup.public.cup, _seat_names(lines))
    quick = render_workers(request).quick
    return _with_titles(served_cup, lines, [await _embedded_portrait(quick, picture) for picture in pictures])


async def _embedded_portrait(worker: RenderWorker, picture: bytes) -> str:
    """Return a small PNG of a picture as a `data:` URL; "" if it cannot be made."""
    if not picture:
        return ""
    key = ("portrait", sha256(picture).digest())
    small = await _make(worker, key, records.small_portrait, picture)
    return f"data:image/png;base64,{b64encode(small).decode()}" if small else ""


def _seat_names(lines: Sequence[str]) -> tuple[str, ...]:
    return tuple(str(seat["name"]) for seat in json.loads(lines[0])["seats"])


def _with_titles(served_cup: ServedCup, lines: Sequence[str], portraits: Sequence[str]) -> tuple[str, ...]:
    header = json.loads(lines[0])
    title = served_cup.public.cup.title
    header["seats"] = [
        {**seat, "title": title(str(seat["name"])), "portrait": portrait}
        for seat, portrait in zip(header["seats"], portraits or repeat(""), strict=False)
    ]
    return (json.dumps(header), *lines[1:])


async def render_in_worker(worker: RenderWorker, key: Any, function: Any, *values: Any) -> bytes:
    """Render a record in a worker; raise 503 if too many requests wait."""
    lines = values[0]
    # for the cache it is enough to compare the first line, with the titles, and the last, with the digest
    return await _make(worker, (function.__name__, lines[0], lines[-1], *key), function, *values)


async def _make(worker: RenderWorker, key: Any, function: Any, *values: Any) -> bytes:
    try:
        return await worker.make(key, function, *values)
    except RenderWorkerBusy as error:
        raise HTTPException(503, error.message, {"Retry-After": str(BUSY_SECONDS)}) from error
    except RenderError as error:
        raise HTTPException(422, error.message) from error


def _download(served_cup: ServedCup, one: PublicGame, kind: str, hands: str = "open") -> dict[str, str]:
    view = {"open": "", "hidden": "-hidden"}.get(hands, f"-seat{hands}")
    name = f"{served_cup.slug}-{one.series.number}-{one.number}{view}.{kind}"
    plain = re.sub(r"[^A-Za-z0-9._-]", "_", name)
    return {
        "Content-Disposition": f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}",
        "Cache-Control": CACHE_CONTROL,
    }


def public_game(served_cup: ServedCup, series: int, game: int) -> PublicGame:
    """Return a public game, or raise 404."""
    one = served_cup.public.game(series, game)
    if one is None:
        raise HTTPException(404)
    return one


def perspective_of(lines: Sequence[str], hands: str) -> Perspective:
    """Return the perspective for a game; raise 404 for a seat that it does not have."""
    perspective = records.perspective_of(hands)
    if isinstance(perspective, int) and perspective >= len(json.loads(lines[0])["seats"]):
        raise HTTPException(404, msg("there is no such seat in this game"))
    return perspective


@router.get(GAME + ".jsonl")
async def record(request: Request, cup: str, series: int, game: int) -> Response:
    served_cup = find_cup(request, cup)
    one = public_game(served_cup, series, game)
    lines = await lines_of(served_cup, series, game)
    content = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")
    return Response(content, media_type="application/x-ndjson", headers=_download(served_cup, one, "jsonl"))


@router.get(GAME + ".html")
async def one_file(request: Request, cup: str, series: int, game: int, hands: Hands = "open") -> Response:
    served_cup = find_cup(request, cup)
    one = public_game(served_cup, series, game)
    lines = await illustrated_lines(request, served_cup, series, game)
    perspective_of(lines, hands)
    language = language_of(request)
    quick = render_workers(request).quick
    content = await render_in_worker(quick, (hands, language), records.one_file, lines, hands, language)
    headers = _download(served_cup, one, "html", hands) | language_headers(request)
    headers |= {"Content-Security-Policy": "sandbox"}
    return Response(content, media_type="text/html", headers=headers)


@router.get(GAME + ".gif")
async def animation(request: Request, cup: str, series: int, game: int, hands: Hands = "open") -> Response:
    served_cup = find_cup(request, cup)
    one = public_game(served_cup, series, game)
    lines = await illustrated_lines(request, served_cup, series, game)
    language, perspective = language_of(request), perspective_of(lines, hands)
    key = (language, perspective)
    content = await render_in_worker(
        render_workers(request).slow, key, records.animation, lines, language, perspective
    )
    headers = _download(served_cup, one, "gif", hands) | language_headers(request)
    return Response(content, media_type="image/gif", headers=headers)


@router.get(GAME + ".data")
async def replay_data(request: Request, cup: str, series: int, game: int) -> Response:
    """Return the data for the replay's script."""
    served_cup = find_cup(request, cup)
    lines = await lines_to_render(served_cup, series, game)
    portraits = await asyncio.to_thread(portrait_addresses, served_cup.public.cup, _seat_names(lines))
    content = await render_in_worker(
        render_workers(request).quick, (portraits,), records.data, lines, portraits
    )
    return Response(content, media_type="text/plain", headers={"Cache-Control": CACHE_CONTROL})


@router.get(GAME + "/{move:int}.svg")
async def drawing(
    request: Request, cup: str, series: int, game: int, move: int, hands: Hands = "open", theme: str = "auto"
) -> Response:
    """Return the picture of a position, for pages without scripts and for downloads."""
    served_cup = find_cup(request, cup)
    lines = await illustrated_lines(request, served_cup, series, game)
    if not 1 <= move <= len(lines) - 2 or theme not in ("auto", "light", "dark"):
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


@router.get(GAME)
async def replay(request: Request, cup: str, series: int, game: int, hands: Hands = "open") -> Response:
    return await replay_at(request, cup, series, game, 1, hands)


@router.get(GAME + "/{move:int}")
async def replay_at(
    request: Request, cup: str, series: int, game: int, move: int, hands: Hands = "open"
) -> Response:
    served_cup = find_cup(request, cup)
    one = public_game(served_cup, series, game)
    lines = await lines_to_render(served_cup, series, game)
    turns = len(lines) - 2
    if not 1 <= move <= turns:
        raise HTTPException(404)
    perspective_of(lines, hands)
    before, after = served_cup.public.neighbours(one)
    return page(
        request,
        "replay.html",
        public=served_cup.public,
        game=one,
        move=move,
        moves=turns,
        hands=hands,
        before=before,
        after=after,
    )
