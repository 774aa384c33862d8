"""The ballots and the results of contests."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import RedirectResponse, Response

from botequim.core import clock
from botequim.core.errors import BotequimError, InputError
from botequim.core.messages import Message, msg
from botequim.votes.contest import Choice, Contest, Phase, Spoilt, Voters
from botequim.votes.contests import DuplicateVote, NotOpen, Turnout, UnknownCode
from botequim.votes.tally import Tally
from botequim.web.cookies import cookie_of, give_cookie
from botequim.web.deps import find_cup
from botequim.web.jobs.galleries import GalleryEntry
from botequim.web.live.served import ServedCup
from botequim.web.pages.cups import public_url
from botequim.web.pages.gallery import galleries_of
from botequim.web.qr import qr_svg
from botequim.web.templating import page
from botequim.web.votes.voting import (
    TooOften,
    all_of,
    ballot_order,
    browser_of,
    cast,
    check_code,
    new_browser,
    remember_browser,
    with_contests,
)

router = APIRouter(include_in_schema=False)

IN: Final = "voted"
"""The cookie by which a page confirms the vote."""
MOST_FIELDS: Final = 300
MOST_RESULTS: Final = 200
"""The most results that are cached."""
GALLERY_SECONDS: Final = 8.0
"""The time that a ballot waits for its pictures."""
_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a closed contest."""

    contest: Contest
    turnout: Turnout
    tally: Tally

    @property
    def steps(self) -> list[tuple[int, list[str]]]:
        """The podium: each place, and all who share it."""
        places = dict.fromkeys(row.place for row in self.tally.podium)
        return [(place, [row.entrant for row in self.tally.podium if row.place == place]) for place in places]


async def gallery_by_entrant(request: Request, served_cup: ServedCup) -> dict[str, GalleryEntry]:
    """Return the gallery by entrant. If it is not available, voting works without it."""
    try:
        async with clock.timeout(GALLERY_SECONDS):
            entries = await galleries_of(request).of(served_cup)
    except (BotequimError, TimeoutError) as error:
        _log.warning("no gallery of %s for a ballot: %s", served_cup.slug, str(error) or "it takes too long")
        return {}
    return {one.name: one for one in entries}


async def result_of(request: Request, served_cup: ServedCup, number: int) -> Result:
    """Return the result of a closed contest. It is counted once, because it cannot change any more."""
    contest = await with_contests(served_cup, lambda contests: contests.get(number))
    cache: OrderedDict[tuple[str, int], Result] = request.app.state.results
    key = (served_cup.slug, contest.id)
    if key not in cache:
        cache[key] = await with_contests(
            served_cup, lambda contests: Result(contest, contests.turnout(number), contests.tally(number))
        )
        if len(cache) > MOST_RESULTS:
            cache.popitem(last=False)
    return cache[key]


@router.get("/cups/{cup}/contests")
async def contests_page(request: Request, cup: str) -> Response:
    served_cup = find_cup(request, cup)
    return page(request, "contests.html", public=served_cup.public, contests=await all_of(served_cup))


@router.get("/cups/{cup}/contests/part")
async def contests_part(request: Request, cup: str) -> Response:
    """Return the slides for show mode: open contests, and every result."""
    served_cup = find_cup(request, cup)
    contests = await all_of(served_cup)
    results = [await result_of(request, served_cup, one.id) for one in contests if one.phase is Phase.CLOSED]
    return page(
        request,
        "parts/contests.html",
        public=served_cup.public,
        shown=await gallery_by_entrant(request, served_cup),
        open_contests=[one for one in contests if one.phase is Phase.OPEN],
        results=results,
        where=public_url(request, served_cup.public),
    )


@router.get("/cups/{cup}/contests/{number}/qr.svg")
async def qr_code(request: Request, cup: str, number: int) -> Response:
    """Return a QR code of the address of the ballot."""
    served_cup = find_cup(request, cup)
    contest = await with_contests(served_cup, lambda contests: contests.get(number))
    svg = qr_svg(f"{public_url(request, served_cup.public)}/contests/{contest.id}")
    return Response(svg, media_type="image/svg+xml", headers={"Cache-Control": "no-cache"})


@router.get("/cups/{cup}/contests/{number}")
async def contest_page(request: Request, cup: str, number: int, code: str = "") -> Response:
    """Return the ballot of an open contest, or the result of a closed one."""
    served_cup = find_cup(request, cup)
    contest = await with_contests(served_cup, lambda contests: contests.get(number))
    if contest.phase is Phase.PREPARING:
        return page(request, "contest_soon.html", public=served_cup.public, contest=contest, said=None)
    if contest.phase is Phase.CLOSED:
        result = await result_of(request, served_cup, number)
        gallery = await gallery_by_entrant(request, served_cup)
        return page(request, "contest_result.html", public=served_cup.public, result=result, shown=gallery)
    problem, status = None, 200
    if contest.voters is Voters.OPEN:
        browser = browser_of(request)
        has_voted = await with_contests(served_cup, lambda contests: contests.has_voted(number, browser))
        if browser and has_voted:
            return page(request, "contest_in.html", public=served_cup.public, contest=contest)
    elif code:
        problem, status = await _code_problem(request, served_cup, number, code)
    return await _ballot(request, served_cup, contest, code=code, said=problem, status=status)


