"""The parts of voting that depend on the web: cookies, addresses, threads.

A voter's browser is recognised by a random cookie. The cookie also decides the order of the entrants on the
ballot. The order differs between voters, so that no entrant gains by being first, and stays the same when the
page is loaded again.
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
from botequim.storage.errors import SealedStore, StoreUnusable
from botequim.votes.contest import Contest
from botequim.votes.contests import Contests, NoContest, UnknownCode
from botequim.web.cookies import cookie_of, give_cookie
from botequim.web.deps import address_of
from botequim.web.live.served import ServedCup
from botequim.web.live.snapshots import MOVED
from botequim.web.server.middleware import Rate, RateLimiter

T = TypeVar("T")

COOKIE: Final = "voter"
A_YEAR: Final = 31_536_000
_COOKIE: Final = re.compile(r"[A-Za-z0-9_-]{22}", re.ASCII)


class TooOften(InputError):
    """Too many wrong attempts; try again later."""

    def __init__(self, message: Message, seconds: int) -> None:
        super().__init__(message)
        self.seconds: Final = seconds


WRONG_CODES: Final = Rate(20, 0.2)
"""The rate of wrong codes from one address. Hundreds of phones at a conference may share one, so wrong codes
never keep anybody from voting with a right one."""


def _wrong_codes(request: Request) -> RateLimiter:
    limiter: RateLimiter = request.app.state.wrong_codes
    return limiter


async def with_contests(served_cup: ServedCup, work: Callable[[Contests], T], *, make: bool = False) -> T:
    """Call a function with a cup's contests. Only organisers create their file.

    The address of the store is not public, so it is removed from errors.
    """
    if not make and not await served_cup.has_visibility():
        raise HTTPException(404)

    def call() -> T:
        with served_cup.storage.open_votes() as store:
            return work(Contests(store))

    try:
        return await asyncio.to_thread(call)
    except NoContest:
        raise HTTPException(404) from None
    except SealedStore as error:
        raise HTTPException(409, MOVED) from error
    except StoreUnusable as error:
        raise HTTPException(503) from error


async def all_of(served_cup: ServedCup) -> list[Contest]:
    """Return a cup's contests."""
    if not await served_cup.has_visibility():
        return []
    return await with_contests(served_cup, lambda contests: contests.all())


async def cast(
    request: Request, served_cup: ServedCup, number: int, choices: Sequence[str], code: str
) -> None:
    """Cast one vote. Raise the errors of `Contests.vote`, or TooOften."""
    browser = browser_of(request)
    await _with_rate_limit(
        request, served_cup, lambda contests: contests.vote(number, choices, code=code, browser=browser)
    )


async def check_code(request: Request, served_cup: ServedCup, number: int, code: str) -> None:
    """Raise an error for a wrong code."""
    await _with_rate_limit(request, served_cup, lambda contests: contests.check_code(number, code))


async def _with_rate_limit(request: Request, served_cup: ServedCup, work: Callable[[Contests], None]) -> None:
    """Call a function with the contests. Wrong codes count against the rate limit of the address."""
    try:
        await with_contests(served_cup, work)
    except UnknownCode:
        if wait := _wrong_codes(request).take(address_of(request)):
            message = msg("too many wrong codes from your network; wait a moment")
            raise TooOften(message, int(wait) + 1) from None
        raise


def browser_of(request: Request) -> str:
    """Return the id of a browser in our cookie, or ""."""
    value = cookie_of(request, COOKIE)
    return value if _COOKIE.fullmatch(value) else ""


def remember_browser(request: Request, answer: Response, browser: str) -> None:
    """Set the cookie of a browser, if it did not send it."""
    if not browser_of(request):
        give_cookie(request, answer, COOKIE, browser, seconds=A_YEAR)


def new_browser() -> str:
    return secrets.token_urlsafe(16)


def ballot_order(contest: Contest, browser: str) -> list[int]:
    """Return the indexes of a contest's entrants, in the order of this voter's ballot."""
    places = list(range(len(contest.entrants)))
    random.Random(f"{contest.id}:{browser}").shuffle(places)
    return places
