"""havana: the champion at about 2 ms a move, and the file that is handed in, entered over its wire."""

from __future__ import annotations

import asyncio
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.strength.duel import HELD_OUT, Duel, Measured, Progress, Row, measured
from botequim.bots.entrant import Entrant
from botequim.bots.prepare import prepare
from botequim.games.havana.submission.files import files
from botequim.match.runner import play_match
from botequim.match.spec import MatchSpec
from botequim.sandbox.none import NoSandbox


@dataclass(frozen=True, slots=True)
class Submission:
    """The exported pair against a built-in one."""

    opponent: str
    games: int
    at_least: float
    aim: float
    minutes: float
    game: str = "havana"

    @property
    def title(self) -> str:
        return f"the exported file v {self.opponent}"

    def measure(self, *, workers: int, times: float, seconds: float, tell: Progress) -> Measured:
        until = time.monotonic() + seconds
        seen = Measured(0.0, 0.0, 1.0, 0)
        with tempfile.TemporaryDirectory(prefix="botequim-") as place:
            match = MatchSpec.of(
                self.game,
                (_entered(Path(place)), self.opponent),
                games=int(self.games * times),
                seed=f"{HELD_OUT}/{self.game}/{self.title}",
                sandbox=NoSandbox(),
            )
            for table in play_match(match, workers=workers):
                if table.games:
                    seen = measured(table.scores[0])
                    tell(seen)
                if time.monotonic() > until:
                    break
        return seen


def _entered(place: Path) -> Entrant:
    folder = place / "champion"
    folder.mkdir()
    for name, text in files().items():
        (folder / name).write_text(text, encoding="utf-8")
    return asyncio.run(prepare(str(folder), "havana", NoSandbox(), workshop=place, isolated=False))


ROWS: tuple[Row, ...] = (
    Duel("havana", ("champion@hard", "greedy"), 4000, at_least=0.60, aim=0.65, minutes=1.5),
    Duel("havana", ("champion@hard", "dummy"), 4000, at_least=0.64, aim=0.70, minutes=1),
    Submission("greedy", 4000, at_least=0.58, aim=0.63, minutes=1.5),
)
