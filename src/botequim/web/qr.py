"""Addresses as QR codes."""

from __future__ import annotations

import io
from functools import lru_cache
from typing import Final

import segno

LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]", "")


def is_local(address: str) -> bool:
    """Return whether only this machine can open an address, and so no phone."""
    return address.partition("://")[2].split("/")[0].rsplit(":", 1)[0] in LOOPBACK


@lru_cache(64)
def qr_svg(address: str) -> str:
    output = io.BytesIO()
    segno.make(address, error="m", micro=False).save(
        output, kind="svg", scale=4, border=1, xmldecl=False, svgns=True, omitsize=True, dark="#14120f"
    )
    return output.getvalue().decode()
