"""Actions and pages of the organiser: hold games back, reveal them, make everything public.

The organiser has a token. It is created when a cup is first served, and printed once. Only its SHA-256 is
stored (`show.sqlite`). Programs send it as `Authorization: Bearer TOKEN`. A browser logs in with it once and
keeps it in a cookie, which no script can read and which is not sent with requests from other sites. Forms of
other sites are refused for everybody (`botequim.web.server.middleware`).

Other modules call `require_organiser(request, served_cup)` before actions of the organiser.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import wraps
from hashlib import sha256
from typing import Annotated, Any, Final

from fastapi import APIRouter, Form, HTTPException, Request
from starlette.responses import RedirectResponse, Response

from botequim.core import clock
from botequim.core.messages import Message, msg
from botequim.cup.revelation import NextGame, Revelation
from botequim.cup.withdrawals import without_withdrawn
from botequim.storage.protocol import CupStore, VisibilityStore
from botequim.storage.visibility import Visibility
from botequim.web.cookies import cookie_of, give_cookie
from botequim.web.deps import address_of, find_cup, served_cups
from botequim.web.live.served import ServedCup
from botequim.web.server.middleware import Rate, RateLimiter
from botequim.web.templating import page

router = APIRouter(include_in_schema=False)

COOKIE: Final = "organiser"
LOGIN: Final = "/organiser"
SHORTEST_TOKEN: Final = 12
AMOUNTS: Final = ("game", "series", "stage")
SLOWEST, FASTEST = 60.0, 0.05
"""The limits of the seconds between moves when a game is shown."""


def digest(token: str) -> str:
    """Return the digest of a token, which is what is stored."""
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def new_token() -> str:
    """Return a random token that can be typed."""
    return "-".join(secrets.token_hex(3) for _ in range(4))


class WrongTokens:
    """Counts wrong tokens by address.

    A right token is always accepted: others in the same hall, who share one address, must not be able to lock
    the organiser out. A token of twelve characters or more cannot be guessed by trying.
    """

    def __init__(self) -> None:
        self._wrong: Final = RateLimiter(Rate(10, 0.1))

    def count(self, address: str) -> None:
        """Count a wrong token. Raise 429 after too many."""
        if wait := self._wrong.take(address):
            again = {"Retry-After": str(int(wait) + 1)}
            raise HTTPException(429, msg("there were too many wrong tokens from this address"), again)


async def token_digest(served_cup: ServedCup) -> str | None:
    """Return the digest of the organiser's token, if there is one."""
    if not await served_cup.has_visibility():
        return None
    return await served_cup.change_visibility(lambda show: show.token)


async def is_organiser(request: Request, served_cup: ServedCup) -> bool:
    """Return whether the request has the token of this cup."""
    return served_cup in await _cups_of_token(request, _token_of(request))


async def require_organiser(request: Request, served_cup: ServedCup) -> None:
    """Raise 401 without a token, 403 with a wrong one."""
    token = _token_of(request)
    if not token:
        raise HTTPException(401, msg("only the organiser may do that"), {"WWW-Authenticate": "Bearer"})
    if served_cup not in await _cups_of_token(request, token):
        raise HTTPException(403, msg("this is not the organiser's token"))


def for_organisers(handler: Callable[..., Awaitable[Response]]) -> Callable[..., Awaitable[Response]]:
    """Return a handler that redirects everybody but the organiser to the login, and disables caching."""

    @wraps(handler)
    async def check_and_handle(request: Request, cup: str, **values: Any) -> Response:
        if not await is_organiser(request, find_cup(request, cup)):
            return RedirectResponse(LOGIN, 303)
        answer = await handler(request, cup, **values)
        answer.headers["Cache-Control"] = "no-store"
        return answer

    return check_and_handle


async def _cups_of_token(request: Request, token: str) -> list[ServedCup]:
    if not token:
        return []
    token_sha256 = digest(token)
    cups = []
    for served_cup in served_cups(request).cups.values():
        own_sha256 = await token_digest(served_cup)
        if own_sha256 is not None and hmac.compare_digest(own_sha256, token_sha256):
            cups.append(served_cup)
    if not cups and not opens_tables(request, token):
        wrong_tokens: WrongTokens = request.app.state.wrong_tokens
        wrong_tokens.count(address_of(request))
    return cups


def opens_tables(request: Request, token: str) -> bool:
    """Return whether this is the token for the tables at which people play."""
    own_sha256: str = request.app.state.tables_token()
    return bool(own_sha256) and hmac.compare_digest(own_sha256, digest(token))


