"""Pages for people."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from botequim.web.asked import hosted_of, house_of
from botequim.web.talk import Kept, page

router = APIRouter(include_in_schema=False)


@router.get("/")
async def home(request: Request) -> Response:
    return page(request, "home.html", cups=[one.public for one in house_of(request).cups.values()])


@router.get("/cups/{cup}")
async def cup_page(request: Request, cup: str) -> Response:
    public = hosted_of(request, cup).public
    kept: Kept = request.app.state.kept
    return kept.page(request, "cup.html", public.slug, public, public=public)
