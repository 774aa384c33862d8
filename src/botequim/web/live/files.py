"""A cup's files, checked for changes and read by a thread: SQLite may have to wait for a lock.

`CupFiles` belongs to one thread. It finds out whether results or visibility have changed, and reads what is
new of live games.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from botequim.core.errors import BotequimError
from botequim.cup.live import LiveGame, LiveGames, LiveTurn, NextSeries
from botequim.storage.errors import StoreBusy
from botequim.storage.protocol import CupStorage

_log: Final = logging.getLogger(__name__)
WAIT_SECONDS: Final = 0.5
"""How long live games wait for a lock; after that they stay unchanged until the next look."""
MOST_TABLES: Final = 24
"""The most live games that are shown at the same time."""


@dataclass(frozen=True, slots=True)
class LiveChanges:
    """The live games now, with their new turns."""

    games: Mapping[str, tuple[LiveGame, Sequence[LiveTurn]]]
    """By the id of the table: the game and the turns after those that are known."""
    running: bool
    """Whether the cup is being played."""
    coming: Sequence[NextSeries] | None
    """The series that come next; None if they were not read."""


@dataclass(frozen=True, slots=True)
class FileChanges:
    """The changes of a cup's files since the last look."""

    results: bool
    """Whether results, or what is public of them, may have changed."""
    held: bool | None
    """Whether games are held back; None if that has not changed."""
    live: LiveChanges | None
    """None if live games have not changed, or are not public."""


class CupFiles:
    """The files of one cup, for one thread."""

    def __init__(self, storage: CupStorage) -> None:
        self._storage: Final = storage
        self._results: Final = storage.watch_results()
        self._visibility: Final = storage.watch_visibility()
        self._live: Final = LiveGames(storage.open_live(wait=WAIT_SECONDS))
        self._unread = True

    def read(self, held: bool, known: Mapping[str, int | None], every: bool) -> FileChanges:
        """Return what has changed; live games only if none are held back, `held` being the last known state.

        `known` has how many turns are known of each table, or None for one that is not to be read. With
        `every`, live games are read although their file has not changed, with the series that come next.
        """
        changed = self._visibility.has_changed()
        if changed:
            held = is_held(self._storage)
        live = None
        if not held and (self._live.has_changed() or every or self._unread):
            live = self._read_live(known, every=every or self._unread)
            self._unread = live is None
        return FileChanges(self._results.has_changed() or changed, held if changed else None, live)

    def _read_live(self, known: Mapping[str, int | None], *, every: bool) -> LiveChanges | None:
        try:
            coming = self._live.next_series() if every else None
            return LiveChanges(self._live_games(known), self._live.running, coming)
        except StoreBusy:
            return None
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            # the store may be damaged at any time: then there are no live games
            _log.warning("live games cannot be read: %s", error)
            return LiveChanges({}, running=False, coming=())

    def _live_games(self, known: Mapping[str, int | None]) -> dict[str, tuple[LiveGame, Sequence[LiveTurn]]]:
        run = round((self._live.began or 0) * 10) % 16**6  # the numbers of games may begin anew with a run
        games: dict[str, tuple[LiveGame, Sequence[LiveTurn]]] = {}
        for game in _worth_showing(self._live.games()):
            name = f"live-{run:x}-{game.id}"
            after = known.get(name, 0)
            new = after is not None and game.turns > after
            games[name] = (game, self._live.turns(game.id, after=after or 0) if new else ())
        return games

    def forget(self) -> None:
        """Treat everything as changed in the next `read`."""
        self._visibility.forget()
        self._results.forget()
        self._unread = True

    def close(self) -> None:
        self._live.close()
        self._results.close()
        self._visibility.close()


def is_held(storage: CupStorage) -> bool:
    """Return whether games are held back; True if that is unknown."""
    try:
        return storage.shown_games() is not None
    except BotequimError:
        return True


def _worth_showing(games: Sequence[LiveGame]) -> list[LiveGame]:
    """Return live games; for a series that has none, its last game until the series continues."""
    last: dict[tuple[str, str], LiveGame] = {}
    for game in games:
        last[game.stage, game.key] = game
    found = sorted(last.values(), key=lambda game: (game.ended is not None, game.id))[:MOST_TABLES]
    return sorted(found, key=lambda game: game.id)
