"""Golden records: every registered game has some, and playing them again must give the same text.

`python -m tests.support.golden` writes those that are missing; a change of the rules that is meant removes
the old ones first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from botequim import registry
from botequim.core.player import Player
from botequim.records.record import Record
from tests import ROOT
from tests.support.tables import built_in, clumsy, play_game

FOLDER = ROOT / "tests" / "golden"


@dataclass(frozen=True)
class Golden:
    game: str
    name: str
    seed: str
    options: Mapping[str, object] = field(default_factory=dict)
    clumsy: bool = False

    @property
    def path(self) -> Path:
        return FOLDER / f"{self.game}-{self.name}.jsonl"

    def play(self) -> Record:
        game = registry.game(self.game)
        make: Callable[[int], Player] = (
            clumsy(self.seed) if self.clumsy else built_in(game, ("greedy", "random"), self.seed)
        )
        return play_game(game, make, seed=self.seed, options=self.options)

    def text(self) -> str:
        return "".join(line + "\n" for line in self.play().lines())


GOLDEN = (
    Golden("cubos", "domino", "1"),
    Golden("cubos", "blocked-draw", "8"),
    Golden("cubos", "blocked-points", "4", {"blocked": "points"}),
    Golden("cubos", "forfeit", "5", clumsy=True),
    Golden("havana", "domino", "2"),
    Golden("havana", "closed", "6"),
    Golden("havana", "faults", "2", {"first": "3", "strict": "yes"}, clumsy=True),
    Golden("fives", "plain", "1", {"target": 50}),
    Golden("fives", "reach", "3", {"target": 40, "target_rule": "reach"}),
    Golden("fives", "forfeit", "1", clumsy=True),
    Golden("uno", "two", "1"),
    Golden("uno", "four-empty-pile", "2", {"players": 4}),
    Golden("uno", "ten-faults", "2", {"players": 10, "decks": 2, "pile": "reshuffle"}, clumsy=True),
    Golden("rps", "plain", "1", {"rounds": 20}),
    Golden("rps", "faults-and-art", "2", {"forfeit_history": "dash"}, clumsy=True),
)


if __name__ == "__main__":
    for golden in GOLDEN:
        if not golden.path.exists():
            golden.path.write_text(golden.text(), encoding="utf-8")
            print(f"{golden.path.name}: {golden.play().outcome}")
