"""The art and the remarks of entrants in public games.

They are taken from the first public games of each entrant, up to a limit. Once the limit is reached, the
gallery of an entrant does not change any more.
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
"""The most frames: enough for two games of fifty rounds with a frame in each round."""
MOST_SAYINGS: Final = 6
LOOK: Final = GifOptions(frame_length=200)


@dataclass(slots=True)
class Exhibit:
    """The exhibits of one entrant."""

    frames: list[tuple[str, ...]] = field(default_factory=list)
    """Frames of art; a frame equal to the one before is left out."""
    sayings: list[str] = field(default_factory=list)
    """The remarks of the entrant, each once."""
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


def exhibits(store: CupStore, visibility: Visibility, names: Sequence[str]) -> dict[str, Exhibit]:
    by_name = {name: Exhibit() for name in names}
    for game in visibility.games():
        waiting = [name for name in game.series.result.entrants if name in by_name and not by_name[name].full]
        if not waiting:
            if all(one.full for one in by_name.values()):
                break
            continue
        lines = visibility.record(store, game.series.number, game.number)
        if lines is None:
            continue
        seats = [seat.get("name") for seat in json.loads(lines[0])["seats"]]
        for name in waiting:
            by_name[name].games += 1
        for line in lines:
            if '"remarks"' not in line:
                continue
            for move in json.loads(line).get("moves", ()):
                by = move.get("by")
                if isinstance(by, int) and seats[by] in waiting:
                    by_name[seats[by]].take(move.get("remarks", ()))
    return by_name


def exhibits_of(cup: Path, names: Sequence[str], store: StoreAddress | None = None) -> dict[str, Exhibit]:
    """Return the public exhibits of a cup by entrant. They are empty before the first game."""
    paths = replace(CupPaths.of(cup), store=store)
    if not paths.storage.has_results():
        return {name: Exhibit() for name in names}
    with paths.storage.open_results(check=True) as results:
        return exhibits(results, Visibility.of(results, paths.storage), names)


def film(frames: Sequence[tuple[str, ...]]) -> bytes:
    """Return art as an animated GIF, or one frame as a still image."""
    from botequim.render.art.drawing import write_gif  # needs Pillow, which is optional

    output = BytesIO()
    write_gif([Frame.of(lines) for lines in frames], LOOK, output)
    return output.getvalue()
