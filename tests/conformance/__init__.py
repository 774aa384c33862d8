"""Games that really happened elsewhere, replayed through our rules: `make conformance DIR=...`.

Each game has a module of its own name here with `FILE`, the name of its file in DIR, and
`check(entry)`, which replays one line of it and raises `Mismatch`.
"""


class Mismatch(Exception):
    """A recorded game and our rules disagree."""


def expect(what: str, ours: object, recorded: object) -> None:
    if ours != recorded:
        raise Mismatch(f"{what}: ours {ours!r}, recorded {recorded!r}")
