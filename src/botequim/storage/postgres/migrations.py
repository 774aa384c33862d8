"""The tables in PostgreSQL, as numbered migrations: what each version adds to the one before.

A published migration never changes; add another one after it. Several programs may migrate at the same time:
a lock lets one do it while the others wait. All cups of a database share these tables.

Names of stages, series and entrants are compared as bytes (``COLLATE "C"``), whatever the language of the
database. JSON is stored as ASCII in ``text``: ``jsonb`` refuses characters that bots may send.
"""

from __future__ import annotations

from typing import Final

from botequim.core.errors import InputError
from botequim.core.messages import msg
from botequim.storage.address import StoreAddress
from botequim.storage.postgres.connection import SCHEMA, Connection, lock_number

MIGRATIONS: Final[tuple[str, ...]] = (
    """
    -- term: the number of the coordinator that may write; version: counts what was written
    CREATE TABLE cups (
        id text COLLATE "C" PRIMARY KEY, term bigint NOT NULL, version bigint NOT NULL,
        facts_sha256 text NOT NULL, entrants_sha256 text NOT NULL, successor text
    );
    CREATE TABLE facts (
        cup text COLLATE "C" NOT NULL REFERENCES cups ON DELETE CASCADE, name text COLLATE "C" NOT NULL,
        value text NOT NULL, PRIMARY KEY (cup, name)
    );
    CREATE TABLE entrants (LIKE facts INCLUDING ALL, FOREIGN KEY (cup) REFERENCES cups ON DELETE CASCADE);
    -- sha256: of all rows of the series
    CREATE TABLE series (
        cup text COLLATE "C" NOT NULL REFERENCES cups ON DELETE CASCADE,
        stage text COLLATE "C" NOT NULL, key text COLLATE "C" NOT NULL, result text NOT NULL,
        seconds double precision NOT NULL, number bigint NOT NULL, sha256 text NOT NULL,
        PRIMARY KEY (cup, stage, key), UNIQUE (cup, number)
    );
    CREATE TABLE games (
        cup text COLLATE "C" NOT NULL, stage text COLLATE "C" NOT NULL, key text COLLATE "C" NOT NULL,
        number integer NOT NULL, digest text NOT NULL, record bytea NOT NULL,
        PRIMARY KEY (cup, stage, key, number),
        FOREIGN KEY (cup, stage, key) REFERENCES series ON DELETE CASCADE
    );
    ALTER TABLE games ALTER COLUMN record SET STORAGE EXTERNAL;
    CREATE TABLE faults (
        cup text COLLATE "C" NOT NULL, number bigint NOT NULL,
        stage text COLLATE "C" NOT NULL, key text COLLATE "C" NOT NULL,
        game integer NOT NULL, turn integer NOT NULL, seat integer NOT NULL,
        entrant text COLLATE "C" NOT NULL, kind text NOT NULL, fault text NOT NULL,
        PRIMARY KEY (cup, number),
        FOREIGN KEY (cup, stage, key) REFERENCES series ON DELETE CASCADE
    );
    CREATE INDEX faults_of_series ON faults (cup, stage, key);
    CREATE INDEX faults_of_entrant ON faults (cup, entrant);

    -- machine, clock: what times in this row mean; see `times`
    -- what the organiser lets the public see, and contests; it may be there before any results
    CREATE TABLE shows (
        cup text COLLATE "C" PRIMARY KEY, version bigint NOT NULL,
        shown integer CHECK (shown >= 0), token_sha256 text,
        staged integer, began double precision, pace double precision, machine text,
        clock double precision, last_contest bigint NOT NULL DEFAULT 0, successor text
    );
    CREATE TABLE contests (
        cup text COLLATE "C" NOT NULL REFERENCES shows ON DELETE CASCADE, id bigint NOT NULL,
        title text NOT NULL, voters text NOT NULL, choice text NOT NULL, phase text NOT NULL,
        entrants text NOT NULL, PRIMARY KEY (cup, id)
    );
    CREATE TABLE codes (
        cup text COLLATE "C" NOT NULL, code text COLLATE "C" NOT NULL, contest bigint NOT NULL,
        batch integer NOT NULL, used integer NOT NULL DEFAULT 0, PRIMARY KEY (cup, code),
        FOREIGN KEY (cup, contest) REFERENCES contests ON DELETE CASCADE
    );
    CREATE INDEX codes_of_contest ON codes (cup, contest);
    CREATE TABLE browsers (
        cup text COLLATE "C" NOT NULL, contest bigint NOT NULL, mark text COLLATE "C" NOT NULL,
        PRIMARY KEY (cup, contest, mark),
        FOREIGN KEY (cup, contest) REFERENCES contests ON DELETE CASCADE
    );
    CREATE TABLE ballots (
        cup text COLLATE "C" NOT NULL, contest bigint NOT NULL, place text COLLATE "C" NOT NULL,
        chosen text NOT NULL, PRIMARY KEY (cup, contest, place),
        FOREIGN KEY (cup, contest) REFERENCES contests ON DELETE CASCADE
    );

    -- live games: nothing in these tables is worth keeping, so they are not in the write-ahead log
    CREATE UNLOGGED TABLE live_runs (
        cup text COLLATE "C" PRIMARY KEY, version bigint NOT NULL, run text NOT NULL, term bigint NOT NULL,
        machine text NOT NULL, clock double precision NOT NULL, last_game bigint NOT NULL,
        began double precision NOT NULL, seen double precision NOT NULL, ended double precision
    );
    CREATE UNLOGGED TABLE live_games (
        cup text COLLATE "C" NOT NULL REFERENCES live_runs ON DELETE CASCADE, id bigint NOT NULL,
        stage text NOT NULL, key text NOT NULL, number integer NOT NULL, header text NOT NULL,
        began double precision NOT NULL, ended double precision, PRIMARY KEY (cup, id)
    );
    CREATE UNLOGGED TABLE live_turns (
        cup text COLLATE "C" NOT NULL, game bigint NOT NULL, number integer NOT NULL, line text NOT NULL,
        made double precision NOT NULL, PRIMARY KEY (cup, game, number),
        FOREIGN KEY (cup, game) REFERENCES live_games ON DELETE CASCADE
    );
    CREATE UNLOGGED TABLE live_next (
        cup text COLLATE "C" NOT NULL REFERENCES live_runs ON DELETE CASCADE, place integer NOT NULL,
        stage text NOT NULL, key text NOT NULL, entrants text NOT NULL, label text NOT NULL,
        games bigint NOT NULL, PRIMARY KEY (cup, place)
    );
    CREATE UNLOGGED TABLE live_stages (
        cup text COLLATE "C" NOT NULL REFERENCES live_runs ON DELETE CASCADE, place integer NOT NULL,
        name text COLLATE "C" NOT NULL, finished bigint NOT NULL, known bigint NOT NULL,
        PRIMARY KEY (cup, name)
    );
    """,
    # all series that were stored; it has no reference to `series`, so what others delete there is noticed
    """
    CREATE TABLE stored_series (
        cup text COLLATE "C" NOT NULL REFERENCES cups ON DELETE CASCADE,
        stage text COLLATE "C" NOT NULL, key text COLLATE "C" NOT NULL, PRIMARY KEY (cup, stage, key)
    );
    INSERT INTO stored_series SELECT cup, stage, key FROM series;
    """,
    # what organisers want of the coordinator, and its answers
    """
    CREATE TABLE requests (
        cup text COLLATE "C" NOT NULL REFERENCES shows ON DELETE CASCADE, number bigint NOT NULL,
        content text NOT NULL, state text NOT NULL, answer text NOT NULL, PRIMARY KEY (cup, number)
    );
    """,
)


