"""Checks the stores of a cup for changes and reads live games, in a thread.

It is a thread, because SQLite may have to wait for a lock. A `CupFiles` belongs to one thread. It finds out
whether results or visibility have changed, and reads the new turns of live games.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from botequim.core.errors import BotequimError
from botequim.cup.live import LiveGame, LiveGames, LiveTurn, NextSeries
from botequim.storage.errors import StoreBusy
from botequim.storage.protocol import CupStorage

_log: Final = logging.getLogger(__name__)
WAIT_SECONDS: Final = 0.5
"""How long to wait for a lock of the live store. After that, live games stay unchanged until the next
look."""
MOST_TABLES: Final = 24
"""The most live games that are shown at the same time."""


_NewTurns: TypeAlias = dict[str, tuple[LiveGame, Sequence[LiveTurn]]]


@dataclass(frozen=True, slots=True)
class LiveChanges:
    """The live games now, with their new turns."""

    games: Mapping[str, tuple[LiveGame, Sequence[LiveTurn]]]
    """The game and its new turns, by the id of the table."""
    ended: Mapping[str, tuple[LiveGame, Sequence[LiveTurn]]]
    """The last turns of games that were followed and whose series has gone on."""
    running: bool
    """Whether the cup is being played."""
    coming: Sequence[NextSeries] | None
    """The series that come next; None if they were not read."""


@dataclass(frozen=True, slots=True)
class FileChanges:
    """The changes of a cup's files since the last look."""

    results: bool
    """Whether results or their visibility may have changed."""
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

    def read(self, held: bool, turn_counts: Mapping[str, int | None], every: bool) -> FileChanges:
        """Return what has changed. Live games are read only if no games are held back; `held` is the last
        state.

        `turn_counts` has the number of turns of each table that were read before, or None for a table that
        must not be read. With `every`, live games are read even if their store has not changed, and with them
        the series that come next.
        """
        visibility_changed = self._visibility.has_changed()
        if visibility_changed:
            held = is_held(self._storage)
        live = None
        if not held and (self._live.has_changed() or every or self._unread):
            live = self._read_live(turn_counts, every=every or self._unread)
            self._unread = live is None
        return FileChanges(
            self._results.has_changed() or visibility_changed, held if visibility_changed else None, live
        )

    def _read_live(self, turn_counts: Mapping[str, int | None], *, every: bool) -> LiveChanges | None:
        try:
            coming = self._live.next_series() if every else None
            games, ended = self._live_games(turn_counts)
            return LiveChanges(games, ended, self._live.running, coming)
        except StoreBusy:
            return None
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            # the live store may be damaged; then there are no live games
            _log.warning("live games cannot be read: %s", error)
            return LiveChanges({}, {}, running=False, coming=())

    def _live_games(self, turn_counts: Mapping[str, int | None]) -> tuple[_NewTurns, _NewTurns]:
        """Return the games that are worth showing, and those that were until their series went on."""
        run = round((self._live.began or 0) * 10) % 16**6  # another run may use the same numbers of games
        games: _NewTurns = {}
        ended: _NewTurns = {}
        all_games = self._live.games()
        shown = {game.id for game in _worth_showing(all_games)}
        for game in all_games:
            name = f"live-{run:x}-{game.id}"
            if game.id not in shown and (game.ended is None or turn_counts.get(name) is None):
                continue
            after = turn_counts.get(name, 0)
            new = after is not None and game.turns > after
            turns = self._live.turns(game.id, after=after or 0) if new else ()
            (games if game.id in shown else ended)[name] = (game, turns)
        return games, ended

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
    """Return the live game of each series, or its last game until the series continues."""
    last: dict[tuple[str, str], LiveGame] = {}
    for game in games:
        last[game.stage, game.key] = game
    selection = sorted(last.values(), key=lambda game: (game.ended is not None, game.id))[:MOST_TABLES]
    return sorted(selection, key=lambda game: game.id)
