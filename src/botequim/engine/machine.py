"""The machine that plays a game: a label for its records, and how fast it is.

Games of one cup may be played on unequal machines. A record says which machine played it, so that everybody
can see whether the faults of a bot are those of a slow or busy machine.

**The speed** is the speed of a fixed piece of work in Python, some of it with numbers and some of it with
memory. 1.0 is the reference: one core of a server with an AMD EPYC of the fifth generation (Zen 5) that does
nothing else, and CPython 3.11. The work is done by the interpreter, so compare only machines with the same
version of Python.

It is measured in processor time, so it says how fast the machine is, and not how busy it was at the moment
when its worker started. Whether bots had to wait for a processor is measured in each game. The work is
repeated, and the median counts.
"""

from __future__ import annotations

import ipaddress
import math
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from botequim.core.errors import InputError
from botequim.core.messages import Message, msg
from botequim.core.sanitize import printable

LONGEST_LABEL: Final = 40
NO_LABEL: Final = "machine"
"""The label of a machine that has no other, or only an address."""

_QUAD: Final = re.compile(r"(?<!\d)(\d{1,3})([.-])(\d{1,3})\2(\d{1,3})\2(\d{1,3})(?!\d)")
"""An address of IPv4, also as part of a host name, such as ip-10-0-0-7."""


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine as records name it."""

    label: str
    """Chosen by its operator, such as "lab-3". It is cleaned: see `clean_label`."""
    speed: float
    """Relative to the reference; rounded to 3 digits after the point."""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.speed) and self.speed > 0):
            raise InputError(msg("the speed of a machine must be a number above 0"))
        object.__setattr__(self, "label", clean_label(self.label))
        object.__setattr__(self, "speed", max(0.001, round(float(self.speed), 3)))


def clean_label(text: str) -> str:
    """Return a label that may be published: one printable line of at most 40 characters and no IP address.

    Records are public, and an address says more than which machine it was. `NO_LABEL` replaces it.
    """
    label = printable(" ".join(text.split()))[:LONGEST_LABEL].strip()
    return NO_LABEL if not label or _is_address(" ".join(text.split())) else label


def _is_address(text: str) -> bool:
    """Return whether a text is an address, or contains one of IPv4."""
    if "://" in text:
        return True
    for found in _QUAD.finditer(text):
        if all(int(part) <= 255 for part in found.group(1, 3, 4, 5)):
            return True
    bare = text.strip("[]").partition("%")[0]
    for candidate in (bare, text.rpartition(":")[0].strip("[]")):  # the second: without a port
        try:
            ipaddress.ip_address(candidate)
        except ValueError:
            continue
        return True
    return False


# --- speed -------------------------------------------------------------------------------------------------

RUNS: Final = 13
"""How often the work is done; an odd number. Together they take about half a second on the reference."""
REFERENCE_SECONDS: Final = 0.037
"""The seconds of one run on the reference; see the module's docstring."""


def measure_speed(
    *, clock: Callable[[], float] = time.thread_time, work: Callable[[], object] | None = None
) -> float:
    """Return the speed of one core of this machine. It takes about half a second of processor time.

    `clock` returns the processor time of this thread in seconds, and `work` is the piece of work; tests
    replace them.
    """
    run = work or _work
    seconds = []
    for _ in range(RUNS):
        began = clock()
        run()
        seconds.append(clock() - began)
    return REFERENCE_SECONDS / max(median(seconds), 1e-9)


def _work() -> int:
    """Do a fixed piece of work: numbers, then memory that is too large for the fastest cache."""
    number = 1
    for at in range(300_000):
        number = (number * 1_103_515_245 + 12_345 + at) & 0x7FFF_FFFF
    block = list(range(200_000))
    step = 7_919  # a prime: all of the list is visited, in an order that no cache expects
    place = 0
    for _ in range(200_000):
        place = (place + step) % 200_000
        number ^= block[place]
    return number


def too_slow(machines: Sequence[Machine], least: float) -> list[tuple[Machine, Message]]:
    """Return the machines that are slower than `least` times the median speed, each with a message.

    With `least` 0.5, a machine must be at least half as fast as the median of all machines, itself included.
    The median of an even number of machines is the mean of the two in the middle. A single machine is never
    too slow, because it is fair to everybody.
    """
    if not 0 < least <= 1:
        raise InputError(msg("the least speed must be above 0 and at most 1, such as 0.5"))
    if not machines:
        return []
    middle = median([machine.speed for machine in machines])
    return [
        (
            machine,
            msg(
                "{label} is too slow: its speed is {speed}, and the median of all machines is {median}; "
                "the least is {least} of the median",
                label=machine.label,
                speed=f"{machine.speed:.2f}",
                median=f"{middle:.2f}",
                least=f"{least:g}",
            ),
        )
        for machine in machines
        if machine.speed < least * middle
    ]
