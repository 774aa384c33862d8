"""One-time codes: short enough to type, long enough that nobody can guess one."""

from __future__ import annotations

import secrets
from typing import Final

SIGNS: Final = "3479CDFGHJKMNPQRTVWXY"
"""Characters that look different from each other (without 0 and O, 1 and I, and so on). There are no vowels,
so that no code is a word."""
LENGTH: Final = 12
"""There are 7 * 10**15 codes: with a thousand of them in use, a thousand guesses per second find one in about
a hundred years."""
GROUP: Final = 4


def new_code() -> str:
    return "".join(secrets.choice(SIGNS) for _ in range(LENGTH))


def format_code(code: str) -> str:
    """Return a code as it is printed: `3CDF-GH4J-KMN7`."""
    return "-".join(code[at : at + GROUP] for at in range(0, LENGTH, GROUP))


def parse_code(text: str) -> str | None:
    """Return the code that somebody typed or scanned; None if the text cannot be one."""
    code = "".join(sign for sign in text[:100].upper() if sign not in " -–—.\t")
    return code if len(code) == LENGTH and all(sign in SIGNS for sign in code) else None
