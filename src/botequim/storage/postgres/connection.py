"""Connections to PostgreSQL: which ones are allowed, and what their errors mean to people."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar

import psycopg
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict

from botequim.core.errors import BotequimError, InputError
from botequim.core.messages import msg
from botequim.storage.address import StoreAddress
from botequim.storage.errors import StoreBusy, StoreLost, StoreUnusable
from botequim.storage.protocol import WAIT_SECONDS

Connection: TypeAlias = psycopg.Connection[tuple[Any, ...]]

SCHEMA: Final = "botequim"
VERIFIED: Final = "verify-full"
CONNECT_SECONDS: Final = 10
SYSTEM_CERTIFICATES: Final = 160000
"""The first libpq that can trust the certificates of the system."""
SILENCE: Final = {
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 25_000,  # milliseconds; there are no keepalives while a statement is on its way
}
"""After how many seconds a machine that does not answer any more is given up, on both sides."""
LOST: Final = ("08", "57P", "25P03")
"""How the codes of errors begin after which the server ends the connection."""
SETTINGS: Final = (
    f"SET search_path = {SCHEMA}; SET lock_timeout = {int(WAIT_SECONDS * 1000)};"
    "SET idle_in_transaction_session_timeout = 60000; SET client_encoding = 'UTF8';"
    "SET DateStyle = 'ISO'; SET default_transaction_isolation = 'read committed';"
    "SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3;"
)

Self = TypeVar("Self", bound="Database")


def connect(address: StoreAddress) -> Connection:
    """Open a connection in autocommit mode."""
    parameters = connection_parameters(address.url, os.environ)
    try:
        connection = psycopg.connect(**parameters, autocommit=True)
        try:
            connection.execute(SETTINGS)
            _require_unicode(connection, address)
        except BaseException:
            connection.close()
            raise
    except psycopg.Error as error:
        raise _connection_error(address, error) from error
    return connection


def connection_parameters(url: str, environment: Mapping[str, str]) -> dict[str, Any]:
    """Return the parameters for libpq. Beyond this machine, the certificate of the server is verified."""
    try:
        given: dict[str, Any] = {
            name: value for name, value in conninfo_to_dict(url).items() if value is not None
        }
    except psycopg.Error as error:
        why = str(error).strip()
        raise InputError(msg("the address of the store is not a URL: {why}", why=why)) from error
    parameters = {"application_name": "botequim", "connect_timeout": CONNECT_SECONDS, **SILENCE, **given}
    if _is_local(given, environment):
        return parameters
    mode = given.get("sslmode", VERIFIED)
    if mode != VERIFIED:
        raise InputError(
            msg(
                "{url}: sslmode={mode} does not verify who the server is; beyond this machine only "
                "sslmode={needed} is allowed, which is the default",
                url=url,
                mode=str(mode),
                needed=VERIFIED,
            )
        )
    parameters |= {"sslmode": VERIFIED, "gssencmode": "disable"}
    own = Path(environment.get("HOME", "~")).expanduser() / ".postgresql" / "root.crt"
    if (
        "sslrootcert" not in given
        and "PGSSLROOTCERT" not in environment
        and not own.exists()
        and psycopg.pq.version() >= SYSTEM_CERTIFICATES
    ):
        parameters["sslrootcert"] = "system"
    return parameters


def _is_local(given: Mapping[str, Any], environment: Mapping[str, str]) -> bool:
    """Return whether the server is surely on this machine."""
    if "service" in given or "PGSERVICE" in environment:
        return False  # a file says where it is
    named = given.get("host", environment.get("PGHOST", ""))
    numeric = given.get("hostaddr", environment.get("PGHOSTADDR", ""))
    hosts = [*str(named).split(","), *(str(numeric).split(",") if numeric else ())]
    return all(_is_local_host(host) for host in hosts)


def _is_local_host(host: str) -> bool:
    if host in ("", "localhost") or host.startswith(("/", "@")):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _require_unicode(connection: Connection, address: StoreAddress) -> None:
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise InputError(
            msg(
                "{url}: the encoding of this database is {encoding}; create one with: "
                "createdb --encoding=UTF8 --template=template0 NAME",
                url=address.url,
                encoding=str(encoding),
            )
        )


def _connection_error(address: StoreAddress, error: psycopg.Error) -> BotequimError:
    why = " ".join(str(error).split())
    lowered = why.lower()
    values = {"url": address.url, "why": why}
    if "password" in lowered and ("authentication failed" in lowered or "no password" in lowered):
        return InputError(
            msg(
                "{url}: the server does not accept the user or the password. libpq reads the password from "
                "~/.pgpass (host:port:database:user:password, mode 600) or from PGPASSWORD. Details: {why}",
                **values,
            )
        )
    if "certificate" in lowered or "ssl" in lowered:
        return InputError(
            msg(
                "{url}: no verified connection to the server. Give the certificate of the authority that "
                "signed the server's certificate: ~/.postgresql/root.crt, or ?sslrootcert=FILE in the URL. "
                "Details: {why}",
                **values,
            )
        )
    if isinstance(error, errors.InvalidCatalogName) or "does not exist" in lowered:
        return InputError(
            msg("{url}: there is no such database or user; create it first. Details: {why}", **values)
        )
    return StoreLost(msg("{url}: the server cannot be reached: {why}", **values))


def database_error(address: StoreAddress, error: psycopg.Error) -> BotequimError:
    """Return the error to raise for an error of PostgreSQL: what is wrong, and what to do."""
    why = " ".join(str(error).split())
    values = {"path": str(address)}
    match error:
        case errors.LockNotAvailable() | errors.QueryCanceled():
            return StoreBusy(
                msg(
                    "{path} is locked by another program. Finished series are stored; run the command again "
                    "later",
                    **values,
                )
            )
        case errors.InsufficientPrivilege():
            return StoreUnusable(
                msg("{path}: this user of the database may not do that: {why}", **values, why=why)
            )
        case errors.DiskFull():
            return BotequimError(
                msg(
                    "{path}: the disk of the database is full. Finished series are stored; free some space "
                    "and run the command again",
                    **values,
                )
            )
        case _ if _is_lost(error):
            return StoreLost(
                msg(
                    "{path}: the connection to the database was lost ({why}). Finished series are stored; "
                    "run the command again when it is back",
                    **values,
                    why=why,
                )
            )
    return BotequimError(msg("{path} cannot be used: {why}", **values, why=why))


def _is_lost(error: psycopg.Error) -> bool:
    """Return whether the connection is gone. Other errors would come again after a new connection."""
    if error.sqlstate is not None:
        return error.sqlstate.startswith(LOST)
    return isinstance(error, psycopg.OperationalError | psycopg.InterfaceError) and not isinstance(
        error, errors.PipelineAborted
    )


def is_storable(value: object) -> bool:
    """Return whether a value can be in the database at all: no text in it has a NUL or half a character."""
    if not isinstance(value, str):
        return True
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return "\0" not in value


def lock_number(purpose: str, cup: str = "") -> int:
    """Return the number of an advisory lock."""
    digest = sha256(f"botequim {purpose} {cup}".encode("utf-8", "backslashreplace")).digest()
    return int.from_bytes(digest[:8], "big", signed=True)


class Database:
    """An open connection that belongs to one cup, and to the thread that opened it."""

    def __init__(self, address: StoreAddress, connection: Connection) -> None:
        self.address: Final = address
        self._cup: Final = address.cup
        self._connection = connection
        self._closed = False

    @property
    def location(self) -> str:
        return str(self.address)

    def close(self) -> None:
        self._closed = True
        self._connection.close()

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @contextmanager
    def translate_errors(self) -> Iterator[None]:
        """Raise errors of PostgreSQL as `BotequimError` with a message for people."""
        try:
            yield
        except psycopg.Error as error:
            raise database_error(self.address, error) from error

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows of a query. Nothing is found by a text that cannot be stored."""
        if not all(map(is_storable, values)):
            return []
        with self.translate_errors():
            return self._connection.execute(query, values).fetchall()

    def _row(self, query: str, *values: object) -> tuple[Any, ...] | None:
        rows = self._rows(query, *values)
        return rows[0] if rows else None

    def _execute(self, statement: str, *values: object) -> int:
        """Return how many rows a statement changed."""
        with self.translate_errors():
            return self._connection.execute(statement, values).rowcount

    def _execute_many(self, statement: str, rows: Sequence[Sequence[object]]) -> None:
        if rows:
            with self.translate_errors(), self._connection.cursor() as cursor:
                cursor.executemany(statement, rows)

    @contextmanager
    def _atomic(self) -> Iterator[None]:
        """Do everything within, or nothing. Errors of the caller pass.

        Statements are sent together, up to the next one whose rows are read. So an error of the database may
        be raised by a later statement, or at the end.
        """
        with self.translate_errors(), self._connection.pipeline(), self._connection.transaction():
            yield
