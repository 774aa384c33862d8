"""The JSON API of cups, made of the `PublicSnapshot` alone."""

from __future__ import annotations

import json
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Header, HTTPException, Path, Query, Request
from fastapi.security import HTTPBearer
from starlette.responses import Response

from botequim.core import clock
from botequim.i18n import translate
from botequim.web.api import models
from botequim.web.api.values import row_of, score_of, series_of, stage_of
from botequim.web.deps import find_cup, served_cups
from botequim.web.jobs import records
from botequim.web.live.public import PublicGame
from botequim.web.live.served import ServedCup
from botequim.web.pages import organiser
from botequim.web.pages.cups import times_of
from botequim.web.pages.game_files import Hands, perspective_of, render_in_worker, render_workers
from botequim.web.pages.replays import lines_of, lines_to_render, public_game
from botequim.web.templating import PageCache, language_headers


async def set_language_headers(
    request: Request,
    response: Response,
    lang: Annotated[
        str | None,
        Query(
            max_length=35, description="the language of sentences, `en` or `pt_BR`; it overrides the header"
        ),
    ] = None,
    accept_language: Annotated[
        str | None, Header(description="the preferred languages; the default is English")
    ] = None,
) -> None:
    """Add the language headers to every answer, and the language parameters to every description."""
    response.headers.update(language_headers(request))


router = APIRouter(
    prefix="/api",
    dependencies=[Depends(set_language_headers)],
    responses={
        404: {"model": models.Problem, "description": "not found, or not public"},
        422: {"model": models.Problem, "description": "invalid request"},
        429: {"model": models.Problem, "description": "too many requests; `Retry-After` says when to retry"},
        503: {"model": models.Problem, "description": "unavailable now; `Retry-After` says when to retry"},
    },
)
pages = APIRouter(include_in_schema=False)

HIGHEST: Final = 10**9
Slug = Annotated[str, Path(description="the cup's name in addresses", max_length=200)]
Number = Annotated[int, Path(ge=1, le=HIGHEST)]
Offset = Annotated[int, Query(ge=0, le=HIGHEST, description="how many to leave out")]
Limit = Annotated[int, Query(ge=1, le=500, description="how many at most")]
bearer = HTTPBearer(auto_error=False, description="the organiser's token")


@router.get("/cups", tags=["cups"])
async def cups(request: Request) -> list[models.CupBrief]:
    """List the cups that are served."""
    return [models.CupBrief.model_validate(one.public) for one in served_cups(request).cups.values()]


@router.get("/cups/{cup}", tags=["cups"])
async def cup(request: Request, cup: Slug) -> models.Cup:
    """Return a cup: the entrants, the game, the progress and the winners."""
    public = find_cup(request, cup).public
    content = public.content
    return models.Cup(
        **dict(models.CupBrief.model_validate(public)),
        options=dict(public.cup.options),
        entrants=[models.EntrantBrief.model_validate(public.entrant(entry)) for entry in public.cup.entrants],
        absent={one.entry.name: translate(one.why) for one in public.cup.absent},
        stages=[stage_of(public, plan) for plan in public.cup.plans],
        podium=[models.Place.model_validate(step) for step in public.podium],
        commitment=content.promise if content is not None else public.cup.commitment,
        seed=content.progress.seed if content is not None and public.over else None,
        trouble=models.sentence(public.trouble),
    )


@router.get("/cups/{cup}/pace", tags=["cups"])
async def pace(request: Request, cup: Slug) -> models.Pace:
    """Return the progress of a cup."""
    return models.Pace.model_validate(find_cup(request, cup).public.pace)


@router.get("/cups/{cup}/standings", tags=["standings"])
async def standings(request: Request, cup: Slug) -> models.Standings:
    """Return the overall standings, and those of each stage."""
    content = find_cup(request, cup).public.content
    if content is None:
        return models.Standings(overall=[], stages=[])
    return models.Standings(
        overall=[row_of(row) for row in content.overall],
        stages=[
            models.StageTable(
                stage=stage.plan.name,
                done=stage.done,
                columns=[models.Column.model_validate(column) for column in stage.standings.columns],
                rows=[row_of(row) for row in stage.standings.rows],
            )
            for stage in content.stages
            if stage.standings is not None
        ],
    )


@router.get("/cups/{cup}/ratings", tags=["standings"])
async def ratings(request: Request, cup: Slug) -> models.Ratings:
    """The ratings of all who have played, with 95 % intervals."""
    return models.Ratings(**find_cup(request, cup).public.ratings.as_json())


@router.get("/cups/{cup}/cross", tags=["standings"])
async def cross(request: Request, cup: Slug) -> list[models.CrossTable]:
    """Return the head-to-head results of each stage."""
    content = find_cup(request, cup).public.content
    return [
        models.CrossTable(
            stage=stage.plan.name,
            duels=[
                models.Duel(one=one, other=other, score=score_of(score))
                for (one, other), score in stage.duels.items()
            ],
        )
        for stage in (content.stages if content is not None else ())
    ]


