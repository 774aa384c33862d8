"""A built-in player that thinks, in a process of its own: the same moves, and nobody waits for it."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any, cast

import pytest

from botequim import registry
from botequim.bots.resolve import resolve
from botequim.core.errors import BotequimError, FaultKind, PlayerFault
from botequim.core.options import resolve_options
from botequim.core.player import LocalPlayer
from botequim.core.rng import Rng
from botequim.engine.referee import play
from botequim.engine.series import Series, seat_assignments
from botequim.engine.subprocess_player import SubprocessPlayer
from botequim.games.cubos.rules import GAME
from botequim.sandbox.none import NoSandbox
from botequim.search.champion import Champion
from tests import ROOT
from tests.support.views import position

EXAMPLES = ROOT / "examples"
NAMES = ["first", "second", "third", "fourth"]


async def elsewhere(name: str, seed: str) -> list[str]:
    """A game of four players, each in a process of its own."""
    players = [SubprocessPlayer("cubos", name) for _ in NAMES]
    for seat, player in enumerate(players):
        await player.open(seat)
        await player.begin(f"{seed}/{seat}")
    try:
        options = resolve_options("cubos", GAME.options, {})
        seats = [{"name": label} for label in NAMES]
        record = await play(GAME, players, options=options, seats=seats, seed=seed)
    finally:
        for player in players:
            await player.close()
    return [GAME.write(made.move) for turn in record.turns for made in turn]


async def here(name: str, seed: str) -> list[str]:
    make = registry.player("cubos", name)
    players = [LocalPlayer(make(Rng(f"{seed}/{seat}"))) for seat in range(4)]
    options = resolve_options("cubos", GAME.options, {})
    seats = [{"name": label} for label in NAMES]
    record = await play(GAME, players, options=options, seats=seats, seed=seed)
    return [GAME.write(made.move) for turn in record.turns for made in turn]


def test_it_is_the_same_player() -> None:
    assert asyncio.run(elsewhere("champion@4", "same")) == asyncio.run(here("champion@4", "same"))


def test_the_loop_goes_on_while_it_thinks() -> None:
    async def watched() -> int:
        beats = 0

        async def beat() -> None:
            nonlocal beats
            while True:
                beats += 1
                await asyncio.sleep(0.01)

        heart = asyncio.create_task(beat())
        before = beats
        await elsewhere("champion@0.1s", "loop")
        heart.cancel()
        return beats - before

    assert asyncio.run(watched()) > 20, "two dozen thoughts of a tenth of a second each"


def test_every_games_views_go_there_and_moves_come_back() -> None:
    async def all_games() -> None:
        for name in registry.game_names():
            game = registry.game(name)
            options = resolve_options(name, game.options, {})
            seats = sum(len(team) for team in game.teams(options))
            player = SubprocessPlayer(name, "random")
            await player.open(0)
            await player.begin("views")
            try:
                others = [
                    LocalPlayer(registry.player(name, "random")(Rng(str(at)))) for at in range(1, seats)
                ]
                record = await play(
                    game,
                    [player, *others],
                    options=options,
                    seats=[{"name": str(at)} for at in range(seats)],
                    seed="views",
                )
            finally:
                await player.close()
            assert not [made for turn in record.turns for made in turn if made.fault], name

    asyncio.run(all_games())


def test_a_process_that_dies_is_our_failure() -> None:
    async def dies() -> None:
        player = SubprocessPlayer("cubos", "random")
        await player.open(0)
        try:
            assert player.process is not None
            os.kill(player.process, 9)
            await player.begin("never")
        finally:
            await player.close()

    with pytest.raises(BotequimError, match="ended unexpectedly"):
        asyncio.run(dies())


@pytest.mark.parametrize("question", ["choose", "advise"])
def test_a_fault_arrives_as_it_was_there(question: str) -> None:
    async def asked() -> None:
        player = SubprocessPlayer("cubos", "champion@4")
        await player.open(0)
        try:
            await player.begin("faults")
            await getattr(player, question)(None)  # no view at all
        finally:
            await player.close()

    with pytest.raises(PlayerFault) as arrived:
        asyncio.run(asked())
    with pytest.raises(PlayerFault) as expected:
        LocalPlayer(registry.player("cubos", "champion@4")(Rng("faults"))).choose_now(cast(Any, None))
    assert arrived.value.fault.kind is FaultKind.CRASH
    assert arrived.value.fault.reason == expected.value.fault.reason
    assert arrived.value.fault.evidence["error"].startswith("AttributeError: 'NoneType'")


def test_after_a_fault_it_can_be_asked_again() -> None:
    async def again() -> None:
        player = SubprocessPlayer("cubos", "champion@4")
        await player.open(0)
        try:
            await player.begin("again")
            for _ in range(2):
                with pytest.raises(PlayerFault):
                    await player.choose(cast(Any, None))
        finally:
            await player.close()

    asyncio.run(again())


def test_beside_a_bot_a_champion_sits_in_a_process_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sat = []
    opened = SubprocessPlayer.open

    async def noted(self: SubprocessPlayer, seat: int) -> None:
        sat.append(seat)
        await opened(self, seat)

    monkeypatch.setattr(SubprocessPlayer, "open", noted)

    async def table(*names: str) -> int:
        entrants = [resolve(name, "cubos", workshop=tmp_path) for name in names]
        sitting = seat_assignments(GAME.teams({}), entrants, names)
        async with Series(GAME, sitting, games=1, sandbox=NoSandbox()) as series:
            record = await series.play("beside", resolve_options("cubos", GAME.options, {}))
            return sum(made.fault is not None for turn in record.turns for made in turn)

    assert asyncio.run(table("champion@4", "greedy")) == 0
    assert sat == [], "nobody waits: all of them are here"
    assert asyncio.run(table("champion@4", str(EXAMPLES / "arena-lines"))) == 0
    assert sat == [0, 2]


async def advice(game_name: str, seed: str, *views: Any) -> list[Any]:
    player = SubprocessPlayer(game_name, "champion@20")
    await player.open(0)
    try:
        await player.begin(seed)
        return [await player.advise(view) for view in views]
    finally:
        await player.close()


@pytest.mark.parametrize("game_name", ["cubos", "havana", "fives", "uno", "rps"])
def test_the_same_position_gets_the_same_advice(game_name: str) -> None:
    view, other = position(game_name, "advice", 3), position(game_name, "other advice", 2)
    first, _, again = asyncio.run(advice(game_name, "", view, other, view))
    assert first == again, "asked twice, with another question between"
    (elsewhere,) = asyncio.run(advice(game_name, "", position(game_name, "advice", 3)))
    assert first == elsewhere, "in another process"


def test_another_seed_is_another_chance() -> None:
    view = position("cubos", "advice", 3)
    (first,), (second,) = asyncio.run(advice("cubos", "", view)), asyncio.run(advice("cubos", "7", view))
    assert first.chances != second.chances


@pytest.mark.parametrize("game_name", ["cubos", "havana", "fives", "uno"])
def test_estimates_say_how_sure_they_are_and_more_thought_makes_them_surer(game_name: str) -> None:
    view = position(game_name, "advice", 3)
    few, many = [
        cast(Champion, registry.player(game_name, f"champion@{effort}")(Rng("sure"))).advise(view)
        for effort in (8, 80)
    ]
    assert set(few.spread) <= set(few.chances)
    assert few.move in few.spread
    assert all(0.0 <= error <= 0.5 for error in few.spread.values())
    assert sum(many.spread.values()) < sum(few.spread.values())


def test_what_is_no_estimate_has_no_error() -> None:
    view = position("rps", "advice", 3)
    assert not cast(Champion, registry.player("rps", "champion")(Rng("sure"))).advise(view).spread
