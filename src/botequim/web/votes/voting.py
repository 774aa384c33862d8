"""What voting has to do with the web: cookies, addresses, threads.

A voter's browser is known again by a cookie that says nothing about it. It also settles the order in which
the entrants stand on its ballot: another for every voter, so that nobody gains by being the first of a list,
and the same when a page is loaded again.
"""

from __future__ import annotations

import asyncio
import random
import re
import secrets
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from fastapi import HTTPException, Request
from starlette.responses import Response

from botequim.core.errors import InputError
from botequim.core.messages import Message, msg
from botequim.votes.contest import Contest
from botequim.votes.contests import Contests, NoContest, UnknownCode
from botequim.web.cookies import cookie_of, give_cookie
from botequim.web.deps import address_of
from botequim.web.live.served import ServedCup
from botequim.web.server.middleware import Rate, RateLimiter

T = TypeVar("T")

COOKIE: Final = "voter"
A_YEAR: Final = 31_536_000
_COOKIE: Final = re.compile(r"[A-Za-z0-9_-]{22}", re.ASCII)


class TooOften(InputError):
    """Another time."""

    def __init__(self, message: Message, seconds: int) -> None:
        super().__init__(message)
        self.seconds: Final = seconds


WRONG_CODES: Final = Rate(20, 0.2)
"""That an address may try. At a conference hundreds of phones have the same one: trying in vain keeps nobody
there from voting with a right code."""


def _wrong_codes(request: Request) -> RateLimiter:
    found: RateLimiter = request.app.state.wrong_codes
    return found


async def with_contests(served: ServedCup, work: Callable[[Contests], T], *, make: bool = False) -> T:
    """Do something with a cup's contests. Their file is made by organisers alone."""
    if not make and not served.storage.has_visibility():
        raise HTTPException(404)

    def done() -> T:
        with served.storage.open_votes() as store:
            return work(Contests(store))

    try:
        return await asyncio.to_thread(done)
    except NoContest:
        raise HTTPException(404) from None


async def all_of(served: ServedCup) -> list[Contest]:
    """A cup's contests; none if nobody ever made one."""
    if not served.storage.has_visibility():
        return []
    return await with_contests(served, lambda contests: contests.all())


async def cast(request: Request, served: ServedCup, number: int, chosen: Sequence[str], code: str) -> None:
    """One vote. Refused as `Contests.vote` does, or with `TooOften`."""
    browser = browser_of(request)
    await _within(request, served, lambda contests: contests.vote(number, chosen, code=code, browser=browser))


async def looked_up(request: Request, served: ServedCup, number: int, code: str) -> None:
    """Refuse a code before anybody takes the trouble to choose."""
    await _within(request, served, lambda contests: contests.check_code(number, code))


async def _within(request: Request, served: ServedCup, work: Callable[[Contests], None]) -> None:
    """As often as is allowed."""
    try:
        await with_contests(served, work)
    except UnknownCode:
        if wait := _wrong_codes(request).take(address_of(request)):
            said = msg("too many wrong codes from your network; wait a moment")
            raise TooOften(said, int(wait) + 1) from None
        raise


def browser_of(request: Request) -> str:
    """By what it is known again; nothing if it brought no cookie of ours."""
    found = cookie_of(request, COOKIE)
    return found if _COOKIE.fullmatch(found) else ""


def know_again(request: Request, answer: Response, browser: str) -> None:
    """Give a browser the cookie by which it was known in this answer, if it did not bring it."""
    if not browser_of(request):
        give_cookie(request, answer, COOKIE, browser, seconds=A_YEAR)


def new_browser() -> str:
    return secrets.token_urlsafe(16)


def ballot_order(contest: Contest, browser: str) -> list[int]:
    """The places of a contest's entrants, in the order of this voter's ballot."""
    places = list(range(len(contest.entrants)))
    random.Random(f"{contest.id}:{browser}").shuffle(places)
    return places
