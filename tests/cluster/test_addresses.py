"""Strangers cannot connect to an address that is accepted."""

from __future__ import annotations

from pathlib import Path

import pytest

from botequim.cluster.addresses import listening_host, require_safe_address, security_for
from botequim.cluster.authority import create_cluster
from botequim.cluster.credentials import Credentials, read_credentials
from botequim.core.errors import InputError


@pytest.fixture(scope="module")
def credentials(tmp_path_factory: pytest.TempPathFactory) -> Credentials:
    credentials = read_credentials(create_cluster(tmp_path_factory.mktemp("keys"), "lab").key_file)
    assert credentials is not None
    return credentials


@pytest.mark.parametrize(
    ("address", "complete"),
    [
        ("tls://lab-1:8786", "tls://lab-1:8786"),
        ("TLS://lab-1", "tls://lab-1:8786"),
        ("tls://lab-1/", "tls://lab-1:8786"),
        ("lab-1", "tls://lab-1:8786"),
        ("lab-1.example.org:9000", "tls://lab-1.example.org:9000"),
        ("localhost", "tls://localhost:8786"),
        ("192.0.2.7", "tls://192.0.2.7:8786"),
        ("[2001:db8::7]:9000", "tls://[2001:db8::7]:9000"),
        ("2001:db8::7", "tls://[2001:db8::7]:8786"),
        ("tcp://127.0.0.1:8786", "tcp://127.0.0.1:8786"),
    ],
)
def test_with_credentials_addresses_are_encrypted(
    address: str, complete: str, credentials: Credentials
) -> None:
    assert require_safe_address(address, credentials) == complete
    assert (security_for(complete, credentials) is not None) == complete.startswith("tls")


@pytest.mark.parametrize(
    ("address", "complete"),
    [
        ("tcp://127.0.0.1:8786", "tcp://127.0.0.1:8786"),
        ("tcp://127.9.9.9", "tcp://127.9.9.9:8786"),
        ("tcp://localhost:1", "tcp://localhost:1"),
        ("localhost", "tcp://localhost:8786"),
        ("::1", "tcp://[::1]:8786"),
        ("[::1]:9000", "tcp://[::1]:9000"),
    ],
)
def test_without_credentials_only_this_machine_is_accepted(address: str, complete: str) -> None:
    assert require_safe_address(address, None) == complete
    assert security_for(complete, None) is None


@pytest.mark.parametrize(
    "address",
    [
        "tcp://lab-1:8786",
        "lab-1",
        "tcp://0.0.0.0:8786",
        "0.0.0.0",
        "::",
        "tcp://[2001:db8::7]",
        "128.0.0.1",
        "localhost.example.org",
        "127.0.0.1.example.org",
        "127.1",
        "::ffff:192.0.2.7",
    ],
)
def test_other_machines_need_encryption(address: str, credentials: Credentials) -> None:
    with pytest.raises(InputError, match=r"botequim cluster create NAME.*--key-file"):
        require_safe_address(address, None)
    with pytest.raises(InputError, match="write tls://"):
        require_safe_address(
            address if address.startswith("tcp") else f"tcp://{bracketed(address)}", credentials
        )


def bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def test_encryption_needs_credentials(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        require_safe_address("tls://localhost", None)
    for place in ("--key-file", "BOTEQUIM_CLUSTER_KEY", "~/.config/botequim/cluster.pem"):
        assert place in str(caught.value)


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("", "is not the address of a scheduler; write tls://HOST:PORT"),
        ("tls://", "is not the address"),
        ("tls://lab 1", "is not the address"),
        ("tls://lab-1:", "is not the address"),
        ("tls://lab-1:http", "is not the address"),
        ("tls://user@lab-1:8786", "is not the address"),
        ("tls://lab-1:8786/path", "is not the address"),
        ("tls://[::1", "is not the address"),
        ("tls://[1:2]", "is not the address"),
        ("tls://lab-1\n", "is not the address"),
        ("fe80::1%eth0", "is not the address"),
        ("http://lab-1:8786", "begins with tls:// .*, not http://"),
        ("inproc://lab", "not inproc://"),
        ("ucx://lab-1", "not ucx://"),
        ("tls://lab-1:99999", "there is no port 99999"),
        ("tls://lab-1:0", "there is no port 0"),
    ],
)
def test_what_is_no_address_is_refused(address: str, why: str, credentials: Credentials) -> None:
    with pytest.raises(InputError, match=why):
        require_safe_address(address, credentials)


def test_a_server_may_let_the_system_choose_a_port(credentials: Credentials) -> None:
    assert require_safe_address("tls://0.0.0.0:0", credentials, listen=True) == "tls://0.0.0.0:0"


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("tls://lab-1:8786", None),
        ("tls://127.0.0.1:8786", None),
        ("tcp://127.0.0.1:8786", "127.0.0.1"),
        ("tcp://[::1]:8786", "[::1]"),
        ("tcp://localhost:8786", "localhost"),
    ],
)
def test_without_encryption_members_listen_on_the_loopback_interface(address: str, host: str | None) -> None:
    assert listening_host(address) == host
