"""Creates the files of a cluster: its CA, and the key file that is copied to every machine."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from botequim.cluster.credentials import read_authority
from botequim.core import clock
from botequim.core.errors import InputError, write_reason
from botequim.core.messages import msg

DAYS: Final = 730
"""The days that a key file is valid, if nothing else is said."""
AUTHORITY_DAYS: Final = 3650
"""The days that a CA is valid at least, so that it can issue further key files."""
SLOW_CLOCKS: Final = timedelta(days=1)
"""Certificates are valid from this time before they are made, for machines whose clock is slow."""
NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")


@dataclass(frozen=True, slots=True)
class ClusterFiles:
    """The files that `create_cluster` wrote."""

    key_file: Path
    """For every machine: the certificate of the CA, and a certificate with its private key."""
    authority: Path | None
    """The certificate and the private key of the CA, if it is new; it stays where it is."""
    expires: datetime


def create_cluster(
    folder: Path, name: str, *, days: int = DAYS, authority: Path | None = None
) -> ClusterFiles:
    """Write NAME.cluster.pem and, unless the file of a CA is given, the file NAME.ca.pem of a new CA.

    Only the user can read the files. Raise InputError if one of them exists, and write none then.
    """
    if not NAME.fullmatch(name):
        raise InputError(
            msg(
                '"{name}" cannot be the name of a cluster: use up to 40 letters, digits, points, hyphens and '
                "underscores",
                name=name,
            )
        )
    now = datetime.fromtimestamp(clock.date(clock.now()), UTC)
    key_file, authority_file = folder / f"{name}.cluster.pem", folder / f"{name}.ca.pem"
    texts: dict[Path, str] = {}
    if authority is not None:
        issuer, issuer_key = read_authority(authority)
    else:
        issuer_key = ec.generate_private_key(ec.SECP256R1())
        issuer = _authority(name, issuer_key, now, now + timedelta(days=max(days, AUTHORITY_DAYS)))
        texts[authority_file] = _pem(issuer) + _pem_key(issuer_key)
    expires = min(now + timedelta(days=days), issuer.not_valid_after_utc)
    key = ec.generate_private_key(ec.SECP256R1())
    certificate = _certificate(name, key, issuer, issuer_key, expires)
    texts[key_file] = _pem(issuer) + _pem(certificate) + _pem_key(key)
    _write_new_files(texts)
    return ClusterFiles(key_file, None if authority else authority_file, certificate.not_valid_after_utc)


def _authority(
    name: str, key: ec.EllipticCurvePrivateKey, now: datetime, expires: datetime
) -> x509.Certificate:
    subject = _subject(f"Botequim cluster {name} CA")
    identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    return (
        x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - SLOW_CLOCKS)
        .not_valid_after(expires)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_key_usage(signs_certificates=True), critical=True)
        .add_extension(identifier, critical=False)
        .sign(key, SHA256())
    )


def _certificate(
    name: str,
    key: ec.EllipticCurvePrivateKey,
    issuer: x509.Certificate,
    issuer_key: PrivateKeyTypes,
    expires: datetime,
) -> x509.Certificate:
    """Return a certificate for both ends of a connection."""
    if not isinstance(issuer_key, ec.EllipticCurvePrivateKey):
        raise InputError(msg("the key of the CA must be an ECDSA key, as `botequim cluster create` makes it"))
    identifier = x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key())
    purposes = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
    subject = _subject(f"Botequim cluster {name}")
    return (
        x509.CertificateBuilder(issuer.subject, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(datetime.fromtimestamp(clock.date(clock.now()), UTC) - SLOW_CLOCKS)
        .not_valid_after(expires)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_key_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage(purposes), critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(identifier, critical=False)
        .sign(issuer_key, SHA256())
    )


def _subject(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _key_usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _pem(certificate: x509.Certificate) -> str:
    return certificate.public_bytes(Encoding.PEM).decode("ascii")


def _pem_key(key: ec.EllipticCurvePrivateKey) -> str:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode("ascii")


def _write_new_files(texts: Mapping[Path, str]) -> None:
    """Write all files for the user alone, or none of them. A file that exists is left alone."""
    for path in texts:
        if os.path.lexists(path):  # also a link to nowhere
            raise InputError(
                msg("{path} exists already and is not overwritten; choose another name", path=str(path))
            )
    complete: list[Path] = []
    for path, text in texts.items():
        try:
            descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            complete.append(path)
            with open(descriptor, "w", encoding="ascii") as file:
                file.write(text)
                file.flush()
                os.fsync(descriptor)
        except OSError as error:
            for one in complete:
                with suppress(OSError):
                    one.unlink()
            raise InputError(
                msg("{path} cannot be written: {why}", path=str(path), why=write_reason(path, error))
            ) from error
