"""Addresses of stores, and which connections they allow."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from botequim.core.errors import InputError
from botequim.storage import open_storage
from botequim.storage.address import StoreAddress
from botequim.storage.postgres.connection import connection_parameters
from tests.support.certificates import write_certificate
from tests.support.postgres import PASSWORD, PostgresServer, start_server

HOME = {"HOME": "/nowhere"}


@pytest.mark.parametrize(
    ("text", "url", "cup"),
    [
        ("postgresql://db.example.org/cups", "postgresql://db.example.org/cups", ""),
        ("postgres://ana@localhost:5433/cups", "postgres://ana@localhost:5433/cups", ""),
        ("postgresql:///cups?cup=rinha", "postgresql:///cups", "rinha"),
        (
            "postgresql://h/d?sslmode=verify-full&cup=Copa%202",
            "postgresql://h/d?sslmode=verify-full",
            "Copa 2",
        ),
    ],
)
def test_an_address_is_a_url_and_the_id_of_a_cup(text: str, url: str, cup: str) -> None:
    address = StoreAddress.parse(text)
    assert (address.url, address.cup) == (url, cup)
    assert StoreAddress.parse(str(address)) == address
    assert address.with_default("other").cup == (cup or "other")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("mysql://h/d", "must begin with postgresql://"),
        ("rinha.toml", "must begin with postgresql://"),
        ("postgresql://h/d?cup=" + "x" * 200, "1 to 100 visible"),
        ("postgresql://h/d?cup=%00", "1 to 100 visible"),
        ("postgresql://[h/d", "not understood"),
        ("postgresql:h/d", "must begin with postgresql://"),
    ],
)
def test_what_is_no_address_is_refused(text: str, why: str) -> None:
    with pytest.raises(InputError, match=re.escape(why)):
        StoreAddress.parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://ana:s3cret@h/d",
        "postgresql://h/d?user=ana&password=s3cret",
        "postgresql://h/d?sslpassword=s3cret",
        "mysql://ana:s3cret@h/d",
        "postgresql:ana:s3cret@h/d",
        "postgresql:/ana:s3cret@h/d",
        "postgresql://ana:s3cret/more@h/d",
        "postgresql://ana:more?s3cret@h/d",
        "postgresql://ana:more#s3cret@h/d",
        "postgresql://ana%3As3cret@h/d",
        "ana:s3cret@h/d",
        "host=h password=s3cret",
    ],
)
def test_no_message_repeats_a_password(text: str) -> None:
    with pytest.raises(InputError) as refused:
        StoreAddress.parse(text)
    assert "s3cret" not in str(refused.value)


# --- beyond this machine -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "environment"),
    [
        ("postgresql:///d", {}),
        ("postgresql://localhost/d", {}),
        ("postgresql://127.0.0.1/d", {}),
        ("postgresql://[::1]/d", {}),
        ("postgresql://u@/d?host=%2Frun%2Fpostgresql", {}),
        ("postgresql:///d", {"PGHOST": "/run/postgresql"}),
    ],
)
def test_connections_within_this_machine_need_no_certificate(url: str, environment: dict[str, str]) -> None:
    assert "sslmode" not in connection_parameters(url, environment | HOME)


@pytest.mark.parametrize(
    ("url", "environment"),
    [
        ("postgresql://db.example.org/d", {}),
        ("postgresql://192.168.0.7/d", {}),
        ("postgresql://localhost,db.example.org/d", {}),
        ("postgresql://localhost/d?hostaddr=192.168.0.7", {}),
        ("postgresql:///d", {"PGHOST": "db.example.org"}),
        ("postgresql:///d", {"PGHOST": "db.example.org", "PGSSLMODE": "prefer"}),
        ("postgresql:///d", {"PGSERVICE": "somewhere"}),
        ("postgresql:///d?service=somewhere", {}),
        ("postgresql://db.example.org/d?sslmode=verify-full", {}),
    ],
)
def test_connections_beyond_this_machine_verify_the_server(url: str, environment: dict[str, str]) -> None:
    parameters = connection_parameters(url, environment | HOME)
    assert parameters["sslmode"] == "verify-full"
    assert parameters["gssencmode"] == "disable"
    assert parameters["sslrootcert"] == "system"


@pytest.mark.parametrize("mode", ["disable", "allow", "prefer", "require", "verify-ca"])
def test_weaker_connections_beyond_this_machine_are_refused(mode: str) -> None:
    with pytest.raises(InputError, match=f"sslmode={mode} does not verify"):
        connection_parameters(f"postgresql://db.example.org/d?sslmode={mode}", HOME)


@pytest.fixture(scope="module")
def with_tls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[PostgresServer, Path]]:
    """A server that calls itself db.test, and the certificate that proves it."""
    certificate, key = write_certificate(tmp_path_factory.mktemp("tls"), "db", "DNS:db.test")
    settings = {"ssl": "on", "ssl_cert_file": "server.crt", "ssl_key_file": "server.key"}

    def add_files(folder: Path) -> None:
        owner = folder.stat()
        for source, name in ((certificate, "server.crt"), (key, "server.key")):
            target = folder / name
            target.write_bytes(source.read_bytes())
            target.chmod(0o600)
            os.chown(target, owner.st_uid, owner.st_gid)

    with start_server(settings, prepare=add_files) as server:
        yield server, certificate


def test_the_name_and_the_authority_of_a_server_are_verified(
    with_tls: tuple[PostgresServer, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    server, certificate = with_tls
    monkeypatch.setenv("PGPASSWORD", PASSWORD)

    def opened(host: str, more: str = "") -> None:
        url = f"postgresql://botequim@{host}:{server.port}/postgres?hostaddr=127.0.0.1{more}"
        open_storage(Path("c.cup"), StoreAddress.parse(url)).open_results(write=True).close()

    opened("db.test", f"&sslrootcert={certificate}")
    with pytest.raises(InputError, match="no verified connection"):
        opened("other.test", f"&sslrootcert={certificate}")
    with pytest.raises(InputError, match="no verified connection"):
        opened("db.test")
