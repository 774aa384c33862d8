"""Addresses as QR codes."""

from __future__ import annotations

import io
from functools import lru_cache

import segno


@lru_cache(64)
def qr_svg(address: str) -> str:
    output = io.BytesIO()
    segno.make(address, error="m", micro=False).save(
        output, kind="svg", scale=4, border=1, xmldecl=False, svgns=True, omitsize=True, dark="#14120f"
    )
    return output.getvalue().decode()
