"""How many bits a second two instances of one bot can pass each other: `python -m benchmarks.channels`.

One instance sends random bits by each channel that is open (`tests/zoo/channels.py`), and by two that depend
on timing; the other tells what it sees. A threshold is learnt from the first half of the bits. The second
half gives the share of errors e, and so the rate: bits a second times 1 - H(e). Each bit is asked for by this
program, so the figures are what a pair reaches easily and not the most that is possible.
"""

from __future__ import annotations

import asyncio
import math
import os
import random
import sys
import tempfile
import time
from pathlib import Path

from botequim.core.process import Launch, Process, Program, Sandbox
from botequim.sandbox.containers import probe as engines
from botequim.sandbox.probe import probe_bubblewrap
from tests.zoo.channels import ACCOMPLICE, CHANNELS, LIMITS, accomplice, ask

BITS = 120
SECONDS = 8.0
"""For one channel at most."""
CHANCE = 0.35
"""A share of errors above this is taken for chance."""
TIMING = ("timing: load of the processor", "timing: load of the memory")


async def rate(pair: tuple[Process, Process], name: str) -> tuple[float, float]:
    """Return bits a second, and the share of errors."""
    bits = random.Random(7)
    rows: list[tuple[int, int]] = []
    await ask(pair[1], f"receive {name}")
    began = time.perf_counter()
    while len(rows) < BITS and (len(rows) < 8 or time.perf_counter() - began < SECONDS):
        bit = bits.getrandbits(1)
        await ask(pair[0], f"send {name} {bit}")
        rows.append((bit, await ask(pair[1], f"receive {name}")))
    taken = time.perf_counter() - began
    await ask(pair[0], f"send {name} 0")
    half = len(rows) // 2
    level, above = max(
        ((level, above) for _, level in rows[:half] for above in (0, 1)),
        key=lambda choice: sum(
            ((seen >= choice[0]) == bool(choice[1])) == bool(bit) for bit, seen in rows[:half]
        ),
    )
    wrong = sum(((seen >= level) == bool(above)) != bool(bit) for bit, seen in rows[half:])
    share = wrong / (len(rows) - half)
    share = 0.5 if share > CHANCE else share
    lost = -sum(part * math.log2(part) for part in (share, 1 - share) if part > 0)
    return len(rows) / taken * (1 - lost), share


async def measured(title: str, sandbox: Sandbox, program: Program, way: str) -> None:
    print(title)
    names = [name for one in CHANNELS if way in one.open_in for name in one.members]
    first, second = sandbox.start(Launch(program, LIMITS)), sandbox.start(Launch(program, LIMITS))
    try:
        await first.wait_running()
        await second.wait_running()
        for name in (*names, *TIMING):
            bits, errors = await rate((first, second), name)
            print(f"  {name:44}{bits:10.1f} bits/s   {errors:6.1%} errors")
    finally:
        await asyncio.gather(first.close(), second.close())


async def main() -> int:
    bubblewrap = (await probe_bubblewrap()).sandbox
    way = "root" if os.geteuid() == 0 else "user"
    if bubblewrap is not None:
        with tempfile.TemporaryDirectory(prefix="botequim-") as place:
            title = "bubblewrap as root" if way == "root" else "bubblewrap as an ordinary user"
            await measured(title, bubblewrap, accomplice(Path(place)), way)
    if way == "user":
        return 0
    from tests.support import container_engine  # it needs more than an ordinary user's Python may have

    containers = (await engines.probe_engines()).sandbox
    image = None if containers is None else await containers.engine.image(container_engine.BASE)
    if containers is not None and image is not None:  # the tests make that image
        command = ("/usr/bin/python3", "-c", ACCOMPLICE.read_text(encoding="utf-8"))
        await measured(containers.name, containers, Program(command, Path("/"), image=image), "container")
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
