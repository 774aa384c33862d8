"""A player, a narrator and a renderer for highcard."""

from __future__ import annotations

import sys
import time
from typing import Any

from botequim import Box, Message, Narrator, Part, PlayedMove, Renderer, Rng, Scene, Shape, Step, msg
from botequim.render.svg import text


class First:
    def __init__(self, rng: Rng) -> None:
        pass

    def choose(self, view: Any) -> Any:
        return view.legal[0]


class Slow(First):
    def choose(self, view: Any) -> Any:
        print("thinking", file=sys.stderr, flush=True)
        time.sleep(3600)
        return super().choose(view)


class Unmade:
    def __init__(self, rng: Rng) -> None:
        raise RuntimeError("no")


class HighCardNarrator(Narrator):
    def move(self, step: Step, made: PlayedMove, who: str) -> Message | None:
        return msg("{who} plays the card {move}", who=who, move=self.game.write(made.move))


class HighCardRenderer(Renderer):
    def draw_table(self, scene: Scene, area: Box, shape: Shape) -> Part:
        return text("a picture of its own", *area.centre, 20, "onfelt", anchor="middle")
