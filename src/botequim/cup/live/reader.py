"""In a server: reads the live games."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final

from botequim.core import clock
from botequim.core.messages import Message
from botequim.records.record import message_from
from botequim.storage.protocol import LiveStore
from botequim.storage.values import LiveGame, LiveStage, LiveTurn

KEPT_SECONDS: Final = 10.0
"""How long a game stays visible after its end."""
SEEN_SECONDS: Final = 1.0
"""How often a coordinator says that it is alive."""
LOST_SECONDS: Final = 6.0
"""A coordinator that was silent for so long is not running any more."""


@dataclass(frozen=True, slots=True)
class NextSeries:
    """A series that will be played soon."""

    stage: str
    key: str
    entrants: tuple[str, ...]
    label: Message
    games: int
    """The maximum number of games."""


class LiveGames:
    """The live games of a cup. It belongs to the thread that uses it first.

    The store may be damaged, replaced or removed at any time; then there are no games.
    """

    def __init__(self, store: LiveStore) -> None:
        self._store: Final = store

    def close(self) -> None:
        self._store.close()

    def __enter__(self) -> LiveGames:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def has_changed(self) -> bool:
        """Return whether anything was written since the last call; True the first time.

        It costs some microseconds. A running coordinator writes at least once a second.
        """
        return self._store.has_changed()

    @property
    def running(self) -> bool:
        """Whether the cup is being played. A coordinator that was killed is noticed after some seconds."""
        run = self._store.run()
        return run is not None and run.ended is None and abs(clock.now() - run.seen) < LOST_SECONDS

    @property
    def began(self) -> float | None:
        """When the published run began; it tells runs apart."""
        run = self._store.run()
        return None if run is None else run.began

    def games(self) -> list[LiveGame]:
        """Return the games that are being played or ended some seconds ago, in the order in which they began.

        A game without an end is left out if the cup is not running.
        """
        since = clock.now() - KEPT_SECONDS
        running = self.running
        stored = self._store.games()
        return [game for game in stored if (running if game.ended is None else game.ended > since)]

    def turns(self, game: int, after: int = 0) -> list[LiveTurn]:
        return self._store.turns(game, after)

    def next_series(self) -> list[NextSeries]:
        """Return the next series that are known and not being played."""
        if not self.running:
            return []
        playing = {(game.stage, game.key) for game in self.games()}
        return [
            NextSeries(one.stage, one.key, one.entrants, message_from(json.loads(one.label)), one.games)
            for one in self._store.next_series()
            if (one.stage, one.key) not in playing
        ]

    def stages(self) -> list[LiveStage]:
        return self._store.stages()
