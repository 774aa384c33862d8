"""A player, a teller and a painter for highcard."""

from __future__ import annotations

import sys
import time
from typing import Any

from botequim.core.messages import Message, msg
from botequim.core.rng import Rng
from botequim.core.turn import Made
from botequim.picture import Painter, Scene, Shape
from botequim.picture.svg import Box, Part, text
from botequim.referee import Step
from botequim.show.telling import Teller


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


class HighCardTeller(Teller):
    def move(self, step: Step, made: Made, who: str) -> Message | None:
        return msg("{who} plays the card {move}", who=who, move=self.game.write(made.move))


class HighCardPainter(Painter):
    def table(self, scene: Scene, area: Box, shape: Shape) -> Part:
        return text("a picture of its own", *area.centre, 20, "onfelt", anchor="middle")
