"""One-time codes: short enough to be typed, long enough not to be guessed."""

from __future__ import annotations

import secrets
from typing import Final

SIGNS: Final = "3479CDFGHJKMNPQRTVWXY"
"""None looks like another (no 0 and O, 1 and I, 2 and Z, 5 and S, 6 and G, 8 and B), and without vowels no
code is a word."""
LENGTH: Final = 12
"""21 to the 12th are seven thousand million million codes: of a thousand that are out, whoever tries a
thousand a second finds one in a hundred years."""
GROUP: Final = 4


def drawn() -> str:
    """A new code."""
    return "".join(secrets.choice(SIGNS) for _ in range(LENGTH))


def shown(code: str) -> str:
    """As it is printed: `3CDF-GH4J-KMN7`."""
    return "-".join(code[at : at + GROUP] for at in range(0, LENGTH, GROUP))


def typed(text: str) -> str | None:
    """What somebody typed or scanned, as a code; None if it cannot be one."""
    kept = "".join(sign for sign in text[:100].upper() if sign not in " -–—.\t")
    return kept if len(kept) == LENGTH and all(sign in SIGNS for sign in kept) else None
