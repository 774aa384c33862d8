"""Dependencies of routes: the served cups, the cup of an address, and the client's address."""

from __future__ import annotations

from fastapi import HTTPException, Request

from botequim.web.live.served import ServedCup, ServedCups


def served_cups(request: Request) -> ServedCups:
    result: ServedCups = request.app.state.served_cups
    return result


def find_cup(request: Request, cup: str) -> ServedCup:
    """Return the cup of an address, or raise 404."""
    served_cup = served_cups(request).cups.get(cup)
    if served_cup is None:
        raise HTTPException(404)
    return served_cup


def address_of(request: Request) -> str:
    """Return the address of the client. A hall full of phones may share one address."""
    return request.client.host if request.client is not None else ""
