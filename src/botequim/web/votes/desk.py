"""The organiser's pages for contests: create, open and close them, and print codes."""

from __future__ import annotations

import csv
from collections.abc import Callable
from functools import partial
from io import StringIO
from typing import Annotated, Any

from fastapi import APIRouter, Form, HTTPException, Request
from starlette.responses import RedirectResponse, Response

from botequim.core.errors import InputError
from botequim.core.messages import Message, msg
from botequim.votes import codes
from botequim.votes.contest import LONGEST_TITLE, Choice, Phase, Voters
from botequim.votes.contests import Contests
from botequim.votes.texts import closing_sentences
from botequim.web import code_sheets
from botequim.web.deps import find_cup
from botequim.web.jobs.worker import RenderError, RenderWorkerBusy
from botequim.web.live.served import ServedCup
from botequim.web.pages.cups import public_url
from botequim.web.pages.gallery import RETRY, galleries_of
from botequim.web.pages.organiser import for_organisers, require_organiser
from botequim.web.templating import page
from botequim.web.votes.pages import Result
from botequim.web.votes.voting import all_of, with_contests

router = APIRouter(prefix="/cups/{cup}/organiser/contests", include_in_schema=False)

Title = Annotated[str, Form(max_length=10 * LONGEST_TITLE)]


async def _desk(request: Request, cup: str) -> ServedCup:
    """Return the cup if the request comes from its organiser, or raise an error."""
    served_cup = find_cup(request, cup)
    await require_organiser(request, served_cup)
    return served_cup


def _address(served_cup: ServedCup, number: int | None = None) -> str:
    desk = f"{served_cup.public.address}/organiser/contests"
    return desk if number is None else f"{desk}/{number}"


# --- all of them -------------------------------------------------------------------------------------


@router.get("")
@for_organisers
async def contests_desk(request: Request, cup: str) -> Response:
    return await _all(request, find_cup(request, cup))


async def _all(
    request: Request, served_cup: ServedCup, said: Message | None = None, status: int = 200
) -> Response:
    return page(
        request,
        "contests_desk.html",
        status,
        public=served_cup.public,
        contests=await all_of(served_cup),
        entrants=_entrants(served_cup),
        longest=LONGEST_TITLE,
        said=said,
    )


def _entrants(served_cup: ServedCup) -> list[str]:
    return [entry.name for entry in served_cup.cup.entrants if not entry.null]


@router.post("")
async def make(
    request: Request,
    cup: str,
    title: Title = "",
    voters: Annotated[Voters, Form()] = Voters.CODES,
    choice: Annotated[Choice, Form()] = Choice.SINGLE,
    entrant: Annotated[list[int] | None, Form()] = None,
) -> Response:
    """Create a contest. Entrants are given by their index in the cup, from 0."""
    served_cup = await _desk(request, cup)
    entrants = _entrants(served_cup)
    names = [entrants[place] for place in entrant or () if 0 <= place < len(entrants)]
    try:
        contest = await with_contests(
            served_cup, lambda contests: contests.add(title, voters, choice, names), make=True
        )
    except InputError as error:
        return await _all(request, served_cup, error.message, 422)
    return RedirectResponse(_address(served_cup, contest.id), 303)


# --- one of them -------------------------------------------------------------------------------------


@router.get("/{number}")
@for_organisers
async def contest_desk(request: Request, cup: str, number: int, early: bool = False) -> Response:
    """Return the desk of a contest; with `early`, including the current count."""
    return await _one(request, find_cup(request, cup), number, early=early)


async def _one(
    request: Request,
    served_cup: ServedCup,
    number: int,
    *,
    said: Message | None = None,
    status: int = 200,
    early: bool = False,
) -> Response:
    def read(contests: Contests) -> dict[str, Any]:
        contest, turnout = contests.get(number), contests.turnout(number)
        has_tally = early or contest.phase is Phase.CLOSED
        tally = contests.tally(number, early=True) if has_tally else None
        return {
            "contest": contest,
            "turnout": turnout,
            "batches": contests.batches(number),
            "result": Result(contest, turnout, tally) if tally is not None else None,
        }

    here = public_url(request, served_cup.public).removesuffix(served_cup.public.address)
    return page(
        request,
        "contest_desk.html",
        status,
        public=served_cup.public,
        here=here,
        only_here=code_sheets.only_here(here),
        said=said,
        brief=False,
        shown={},
        **await with_contests(served_cup, read),
    )


