"""`/play/desk`: the organiser removes tables, names and remarks."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, HTTPException, Request
from starlette.responses import RedirectResponse, Response

from botequim.core.messages import msg
from botequim.i18n import _
from botequim.web.pages.organiser import LOGIN, may_manage_tables
from botequim.web.play.deps import find_table, tables_of
from botequim.web.templating import page

router = APIRouter(include_in_schema=False, prefix="/play/desk")

DESK = "/play/desk"


@router.get("")
async def desk(request: Request) -> Response:
    if not await may_manage_tables(request):
        return RedirectResponse(LOGIN, 303)
    answer = page(request, "play_desk.html", tables=tables_of(request).all())
    answer.headers["Cache-Control"] = "no-store"
    return answer


@router.post("/{table}/remove")
async def remove(request: Request, table: str) -> Response:
    """Remove a table with its games."""
    await _require_organiser(request)
    find_table(request, table)
    tables_of(request).remove(table)
    return RedirectResponse(DESK, 303)


@router.post("/{table}/redact")
async def redact(request: Request, table: str, seat: Annotated[int, Form(ge=0, lt=10)]) -> Response:
    """Replace the name of a person, and remove what this person has said."""
    await _require_organiser(request)
    found = find_table(request, table)
    if seat not in found.people:
        raise HTTPException(404)
    found.redact(seat, _("person {seat}", seat=seat + 1))
    return RedirectResponse(DESK, 303)


async def _require_organiser(request: Request) -> None:
    if not await may_manage_tables(request):
        raise HTTPException(403, msg("only the organiser may do that"))
