"""What entrants showed in the games that everybody may see: their art, and what they said.

The first public games of each are looked at, as many as it takes; so what hangs in a gallery stays as it is
once it is full, however long a cup goes on.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from botequim.core.game import Remark, check_art
from botequim.cup.paths import CupPaths
from botequim.render.art.frames import Frame
from botequim.render.art.options import GifOptions
from botequim.storage.address import StoreAddress
from botequim.storage.protocol import CupStore
from botequim.storage.visibility import Visibility

MOST_GAMES: Final = 20
"""The most games of an entrant that are read."""
MOST_FRAMES: Final = 100
"""The most frames: as many as two games of fifty rounds have, with a frame for each."""
MOST_SAYINGS: Final = 6
LOOK: Final = GifOptions(frame_length=200)


@dataclass(slots=True)
class Exhibit:
    """The exhibits of one entrant."""

    frames: list[tuple[str, ...]] = field(default_factory=list)
    """Frames of art; a frame equal to the one before is left out."""
    sayings: list[str] = field(default_factory=list)
    """In its own words, each once."""
    games: int = 0
    """The number of games that were read."""

    @property
    def full(self) -> bool:
        return self.games >= MOST_GAMES or (
            len(self.frames) >= MOST_FRAMES and len(self.sayings) >= MOST_SAYINGS
        )

    @property
    def digest(self) -> str:
        """Return the digest of its art, for addresses; "" if there is none."""
        return sha256(json.dumps(self.frames).encode()).hexdigest()[:16] if self.frames else ""

    def take(self, remarks: Iterable[Any]) -> None:
        """Add the remarks and the art of one move, as in a record."""
        for remark in remarks:
            if not isinstance(remark, dict):
                continue
            text, art = remark.get("say"), remark.get("art")
            if isinstance(text, str) and text.strip() and len(self.sayings) < MOST_SAYINGS:
                self.sayings += [text] if text not in self.sayings else []
            if art and check_art(Remark("art", art)) is None and len(self.frames) < MOST_FRAMES:
                frame = tuple(art)
                if not self.frames or self.frames[-1] != frame:
                    self.frames.append(frame)


def exhibits(store: CupStore, curtain: Visibility, names: Sequence[str]) -> dict[str, Exhibit]:
    found = {name: Exhibit() for name in names}
    for game in curtain.games():
        waiting = [name for name in game.series.result.entrants if name in found and not found[name].full]
        if not waiting:
            if all(one.full for one in found.values()):
                break
            continue
        lines = curtain.record(store, game.series.number, game.number)
        if lines is None:
            continue
        seats = [seat.get("name") for seat in json.loads(lines[0])["seats"]]
        for name in waiting:
            found[name].games += 1
        for line in lines:
            if '"remarks"' not in line:
                continue
            for move in json.loads(line).get("moves", ()):
                by = move.get("by")
                if isinstance(by, int) and seats[by] in waiting:
                    found[seats[by]].take(move.get("remarks", ()))
    return found


def exhibits_of(cup: Path, names: Sequence[str], store: StoreAddress | None = None) -> dict[str, Exhibit]:
    """Return the exhibits of a cup file that are public now; empty ones before the first game."""
    home = replace(CupPaths.of(cup), store=store)
    if not home.storage.has_results():
        return {name: Exhibit() for name in names}
    with home.storage.open_results(check=True) as results:
        return exhibits(results, Visibility.of(results, home.storage), names)


def film(frames: Sequence[tuple[str, ...]]) -> bytes:
    """Art as an animated GIF; one frame alone is a still."""
    from botequim.render.art.drawing import write_gif  # needs Pillow, which not everybody has

    drawn = BytesIO()
    write_gif([Frame.of(lines) for lines in frames], LOOK, drawn)
    return drawn.getvalue()
