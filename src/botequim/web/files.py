"""Style sheets, scripts and pictures. They are listed at the start, so no path of a request ever reaches the
file system."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from importlib.resources import files
from mimetypes import guess_type
from typing import Final

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import Response

from botequim.render.theme import page_styles

router = APIRouter(include_in_schema=False)

LONG: Final = "public, max-age=31536000, immutable"
"""The cache header for addresses that contain the version of their content."""


@cache
def static_files() -> dict[str, tuple[bytes, str, str]]:
    """Return by name: the content, the media type, and a version that depends on the content."""
    ours = files("botequim")
    contents = {
        entry.name: entry.read_bytes()
        for entry in (ours / "web" / "static").iterdir()
        if entry.is_file() and not entry.name.startswith(".")
    }
    contents["replay.js"] = (ours / "render" / "replay.js").read_bytes()
    contents["replay.css"] = (ours / "render" / "replay.css").read_bytes()
    contents["theme.css"] = page_styles().encode()
    return {
        name: (content, _kind(name), sha256(content).hexdigest()[:12]) for name, content in contents.items()
    }


def _kind(name: str) -> str:
    if name.endswith(".js"):
        return "text/javascript; charset=utf-8"
    return guess_type(name)[0] or "application/octet-stream"


def static(name: str) -> str:
    """Return the address of a static file, with its version."""
    return f"/static/{name}?v={static_files()[name][2]}"


@router.get("/static/{name}")
async def static_file(request: Request, name: str) -> Response:
    if name not in static_files():
        raise HTTPException(404)
    content, kind, version = static_files()[name]
    tag = f'"{version}"'
    headers = {"ETag": tag, "Cache-Control": LONG if "v" in request.query_params else "no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=kind, headers=headers)


@router.get("/theme.css")
async def theme(request: Request) -> Response:
    return await static_file(request, "theme.css")


@router.get("/favicon.ico")
async def icon(request: Request) -> Response:
    return await static_file(request, "icon.svg")


@router.get("/robots.txt")
async def robots() -> Response:
    return Response("User-agent: *\nDisallow: /\n", media_type="text/plain")