@router.get("/cups/{cup}/bracket", tags=["standings"])
async def bracket(request: Request, cup: Slug) -> list[models.Bracket]:
    """Return the knock-out brackets, as far as they are known."""
    public = find_cup(request, cup).public
    brackets = []
    for stage in public.content.stages if public.content is not None else ():
        tree = stage.bracket
        if tree is None:
            continue
        numbers = {one.key: one.number for one in public.series if one.stage == stage.plan.name}
        matches = []
        for key, state in tree.decided.items():
            entrants = state.results[0].entrants if state.results else None
            sides = entrants or (state.next.entrants if state.next is not None else ())
            size, _, number = key.partition(".")
            keys = [result.key for result in state.results]
            if state.next is not None:
                keys.append(state.next.key)  # some of its games may be public
            matches.append(
                models.Match(
                    key=key,
                    size=int(size) if size.isdigit() else 0,
                    number=int(number) if number.isdigit() else 0,
                    sides=list(sides),
                    winner=state.winner,
                    series=[numbers[one] for one in keys if one in numbers],
                )
            )
        brackets.append(models.Bracket(stage=stage.plan.name, seeds=list(tree.seeds), matches=matches))
    return brackets


@router.get("/cups/{cup}/rounds", tags=["standings"])
async def rounds(request: Request, cup: Slug) -> list[models.Rounds]:
    """The rounds of Swiss stages and ladders, as far as they are known."""
    content = find_cup(request, cup).public.content
    return [
        models.Rounds(stage=stage.plan.name, rounds=[[list(table) for table in one] for one in stage.rounds])
        for stage in (content.stages if content is not None else ())
        if stage.rounds is not None
    ]


@router.get("/cups/{cup}/series", tags=["games"])
async def series_list(
    request: Request, cup: Slug, offset: Offset = 0, limit: Limit = 100
) -> models.SeriesList:
    """List the public series, in the order in which they became public."""
    public = find_cup(request, cup).public
    page = public.series[offset : offset + limit]
    more = offset + limit < len(public.series)
    items = [series_of(public, one) for one in page]
    return models.SeriesList(items=items, next=offset + limit if more else None)


@router.get("/cups/{cup}/series/{series}", tags=["games"])
async def series(request: Request, cup: Slug, series: Number) -> models.Series:
    """Return one public series."""
    public = find_cup(request, cup).public
    one = public.series_by_number(series)
    if one is None:
        raise HTTPException(404)
    return series_of(public, one)


@router.get("/cups/{cup}/games", tags=["games"])
async def games(request: Request, cup: Slug, offset: Offset = 0, limit: Limit = 100) -> models.GameList:
    """List the public games, in the order in which they became public."""
    public = find_cup(request, cup).public
    items: list[models.Game] = []
    left = offset
    for one in public.series:
        count = len(one.result.games)
        if left < count:
            numbers = range(left + 1, min(count, left + limit - len(items)) + 1)
            label = public.label(one)
            items += [models.Game.model_validate(PublicGame(public.slug, one, at, label)) for at in numbers]
        left = max(0, left - count)
        if len(items) == limit:
            break
    more = offset + len(items) < public.pace.games
    return models.GameList(items=items, next=offset + len(items) if more and items else None)


@router.get("/cups/{cup}/games/{series}/{game}", tags=["games"])
async def game(request: Request, cup: Slug, series: Number, game: Number) -> models.Game:
    """Return one public game."""
    return models.Game.model_validate(public_game(find_cup(request, cup), series, game))


@router.get(
    "/cups/{cup}/games/{series}/{game}/record",
    tags=["games"],
    response_class=Response,
    responses={200: {"content": {"application/x-ndjson": {"schema": {"type": "string"}}}}},
)
async def record(request: Request, cup: Slug, series: Number, game: Number) -> Response:
    """Return the record of a game: a line of JSON for each turn (docs/reference/record.md)."""
    lines = await lines_of(find_cup(request, cup), series, game)
    content = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")
    return Response(content, media_type="application/x-ndjson")


@router.get("/cups/{cup}/games/{series}/{game}/positions/{move}", tags=["games"])
async def position(
    request: Request,
    cup: Slug,
    series: Number,
    game: Number,
    move: Number,
    hands: Hands = "open",
) -> models.Position:
    """Return the position after a move."""
    lines = await lines_to_render(find_cup(request, cup), series, game)
    if move > len(lines) - 2:
        raise HTTPException(404)
    perspective = perspective_of(lines, hands)
    content = await render_in_worker(
        render_workers(request).quick, (move, perspective), records.position, lines, move, perspective
    )
    return models.Position(**json.loads(content))


@router.get("/cups/{cup}/entrants", tags=["entrants"])
async def entrants(request: Request, cup: Slug) -> list[models.EntrantBrief]:
    """List the entrants."""
    public = find_cup(request, cup).public
    return [models.EntrantBrief.model_validate(public.entrant(entry)) for entry in public.cup.entrants]


