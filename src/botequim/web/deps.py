"""What routes ask first: which house, which cup, who asks, from where."""

from __future__ import annotations

from fastapi import HTTPException, Request

from botequim.web.live.house import Hosted, House


def house_of(request: Request) -> House:
    """The cups that are served."""
    found: House = request.app.state.house
    return found


def hosted_of(request: Request, cup: str) -> Hosted:
    """The cup of an address; else there is nothing there."""
    hosted = house_of(request).cups.get(cup)
    if hosted is None:
        raise HTTPException(404)
    return hosted


def address_of(request: Request) -> str:
    """Where a request comes from. Many may come from one: a hall full of phones has one address."""
    return request.client.host if request.client is not None else ""


def wants_json(request: Request) -> bool:
    """Whether a program asks, rather than a form."""
    return request.url.path.startswith("/api/")
