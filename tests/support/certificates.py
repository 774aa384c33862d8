"""Certificates for tests of TLS."""

from __future__ import annotations

import subprocess
from pathlib import Path


def openssl(*words: str | Path) -> None:
    subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True, timeout=300)


def write_certificate(
    folder: Path, name: str, alternative: str = "IP:127.0.0.1", *words: str
) -> tuple[Path, Path]:
    """Write a self-signed certificate and its key, and return their paths."""
    certificate, key = folder / f"{name}-cert.pem", folder / f"{name}-key.pem"
    kind = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256")
    where = ("-keyout", key, "-out", certificate, "-subj", "/CN=botequim")
    passphrase = () if words else ("-nodes",)
    openssl("req", "-x509", *kind, *passphrase, *words, *where, "-addext", f"subjectAltName={alternative}")
    return certificate, key