@router.post("/{number}/phase")
async def turn(request: Request, cup: str, number: int, phase: Annotated[Phase, Form()]) -> Response:
    served_cup = await _desk(request, cup)
    return await _apply(request, served_cup, number, lambda contests: contests.set_phase(number, phase))


@router.get("/{number}/close")
@for_organisers
async def confirm_close(request: Request, cup: str, number: int) -> Response:
    """Ask whether to close a contest, and say what that shows."""
    served_cup = find_cup(request, cup)
    contest, turnout = await with_contests(
        served_cup, lambda contests: (contests.get(number), contests.turnout(number))
    )
    desk = _address(served_cup, number)
    if contest.phase is not Phase.OPEN:
        return RedirectResponse(desk, 303)
    return page(
        request,
        "confirm.html",
        public=served_cup.public,
        sentences=partial(closing_sentences, contest, turnout),
        button=msg("Close voting and publish the result"),
        action=f"{desk}/phase",
        fields={"phase": Phase.CLOSED},
        back=desk,
    )


@router.post("/{number}/codes")
async def add_codes(request: Request, cup: str, number: int, count: Annotated[int, Form()]) -> Response:
    served_cup = await _desk(request, cup)
    return await _apply(request, served_cup, number, lambda contests: contests.add_codes(number, count))


@router.post("/{number}/delete")
async def delete(request: Request, cup: str, number: int, title: Title = "") -> Response:
    served_cup = await _desk(request, cup)
    try:
        await with_contests(served_cup, lambda contests: contests.delete(number, title))
    except InputError as error:
        return await _one(request, served_cup, number, said=error.message, status=422)
    return RedirectResponse(_address(served_cup), 303)


async def _apply(
    request: Request, served_cup: ServedCup, number: int, work: Callable[[Contests], object]
) -> Response:
    try:
        await with_contests(served_cup, work)
    except InputError as error:
        return await _one(request, served_cup, number, said=error.message, status=409)
    return RedirectResponse(_address(served_cup, number), 303)


# --- codes on paper ----------------------------------------------------------------------------------


@router.get("/{number}/sheet")
@for_organisers
async def code_sheet(
    request: Request, cup: str, number: int, address: str = "", batch: int | None = None
) -> Response:
    """Return the unused codes of a batch, or all of them, to print."""
    served_cup = find_cup(request, cup)
    try:
        here = public_url(request, served_cup.public).removesuffix(served_cup.public.address)
        server = code_sheets.check_address(address or here)
        contest = await with_contests(served_cup, lambda contests: contests.get(number))
        unused = await with_contests(
            served_cup, lambda contests: contests.codes(number, batch=batch, unused=True)
        )
        ballot = f"{server}{served_cup.public.address}/contests/{number}"
        slips = await galleries_of(request).slips(ballot, unused)
    except (InputError, RenderError) as error:
        return await _one(request, served_cup, number, said=error.message, status=422)
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
@for_organisers
async def code_list(request: Request, cup: str, number: int, batch: int | None = None) -> Response:
    served_cup = find_cup(request, cup)
    unused = await with_contests(
        served_cup, lambda contests: contests.codes(number, batch=batch, unused=True)
    )
    return Response(csv_of(unused), media_type="text/csv; charset=utf-8")


def csv_of(voting_codes: list[str]) -> str:
    """Return a line for each code, under a heading."""
    text = StringIO()
    rows = csv.writer(text)
    rows.writerow(["code"])
    rows.writerows([codes.format_code(code)] for code in voting_codes)
    return text.getvalue()
