"""Key files are created once, for their user alone, and refused with the reason if they cannot be used."""

from __future__ import annotations

import os
import ssl
import stat
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from botequim.cluster.authority import create_cluster
from botequim.cluster.credentials import VARIABLE, Credentials, read_credentials
from botequim.core import clock
from botequim.core.errors import InputError
from tests.support.certificates import openssl, write_certificate

END = "-----END CERTIFICATE-----\n"


@pytest.fixture(autouse=True)
def _no_credentials_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv(VARIABLE, raising=False)


def read(path: Path | None) -> Credentials:
    credentials = read_credentials(path)
    assert credentials is not None
    return credentials


def parts(path: Path) -> tuple[str, str, str]:
    """Return the certificate of the CA, the other certificate and the key of a key file."""
    first, second, key = path.read_text().split(END)
    return first + END, second + END, key


def private(path: Path, *texts: str) -> Path:
    path.write_text("".join(texts))
    path.chmod(0o600)
    return path


# --- creating --------------------------------------------------------------------------------------------


def test_a_cluster_has_a_ca_and_a_key_file_that_only_their_user_can_read(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        files = create_cluster(tmp_path, "lab")
    finally:
        os.umask(before)
    assert (files.key_file, files.authority) == (tmp_path / "lab.cluster.pem", tmp_path / "lab.ca.pem")
    for path in tmp_path.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    credentials = read(files.key_file)
    assert credentials.key not in (tmp_path / "lab.ca.pem").read_text()
    assert credentials.key not in repr(credentials)
    assert credentials.expires == files.expires
    assert timedelta(days=729) < files.expires - datetime.now(UTC) < timedelta(days=731)


def test_openssl_accepts_the_certificate_for_both_ends_of_a_connection(tmp_path: Path) -> None:
    files = create_cluster(tmp_path, "lab")
    assert files.authority
    leaf = private(tmp_path / "leaf.pem", parts(files.key_file)[1])
    for purpose in ("sslserver", "sslclient"):
        openssl("verify", "-x509_strict", "-purpose", purpose, "-CAfile", files.authority, leaf)


@pytest.mark.parametrize("existing", ["lab.ca.pem", "lab.cluster.pem"])
def test_nothing_is_overwritten(existing: str, tmp_path: Path) -> None:
    (tmp_path / existing).symlink_to("nowhere")
    with pytest.raises(InputError, match=f"{existing} exists already"):
        create_cluster(tmp_path, "lab")
    assert [path.name for path in tmp_path.iterdir()] == [existing]


def test_a_file_that_cannot_be_written_leaves_no_other_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []

    def fail_second(descriptor: int) -> None:
        calls.append(descriptor)
        if len(calls) == 2:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail_second)
    with pytest.raises(InputError, match="the disk is full"):
        create_cluster(tmp_path, "lab")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["", "../lab", "a/b", "-lab", "lab 1", "x" * 41, "\n"])
def test_names_that_are_no_file_names_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be the name of a cluster"):
        create_cluster(tmp_path, name)


def test_a_ca_issues_further_key_files(tmp_path: Path) -> None:
    files = create_cluster(tmp_path, "lab")
    second = create_cluster(tmp_path, "lab-2", days=30, authority=files.authority)
    old, new = read(files.key_file), read(second.key_file)
    assert new.authority == old.authority
    assert new.key != old.key
    assert new.expires < old.expires
    assert second.authority is None
    assert not (tmp_path / "lab-2.ca.pem").exists()


def test_a_key_file_is_not_valid_for_longer_than_its_ca(tmp_path: Path) -> None:
    files = create_cluster(tmp_path, "lab")
    second = create_cluster(tmp_path, "lab-2", days=36500, authority=files.authority)
    assert second.expires - datetime.now(UTC) < timedelta(days=3651)
    assert read(second.key_file).expires == second.expires


def test_a_key_file_is_no_ca(tmp_path: Path) -> None:
    files = create_cluster(tmp_path, "lab")
    with pytest.raises(InputError, match=r"has no private key of a CA; give the file NAME\.ca\.pem"):
        create_cluster(tmp_path, "lab-2", authority=files.key_file)


# --- where they are --------------------------------------------------------------------------------------


def test_the_option_comes_first_then_the_variable_then_the_users_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two, three = (create_cluster(tmp_path, name).key_file for name in ("one", "two", "three"))
    assert read_credentials(None) is None
    users = tmp_path / "home" / ".config" / "botequim" / "cluster.pem"
    users.parent.mkdir(parents=True)
    three.rename(users)
    assert read(None) == read(users)
    monkeypatch.setenv(VARIABLE, str(two))
    assert read(None) == read(two)
    assert read(one) != read(two)
    monkeypatch.setenv(VARIABLE, str(tmp_path / "missing.pem"))
    with pytest.raises(InputError, match="there is no such file"):
        read_credentials(None)


