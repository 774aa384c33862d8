"""The pages of a cup: the big screen, its games, its entrants."""

from __future__ import annotations

import asyncio
import json
from collections import Counter, OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

from fastapi import APIRouter, HTTPException, Query, Request
from starlette.responses import Response

from botequim.cup.config import Withdrawal
from botequim.cup.report.content import Times, image_problem
from botequim.render.portraits import IMAGES
from botequim.storage.protocol import CupStore
from botequim.storage.visibility import PublicSeries
from botequim.web.deps import find_cup
from botequim.web.live.public import PublicFault, PublicGame, PublicSnapshot
from botequim.web.live.served import ServedCup
from botequim.web.qr import is_local, qr_svg
from botequim.web.templating import page

router = APIRouter(include_in_schema=False)

SERIES_A_PAGE: Final = 50
GAMES_A_PAGE: Final = 200
MOST_FAULTS: Final = 20
"""The most faults with their evidence."""
MOST_ALIKE: Final = 4
"""The most faults with the same reason, so that a rare fault is shown too."""
MOST_TIMED: Final = 60
"""The number of an entrant's latest games whose times are counted."""
MOST_KEPT: Final = 500

PageNumber = Annotated[int, Query(alias="page", ge=1, le=1_000_000)]


# --- the big screen -----------------------------------------------------------------------------------


@router.get("/cups/{cup}/show")
async def show_page(request: Request, cup: str) -> Response:
    public = find_cup(request, cup).public
    return page(request, "show.html", public=public, where=public_url(request, public))


@router.get("/cups/{cup}/qr.svg")
async def qr_code(request: Request, cup: str) -> Response:
    """Return a QR code of the address of the cup's page."""
    public = find_cup(request, cup).public
    headers = {"Cache-Control": "no-cache"}
    return Response(qr_svg(public_url(request, public)), media_type="image/svg+xml", headers=headers)


def public_url(request: Request, public: PublicSnapshot) -> str:
    """Return the URL of a cup for other machines: as in the request, or with the server's network address."""
    here = str(request.base_url)
    own: str = request.app.state.address
    start = own if is_local(here) and own else here
    return start.rstrip("/") + public.address


# --- games --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Sheet:
    """One page of a long list."""

    number: int
    """From 1."""
    of: int

    @property
    def before(self) -> int | None:
        return self.number - 1 if self.number > 1 else None

    @property
    def after(self) -> int | None:
        return self.number + 1 if self.number < self.of else None