@router.get("/cups/{cup}/entrants/{key:path}", tags=["entrants"])
async def entrant(
    request: Request,
    cup: Slug,
    key: Annotated[str, Path(description="the entrant's `key`, or its name", max_length=200)],
) -> models.Entrant:
    """Return an entrant and its results."""
    served_cup = find_cup(request, cup)
    public = served_cup.public
    entry = public.entry_of_key(key) or public.entry(key)
    if entry is None:
        raise HTTPException(404)
    name, content = entry.name, public.content
    here = content is not None and name in content.fault_kinds
    row = next((row for row in content.overall if row.entrant == name), None) if content is not None else None
    times = await times_of(request, served_cup, public, name)
    return models.Entrant(
        **dict(models.EntrantBrief.model_validate(public.entrant(entry))),
        repository=entry.repository,
        files=content.files.get(name, "") if content is not None else "",
        portrait=public.portrait_address(name),
        absent=next((translate(one.why) for one in public.cup.absent if one.entry.name == name), None),
        row=None if row is None else row_of(row),
        score=score_of(content.score(name)) if content is not None and here else None,
        faults=dict(content.fault_kinds[name]) if content is not None and here else {},
        time=models.ThinkingTime(
            questions=times.questions, seconds=times.micros / 1e6, slowest=times.slowest / 1e6
        )
        if times.questions
        else None,
        series=[one.number for one in public.series if name in one.result.entrants],
    )


@router.get("/cups/{cup}/faults", tags=["entrants"])
async def faults(request: Request, cup: Slug, offset: Offset = 0, limit: Limit = 100) -> models.FaultList:
    """List the faults in public games."""
    public = find_cup(request, cup).public
    more = offset + limit < len(public.all_faults)
    items = [models.Fault.model_validate(one) for one in public.all_faults[offset : offset + limit]]
    return models.FaultList(items=items, next=offset + limit if more else None)


@router.get("/cups/{cup}/next", tags=["live"])
async def coming(request: Request, cup: Slug) -> list[models.Next]:
    """List the series that come next."""
    return [models.Next.model_validate(one) for one in find_cup(request, cup).public.next]


def _date(moment: float) -> float:
    return round(clock.date(moment), 1)


@router.get("/cups/{cup}/tables", tags=["live"])
async def tables(request: Request, cup: Slug) -> list[models.Table]:
    """List the live games with their positions, and the game that the organiser is showing."""
    result = []
    for watched_table in list(find_cup(request, cup).tables.by_id.values()):
        table, scene = watched_table.table, watched_table.scene()
        result.append(
            models.Table(
                table=table.id,
                stage=table.stage,
                label=models.sentence(table.label),
                game=table.number,
                names=list(table.names),
                began=_date(table.began),
                shown=table.shown,
                ended=table.ended,
                moved=_date(watched_table.moved_at) if watched_table.moved_at else None,
                position=None if scene is None else models.Position(**records.scene_json(scene)),
            )
        )
    return result


# --- the organiser -----------------------------------------------------------------------------------

ERRORS: dict[int | str, dict[str, Any]] = {
    401: {"model": models.Problem, "description": "no token was given"},
    403: {"model": models.Problem, "description": "this is not the organiser's token"},
    409: {"model": models.Problem, "description": "somebody else was faster, or there is nothing to reveal"},
}


@router.get("/cups/{cup}/curtain", tags=["organiser"], dependencies=[Depends(bearer)], responses=ERRORS)
async def curtain(request: Request, cup: Slug) -> models.OrganiserState:
    """Return how many games were played and how many are public. For the organiser."""
    served_cup = find_cup(request, cup)
    await organiser.require_organiser(request, served_cup)
    return await _organiser_state(served_cup)


@router.post("/cups/{cup}/curtain", tags=["organiser"], dependencies=[Depends(bearer)], responses=ERRORS)
async def change(request: Request, cup: Slug, body: models.Change) -> models.OrganiserState:
    """Hold back what is not public yet, reveal some of it, or make everything public. For the organiser."""
    served_cup = find_cup(request, cup)
    await organiser.require_organiser(request, served_cup)
    match body.action:
        case "hold":
            await organiser.hold(served_cup)
        case "open":
            await organiser.open_all(served_cup)
        case "reveal":
            problem = await organiser.reveal(served_cup, body.amount, body.expected, body.pace)
            if problem is not None:
                raise HTTPException(409, problem)
    return await _organiser_state(served_cup)


async def _organiser_state(served_cup: ServedCup) -> models.OrganiserState:
    return models.OrganiserState.model_validate(await organiser.organiser_state(served_cup))


@pages.get("/api")
async def api_page(request: Request) -> Response:
    """Return the documentation of the API for people, made from its schema."""
    schema = request.app.openapi()
    cache: PageCache = request.app.state.page_cache
    methods = ("get", "post", "put", "delete")
    return cache.page(request, "api.html", "", schema, schema=schema, methods=methods)