def schema_version(connection: Connection, address: StoreAddress) -> int:
    """Return how many migrations the database has seen; raise InputError if a newer Botequim wrote it."""
    (there,) = connection.execute("SELECT to_regclass(%s)", (f"{SCHEMA}.migrations",)).fetchone() or (None,)
    if there is None:
        return 0
    (version,) = connection.execute("SELECT COALESCE(MAX(number), 0) FROM migrations").fetchone() or (0,)
    if version > len(MIGRATIONS):
        raise InputError(
            msg(
                "{path} was written by a newer Botequim (version {version} of its schema; this one knows "
                "{known})",
                path=address.url,
                version=version,
                known=len(MIGRATIONS),
            )
        )
    return int(version)


def migrate(connection: Connection, address: StoreAddress) -> None:
    """Bring the tables up to date."""
    if schema_version(connection, address) == len(MIGRATIONS):
        return
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (lock_number("migrate"),))
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
        connection.execute(
            "CREATE TABLE IF NOT EXISTS migrations"
            " (number integer PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())"
        )
        done = schema_version(connection, address)
        for number, script in enumerate(MIGRATIONS[done:], start=done + 1):
            connection.execute(script)
            connection.execute("INSERT INTO migrations (number) VALUES (%s)", (number,))


def has_tables(connection: Connection, address: StoreAddress) -> bool:
    """Return whether the tables are there; raise InputError if they must be brought up to date first."""
    version = schema_version(connection, address)
    if 0 < version < len(MIGRATIONS):
        raise InputError(msg("{path} has an old schema; `botequim cup run` updates it", path=address.url))
    return version > 0
