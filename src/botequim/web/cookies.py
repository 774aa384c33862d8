"""Cookies, all with the same security attributes."""

from __future__ import annotations

from typing import Literal

from starlette.requests import Request
from starlette.responses import Response


def cookie_of(request: Request, name: str) -> str:
    """Return the value of a cookie of this server, or ""."""
    return request.cookies.get(_cookie_name(request, name), "")


def give_cookie(
    request: Request,
    answer: Response,
    name: str,
    value: str,
    *,
    seconds: int,
    path: str = "/",
    samesite: Literal["lax", "strict"] = "lax",
) -> None:
    """Set a cookie that no script can read and that, once set over https, is only sent over https.

    With 0 seconds, the cookie is deleted.
    """
    answer.set_cookie(
        _cookie_name(request, name),
        value,
        max_age=seconds,
        path=path,
        secure=is_secure(request),
        httponly=True,
        samesite=samesite,
    )


def is_secure(request: Request) -> bool:
    """Return whether the request came over https, directly or by a trusted proxy."""
    return request.url.scheme == "https"


def _cookie_name(request: Request, name: str) -> str:
    # Each scheme has its own name, because a browser lets no page without https replace a cookie that was set
    # over https. With one name, nobody could log in to a cup that is served both ways.
    return f"__Secure-{name}" if is_secure(request) else name
