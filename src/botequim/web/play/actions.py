"""What a person does at a table: moves, asks for advice, leaves, plays again. Scripts send it as JSON."""

from __future__ import annotations

from typing import Annotated, Any, Final

from fastapi import APIRouter, HTTPException, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import JSONResponse, Response

from botequim import i18n
from botequim.core.errors import BotequimError, InputError, PlayerFault
from botequim.core.messages import Message, msg
from botequim.i18n import translate
from botequim.render.layout import PLAY_SHAPES, Shape
from botequim.tables.person import OutdatedMove
from botequim.tables.review import Review, explain_advice
from botequim.tables.spec import Phase
from botequim.tables.table import Table
from botequim.tables.thinking import ThinkingBusy
from botequim.tables.viewer import Viewer
from botequim.web.deps import address_of
from botequim.web.pages.events import AGAIN_SECONDS, Audience
from botequim.web.play.deps import find_seat, find_table, play_state, site_of, tables_of
from botequim.web.play.pages import SEAT, WATCH
from botequim.web.play.stream import TableStream
from botequim.web.qr import qr_svg
from botequim.web.templating import language_headers, language_of

router = APIRouter(include_in_schema=False, prefix="/play")

MOST_REVIEWS: Final = 200
DONE: Final = 204


class MoveRequest(BaseModel):
    """A move of a person."""

    model_config = ConfigDict(extra="forbid")

    game: int
    turn: int
    move: Annotated[str, Field(max_length=200)]
    say: Annotated[str, Field(max_length=280)] = ""


class AgainRequest(BaseModel):
    """How a person wants to play again."""

    model_config = ConfigDict(extra="forbid")

    how: Annotated[str, Field(pattern="^(rematch|swap|challenge)$")]


# --- events --------------------------------------------------------------------------------------------


@router.get(SEAT + "/events")
async def events_of_seat(request: Request, secret: str) -> Response:
    table, seat = find_seat(request, secret)
    return _stream(request, table, seat)


@router.get(WATCH + "/events")
async def events_for_spectators(request: Request, table: str) -> Response:
    return _stream(request, find_table(request, table), None)


def _stream(request: Request, table: Table, seat: int | None) -> Response:
    language = i18n.supported_language(request.query_params.get("lang", "")) or language_of(request)
    asked = request.query_params.get("shape")
    shape = next((one for one in PLAY_SHAPES if one == asked), Shape.DESK)
    audience: Audience = request.app.state.audience
    address = address_of(request)
    if not audience.come(address):
        raise HTTPException(503, msg("too many viewers"), {"Retry-After": str(AGAIN_SECONDS)})
    return TableStream(
        table,
        play_state(request).view_of(table),
        Viewer(seat),
        language,
        shape,
        packs="gzip" in request.headers.get("accept-encoding", ""),
        on_end=lambda: audience.leave(address),
    )


# --- a person's actions ----------------------------------------------------------------------------------


@router.post(SEAT + "/move")
async def move(request: Request, secret: str, wish: MoveRequest) -> Response:
    table, seat = find_seat(request, secret)
    try:
        table.move(seat, wish.game, wish.turn, wish.move, wish.say)
    except OutdatedMove as error:
        return _refusal(request, 409, error.message)
    except InputError as error:
        return _refusal(request, 422, error.message)
    return Response(status_code=DONE)


@router.post(SEAT + "/hint")
async def hint(request: Request, secret: str) -> Response:
    table, seat = find_seat(request, secret)
    to_move = table.game.to_move(table.moment.state)
    try:
        view, advice = await table.advice(seat)
    except ThinkingBusy as error:
        return _refusal(request, 503, error.message)
    except PlayerFault:
        return _refusal(request, 503, msg("the champion could not give a hint"))
    except BotequimError as error:
        return _refusal(request, 422, error.message)
    with i18n.use_language(language_of(request)):
        seats = [{"name": name} for name in table.spec.names]
        explained = explain_advice(advice, table.game, seats, seat, view, to_move)
    content = {"lines": list(explained.lines), "move": table.game.write(explained.move)}
    return JSONResponse(content, headers=language_headers(request))


@router.post(SEAT + "/leave")
async def leave(request: Request, secret: str) -> Response:
    table, seat = find_seat(request, secret)
    table.leave(seat)
    return Response(status_code=DONE)


@router.post(SEAT + "/return")
async def come_back(request: Request, secret: str) -> Response:
    table, seat = find_seat(request, secret)
    table.come_back(seat)
    return Response(status_code=DONE)


@router.post(SEAT + "/start")
async def start(request: Request, secret: str) -> Response:
    table, seat = find_seat(request, secret)
    try:
        table.start(seat)
    except InputError as error:
        return _refusal(request, 409, error.message)
    return Response(status_code=DONE)


@router.post(SEAT + "/again")
async def play_again(request: Request, secret: str, wish: AgainRequest) -> Response:
    tables = tables_of(request)
    table, seat = find_seat(request, secret)
    if table.spec.phase is not Phase.OVER:
        return _refusal(request, 409, msg("the game is not over yet"))
    try:
        if wish.how == "challenge":
            path = f"/play/join/{tables.challenge(table, seat)}"
            address = site_of(request) + path
            return JSONResponse({"address": address, "qr": qr_svg(address)})
        secret = tables.play_again(table, seat, same_deal=wish.how == "swap")
    except BotequimError as error:
        return _refusal(request, 422, error.message)
    return JSONResponse({"address": f"/play/seat/{secret}"})


@router.get(SEAT + "/review")
async def review(request: Request, secret: str, game: int = 1) -> Response:
    """Return what the champion thinks of each move of the person, as far as it is ready."""
    table, seat = find_seat(request, secret)
    lines = table.files.record(game) if 1 <= game <= table.spec.number else None
    if lines is None:
        raise HTTPException(404, msg("this game is not over, or does not exist"))
    reviews = play_state(request).reviews
    key = (table.spec.id, seat, game)
    if key not in reviews:
        reviews[key] = Review(table, seat, lines)
        if len(reviews) > MOST_REVIEWS:
            reviews.popitem(last=False)
    return JSONResponse(reviews[key].to_json(language_of(request)))


def _refusal(request: Request, status: int, why: Message) -> Response:
    with i18n.use_language(language_of(request)):
        content: dict[str, Any] = {"detail": translate(why)}
    return JSONResponse(content, status, language_headers(request))