def _sheet(number: int, length: int, most: int) -> Sheet:
    pages = max(1, -(-length // most))
    if number > pages:
        raise HTTPException(404)
    return Sheet(number, pages)


@router.get("/cups/{cup}/games")
async def games_page(request: Request, cup: str, number: PageNumber = 1) -> Response:
    """Return the list of all series, the newest first."""
    public = find_cup(request, cup).public
    sheet = _sheet(number, len(public.series), SERIES_A_PAGE)
    first = (number - 1) * SERIES_A_PAGE
    chosen = list(reversed(public.series))[first : first + SERIES_A_PAGE]
    return page(request, "games.html", public=public, chosen=chosen, sheet=sheet)


@router.get("/cups/{cup}/games/{series}")
async def series_page(request: Request, cup: str, series: int, number: PageNumber = 1) -> Response:
    """Return the list of all games of one series."""
    public = find_cup(request, cup).public
    one = public.series_by_number(series)
    if one is None:
        raise HTTPException(404)
    count = len(one.result.games)
    sheet = _sheet(number, count, GAMES_A_PAGE)
    first = (number - 1) * GAMES_A_PAGE
    label = public.label(one)
    numbers = range(first + 1, min(first + GAMES_A_PAGE, count) + 1)
    games = [PublicGame(public.slug, one, at, label) for at in numbers]
    return page(request, "series.html", public=public, series=one, label=label, games=games, sheet=sheet)


# --- entrants -----------------------------------------------------------------------------------------


@router.get("/cups/{cup}/entrants/{key}/portrait")
async def portrait(
    request: Request, cup: str, key: str, member: Annotated[int | None, Query(ge=0, le=9)] = None
) -> Response:
    """Return the picture of an entrant or of a member."""
    public = find_cup(request, cup).public
    entry = public.entry_of_key(key)
    path = public.cup.portrait(entry, member) if entry is not None else None
    content = await asyncio.to_thread(_image, path) if path is not None else None
    if content is None:
        raise HTTPException(404)
    kind = next(kind for start, kind in IMAGES.items() if content.startswith(start))
    return Response(content, media_type=f"image/{kind}", headers={"Cache-Control": "max-age=300"})


def _image(path: Path) -> bytes | None:
    try:
        return path.read_bytes() if image_problem(path) is None else None
    except OSError:
        return None


@router.get("/cups/{cup}/entrants/{key}")
async def entrant_page(request: Request, cup: str, key: str) -> Response:
    """Return the results and the faults of an entrant."""
    served_cup = find_cup(request, cup)
    public = served_cup.public
    entry = public.entry_of_key(key)
    if entry is None:
        raise HTTPException(404)
    name = entry.name
    absence = next((one for one in public.cup.absent if one.entry.name == name), None)
    faults = [one for one in public.all_faults if one.entrant == name]
    detailed = await served_cup.with_evidence(selection) if (selection := _select_faults(faults)) else []
    return page(
        request,
        "entrant.html",
        public=public,
        entry=entry,
        absence=_why(absence),
        changes=[one for one in public.changes if one.concerns(name)],
        row=_row(public, name),
        series=[one for one in reversed(public.series) if name in one.result.entrants],
        times=await times_of(request, served_cup, public, name),
        faults=detailed,
        counted=Counter(one.kind for one in faults).most_common(),
        more=len(faults) - len(detailed),
        repository=entry.repository if entry.repository.startswith(("http://", "https://")) else "",
    )


def _why(absence: Withdrawal | None) -> Any:
    return None if absence is None else absence.why


def _row(public: PublicSnapshot, name: str) -> Any:
    rows = public.content.overall if public.content is not None else ()
    return next((row for row in rows if row.entrant == name), None)


def _select_faults(faults: Sequence[PublicFault]) -> list[PublicFault]:
    """Return some of the faults, the newest first, and only a few with the same kind and reason."""
    alike: Counter[tuple[str, str]] = Counter()
    selection: list[PublicFault] = []
    for fault in reversed(faults):
        reason = (fault.kind, fault.why.template)
        alike[reason] += 1
        if alike[reason] <= MOST_ALIKE and len(selection) < MOST_FAULTS:
            selection.append(fault)
    return selection


# --- thinking times -------------------------------------------------------------------------------------


async def times_of(request: Request, served_cup: ServedCup, public: PublicSnapshot, name: str) -> Times:
    """Return the thinking time of an entrant in its latest games. It is cached."""
    cache: OrderedDict[Any, Times] = request.app.state.times
    key = (public.slug, name, public.pace.games)
    if key not in cache:
        games = _newest(public, name)
        cache[key] = (
            await served_cup.read_results(lambda store: _count_times(store, games, name))
            if games
            else Times()
        )
        while len(cache) > MOST_KEPT:
            cache.popitem(last=False)
    return cache[key]


def _newest(public: PublicSnapshot, name: str) -> list[tuple[PublicSeries, int]]:
    games: list[tuple[PublicSeries, int]] = []
    for one in reversed(public.series):
        if name in one.result.entrants:
            games += [(one, game) for game in range(len(one.result.games), 0, -1)]
        if len(games) >= MOST_TIMED:
            break
    return games[:MOST_TIMED]


def _count_times(store: CupStore, games: Sequence[tuple[PublicSeries, int]], name: str) -> Times:
    times = Times()
    for series, game in games:
        lines = store.record(series.stage, series.key, game - 1)
        if lines is None:
            continue
        seats = [seat["name"] for seat in json.loads(lines[0])["seats"]]
        for text in lines[1:-1]:
            line = json.loads(text)
            for move in line.get("moves", ()):
                if "us" in move and move["by"] != "chance" and seats[move["by"]] == name:
                    times.add(move["us"], ("", "", series.number, game))
    return times
