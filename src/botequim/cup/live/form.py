"""The form of `live.sqlite`. It holds nothing worth keeping: a file of another form is made anew."""

from __future__ import annotations

from typing import Final

FORM: Final = 1

TABLES: Final = (
    # of one run; `seen` is now and then set to now
    """CREATE TABLE run (
        one INTEGER PRIMARY KEY CHECK (one = 1), began REAL NOT NULL, seen REAL NOT NULL, ended REAL)""",
    # an id is never given twice
    """CREATE TABLE games (
        id INTEGER PRIMARY KEY AUTOINCREMENT, stage TEXT NOT NULL, key TEXT NOT NULL, number INTEGER NOT NULL,
        header TEXT NOT NULL, began REAL NOT NULL, ended REAL)""",
    """CREATE TABLE turns (
        game INTEGER NOT NULL, number INTEGER NOT NULL, line TEXT NOT NULL, made REAL NOT NULL,
        PRIMARY KEY (game, number)) WITHOUT ROWID""",
    """CREATE TABLE next (
        place INTEGER PRIMARY KEY, stage TEXT NOT NULL, key TEXT NOT NULL, entrants TEXT NOT NULL,
        label TEXT NOT NULL, games INTEGER NOT NULL)""",
    """CREATE TABLE stages (
        name TEXT PRIMARY KEY, finished INTEGER NOT NULL, known INTEGER NOT NULL)""",
)
NAMES: Final = ("run", "games", "turns", "next", "stages")

KEPT_SECONDS: Final = 10.0
"""How long a game is told of after its end."""
SEEN_SECONDS: Final = 1.0
"""How often a coordinator says that it is there."""
LOST_SECONDS: Final = 6.0
"""One that was silent for so long is not there any more."""
