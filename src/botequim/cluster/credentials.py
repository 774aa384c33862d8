"""The key file of a cluster: everything that a machine needs to belong to it.

A cluster is one trust domain. It has a certificate authority (CA), and one certificate with its key for all
machines and all roles: coordinator, scheduler and worker. `authority` creates them. A key file is a PEM file
with the certificate of the CA, the certificate of the machines, and their private key.
"""

from __future__ import annotations

import os
import re
import ssl
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key

from botequim.core import clock
from botequim.core.errors import InputError, os_reason
from botequim.core.messages import Message, msg

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes, PublicKeyTypes
    from distributed.security import Security

VARIABLE: Final = "BOTEQUIM_CLUSTER_KEY"
LONGEST: Final = 1 << 20
"""The bytes of a key file that are read at most."""
BLOCK: Final = re.compile(r"-----BEGIN (?P<label>[A-Z0-9 ]+)-----\n.*?\n-----END (?P=label)-----", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Credentials:
    """What proves to the other machines of a cluster that this one belongs to it, as PEM texts."""

    authority: str
    """The certificate of the CA."""
    certificate: str
    key: str = field(repr=False)
    expires: datetime
    """When the first of the two certificates expires."""

    def security(self) -> Security:
        """Return the configuration of Dask's connections for all roles: TLS 1.2 or later, and nothing else.

        No field is left out, because Dask would take it from its own configuration.
        """
        from distributed.security import Security

        return Security(
            require_encryption=True,
            tls_min_version=ssl.TLSVersion.TLSv1_2,
            tls_max_version=None,
            tls_ciphers=None,
            tls_ca_file=self.authority,
            tls_scheduler_cert=self.certificate,
            tls_scheduler_key=self.key,
            tls_worker_cert=self.certificate,
            tls_worker_key=self.key,
            tls_client_cert=self.certificate,
            tls_client_key=self.key,
        )


def read_credentials(path: Path | None) -> Credentials | None:
    """Return the credentials in a file: the given one, that of BOTEQUIM_CLUSTER_KEY, or the user's own.

    Return None if none was named and the user has none. Raise InputError if there is one that cannot be used.
    """
    variable = os.environ.get(VARIABLE)
    if path is None and variable:
        path = Path(variable)
    if path is None:
        path = default_path()
        if not os.path.lexists(path):
            return None
    return _credentials(path, _pem_blocks(path))


def default_path() -> Path:
    """Return where the key file is if neither an option nor a variable names it."""
    folder = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    return Path(folder).expanduser() / "botequim" / "cluster.pem"


def read_authority(path: Path) -> tuple[x509.Certificate, PrivateKeyTypes]:
    """Return the certificate and the private key of a CA. Raise InputError if they are not in the file."""
    certificates, key, _ = _contents(path, _pem_blocks(path))
    authorities = [one for one in certificates if _is_authority(one)]
    if not authorities or not _belongs(key, authorities[0]):
        raise InputError(
            msg("{path} has no private key of a CA; give the file NAME.ca.pem of the cluster", path=str(path))
        )
    _require_valid_date(path, authorities[0])
    return authorities[0], key


def _credentials(path: Path, blocks: Sequence[tuple[str, str]]) -> Credentials:
    certificates, key, key_text = _contents(path, blocks)
    authorities = [one for one in certificates if _is_authority(one)]
    others = [one for one in certificates if not _is_authority(one)]
    if authorities and not others:
        raise InputError(
            msg(
                "{path} is the CA of a cluster, not a key file; give the file NAME.cluster.pem that was "
                "created with it",
                path=str(path),
            )
        )
    if len(authorities) != 1 or len(others) != 1:
        raise InputError(
            msg("{path} must contain the certificate of one CA and one other certificate", path=str(path))
        )
    authority, certificate = authorities[0], others[0]
    if not _belongs(key, certificate):
        raise InputError(msg("{path}: the private key does not belong to the certificate", path=str(path)))
    try:
        certificate.verify_directly_issued_by(authority)
    except (InvalidSignature, TypeError, ValueError) as error:
        raise InputError(
            msg("{path}: the certificate is not signed by the CA in the file", path=str(path))
        ) from error
    for one in (authority, certificate):
        _require_valid_date(path, one)
    expires = min(authority.not_valid_after_utc, certificate.not_valid_after_utc)
    return Credentials(_pem(authority), _pem(certificate), key_text, expires)


def _pem_blocks(path: Path) -> list[tuple[str, str]]:
    """Return the labels and the texts of the blocks in a PEM file that nobody else can read."""
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            data = file.read(LONGEST)
    except OSError as error:
        raise InputError(
            msg("the key file {path} cannot be read: {why}", path=str(path), why=os_reason(error))
        ) from error
    text = data.decode("ascii", "replace").replace("\r\n", "\n")
    blocks = [(match["label"], match[0] + "\n") for match in BLOCK.finditer(text)]
    if not blocks:
        raise InputError(msg("{path} is not a PEM file", path=str(path)))
    if stat.S_IMODE(mode) & (stat.S_IRWXG | stat.S_IRWXO):
        raise InputError(
            msg(
                "{path} contains a private key, but other users can read it: run chmod 600 {path}",
                path=str(path),
            )
        )
    return blocks


def _contents(
    path: Path, blocks: Sequence[tuple[str, str]]
) -> tuple[list[x509.Certificate], PrivateKeyTypes, str]:
    """Return the certificates, and the only private key with its text."""
    keys = [text for label, text in blocks if label.endswith("PRIVATE KEY")]
    if len(keys) != 1:
        raise InputError(
            msg("{path} contains no private key", path=str(path))
            if not keys
            else msg("{path} contains several private keys", path=str(path))
        )
    try:
        certificates = [
            x509.load_pem_x509_certificate(text.encode()) for label, text in blocks if label == "CERTIFICATE"
        ]
        return certificates, load_pem_private_key(keys[0].encode(), None), keys[0]
    except TypeError as error:
        raise InputError(msg("{path}: the private key must not be encrypted", path=str(path))) from error
    except ValueError as error:
        raise InputError(
            msg("{path}: a certificate or the private key is damaged", path=str(path))
        ) from error


def _require_valid_date(path: Path, certificate: x509.Certificate) -> None:
    now = datetime.fromtimestamp(clock.date(clock.now()), UTC)
    if now < certificate.not_valid_before_utc:
        raise InputError(_not_yet_valid(path, certificate, now))
    if now > certificate.not_valid_after_utc:
        raise InputError(
            msg(
                "{path}: the certificate expired on {date}; create another key file with `botequim cluster "
                "create` and copy it to every machine",
                path=str(path),
                date=f"{certificate.not_valid_after_utc:%Y-%m-%d %H:%M} UTC",
            )
        )


def _not_yet_valid(path: Path, certificate: x509.Certificate, now: datetime) -> Message:
    return msg(
        "{path}: the certificate is valid from {date} on, and the clock of this machine says {now}",
        path=str(path),
        date=f"{certificate.not_valid_before_utc:%Y-%m-%d %H:%M} UTC",
        now=f"{now:%Y-%m-%d %H:%M} UTC",
    )


def _is_authority(certificate: x509.Certificate) -> bool:
    try:
        return certificate.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    except (x509.ExtensionNotFound, ValueError):
        return False


def _belongs(key: PrivateKeyTypes, certificate: x509.Certificate) -> bool:
    """Return whether a private key is that of a certificate."""

    def public(one: PublicKeyTypes) -> bytes:
        return one.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)

    return public(key.public_key()) == public(certificate.public_key())


def _pem(certificate: x509.Certificate) -> str:
    return certificate.public_bytes(Encoding.PEM).decode("ascii")