async def may_manage_tables(request: Request) -> bool:
    """Return whether the request has the token of the tables, or of a cup that is served beside them."""
    token = _token_of(request)
    return bool(token) and (opens_tables(request, token) or bool(await _cups_of_token(request, token)))


def _token_of(request: Request) -> str:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return token.strip()
    return cookie_of(request, COOKIE)


# --- actions -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OrganiserState:
    """The state of a cup that only the organiser sees."""

    shown: int | None
    """The number of public games; None for all."""
    played: int
    next_series: int | None
    """The number of public games after the rest of the series is revealed."""
    next_stage: int | None
    showing: bool
    """Whether a game is being shown move by move."""

    @property
    def hidden(self) -> int:
        return 0 if self.shown is None else max(0, self.played - self.shown)


async def organiser_state(served_cup: ServedCup) -> OrganiserState:
    """Return how many games were played, and how many are public."""
    visibility = await _visibility(served_cup)
    showing = await served_cup.has_visibility() and await served_cup.change_visibility(
        lambda show: show.staged is not None
    )
    return OrganiserState(
        visibility.shown,
        visibility.count,
        visibility.rest_of_series(),
        visibility.rest_of_stage(),
        bool(showing),
    )


async def next_game(served_cup: ServedCup) -> NextGame | None:
    """Return the game that is revealed next; None if no game that was played is hidden."""
    if not await served_cup.has_results():
        return None

    def read(store: CupStore) -> NextGame | None:
        cup = without_withdrawn(served_cup.original, store)
        return NextGame.of(cup, store, Visibility.of(store, served_cup.storage))

    return await served_cup.read_results(read)


async def _visibility(served_cup: ServedCup) -> Visibility:
    if not await served_cup.has_results():
        return Visibility((), await asyncio.to_thread(served_cup.storage.shown_games))
    return await served_cup.read_results(lambda store: Visibility.of(store, served_cup.storage))


async def hold(served_cup: ServedCup) -> None:
    """Hold back all games that are not public yet."""

    def count(store: CupStore) -> int:
        return store.count_games()

    games = await served_cup.read_results(count) if await served_cup.has_results() else 0
    await served_cup.change_visibility(lambda show: show.hold(at=games))


async def open_all(served_cup: ServedCup) -> None:
    """Make everything public, including all further games."""
    await served_cup.change_visibility(lambda show: show.release())


async def reveal(
    served_cup: ServedCup, amount: str, expected: int | None, pace: float | None
) -> Message | None:
    """Reveal the next game, or the rest of its series or stage. With a pace, show the game move by move.

    Return the reason if nothing was revealed.
    """
    visibility = await _visibility(served_cup)
    if visibility.shown is None:
        return msg("nothing is held back: everything is public")
    if expected is not None and expected != visibility.shown:
        return msg("somebody else has just revealed a game; check the status, then try again")
    amounts = {
        "game": visibility.next_game,
        "series": visibility.rest_of_series,
        "stage": visibility.rest_of_stage,
    }
    to, shown = amounts[amount](), visibility.shown
    if to is None:
        return msg("all games that were played are public")
    if pace is not None and amount == "game":
        speed = min(max(pace, FASTEST), SLOWEST)
        return await served_cup.change_visibility(lambda show: _stage_next_game(show, shown, speed))
    is_revealed = await served_cup.change_visibility(lambda show: show.reveal(to, expected=shown))
    return (
        None
        if is_revealed
        else msg("somebody else has just revealed a game; check the status, then try again")
    )


async def revelation(served_cup: ServedCup, amount: str) -> Revelation | None:
    """Return what would be revealed: the rest of a series or stage, or "all"; None if nothing is hidden."""
    if not await served_cup.has_results():
        return None

    def read(store: CupStore) -> Revelation | None:
        visibility = Visibility.of(store, served_cup.storage)
        to = visibility.rest_of_series() if amount == "series" else visibility.rest_of_stage()
        if visibility.shown is None or (to is None and amount != "all"):
            return None
        cup = without_withdrawn(served_cup.original, store)
        return Revelation.of(cup, store, visibility, None if amount == "all" else to)

    return await served_cup.read_results(read)


def _stage_next_game(show: VisibilityStore, shown: int, pace: float) -> Message | None:
    """Show the next game move by move. Return the reason if it cannot be shown."""
    if show.stage_next(expected=shown, began=clock.now() + 0.5, pace=pace):
        return None
    if show.staged is not None:
        return msg("a game is being shown already; wait for its end, or reveal it at once")
    return msg("somebody else has just revealed a game; check the status, then try again")


# --- pages -------------------------------------------------------------------------------------------


