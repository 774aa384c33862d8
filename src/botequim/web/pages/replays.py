"""The replay page of a game and its downloads, made of public records only."""

from __future__ import annotations

import asyncio
import json
import re
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from itertools import repeat
from urllib.parse import quote

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import Response

from botequim.web.deps import find_cup
from botequim.web.jobs import records
from botequim.web.jobs.worker import RenderWorker
from botequim.web.live.portraits import portrait_addresses, portrait_files
from botequim.web.live.public import PublicGame
from botequim.web.live.served import ServedCup
from botequim.web.pages.game_files import (
    CACHE_CONTROL,
    Hands,
    animation_response,
    check_move,
    drawing_response,
    make_in_worker,
    page_file_response,
    perspective_of,
    record_response,
    render_workers,
    replay_data_response,
)
from botequim.web.templating import page

router = APIRouter(include_in_schema=False)

GAME = "/cups/{cup}/games/{series:int}/{game:int}"


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
    small = await make_in_worker(worker, key, records.small_portrait, picture)
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


@router.get(GAME + ".jsonl")
async def record(request: Request, cup: str, series: int, game: int) -> Response:
    served_cup = find_cup(request, cup)
    one = public_game(served_cup, series, game)
    lines = await lines_of(served_cup, series, game)
    return record_response(lines, _download(served_cup, one, "jsonl"))


@router.get(GAME + ".html")
async def one_file(request: Request, cup: str, series: int, game: int, hands: Hands = "open") -> Response:
    served_cup = find_cup(request, cup)
    one = public_game(served_cup, series, game)
    lines = await illustrated_lines(request, served_cup, series, game)
    return await page_file_response(request, lines, hands, _download(served_cup, one, "html", hands))


@router.get(GAME + ".gif")
async def animation(request: Request, cup: str, series: int, game: int, hands: Hands = "open") -> Response:
    served_cup = find_cup(request, cup)
    one = public_game(served_cup, series, game)
    lines = await illustrated_lines(request, served_cup, series, game)
    return await animation_response(request, lines, hands, _download(served_cup, one, "gif", hands))


@router.get(GAME + ".data")
async def replay_data(request: Request, cup: str, series: int, game: int) -> Response:
    served_cup = find_cup(request, cup)
    lines = await lines_to_render(served_cup, series, game)
    portraits = await asyncio.to_thread(portrait_addresses, served_cup.public.cup, _seat_names(lines))
    return await replay_data_response(request, lines, portraits)


@router.get(GAME + "/{move:int}.svg")
async def drawing(
    request: Request, cup: str, series: int, game: int, move: int, hands: Hands = "open", theme: str = "auto"
) -> Response:
    lines = await illustrated_lines(request, find_cup(request, cup), series, game)
    return await drawing_response(request, lines, move, hands, theme)


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
    turns = check_move(lines, move)
    perspective_of(lines, hands)
    before, after = served_cup.public.neighbours(one)
    return page(
        request,
        "replay.html",
        public=served_cup.public,
        game=one,
        rules=served_cup.public.cup.game,
        address=one.address,
        move=move,
        moves=turns,
        hands=hands,
        before=before,
        after=after,
    )
