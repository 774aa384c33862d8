"""A real PostgreSQL for tests, with its own data folder, on a Unix socket and on a loopback port.

`postgres` is one server for all tests of a process; each test uses databases or cups of its own. A test that
stops or kills its server starts one with `start_server`.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import pytest

from tests.support import processes
from tests.support.pace import until

USER: Final = "botequim"
PASSWORD: Final = "s3cret-of-the-test"
ACCOUNTS: Final = ("postgres", "nobody")
"""Who runs the server if the tests run as root: initdb refuses root."""
SETTINGS: Final = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "shared_buffers": "16MB",
    "max_connections": "40",
    "autovacuum": "off",
    "listen_addresses": "127.0.0.1",
    "log_statement": "all",
    "lc_messages": "C",
}


def program(name: str) -> str | None:
    """Return the path of a program of PostgreSQL; Debian does not put all of them on the PATH."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda one: -float(one.parent.name))
    found = [folder / name for folder in folders if (folder / name).exists()]
    return str(found[0]) if found else shutil.which(name)


@dataclass
class PostgresServer:
    """A server, running or not."""

    folder: Path
    port: int
    account: Mapping[str, Any]
    """How processes are started as a user that is not root."""
    settings: Mapping[str, str]
    process: subprocess.Popen[bytes] | None = None
    databases: list[str] = field(default_factory=list)

    def start(self) -> None:
        words = [str(program("postgres")), "-D", str(self.folder / "data"), "-p", str(self.port)]
        words += [word for name, value in self.settings.items() for word in ("-c", f"{name}={value}")]
        words += ["-c", f"unix_socket_directories={self.folder}"]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", **self.account
            )
        until(self._answers, "that PostgreSQL starts")

    def _answers(self) -> bool:
        import psycopg  # here: most tests need no database

        assert self.process is not None
        assert self.process.poll() is None, (self.folder / "log").read_text()
        try:
            psycopg.connect(self.url("postgres"), connect_timeout=10).close()
        except psycopg.OperationalError:
            return False
        return True

    def stop(self, number: int = signal.SIGQUIT) -> None:
        """End the server at once; with SIGKILL, as if the power had failed."""
        if self.process is not None:
            parts = processes.children(self.process.pid)
            self.process.send_signal(number)
            self.process.wait()
            self.process = None
            processes.end(parts)
            (self.folder / "data" / "postmaster.pid").unlink(missing_ok=True)

    def url(self, database: str) -> str:
        """Return the address by the Unix socket, which asks for no password."""
        return f"postgresql://{USER}@/{database}?host={quote(str(self.folder), safe='')}&port={self.port}"

    def tcp_url(self, database: str) -> str:
        """Return the address by TCP, which asks for a password."""
        return f"postgresql://{USER}@127.0.0.1:{self.port}/{database}"

    def new_database(self, options: str = "") -> str:
        """Create a database and return its name."""
        name = f"test_{secrets.token_hex(4)}"
        self.execute("postgres", f"CREATE DATABASE {name} {options}")
        return name

    def execute(self, database: str, statement: str) -> list[tuple[Any, ...]]:
        """Return the rows of a statement."""
        import psycopg

        with psycopg.connect(self.url(database), autocommit=True) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def log(self) -> str:
        return (self.folder / "log").read_text(encoding="utf-8", errors="replace")


@contextlib.contextmanager
def start_server(
    settings: Mapping[str, str] | None = None, prepare: Callable[[Path], None] = lambda data: None
) -> Iterator[PostgresServer]:
    """Make a data folder and start a server; end it and remove the folder at the end.

    `prepare` may add files to the data folder first.
    """
    initdb = program("initdb")
    if initdb is None or program("postgres") is None:
        pytest.skip("PostgreSQL is not installed")
    account: dict[str, Any] = {}
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    if os.geteuid() == 0:
        known = [entry for entry in map(_account, ACCOUNTS) if entry is not None]
        account = {"user": known[0].pw_uid, "group": known[0].pw_gid, "extra_groups": []}
        os.chown(folder, known[0].pw_uid, known[0].pw_gid)
    folder.chmod(0o755)
    server = PostgresServer(folder, _free_port(), account, {**SETTINGS, **(settings or {})})
    try:
        (folder / "password").write_text(PASSWORD)
        (folder / "password").chmod(0o644)
        words = [initdb, "-D", str(folder / "data"), "-U", USER, "-E", "UTF8", "--locale=C", "--no-sync"]
        words += ["--auth-local=trust", "--auth-host=scram-sha-256", f"--pwfile={folder / 'password'}"]
        subprocess.run(words, check=True, capture_output=True, cwd="/", **account)
        prepare(folder / "data")
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _account(name: str) -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(name)
    except KeyError:
        return None


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@pytest.fixture(scope="session")
def _postgres_process() -> Iterator[PostgresServer]:
    with start_server() as server:
        server.databases.append(server.new_database())
        yield server


@pytest.fixture
def postgres(_postgres_process: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> PostgresServer:
    """Return the server that the tests of this process share. A second coordinator is refused soon."""
    monkeypatch.setattr("botequim.storage.postgres.coordinator.LOCK_SECONDS", 0.2)
    return _postgres_process


@pytest.fixture
def shared_url(postgres: PostgresServer) -> str:
    """Return the address of a database that tests share: each uses cups with ids of its own."""
    return postgres.url(postgres.databases[0])


@pytest.fixture
def empty_url(postgres: PostgresServer) -> Iterator[str]:
    """Return the address of an empty database."""
    name = postgres.new_database()
    yield postgres.url(name)
    postgres.execute("postgres", f"DROP DATABASE {name} WITH (FORCE)")
