"""The gallery of a cup: what each entrant looks like, said and drew, as far as it is public."""

from __future__ import annotations

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import Response

from botequim.web.asked import hosted_of
from botequim.web.live.house import Hosted
from botequim.web.making.galleries import Galleries, Hung
from botequim.web.making.workshop import BUSY_SECONDS, Busy, NotMade
from botequim.web.talk import page

router = APIRouter(include_in_schema=False)

RETRY = {"Retry-After": str(BUSY_SECONDS)}


def galleries_of(request: Request) -> Galleries:
    found: Galleries = request.app.state.galleries
    return found


async def hung(request: Request, hosted: Hosted) -> tuple[Hung, ...]:
    """What hangs there."""
    try:
        return await galleries_of(request).of(hosted)
    except (Busy, NotMade):
        raise HTTPException(503, headers=RETRY) from None


@router.get("/cups/{cup}/gallery")
async def gallery_page(request: Request, cup: str, still: bool = False) -> Response:
    hosted = hosted_of(request, cup)
    return page(
        request,
        "gallery.html",
        public=hosted.public,
        gallery=await hung(request, hosted),
        still=still,
    )


@router.get("/cups/{cup}/gallery/part")
async def gallery_part(request: Request, cup: str) -> Response:
    """For show mode: slides of those who have something to show."""
    hosted = hosted_of(request, cup)
    gallery = [one for one in await hung(request, hosted) if one.art or one.portrait or one.sayings]
    return page(request, "parts/gallery_slides.html", public=hosted.public, gallery=gallery)


@router.get("/cups/{cup}/gallery/{number}/{name}.gif")
async def art_image(request: Request, cup: str, number: int, name: str) -> Response:
    """`art.gif` moves, `still.gif` does not."""
    if name not in ("art", "still"):
        raise HTTPException(404)
    hosted = hosted_of(request, cup)
    try:
        found = await galleries_of(request).film(hosted, number, still=name == "still")
    except Busy:
        raise HTTPException(503, headers=RETRY) from None
    if found is None:
        raise HTTPException(404)
    digest, content = found
    # with its digest in the address it will never be another
    lasting = request.query_params.get("v") == digest
    caching = "max-age=31536000, immutable" if lasting else "no-cache"
    headers = {"Cache-Control": caching, "ETag": f'"{digest}"'}
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    return Response(content, media_type="image/gif", headers=headers)
