"""How long a picture takes: `python -m benchmarks.pictures`.

Each line is a board as it is drawn in a live page, from the state of a game to its SVG, beside a floor that
is measured in the same run: the same text, put together from as many pieces as it has elements.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from collections.abc import Callable

from botequim import registry
from botequim.core.options import resolve_options
from botequim.core.player import LocalPlayer
from botequim.core.rng import Rng
from botequim.engine.referee import Step, play
from botequim.records.reader import parse
from botequim.records.replay import Replay
from botequim.render.drawing import RenderOptions, render_svg
from botequim.render.replay_page import page
from botequim.render.scene import OPEN, scene_of

MOST = 2.0
"""Milliseconds."""
LARGEST = 300
"""Kilobytes of a replay."""
GAMES: dict[str, dict[str, object]] = {
    "cubos": {},
    "havana": {},
    "fives": {},
    "uno": {"players": 6},
    "rps": {},
}


def played(name: str, options: dict[str, object]) -> Replay:
    """A whole game between built-in players."""
    game = registry.game(name)
    settled = resolve_options(name, game.options, options)
    seats = sum(map(len, game.teams(settled)))
    named = [{"name": f"player {seat}"} for seat in range(seats)]
    players = [LocalPlayer(registry.player(name, "greedy")(Rng(f"{seat}"))) for seat in range(seats)]
    record = asyncio.run(play(game, players, options=settled, seats=named, seed="1"))
    return Replay.load(next(parse([line.encode() for line in record.lines()], name)))


def milliseconds(work: Callable[[], object], times: int) -> float:
    """What it takes, in the middle of so many times."""
    took = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        took.append(time.perf_counter() - began)
    return statistics.median(took) * 1e3


def floor(svg: str) -> Callable[[], object]:
    """The least a picture can take in Python: its elements put together one by one."""
    elements = svg.split("<")

    def put_together() -> str:
        pieces: list[str] = []
        for element in elements:
            pieces.append(f"{element}<")
        return "".join(pieces)

    return put_together


def main() -> int:
    """Measure every game; the exit code says whether all of it holds."""
    holds = True
    for name, options in GAMES.items():
        game = played(name, options)
        look = RenderOptions()
        steps = list(game.steps())[2 :: max(1, len(game) // 12)]

        def draw(step: Step, game: Replay = game, look: RenderOptions = look) -> str:
            scene = scene_of(game.game, game.options, game.seats, step, perspective=OPEN, turns=len(game))
            return render_svg(scene, look)

        took = [milliseconds(lambda step=step: draw(step), 60) for step in steps]  # type: ignore[misc]
        least = [milliseconds(floor(draw(step)), 60) for step in steps]
        worst = max(took)
        size = len(page(game).encode()) / 1000
        fine = worst < MOST and size < LARGEST
        holds = holds and fine
        print(
            f"{name}: {statistics.median(took):.2f} ms a picture, {worst:.2f} at most (under {MOST:g}), "
            f"{statistics.median(took) / statistics.median(least):.1f} times its floor; "
            f"replay of {len(game)} moves {size:.0f} kB (under {LARGEST}): "
            f"{'holds' if fine else 'DOES NOT HOLD'}",
            flush=True,
        )
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
