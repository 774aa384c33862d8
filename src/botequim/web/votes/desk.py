"""The organiser's desk, on which contests are made, opened and closed, and codes are printed."""

from __future__ import annotations

import csv
from collections.abc import Awaitable, Callable
from functools import wraps
from io import StringIO
from typing import Annotated, Any, Final

from fastapi import APIRouter, Form, HTTPException, Request
from starlette.responses import RedirectResponse, Response

from botequim.core.errors import InputError
from botequim.core.messages import Message
from botequim.votes import codes
from botequim.votes.contest import LONGEST_TITLE, Choice, Phase, Voters
from botequim.votes.contests import Contests
from botequim.web import code_sheets
from botequim.web.deps import served_cup
from botequim.web.jobs.worker import RenderError, RenderWorkerBusy
from botequim.web.live.served import ServedCup
from botequim.web.pages.cups import found_at
from botequim.web.pages.gallery import RETRY, galleries_of
from botequim.web.pages.organiser import is_organiser, require_organiser
from botequim.web.templating import page
from botequim.web.votes.pages import Result
from botequim.web.votes.voting import all_of, with_contests

router = APIRouter(prefix="/cups/{cup}/organiser/contests", include_in_schema=False)

Title = Annotated[str, Form(max_length=10 * LONGEST_TITLE)]
LOGIN: Final = "/organiser"


async def _desk(request: Request, cup: str) -> ServedCup:
    """Return the cup if the request comes from its organiser, or raise an error."""
    served = served_cup(request, cup)
    await require_organiser(request, served)
    return served


def _only_to_organisers(
    shown: Callable[..., Awaitable[Response]],
) -> Callable[..., Awaitable[Response]]:
    """Redirect everybody else to the login, and let browsers cache nothing."""

    @wraps(shown)
    async def asked(request: Request, cup: str, **given: Any) -> Response:
        if not await is_organiser(request, served_cup(request, cup)):
            return RedirectResponse(LOGIN, 303)
        answer = await shown(request, cup, **given)
        answer.headers["Cache-Control"] = "no-store"
        return answer

    return asked


def _address(served: ServedCup, number: int | None = None) -> str:
    desk = f"{served.public.address}/organiser/contests"
    return desk if number is None else f"{desk}/{number}"


# --- all of them -------------------------------------------------------------------------------------


@router.get("")
@_only_to_organisers
async def contests_desk(request: Request, cup: str) -> Response:
    return await _all(request, served_cup(request, cup))


async def _all(
    request: Request, served: ServedCup, said: Message | None = None, status: int = 200
) -> Response:
    return page(
        request,
        "contests_desk.html",
        status,
        public=served.public,
        contests=await all_of(served),
        entrants=_entrants(served),
        longest=LONGEST_TITLE,
        said=said,
    )


def _entrants(served: ServedCup) -> list[str]:
    return [entry.name for entry in served.cup.entrants if not entry.null]


@router.post("")
async def make(
    request: Request,
    cup: str,
    title: Title = "",
    voters: Annotated[Voters, Form()] = Voters.CODES,
    choice: Annotated[Choice, Form()] = Choice.SINGLE,
    entrant: Annotated[list[int] | None, Form()] = None,
) -> Response:
    """Make a contest. Entrants are given by their index in the cup, from 0."""
    served = await _desk(request, cup)
    known = _entrants(served)
    names = [known[place] for place in entrant or () if 0 <= place < len(known)]
    try:
        made = await with_contests(
            served, lambda contests: contests.add(title, voters, choice, names), make=True
        )
    except InputError as error:
        return await _all(request, served, error.message, 422)
    return RedirectResponse(_address(served, made.id), 303)


# --- one of them -------------------------------------------------------------------------------------


@router.get("/{number}")
@_only_to_organisers
async def contest_desk(request: Request, cup: str, number: int, early: bool = False) -> Response:
    """Return the desk of a contest; with `early`, including the current count."""
    return await _one(request, served_cup(request, cup), number, early=early)


