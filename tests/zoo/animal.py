"""What an animal is, and how it may end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from botequim.core.errors import FaultKind

WIRES = ("uno", "cubos", "rps", "havana")
"""Lines, HTTP, a process for each question, a Python class: each competition's own."""


@dataclass(frozen=True)
class End:
    """How it ends on one wire."""

    kind: FaultKind | None = None
    """None: it plays on."""
    why: str = ""
    """In the reason of the fault, or in a warning when it plays on."""
    at: int = 1
    """The move, counted for each seat, in which it is first at fault."""
    shows: Mapping[str, str] = field(default_factory=dict)
    """What the evidence says, by name."""


def plays_on(why: str = "") -> End:
    return End(None, why)


def timeout(why: str = "", *, at: int = 1, **shows: str) -> End:
    return End(FaultKind.TIMEOUT, why, at, shows)


def crash(why: str = "", *, at: int = 1, **shows: str) -> End:
    return End(FaultKind.CRASH, why, at, shows)


def malformed(why: str = "", **shows: str) -> End:
    return End(FaultKind.MALFORMED, why, 1, shows)


def illegal(why: str = "", **shows: str) -> End:
    return End(FaultKind.ILLEGAL, why, 1, shows)


def limit(why: str = "", **shows: str) -> End:
    return End(FaultKind.LIMIT, why, 1, shows)


@dataclass(frozen=True)
class Animal:
    """One bot that misbehaves."""

    name: str
    em_portugues: str
    """Its name for those who read the table in Portuguese."""
    lines: str
    """What it does, below those of `bodies/animal.py`."""
    usual: Mapping[str, End]
    """How it ends, by wire; on the others it means nothing."""
    isolated: bool = False
    """It is let loose only where it is isolated: without, it would do harm, or nothing holds it."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Beside its program."""
    elsewhere: Mapping[str, Mapping[str, End]] = field(default_factory=dict)
    """By backend and wire, where it ends in another way than in the sandbox."""

    def ends(self, backend: str) -> dict[str, End]:
        """By wire, in a backend."""
        return dict(self.usual) | dict(self.elsewhere.get(backend, {}))

    def late(self, backend: str) -> bool:
        """Whether a time limit ends it, on some wire."""
        return any(end.kind is FaultKind.TIMEOUT for end in self.ends(backend).values())


def everywhere(end: End) -> dict[str, End]:
    """The same on every wire."""
    return dict.fromkeys(WIRES, end)
