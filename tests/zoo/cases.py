"""Which animals are let loose where, and which of these cases run only in `make test-all`.

The default run meets every animal once, in the backend where it matters most: those that misuse the protocol
without isolation, on every wire where they show something that no other animal shows there; those that attack
the machine in bubblewrap, on one wire; in the other backends only those that end there in another way, or by
another mechanism.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from botequim.core.errors import FaultKind
from tests.zoo.animal import Animal
from tests.zoo.keeper import BACKENDS, Backend
from tests.zoo.reaching import REACHING
from tests.zoo.table import ANIMALS
from tests.zoo.taking import TAKING, UNCOUNTED

ATTACKS: Final = frozenset(animal.name for animal in (*TAKING, *REACHING))
WIRE_OF_AN_ATTACK: Final = {
    "locks its memory in RAM": "havana",
    "fills the disk": "havana",
    "makes a file of a petabyte": "cubos",
    "uses up a user's watches": "havana",
    "asks for more than its share": "cubos",
    "has a child that outlives it": "cubos",
    "leaves children in sessions of their own": "havana",
    "becomes a daemon": "cubos",
    "looks for a network": "cubos",  # a server has a network namespace that we enter
    "reads other bots' files": "havana",
    "writes everywhere": "cubos",
    "kills whatever it can": "havana",
    "looks into other processes": "cubos",
    "tries to leave the sandbox": "rps",
}
"""Those that are not here use lines (uno), where the first fault ends the game."""
WIRE_OF_WHO_IS_LATE: Final = {
    "hangs at its start": "cubos",
    "answers late": "rps",
    "traps every signal": "havana",
}
"""Those that are not here use the first of their wires."""
WIRES_OF_A_MISUSE: Final = {
    "answers in invalid UTF-8": {"uno", "cubos", "havana"},  # rps: decoded as for cubos
    "answers with huge numbers": {"uno", "cubos", "havana"},  # rps: the same JSON as for cubos
    "answers NaN": {"cubos", "havana"},  # uno: no number, as above; rps: the same JSON as for cubos
    "answers with 10,000 levels of nesting": {"rps", "havana"},  # cubos: the same JSON as for rps
    "plays an unknown piece": {"havana"},  # the others name it as they name wrong types
    "writes to the terminal in its answer": {"uno", "havana"},  # rps: in the cup of animals
    "reads its input for ever": {"rps", "havana"},  # cubos: it has no input, as on havana
    # who dies by a signal ("dies of a segmentation fault") or without an answer is met on every wire, and
    # another exit code once on each
    "closes all it has open": {"rps"},
    "ends as if it had been killed": {"uno"},
    "kills itself": {"havana"},
    "leaves by SystemExit": {"cubos", "havana"},
}
"""Those that are not here are met on all of their wires."""
ALSO: Final = {
    UNCOUNTED: {
        "has too many children": "uno",
        "uses all memory": "uno",
        "fills sockets": "uno",
        "fills pipes": "uno",
    },
    "container": {
        "uses all memory": "uno",
        "ends without an answer": "uno",
        "looks for a network": "cubos",
        "becomes a daemon": "cubos",
        "writes everywhere": "rps",
    },
}
"""By backend, animals that the default run meets there too, and on which wire."""


@dataclass(frozen=True)
class Case:
    """An animal in a backend, on some wires; `late` if a time limit ends it on all of them, else on none."""

    backend: Backend
    animal: Animal
    wires: tuple[str, ...]
    late: bool
    slow: bool

    def __str__(self) -> str:
        return f"{self.backend.name}-{self.animal.name}-{'+'.join(self.wires)}"


def cases() -> Iterator[Case]:
    """Yield the whole matrix: what the default run covers, and the rest as slow cases."""
    for backend in BACKENDS.values():
        for animal in ANIMALS.values():
            if not backend.takes(animal):
                continue
            ends = animal.ends(backend.name)
            for late in (False, True):
                wires = [
                    wire
                    for wire, end in ends.items()
                    if wire in backend.wires and (end.kind is FaultKind.TIMEOUT) == late
                ]
                usual = _default_wires(backend, animal, wires, late=late)
                rest = tuple(wire for wire in wires if wire not in usual)
                if usual:
                    yield Case(backend, animal, usual, late, slow=False)
                if rest:
                    yield Case(backend, animal, rest, late, slow=True)


def _default_wires(backend: Backend, animal: Animal, wires: list[str], *, late: bool) -> tuple[str, ...]:
    if backend.name in ALSO:
        wanted = ALSO[backend.name].get(animal.name)
        return (wanted,) if wanted in wires else ()
    if animal.name in ATTACKS:
        wanted = WIRE_OF_AN_ATTACK.get(animal.name, next(iter(animal.usual)))
        return (wanted,) if backend.name == "bubblewrap" and wanted in wires else ()
    if backend.name != ("bubblewrap" if animal.isolated else "none"):
        return ()
    if late:
        wanted = WIRE_OF_WHO_IS_LATE.get(animal.name, wires[0] if wires else "")
        return (wanted,) if wanted in wires else ()
    chosen = WIRES_OF_A_MISUSE.get(animal.name, set(wires))
    return tuple(wire for wire in wires if wire in chosen)
