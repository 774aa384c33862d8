"""Games that really happened elsewhere, replayed through our rules: `make conformance DIR=...`.

Each game has a module of its own name here with `FILE`, the name of its file in DIR, and
`check(entry)`, which replays one line of it and raises `Mismatch` or `Inexpressible`.
"""


class Mismatch(Exception):
    """A recorded game and our rules disagree."""


class Inexpressible(Exception):
    """A recorded game holds something that is no move in our rules, so it cannot be replayed."""


def expect(what: str, ours: object, recorded: object) -> None:
    if ours != recorded:
        raise Mismatch(f"{what}: ours {ours!r}, recorded {recorded!r}")


def require_text(what: str, recorded: object) -> str:
    """Return a recorded text; raise `Inexpressible` if it is none."""
    if not isinstance(recorded, str):
        raise Inexpressible(f"{what} is {recorded!r}")
    return recorded