@router.get("/organiser")
async def organiser_page(request: Request, token: str = "") -> Response:
    """Return the organiser's page. A link with the token logs in, and removes the token from the address."""
    if token:
        return await _log_in(request, token)
    return await _desk_page(request)


async def _desk_page(request: Request, said: Message | None = None, status: int = 200) -> Response:
    """Return the organiser's page; `said` is why something was not done."""
    own = await _cups_of_token(request, _token_of(request))
    cups = [(one.public, await organiser_state(one), await next_game(one)) for one in own]
    pace = request.app.state.pace
    logged_in = bool(own) or await may_manage_tables(request)
    values = {"cups": cups, "logged_in": logged_in, "wrong": False, "pace": pace, "said": said}
    answer = page(request, "organiser.html", status, **values)
    answer.headers["Cache-Control"] = "no-store"
    return answer


@router.post("/organiser/login")
async def login(request: Request, token: Annotated[str, Form(max_length=200)] = "") -> Response:
    return await _log_in(request, token)


async def _log_in(request: Request, token: str) -> Response:
    if not opens_tables(request, token.strip()) and not await _cups_of_token(request, token.strip()):
        answer = page(request, "organiser.html", 403, cups=[], logged_in=False, wrong=True, pace=0, said=None)
        answer.headers["Cache-Control"] = "no-store"
        return answer
    answer = RedirectResponse("/organiser", 303)
    give_cookie(request, answer, COOKIE, token.strip(), seconds=30 * 86_400, samesite="strict")
    return answer


@router.post("/organiser/logout")
async def logout(request: Request) -> Response:
    answer = RedirectResponse("/organiser", 303)
    give_cookie(request, answer, COOKIE, "", seconds=0, samesite="strict")
    return answer


@router.post("/cups/{cup}/organiser/hold")
async def hold_form(request: Request, cup: str) -> Response:
    served_cup = find_cup(request, cup)
    await require_organiser(request, served_cup)
    await hold(served_cup)
    return _back()


@router.post("/cups/{cup}/organiser/open")
async def open_form(request: Request, cup: str) -> Response:
    served_cup = find_cup(request, cup)
    await require_organiser(request, served_cup)
    await open_all(served_cup)
    return _back()


@router.get("/cups/{cup}/organiser/reveal/{amount}")
@for_organisers
async def confirm_reveal(request: Request, cup: str, amount: str) -> Response:
    """Ask whether to reveal the rest of a series or stage, or everything, and say what that shows."""
    buttons = {
        "series": msg("reveal the rest of the series"),
        "stage": msg("reveal the rest of the stage"),
        "all": msg("reveal everything"),
    }
    if amount not in buttons:
        raise HTTPException(404)
    served_cup = find_cup(request, cup)
    what = await revelation(served_cup, amount)
    if what is None and amount != "all":
        return _back()
    what = what or Revelation(0, 0, everything=True)
    state = await organiser_state(served_cup)
    address = f"{served_cup.public.address}/organiser"
    return page(
        request,
        "confirm.html",
        public=served_cup.public,
        sentences=what.sentences,
        button=buttons[amount],
        action=f"{address}/open" if amount == "all" else f"{address}/reveal",
        fields={} if amount == "all" else {"amount": amount, "expected": state.shown or 0},
        back=LOGIN,
    )


@router.post("/cups/{cup}/organiser/reveal")
async def reveal_form(
    request: Request,
    cup: str,
    amount: Annotated[str, Form(max_length=10)] = "game",
    expected: Annotated[int | None, Form(ge=0)] = None,
    pace: Annotated[float | None, Form(ge=0, le=60)] = None,
) -> Response:
    """Reveal games. `pace` is the number of seconds between moves; without one, or 0, reveal at once."""
    served_cup = find_cup(request, cup)
    await require_organiser(request, served_cup)
    if amount not in AMOUNTS:
        raise HTTPException(422)
    problem = await reveal(served_cup, amount, expected, pace or None)
    if problem is not None:
        return await _desk_page(request, problem, 409)
    return _back()


@router.get("/cups/{cup}/organiser")
@router.get("/cups/{cup}/organiser/reveal")
async def organiser_address(request: Request, cup: str) -> Response:
    """Lead to the organiser's page, which has all cups."""
    find_cup(request, cup)
    return _back()


def _back() -> Response:
    return RedirectResponse("/organiser", 303)


# --- the token, when a server starts -----------------------------------------------------------------


async def has_token(served_cup: ServedCup) -> bool:
    return await token_digest(served_cup) is not None


async def keep_token(served_cup: ServedCup, token: str) -> None:
    """Store the digest of a new token."""
    token_sha256 = digest(token)
    await served_cup.change_visibility(lambda show: show.set_token(token_sha256))
