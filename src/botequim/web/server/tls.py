"""Checks a certificate and its key before anybody connects.

Errors name the file and how to fix it. A browser would only say that it could not connect.
"""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NoReturn

from botequim.core.errors import InputError
from botequim.core.messages import msg

MOST_BYTES: Final = 1_000_000
_CERTIFICATE: Final = b"-----BEGIN CERTIFICATE-----"
_KEY: Final = b"PRIVATE KEY-----"
_NOT_ITS_KEY: Final = ("KEY_VALUES_MISMATCH", "KEY_TYPE_MISMATCH", "NO_CERTIFICATE_ASSIGNED")
"""The OpenSSL errors for a key that does not belong to the certificate."""


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """A certificate and its key that work together."""

    certificate: Path
    key: Path
    names: tuple[str, ...]
    """The host names of the certificate, which browsers accept without a warning."""


def check_tls_files(certificate: Path | None, key: Path | None) -> TlsFiles | None:
    """Return the files if they work together; None if none were given. Raise InputError otherwise."""
    if certificate is None and key is None:
        return None
    if certificate is None:
        raise InputError(msg("--tls-key needs the certificate too: add --tls-cert FILE"))
    if key is None:
        raise InputError(msg("--tls-cert needs the certificate's private key too: add --tls-key FILE"))
    if _CERTIFICATE not in _read(certificate, "--tls-cert"):
        raise InputError(
            msg(
                "{file} contains no PEM certificate: --tls-cert takes a file that contains BEGIN CERTIFICATE",
                file=certificate,
            )
        )
    if _KEY not in _read(key, "--tls-key"):
        raise InputError(
            msg(
                "{file} contains no PEM private key: --tls-key takes a file that contains BEGIN PRIVATE KEY",
                file=key,
            )
        )
    return TlsFiles(certificate, key, _names(certificate, _load(certificate, key)))


def _read(path: Path, option: str) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(MOST_BYTES)
    except FileNotFoundError as error:
        raise InputError(
            msg(
                "{option}: there is no file {file}; give the path of an existing file",
                option=option,
                file=path,
            )
        ) from error
    except OSError as error:
        raise InputError(
            msg(
                "{option}: {file} cannot be read ({why}); allow this user to read it, or give another file",
                option=option,
                file=path,
                why=error.strerror or str(error),
            )
        ) from error


def _load(certificate: Path, key: Path) -> ssl.SSLContext:
    is_encrypted = False

    def passphrase() -> str:
        nonlocal is_encrypted
        is_encrypted = True
        return ""

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(certificate, key, passphrase)
    except (ssl.SSLError, OSError, ValueError) as error:
        if is_encrypted:  # a server cannot ask for a passphrase
            raise InputError(
                msg(
                    "{file} is protected by a passphrase; write a copy without one: "
                    "openssl pkey -in {file} -out open.pem",
                    file=key,
                )
            ) from error
        if any(reason in str(error) for reason in _NOT_ITS_KEY):
            raise InputError(
                msg(
                    "{key} is not the key of the certificate in {certificate}; give the two that "
                    "were created together. In the certificate file, the server's own certificate "
                    "must come first",
                    key=key,
                    certificate=certificate,
                )
            ) from error
        _broken(certificate, key, error)
    return context


def _broken(certificate: Path, key: Path, error: Exception) -> NoReturn:
    raise InputError(
        msg(
            "{certificate} and {key} cannot be used ({why}); create them again",
            certificate=certificate,
            key=key,
            why=str(error),
        )
    ) from error


def _names(certificate: Path, server: ssl.SSLContext) -> tuple[str, ...]:
    """Return the names in a certificate, read in a TLS handshake with a client that trusts it."""
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname = False
    client.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN  # trust it without its issuer
    client.load_verify_locations(certificate)
    up, down = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = [client.wrap_bio(down, up), server.wrap_bio(up, down, server_side=True)]
    for _ in range(4):  # two round trips
        for end in ends:
            try:
                end.do_handshake()
            except ssl.SSLWantReadError:
                continue
            except ssl.SSLError as error:
                why = getattr(error, "verify_message", "") or str(error)
                raise InputError(
                    msg(
                        "browsers will not accept the certificate in {file} ({why}); renew it",
                        file=certificate,
                        why=why,
                    )
                ) from error
    fields: Any = ends[0].getpeercert() or {}
    names = [str(name) for kind, name in fields.get("subjectAltName", ()) if kind == "DNS"]
    return tuple(name for name in names if "*" not in name and name != "localhost")
