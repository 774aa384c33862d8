"""Pages for people."""

from __future__ import annotations

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import HTMLResponse

from botequim.web.house import Hosted, House
from botequim.web.talk import page

router = APIRouter(include_in_schema=False)


def house_of(request: Request) -> House:
    found: House = request.app.state.house
    return found


def hosted_of(request: Request, cup: str) -> Hosted:
    hosted = house_of(request).cups.get(cup)
    if hosted is None:
        raise HTTPException(404)
    return hosted


@router.get("/")
async def home(request: Request) -> HTMLResponse:
    return page(request, "home.html", cups=list(house_of(request).cups.values()))


@router.get("/cups/{cup}")
async def cup_page(request: Request, cup: str) -> HTMLResponse:
    hosted = hosted_of(request, cup)
    return page(request, "cup.html", hosted=hosted, content=hosted.content())
