"""The replay and the downloads of a finished game of a table."""

from __future__ import annotations

import json
from collections.abc import Sequence

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import Response

from botequim.core.messages import msg
from botequim.web.jobs import records
from botequim.web.pages.replays import (
    CACHE_CONTROL,
    Hands,
    perspective_of,
    render_in_worker,
    render_workers,
)
from botequim.web.play.deps import find_table
from botequim.web.play.pages import WATCH
from botequim.web.templating import language_headers, language_of, page

router = APIRouter(include_in_schema=False, prefix="/play")

GAME = WATCH + "/games/{number:int}"


def lines_of(request: Request, table: str, number: int) -> tuple[str, ...]:
    """Return the record of a finished game. Raise 404 if there is none."""
    found = find_table(request, table)
    lines = found.files.record(number) if 1 <= number <= found.spec.number else None
    if lines is None:
        raise HTTPException(404, msg("this game is not over, or does not exist"))
    return lines


def _download(lines: Sequence[str], table: str, number: int, kind: str) -> dict[str, str]:
    game = json.loads(lines[0])["game"]
    name = f"{game}-{table}-{number}.{kind}"
    return {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": CACHE_CONTROL}


@router.get(GAME + ".jsonl")
async def record(request: Request, table: str, number: int) -> Response:
    lines = lines_of(request, table, number)
    content = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")
    headers = _download(lines, table, number, "jsonl")
    return Response(content, media_type="application/x-ndjson", headers=headers)


@router.get(GAME + ".html")
async def one_file(request: Request, table: str, number: int, hands: Hands = "open") -> Response:
    lines = lines_of(request, table, number)
    perspective_of(lines, hands)
    language = language_of(request)
    quick = render_workers(request).quick
    content = await render_in_worker(quick, (hands, language), records.one_file, lines, hands, language)
    headers = _download(lines, table, number, "html") | language_headers(request)
    headers |= {"Content-Security-Policy": "sandbox"}
    return Response(content, media_type="text/html", headers=headers)


@router.get(GAME + ".gif")
async def animation(request: Request, table: str, number: int, hands: Hands = "open") -> Response:
    lines = lines_of(request, table, number)
    language, perspective = language_of(request), perspective_of(lines, hands)
    slow = render_workers(request).slow
    key = (language, perspective)
    content = await render_in_worker(slow, key, records.animation, lines, language, perspective)
    headers = _download(lines, table, number, "gif") | language_headers(request)
    return Response(content, media_type="image/gif", headers=headers)


@router.get(GAME + ".data")
async def replay_data(request: Request, table: str, number: int) -> Response:
    """Return the data for the replay's script."""
    lines = lines_of(request, table, number)
    portraits = ("",) * len(json.loads(lines[0])["seats"])
    quick = render_workers(request).quick
    content = await render_in_worker(quick, (portraits,), records.data, lines, portraits)
    return Response(content, media_type="text/plain", headers={"Cache-Control": CACHE_CONTROL})


@router.get(GAME + "/{move:int}.svg")
async def drawing(
    request: Request, table: str, number: int, move: int, hands: Hands = "open", theme: str = "auto"
) -> Response:
    """Return the picture of a position, for pages without scripts."""
    lines = lines_of(request, table, number)
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
async def replay(request: Request, table: str, number: int, hands: Hands = "open") -> Response:
    return await replay_at(request, table, number, 1, hands)


@router.get(GAME + "/{move:int}")
async def replay_at(request: Request, table: str, number: int, move: int, hands: Hands = "open") -> Response:
    lines = lines_of(request, table, number)
    header = json.loads(lines[0])
    turns = len(lines) - 2
    if not 1 <= move <= turns:
        raise HTTPException(404)
    perspective_of(lines, hands)
    return page(
        request,
        "play_replay.html",
        game=str(header["game"]),
        names=[str(seat["name"]) for seat in header["seats"]],
        number=number,
        address=f"/play/watch/{table}/games/{number}",
        move=move,
        moves=turns,
        hands=hands,
    )