def test_the_folder_of_configurations_may_be_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = create_cluster(tmp_path, "lab")
    (tmp_path / "elsewhere" / "botequim").mkdir(parents=True)
    files.key_file.rename(tmp_path / "elsewhere" / "botequim" / "cluster.pem")
    assert read_credentials(None) is None
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "elsewhere"))
    assert read_credentials(None) is not None


# --- what is refused -------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o644])
def test_a_file_that_others_can_use_is_refused(mode: int, tmp_path: Path) -> None:
    files = create_cluster(tmp_path, "lab")
    files.key_file.chmod(mode)
    with pytest.raises(InputError, match=f"run chmod 600 {files.key_file}"):
        read_credentials(files.key_file)


def test_files_that_are_no_key_files_are_refused_with_the_reason(tmp_path: Path) -> None:
    files, other = create_cluster(tmp_path, "lab"), create_cluster(tmp_path, "other")
    ca, certificate, key = parts(files.key_file)
    other_ca, other_certificate, other_key = parts(other.key_file)
    body = key.splitlines()[1]
    broken = key.replace(body, body[:20])
    refused = tmp_path / "refused.pem"
    for texts, why in (
        (["nothing"], "is not a PEM file"),
        ([], "is not a PEM file"),
        (["\udcff".encode("utf-8", "surrogateescape").decode("latin-1")], "is not a PEM file"),
        ([ca, certificate], "contains no private key"),
        ([ca, certificate, key, other_key], "contains several private keys"),
        ([key], "must contain the certificate of one CA and one other"),
        ([certificate, key], "must contain the certificate of one CA and one other"),
        ([ca, certificate, other_certificate, key], "must contain the certificate of one CA and one other"),
        ([ca, certificate, other_key], "the private key does not belong to the certificate"),
        ([other_ca, certificate, key], "the certificate is not signed by the CA in the file"),
        ([ca, certificate, broken], "a certificate or the private key is damaged"),
    ):
        with pytest.raises(InputError, match=why):
            read_credentials(private(refused, *texts))
    assert read(private(refused, key, certificate, "a comment\n", ca)).key == read(files.key_file).key
    with pytest.raises(InputError, match="it is a folder"):
        read_credentials(tmp_path)
    assert files.authority
    with pytest.raises(InputError, match=r"is the CA of a cluster.*NAME\.cluster\.pem"):
        read_credentials(files.authority)


def test_a_ca_of_the_same_name_is_another_ca(tmp_path: Path) -> None:
    (tmp_path / "again").mkdir()
    files, again = create_cluster(tmp_path, "lab"), create_cluster(tmp_path / "again", "lab")
    texts = [parts(again.key_file)[0], *parts(files.key_file)[1:]]
    with pytest.raises(InputError, match="is not signed by the CA"):
        read_credentials(private(tmp_path / "mixed.pem", *texts))


def test_an_encrypted_key_is_refused(tmp_path: Path) -> None:
    certificate, key = write_certificate(tmp_path, "own", "IP:127.0.0.1", "-passout", "pass:secret")
    with pytest.raises(InputError, match="must not be encrypted"):
        read_credentials(private(tmp_path / "own.pem", certificate.read_text(), key.read_text()))


def shifted_date(date: Callable[[float], float], difference: timedelta, moment: float) -> float:
    return date(moment) + difference.total_seconds()


def test_dates_are_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, days, why in (
        ("past", -800, r"expired on \d{4}-\d\d-\d\d \d\d:\d\d UTC"),
        ("future", 30, r"is valid from \d{4}-\d\d-\d\d \d\d:\d\d UTC on"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(clock, "date", partial(shifted_date, clock.date, timedelta(days=days)))
            files = create_cluster(tmp_path, name)
        with pytest.raises(InputError, match=why):
            read_credentials(files.key_file)


# --- what Dask gets --------------------------------------------------------------------------------------


def test_every_role_has_the_certificate_and_no_old_tls(tmp_path: Path) -> None:
    credentials = read(create_cluster(tmp_path, "lab").key_file)
    security = credentials.security()
    assert security.require_encryption is True
    for role in ("scheduler", "worker", "client"):
        for arguments in (security.get_listen_args(role), security.get_connection_args(role)):
            context = arguments["ssl_context"]
            assert arguments["require_encryption"] is True
            assert context.minimum_version == ssl.TLSVersion.TLSv1_2
            assert context.verify_mode == ssl.CERT_REQUIRED
            assert len(context.get_ca_certs()) == 1
    assert credentials.key not in repr(security)
