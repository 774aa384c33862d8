"""What only the organiser may do: hold results back, reveal them, open everything.

The organiser has a token. It is made when a cup is first served, told once, and known here by its SHA-256
alone (`show.sqlite`). Programs send it as `Authorization: Bearer TOKEN`; a browser logs in with it once and
keeps it in a cookie that no other site can make it send, and that no script can read. Forms of other sites
are refused for everybody (`botequim.web.server.middleware`).

Others use `require_organiser(request, served)` for actions of their own.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
from dataclasses import dataclass
from hashlib import sha256
from typing import Annotated, Final

from fastapi import APIRouter, Form, HTTPException, Request
from starlette.responses import RedirectResponse, Response

from botequim.core import clock
from botequim.core.messages import Message, msg
from botequim.storage.protocol import CupStore, VisibilityStore
from botequim.storage.visibility import Visibility
from botequim.web.cookies import cookie_of, give_cookie
from botequim.web.deps import address_of, served_cup, served_cups
from botequim.web.live.served import ServedCup
from botequim.web.server.middleware import Rate, RateLimiter
from botequim.web.templating import page

router = APIRouter(include_in_schema=False)

COOKIE: Final = "organiser"
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


class Doorkeeper:
    """Counts wrong tokens by address.

    A right token is always accepted: in a hall that has one address, the mistakes or the malice of others
    must not lock the organiser out. Twelve characters or more cannot be guessed, however often somebody
    tries.
    """

    def __init__(self) -> None:
        self._wrong: Final = RateLimiter(Rate(10, 0.1))

    def count(self, address: str) -> None:
        """Count a wrong token. Raise 429 after too many."""
        if wait := self._wrong.take(address):
            again = {"Retry-After": str(int(wait) + 1)}
            raise HTTPException(429, msg("there were too many wrong tokens from this address"), again)


async def token_digest(served: ServedCup) -> str | None:
    """Return the digest of the organiser's token, if there is one."""
    if not await served.has_visibility():
        return None
    return await served.changing(lambda show: show.token)


async def is_organiser(request: Request, served: ServedCup) -> bool:
    """Return whether the request has the token of this cup."""
    return served in await _own(request, _token_of(request))


async def require_organiser(request: Request, served: ServedCup) -> None:
    """Raise 401 without a token, 403 with a wrong one."""
    given = _token_of(request)
    if not given:
        raise HTTPException(401, msg("only the organiser may do that"), {"WWW-Authenticate": "Bearer"})
    if served not in await _own(request, given):
        raise HTTPException(403, msg("this is not the organiser's token"))


async def _own(request: Request, token: str) -> list[ServedCup]:
    if not token:
        return []
    given = digest(token)
    found = []
    for served in served_cups(request).cups.values():
        known = await token_digest(served)
        if known is not None and hmac.compare_digest(known, given):
            found.append(served)
    if not found:
        doorkeeper: Doorkeeper = request.app.state.doorkeeper
        doorkeeper.count(address_of(request))
    return found


def _token_of(request: Request) -> str:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return token.strip()
    return cookie_of(request, COOKIE)


# --- what is done ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OrganiserState:
    """What the organiser knows beyond the public state."""

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


async def organiser_state(served: ServedCup) -> OrganiserState:
    """Return how many games were played, and how many are public."""
    visibility = await _visibility(served)
    showing = await served.has_visibility() and await served.changing(lambda show: show.staged is not None)
    return OrganiserState(
        visibility.shown,
        visibility.count,
        visibility.rest_of_series(),
        visibility.rest_of_stage(),
        bool(showing),
    )


async def _visibility(served: ServedCup) -> Visibility:
    if not await served.has_results():
        return Visibility((), await asyncio.to_thread(served.storage.shown_games))
    return await served.reading(lambda store: Visibility.of(store, served.storage))


async def hold(served: ServedCup) -> None:
    """Hold back all games that are not public yet."""

    def count(store: CupStore) -> int:
        return store.count_games()

    played = await served.reading(count) if await served.has_results() else 0
    await served.changing(lambda show: show.hold(at=played))


async def open_all(served: ServedCup) -> None:
    """Make everything public, now and live."""
    await served.changing(lambda show: show.release())


async def reveal(served: ServedCup, amount: str, expected: int | None, pace: float | None) -> Message | None:
    """Reveal the next game, or the rest of its series or stage; with a pace the game is shown move by move.

    Return the reason if nothing was revealed.
    """
    visibility = await _visibility(served)
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
        return await served.changing(lambda show: _begin(show, shown, speed))
    done = await served.changing(lambda show: show.reveal(to, expected=shown))
    return None if done else msg("somebody else has just revealed a game; check the status, then try again")


def _begin(show: VisibilityStore, shown: int, pace: float) -> Message | None:
    """Show the next game. Return the reason if it cannot be shown."""
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
        return await _logged_in(request, token)
    own = await _own(request, _token_of(request))
    cups = [(one.public, await organiser_state(one)) for one in own]
    pace = request.app.state.pace
    answer = page(request, "organiser.html", cups=cups, logged_in=bool(own), wrong=False, pace=pace)
    answer.headers["Cache-Control"] = "no-store"
    return answer


@router.post("/organiser/login")
async def login(request: Request, token: Annotated[str, Form(max_length=200)] = "") -> Response:
    return await _logged_in(request, token)


async def _logged_in(request: Request, token: str) -> Response:
    if not await _own(request, token.strip()):
        answer = page(request, "organiser.html", 403, cups=[], logged_in=False, wrong=True, pace=0)
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
    served = served_cup(request, cup)
    await require_organiser(request, served)
    await hold(served)
    return _back()


@router.post("/cups/{cup}/organiser/open")
async def open_form(request: Request, cup: str) -> Response:
    served = served_cup(request, cup)
    await require_organiser(request, served)
    await open_all(served)
    return _back()


@router.post("/cups/{cup}/organiser/reveal")
async def reveal_form(
    request: Request,
    cup: str,
    amount: Annotated[str, Form(max_length=10)] = "game",
    expected: Annotated[int | None, Form(ge=0)] = None,
    pace: Annotated[float | None, Form(ge=0, le=60)] = None,
) -> Response:
    """Reveal games. `pace` is the number of seconds between moves; without one, or 0, reveal at once."""
    served = served_cup(request, cup)
    await require_organiser(request, served)
    if amount not in AMOUNTS:
        raise HTTPException(422)
    refused = await reveal(served, amount, expected, pace or None)
    if refused is not None:
        return page(request, "error.html", 409, status_code=409, why=refused)
    return _back()


def _back() -> Response:
    return RedirectResponse("/organiser", 303)


# --- when a server starts ----------------------------------------------------------------------------


async def has_token(served: ServedCup) -> bool:
    return await token_digest(served) is not None


async def keep_token(served: ServedCup, token: str) -> None:
    """Store the digest of a new token."""
    stored = digest(token)
    await served.changing(lambda show: show.set_token(stored))
