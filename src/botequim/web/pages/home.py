"""The start page, and the page of a cup."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from botequim.web.deps import find_cup, served_cups
from botequim.web.templating import PageCache, page

router = APIRouter(include_in_schema=False)


@router.get("/")
async def home(request: Request) -> Response:
    return page(request, "home.html", cups=[one.public for one in served_cups(request).cups.values()])


@router.get("/cups/{cup}")
async def cup_page(request: Request, cup: str) -> Response:
    public = find_cup(request, cup).public
    cache: PageCache = request.app.state.page_cache
    return cache.page(request, "cup.html", public.slug, public, public=public)
