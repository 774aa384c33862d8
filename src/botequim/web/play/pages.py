"""`/play`: all tables, the form for a new one, invitations, and the page of one table."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from fastapi import APIRouter, Form, HTTPException, Request
from starlette.datastructures import FormData
from starlette.responses import RedirectResponse, Response

from botequim import i18n, registry
from botequim.core.errors import BotequimError, InputError
from botequim.core.messages import Message, msg
from botequim.core.options import IntOption, Option
from botequim.i18n import translate
from botequim.render.layout import Shape
from botequim.tables.controls import controls_for
from botequim.tables.opening import PLAYERS, TableWishes, default_options, open_table, player_choices
from botequim.tables.spec import CLOCKS, Phase, TableSpec
from botequim.tables.table import Table
from botequim.terminal.ui import TerminalUI
from botequim.web import positions, prose
from botequim.web.deps import address_of
from botequim.web.play.deps import find_seat, find_table, site_of, tables_of
from botequim.web.qr import is_local, qr_svg
from botequim.web.templating import language_of, page

router = APIRouter(include_in_schema=False, prefix="/play")

SEAT: Final = "/seat/{secret}"
WATCH: Final = "/watch/{table}"
MOST_SEATS: Final = 10


@dataclass(frozen=True, slots=True)
class PlayGame:
    """A game as the page of all tables offers it."""

    name: str
    short: str
    """The aim of the game in one sentence."""
    seats: Sequence[int]
    """The numbers of seats that a table may have."""
    usual_seats: int
    teams: Sequence[Sequence[int]]
    """The seats of each team, with the usual options."""
    players: Sequence[tuple[str, str]]
    """The built-in players: the value of the form, and the text."""
    bots: Sequence[tuple[str, str]]
    """The programs that the organiser offers."""
    options: Sequence[tuple[Option, str]]
    """The options with their explanations, without the number of players."""
    best_of: int
    art: str
    """The address of a picture of the game."""


@dataclass(frozen=True, slots=True)
class OpenTable:
    """A table that is listed for everybody."""

    spec: TableSpec
    join: str
    """The address at which a free seat is taken; "" if everybody may only watch."""
    watch: str


# --- all tables ----------------------------------------------------------------------------------------


@router.get("")
async def all_tables(request: Request) -> Response:
    return _all_tables(request)


def _all_tables(request: Request, problem: str = "", status: int = 200) -> Response:
    tables = tables_of(request)
    return page(
        request,
        "play.html",
        status,
        games=play_games(tables.bots.names),
        open_tables=[_open_table(spec) for spec in tables.open_tables()],
        clocks=CLOCKS,
        problem=problem,
        chosen=request.query_params.get("game", ""),
    )


def play_games(bots: Any) -> list[PlayGame]:
    """Return the games that can be played. `bots` returns the names of the bots that a game offers."""
    games = []
    for plugin in registry.plugins():
        try:
            games.append(_play_game(plugin.name, bots(plugin.name)))
        except BotequimError:  # a broken plugin; `botequim games` says why
            continue
    return games


def _play_game(name: str, bots: Sequence[str]) -> PlayGame:
    game = registry.game(name)
    options = default_options(game)
    teams = game.teams(options)
    count = sum(map(len, teams))
    numbers = next((one for one in game.options if one.name == PLAYERS), None)
    seats = range(numbers.low, numbers.high + 1) if isinstance(numbers, IntOption) else [count]
    ui = registry.terminal(name) or TerminalUI
    controls = controls_for(game, [{"name": str(at + 1)} for at in range(count)], 0)
    return PlayGame(
        name=name,
        short=translate(controls.goal()),
        seats=list(seats),
        usual_seats=count,
        teams=teams,
        players=[(player, player_text(player)) for player in player_choices(name)],
        bots=[(bot, bot) for bot in bots],
        options=[
            (option, translate(option.help))
            for option in game.options
            if option.name != PLAYERS and option.name not in controls.options_for_bots
        ],
        best_of=ui.best_of,
        art=_picture_of(name),
    )


def player_text(player: str) -> str:
    """Return the name of a built-in player for people: `champion (easy)`."""
    name, _, level = player.partition("@")
    return f"{name} ({translate(LEVELS[level]) if level in LEVELS else level})" if level else name


LEVELS: Final[Mapping[str, Message]] = {
    "easy": msg("easy"),
    "normal": msg("normal"),
    "hard": msg("hard"),
    "full": msg("full strength"),
}


def _picture_of(game: str) -> str:
    """Return the address of a picture of a position; "" if the texts of the game have none."""
    name = next((one for one in positions.names() if one.startswith(f"{game}-")), None)
    return "" if name is None else f"/rules/pictures/{i18n.language()}/{name}.{Shape.TABLE}.svg"


def _open_table(spec: TableSpec) -> OpenTable:
    free = [spec.seats[at] for at in spec.free_seats if spec.seats[at].is_listed]
    join = f"/play/join/{free[0].invitation}" if free and spec.phase is Phase.WAITING else ""
    return OpenTable(spec, join, f"/play/watch/{spec.id}")


@router.post("/tables")
async def open_new_table(request: Request) -> Response:
    tables = tables_of(request)
    form = await request.form()
    try:
        wishes = _wishes(form, address_of(request))
        spec = open_table(wishes, tables.bots.names(wishes.game))
        table = tables.add(spec)
    except BotequimError as error:
        return _all_tables(request, translate(error.message), 422)
    return RedirectResponse(f"/play/seat/{table.spec.seats[spec.creator].secret}", 303)


def _wishes(form: FormData, address: str) -> TableWishes:
    values = {name: str(value) for name, value in form.items()}
    count = _number(values.get("players", ""), MOST_SEATS) or _seat_count(values.get("game", ""))
    seats = [values.get(f"seat-{at}", "") for at in range(1, count + 1)]
    options = {
        name.removeprefix("option-"): value for name, value in values.items() if name.startswith("option-")
    }
    hints = {"yes": True, "no": False}.get(values.get("hints", ""))
    return TableWishes(
        game=values.get("game", ""),
        name=values.get("name", ""),
        seats=seats,
        options=options,
        best_of=_number(values.get("best_of", "")) or 1,
        move_seconds=_number(values.get("clock", "")),
        is_listed="watch" in values,
        has_hints=hints,
        address=address,
    )


def _seat_count(game: str) -> int:
    rules = registry.game(game)
    return sum(map(len, rules.teams(default_options(rules))))


def _number(text: str, most: int = 1000) -> int:
    """Return a number of a form; 0 for an empty field. Raise InputError if it is none."""
    if not text:
        return 0
    if not (text.isascii() and text.isdigit() and len(text) <= 4 and int(text) <= most):
        raise InputError(msg('"{text}" is not a number that is possible here', text=text[:20]))
    return int(text)


# --- invitations ---------------------------------------------------------------------------------------


@router.get("/join/{invitation}")
async def invitation(request: Request, invitation: str) -> Response:
    table, at = _invitation(request, invitation)
    return _join_page(request, table, at, invitation)


@router.post("/join/{invitation}")
async def accept(request: Request, invitation: str, name: str = Form("")) -> Response:
    table, at = _invitation(request, invitation)
    try:
        secret = table.take_seat(at, name)
    except InputError as error:
        return _join_page(request, table, at, invitation, translate(error.message), 422)
    return RedirectResponse(f"/play/seat/{secret}", 303)


def _join_page(
    request: Request, table: Table, at: int, invitation: str, problem: str = "", status: int = 200
) -> Response:
    spec = table.spec
    partner = next((seats for seats in spec.teams if at in seats), ())
    return page(
        request,
        "play_join.html",
        status,
        game=spec.game,
        names=spec.names,
        seat=at,
        partners=[spec.names[seat] for seat in partner if seat != at and spec.names[seat]],
        repeats=bool(spec.repeats),
        join=f"/play/join/{invitation}",
        problem=problem,
    )


def _invitation(request: Request, text: str) -> tuple[Table, int]:
    found = tables_of(request).invitation(text)
    if found is None:
        raise HTTPException(404, msg("this invitation has been used, or the table is gone"))
    return found


# --- one table -----------------------------------------------------------------------------------------


@router.get(SEAT)
async def own_table(request: Request, secret: str) -> Response:
    table, seat = find_seat(request, secret)
    answer = await asyncio.to_thread(_table_page, request, table, f"/play/seat/{secret}", seat)
    answer.headers["Cache-Control"] = "no-store"  # the address is a secret
    return answer


@router.get(WATCH)
async def table_for_spectators(request: Request, table: str) -> Response:
    found = find_table(request, table)
    return await asyncio.to_thread(_table_page, request, found, f"/play/watch/{table}", None)


def _table_page(request: Request, table: Table, base: str, seat: int | None) -> Response:
    spec = table.spec
    return page(
        request,
        "play_table.html",
        game=spec.game,
        title=spec.game,
        base=base,
        events=f"{base}/events",
        seat=seat,
        names=spec.names,
        watch=f"/play/watch/{spec.id}",
        where=site_of(request),
        creator=seat == spec.creator,
        count=len(spec.seats),
    )


@router.get(SEAT + "/rules")
async def rules_of_table(request: Request, secret: str) -> Response:
    table, _seat = find_seat(request, secret)
    return _rules(request, table)


@router.get(WATCH + "/rules")
async def rules_for_spectators(request: Request, table: str) -> Response:
    return _rules(request, find_table(request, table))


def _rules(request: Request, table: Table) -> Response:
    text = prose.page(f"rules-{table.spec.game}", language_of(request))
    return page(request, "play_rules.html", text=text, game=table.spec.game, rules=table.game)


@router.get(SEAT + "/qr")
async def qr_code(request: Request, secret: str, path: str) -> Response:
    """Return the QR code of an address of this server, for example of an invitation."""
    find_seat(request, secret)
    if not path.startswith("/play/") or len(path) > 200:
        raise HTTPException(404)
    address = site_of(request) + path
    local = "yes" if is_local(address) else "no"
    headers = {"Cache-Control": "no-store", "X-Local": local}
    return Response(qr_svg(address), media_type="image/svg+xml", headers=headers)
