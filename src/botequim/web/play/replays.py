"""The replay and the downloads of a finished game of a table."""

from __future__ import annotations

import json
from collections.abc import Sequence

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import Response

from botequim.core.messages import msg
from botequim.web.pages.game_files import (
    CACHE_CONTROL,
    Hands,
    animation_response,
    check_move,
    drawing_response,
    page_file_response,
    perspective_of,
    record_response,
    replay_data_response,
)
from botequim.web.play.deps import find_table
from botequim.web.play.pages import WATCH
from botequim.web.templating import page

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
    return record_response(lines, _download(lines, table, number, "jsonl"))


@router.get(GAME + ".html")
async def one_file(request: Request, table: str, number: int, hands: Hands = "open") -> Response:
    lines = lines_of(request, table, number)
    return await page_file_response(request, lines, hands, _download(lines, table, number, "html"))


@router.get(GAME + ".gif")
async def animation(request: Request, table: str, number: int, hands: Hands = "open") -> Response:
    lines = lines_of(request, table, number)
    return await animation_response(request, lines, hands, _download(lines, table, number, "gif"))


@router.get(GAME + ".data")
async def replay_data(request: Request, table: str, number: int) -> Response:
    lines = lines_of(request, table, number)
    return await replay_data_response(request, lines, ("",) * len(json.loads(lines[0])["seats"]))


@router.get(GAME + "/{move:int}.svg")
async def drawing(
    request: Request, table: str, number: int, move: int, hands: Hands = "open", theme: str = "auto"
) -> Response:
    return await drawing_response(request, lines_of(request, table, number), move, hands, theme)


@router.get(GAME)
async def replay(request: Request, table: str, number: int, hands: Hands = "open") -> Response:
    return await replay_at(request, table, number, 1, hands)


@router.get(GAME + "/{move:int}")
async def replay_at(request: Request, table: str, number: int, move: int, hands: Hands = "open") -> Response:
    lines = lines_of(request, table, number)
    header = json.loads(lines[0])
    turns = check_move(lines, move)
    perspective_of(lines, hands)
    return page(
        request,
        "play_replay.html",
        rules=str(header["game"]),
        names=[str(seat["name"]) for seat in header["seats"]],
        number=number,
        address=f"/play/watch/{table}/games/{number}",
        move=move,
        moves=turns,
        hands=hands,
    )