async def _one(
    request: Request,
    served: ServedCup,
    number: int,
    *,
    said: Message | None = None,
    status: int = 200,
    early: bool = False,
) -> Response:
    def looked(contests: Contests) -> dict[str, Any]:
        contest, turnout = contests.get(number), contests.turnout(number)
        counted = early or contest.phase is Phase.CLOSED
        tally = contests.tally(number, early=True) if counted else None
        return {
            "contest": contest,
            "turnout": turnout,
            "batches": contests.batches(number),
            "result": Result(contest, turnout, tally) if tally is not None else None,
        }

    here = found_at(request, served.public).removesuffix(served.public.address)
    return page(
        request,
        "contest_desk.html",
        status,
        public=served.public,
        here=here,
        only_here=code_sheets.only_here(here),
        said=said,
        brief=False,
        shown={},
        **await with_contests(served, looked),
    )


@router.post("/{number}/phase")
async def turn(request: Request, cup: str, number: int, phase: Annotated[Phase, Form()]) -> Response:
    served = await _desk(request, cup)
    return await _apply(request, served, number, lambda contests: contests.set_phase(number, phase))


@router.post("/{number}/codes")
async def add_codes(request: Request, cup: str, number: int, count: Annotated[int, Form()]) -> Response:
    served = await _desk(request, cup)
    return await _apply(request, served, number, lambda contests: contests.add_codes(number, count))


@router.post("/{number}/delete")
async def delete(request: Request, cup: str, number: int, title: Title = "") -> Response:
    served = await _desk(request, cup)
    try:
        await with_contests(served, lambda contests: contests.delete(number, title))
    except InputError as error:
        return await _one(request, served, number, said=error.message, status=422)
    return RedirectResponse(_address(served), 303)


async def _apply(
    request: Request, served: ServedCup, number: int, work: Callable[[Contests], object]
) -> Response:
    try:
        await with_contests(served, work)
    except InputError as error:
        return await _one(request, served, number, said=error.message, status=409)
    return RedirectResponse(_address(served, number), 303)


# --- codes on paper ----------------------------------------------------------------------------------


@router.get("/{number}/sheet")
@_only_to_organisers
async def code_sheet(
    request: Request, cup: str, number: int, address: str = "", batch: int | None = None
) -> Response:
    """Return the unused codes of a batch, or all of them, to print."""
    served = served_cup(request, cup)
    try:
        here = found_at(request, served.public).removesuffix(served.public.address)
        server = code_sheets.check_address(address or here)
        contest = await with_contests(served, lambda contests: contests.get(number))
        found = await with_contests(served, lambda contests: contests.codes(number, batch=batch, unused=True))
        ballot = f"{server}{served.public.address}/contests/{number}"
        slips = await galleries_of(request).slips(ballot, found)
    except (InputError, RenderError) as error:
        return await _one(request, served, number, said=error.message, status=422)
    except RenderWorkerBusy:
        raise HTTPException(503, headers=RETRY) from None
    return page(
        request,
        "sheet.html",
        contest=contest,
        slips=slips,
        ballot=ballot,
        only_here=code_sheets.only_here(server),
        a_page=code_sheets.A_PAGE,
        style="",
    )


@router.get("/{number}/codes.csv")
@_only_to_organisers
async def code_list(request: Request, cup: str, number: int, batch: int | None = None) -> Response:
    served = served_cup(request, cup)
    found = await with_contests(served, lambda contests: contests.codes(number, batch=batch, unused=True))
    return Response(csv_of(found), media_type="text/csv; charset=utf-8")


def csv_of(found: list[str]) -> str:
    """Return a line for each code, under a heading."""
    written = StringIO()
    rows = csv.writer(written)
    rows.writerow(["code"])
    rows.writerows([codes.format_code(code)] for code in found)
    return written.getvalue()