async def _code_problem(
    request: Request, served_cup: ServedCup, number: int, code: str
) -> tuple[Message | None, int]:
    """Return the problem with a scanned code and a status, so that the voter learns of it before choosing."""
    try:
        await check_code(request, served_cup, number, code)
    except TooOften as error:
        return error.message, 429
    except UnknownCode as error:
        return error.message, 404
    except DuplicateVote as error:
        return error.message, 409
    return None, 200


@router.post("/cups/{cup}/contests/{number}")
async def vote(request: Request, cup: str, number: int) -> Response:
    served_cup = find_cup(request, cup)
    contest = await with_contests(served_cup, lambda contests: contests.get(number))
    async with request.form(max_files=0, max_fields=MOST_FIELDS, max_part_size=1000) as form:
        fields = {name: value for name, value in form.multi_items() if isinstance(value, str)}
    code = fields.get("code", "")[:100]
    try:
        choices = _choices(contest, fields)
        await cast(request, served_cup, number, choices, code)
    except InputError as error:
        return await _refuse(request, served_cup, contest, fields, error)
    there = f"{served_cup.public.address}/contests/{number}/in"
    answer = RedirectResponse(there, 303)
    give_cookie(request, answer, IN, str(number), seconds=600, path=there)
    return answer


@router.get("/cups/{cup}/contests/{number}/in")
async def in_page(request: Request, cup: str, number: int) -> Response:
    """Return the page that confirms the vote."""
    served_cup = find_cup(request, cup)
    contest = await with_contests(served_cup, lambda contests: contests.get(number))
    if cookie_of(request, IN) != str(number):
        return RedirectResponse(f"{served_cup.public.address}/contests/{number}", 303)
    return page(request, "contest_in.html", public=served_cup.public, contest=contest)


def _choices(contest: Contest, fields: Mapping[str, str]) -> list[str]:
    """Return the ticked or numbered entrants. Fields name them by their index in the contest, from 0."""
    names = {str(place): name for place, name in enumerate(contest.entrants)}
    if contest.choice is Choice.SINGLE:
        index = fields.get("one", "")
        return [names.get(index, index)] if index else []
    by_rank: dict[int, str] = {}
    for place, name in names.items():
        rank_text = fields.get(f"place-{place}", "").strip()
        if not rank_text:
            continue
        if not (rank_text.isascii() and rank_text.isdigit() and len(rank_text) <= 3):
            raise Spoilt(msg("a rank is a whole number: 1 for the best"))
        if int(rank_text) in by_rank:
            raise Spoilt(msg("two entrants have the same rank; give each its own"))
        by_rank[int(rank_text)] = name
    return [by_rank[rank] for rank in sorted(by_rank)]


async def _refuse(
    request: Request, served_cup: ServedCup, contest: Contest, fields: Mapping[str, str], error: InputError
) -> Response:
    headers = {}
    match error:
        case TooOften():
            status, headers = 429, {"Retry-After": str(error.seconds)}
        case UnknownCode():
            status = 404
        case DuplicateVote():
            status = 409
        case NotOpen():
            contest = await with_contests(served_cup, lambda contests: contests.get(contest.id))
            if contest.phase is not Phase.OPEN:
                return page(
                    request,
                    "contest_soon.html",
                    409,
                    public=served_cup.public,
                    contest=contest,
                    said=error.message,
                )
            status = 409
        case _:
            status = 422
    return await _ballot(
        request, served_cup, contest, fields=fields, said=error.message, status=status, headers=headers
    )


async def _ballot(
    request: Request,
    served_cup: ServedCup,
    contest: Contest,
    *,
    code: str = "",
    fields: Mapping[str, str] | None = None,
    said: Message | None = None,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Return the ballot, with what was filled in before."""
    if contest.phase is not Phase.OPEN:
        raise HTTPException(404)
    browser = browser_of(request) or new_browser()
    gallery = await gallery_by_entrant(request, served_cup)
    options: list[dict[str, Any]] = [
        {"place": place, "one": gallery.get(name, GalleryEntry.blank(name))}
        for place in ballot_order(contest, browser)
        for name in [contest.entrants[place]]
    ]
    fields = fields or {}
    answer = page(
        request,
        "contest_vote.html",
        status,
        public=served_cup.public,
        contest=contest,
        options=options,
        with_art=any(option["one"].art for option in options),
        code=(code or fields.get("code", ""))[:100],
        fields=fields,
        said=said,
        still=request.query_params.get("still") == "1",
    )
    answer.headers.update(headers or {})
    remember_browser(request, answer, browser)
    return answer
