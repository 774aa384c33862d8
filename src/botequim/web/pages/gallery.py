"""The gallery of a cup: the portraits, remarks and art of the entrants, as far as they are public."""

from __future__ import annotations

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import Response

from botequim.web.deps import find_cup
from botequim.web.jobs.galleries import Galleries, GalleryEntry
from botequim.web.jobs.worker import BUSY_SECONDS, RenderError, RenderWorkerBusy
from botequim.web.live.served import ServedCup
from botequim.web.templating import page

router = APIRouter(include_in_schema=False)

RETRY = {"Retry-After": str(BUSY_SECONDS)}


def galleries_of(request: Request) -> Galleries:
    galleries: Galleries = request.app.state.galleries
    return galleries


async def exhibits(request: Request, served_cup: ServedCup) -> tuple[GalleryEntry, ...]:
    try:
        return await galleries_of(request).of(served_cup)
    except (RenderWorkerBusy, RenderError):
        raise HTTPException(503, headers=RETRY) from None


@router.get("/cups/{cup}/gallery")
async def gallery_page(request: Request, cup: str, still: bool = False) -> Response:
    served_cup = find_cup(request, cup)
    return page(
        request,
        "gallery.html",
        public=served_cup.public,
        gallery=await exhibits(request, served_cup),
        still=still,
    )


@router.get("/cups/{cup}/gallery/part")
async def gallery_part(request: Request, cup: str) -> Response:
    """Return the slides for show mode, of entrants with something to show."""
    served_cup = find_cup(request, cup)
    gallery = [one for one in await exhibits(request, served_cup) if one.art or one.portrait or one.sayings]
    return page(request, "parts/gallery_slides.html", public=served_cup.public, gallery=gallery)


@router.get("/cups/{cup}/gallery/{number}/{name}.gif")
async def art_image(request: Request, cup: str, number: int, name: str) -> Response:
    """Return the art of an entrant: `art.gif` is animated, `still.gif` is not."""
    if name not in ("art", "still"):
        raise HTTPException(404)
    served_cup = find_cup(request, cup)
    try:
        art = await galleries_of(request).film(served_cup, number, still=name == "still")
    except RenderWorkerBusy:
        raise HTTPException(503, headers=RETRY) from None
    if art is None:
        raise HTTPException(404)
    digest, content = art
    # an address that contains the digest always has the same content
    lasting = request.query_params.get("v") == digest
    caching = "max-age=31536000, immutable" if lasting else "no-cache"
    headers = {"Cache-Control": caching, "ETag": f'"{digest}"'}
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    return Response(content, media_type="image/gif", headers=headers)
