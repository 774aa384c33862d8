"""The rules of each game and how to enter, in general and for one cup."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import RedirectResponse, Response

from botequim import i18n, registry
from botequim.core.errors import BotequimError
from botequim.core.game import AnyGame
from botequim.core.limits import Limits
from botequim.core.options import Option, Options, Value
from botequim.core.wire import Wire
from botequim.cup.config import Cup
from botequim.cup.stages import StagePlan
from botequim.render.layout import Shape
from botequim.web import positions, prose
from botequim.web.deps import find_cup
from botequim.web.templating import language_of, page

router = APIRouter(include_in_schema=False)

ARENA: Final = "arena"
"""The prefix of three wires that share one text."""
SVG_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"
"""A picture contains its own colours and cannot run anything."""


@dataclass(frozen=True, slots=True)
class CupOption:
    """An option and its value in a cup."""

    option: Option
    value: Value | None
    """None if it changes from game to game."""

    @property
    def usual(self) -> bool:
        return self.value in (None, self.option.default)


@dataclass(frozen=True, slots=True)
class WireLimits:
    """A wire, and the limits of a bot that uses it."""

    wire: Wire
    limits: Limits

    @property
    def text(self) -> str | None:
        """The name of the page about the wire; None if there is none."""
        name = page_of(self.wire)
        return name if f"enter-{name}" in prose.names() else None


# --- any game ----------------------------------------------------------------------------------------------


@router.get("/rules")
async def all_rules(request: Request) -> Response:
    language = language_of(request)
    games = [(game, prose.page(f"rules-{game.name}", language)) for game in _games()]
    return page(request, "texts/games.html", games=games)


@router.get("/rules/{game}")
async def rules(request: Request, game: str) -> Response:
    one_game = _game(game)
    text = prose.page(f"rules-{one_game.name}", language_of(request))
    ways = list(dict.fromkeys(one.text for one in _wires(one_game, {}) if one.text is not None))
    return page(request, "texts/rules.html", game=one_game, text=text, ways=ways)


@router.get("/rules/pictures/{language}/{name}.{shape}.svg")
async def position_picture(language: str, name: str, shape: str) -> Response:
    if language not in i18n.LANGUAGES or name not in positions.names() or shape not in set(Shape):
        raise HTTPException(404)
    svg = positions.position_svg(name, Shape(shape), language)
    headers = {"Content-Security-Policy": SVG_POLICY, "Cache-Control": "max-age=3600"}
    return Response(svg, media_type="image/svg+xml", headers=headers)


@router.get("/enter")
async def enter(request: Request) -> Response:
    language = language_of(request)
    wires = [(name, prose.page(f"enter-{name}", language)) for name in _pages_of_wires()]
    return page(request, "texts/enter.html", text=prose.page("enter", language), wires=wires)


@router.get("/enter/{wire}")
async def enter_over(request: Request, wire: str) -> Response:
    text = prose.page(f"enter-{wire}", language_of(request))
    if text is not None:
        return page(request, "texts/wire.html", text=text, name=wire)
    for game in _games():
        for one in _wires(game, {}):
            if one.wire.name == wire and one.text is not None:
                return RedirectResponse(f"/enter/{one.text}")
    raise HTTPException(404)


# --- the game of one cup -----------------------------------------------------------------------------------


@router.get("/cups/{cup}/rules")
async def rules_of_cup(request: Request, cup: str) -> Response:
    public = find_cup(request, cup).public
    game = registry.game(public.cup.game)
    text = prose.page(f"rules-{game.name}", language_of(request))
    stages = options_by_stage(public.cup)
    return page(request, "texts/cup_rules.html", public=public, game=game, text=text, stages=stages)


@router.get("/cups/{cup}/enter")
async def enter_cup(request: Request, cup: str) -> Response:
    public = find_cup(request, cup).public
    game = registry.game(public.cup.game)
    wires = _wires(game, public.cup.limits)
    texts = [one.text for one in wires if one.text is not None]
    text = prose.page(f"enter-{texts[0]}", language_of(request)) if texts else None
    changed = [
        f"{one.option.name}={one.value}"
        for one in options_by_stage(public.cup)[0][1]
        if not one.usual and one.option.name != "players"
    ]
    return page(
        request, "texts/cup_enter.html", public=public, game=game, text=text, wires=wires, changed=changed
    )


def options_by_stage(cup: Cup) -> list[tuple[Sequence[str], Sequence[CupOption]]]:
    """Return all options with their values, by groups of stages with the same values."""
    groups: list[tuple[list[str], list[CupOption]]] = []
    for plan in cup.plans:
        if plan.beside:
            continue
        options = _cup_options(registry.game(cup.game), cup.game_options(plan), plan)
        same = next((stages for stages, other in groups if other == options), None)
        if same is None:
            groups.append(([plan.name], options))
        else:
            same.append(plan.name)
    return [(stages, options) for stages, options in groups]


def _cup_options(game: AnyGame, options: Options, plan: StagePlan) -> list[CupOption]:
    turns = plan.terms.starter.option if plan.terms.starter is not None else None
    return [
        CupOption(option, None if option.name == turns else options[option.name]) for option in game.options
    ]


# --- games and wires ---------------------------------------------------------------------------------------


def page_of(wire: Wire) -> str:
    """Return the name of the page about a wire; for a wire of one game, it is the name of the game."""
    if wire.game is not None:
        return wire.game
    return ARENA if wire.name.startswith(f"{ARENA}-") else wire.name


def _games() -> list[AnyGame]:
    games = []
    for name in registry.game_names():
        try:
            games.append(registry.game(name))
        except BotequimError:
            continue  # a broken plugin; `botequim games` says why
    return games


def _game(name: str) -> AnyGame:
    result = next((game for game in _games() if game.name == name), None)
    if result is None:
        raise HTTPException(404)
    return result


def _wires(game: AnyGame, limits: Mapping[str, Any]) -> list[WireLimits]:
    """Return the wires of a game, its own first, with the limits that a cup changes."""
    wires = [registry.wire(game.name, name) for name in registry.wire_names(game.name)]
    return [WireLimits(wire, replace(wire.limits, **limits)) for wire in wires]


def _pages_of_wires() -> list[str]:
    """Return the names of the pages about wires; the wire for every game comes last."""
    pages = [name.removeprefix("enter-") for name in prose.names() if name.startswith("enter-")]
    return sorted(pages, key=lambda name: (name == ARENA, name))
