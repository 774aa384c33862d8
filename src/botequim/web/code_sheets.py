"""Voting codes to print and cut out, fifteen to a page of A4, each with a QR code of its ballot."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Final
from urllib.parse import urlsplit

import segno
from markupsafe import Markup

from botequim.core.errors import InputError
from botequim.core.messages import msg
from botequim.votes import codes

A_PAGE: Final = 15
LONGEST_ADDRESS: Final = 200
MOST_SLIPS: Final = 1000
"""The most codes at a time, because rendering takes a while."""
ONLY_HERE: Final = ("localhost", "127.", "[::1]", "0.0.0.0", "[::]")


@dataclass(frozen=True, slots=True)
class Slip:
    """One code."""

    code: str
    """The code as it is printed."""
    picture: Markup


def check_address(address: str) -> str:
    """Return the address for phones, without a slash at its end. Raise InputError if it is invalid."""
    text = address.strip().rstrip("/")
    try:
        parts = urlsplit(text)
        fits = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        fits = False
    if not fits or len(text) > LONGEST_ADDRESS or not text.isascii() or not text.isprintable() or " " in text:
        raise InputError(
            msg(
                '"{address}" is not the address of a server, such as http://192.168.0.10:8080',
                address=text[:80],
            )
        )
    return text


def only_here(address: str) -> bool:
    """Return whether no phone can reach that address."""
    return urlsplit(address).netloc.lower().startswith(ONLY_HERE)


def sheet_json(ballot: str, texts: Sequence[str]) -> bytes:
    """Return the codes as JSON, each with its QR code; `ballot` is the full address of the ballot."""
    if len(texts) > MOST_SLIPS:
        raise InputError(
            msg(
                "{count} codes are too many for one sheet; at most {most}",
                count=len(texts),
                most=MOST_SLIPS,
            )
        )
    return json.dumps(
        [(codes.format_code(code), _picture(f"{ballot}?code={code}")) for code in texts]
    ).encode()


def slips(content: bytes) -> list[Slip]:
    """Return the slips in the JSON of `sheet_json`, for a page."""
    return [Slip(code, Markup(picture)) for code, picture in json.loads(content)]


def _picture(address: str) -> str:
    code = segno.make(address, error="m", micro=False)
    return str(code.svg_inline(omitsize=True, svgclass="qr", lineclass=None, border=4))


def style() -> str:
    """Return the style sheet, for a sheet that is a file of its own."""
    return (files("botequim.web") / "static" / "sheet.css").read_text(encoding="utf-8")
