"""Pages that replay games. Each is one file, which can be opened from any static host and from a disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from botequim.cup.report.content import Content, GameKey
from botequim.render.replay_page import page
from botequim.storage.files import replay_name, write_text

MOST_REPLAYS: Final = 200
"""The default number of pages in a report. Each takes a fraction of a second and 50 to 100 kB."""
MOST_BYTES: Final = 100_000_000
"""The size of all pages together."""
MOST_TURNS: Final = 4000
"""The most turns of a game with a page."""


def write_replays(
    content: Content, folder: Path, most: int, on_replay: Callable[[int], None] = lambda count: None
) -> None:
    """Write up to `most` pages and add their games to `content.replays`.

    `on_replay` is called with the number of pages so far.
    """
    size = 0
    for stage, key, number in islice(_by_interest(content), most):
        replay = content.replay(stage, key, number)
        if replay is None or not 0 < len(replay) <= MOST_TURNS:
            continue
        text = page(replay, "open")
        size += len(text)
        if size > MOST_BYTES:
            break
        write_text(folder / replay_name(stage, key, number), text)
        content.replays.add((stage, key, number))
        on_replay(len(content.replays))


def _by_interest(content: Content) -> Iterator[GameKey]:
    """Yield the first game of every series, later stages first; then the second of each, and so on.

    Stages beside the cup are left out: no page of the report links to their games.
    """
    stages = [stage for stage in reversed(content.stages) if not stage.plan.beside]
    series = [(stage.plan.name, result) for stage in stages for result in stage.results.values()]
    longest = max((len(result.games) for _, result in series), default=0)
    for number in range(longest):
        for stage, result in series:
            if number < len(result.games):
                yield stage, result.key, number
