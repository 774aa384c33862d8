"""What it takes to start a bot, by where it runs: `python -m benchmarks.starts`.

The same program, a shell that ends at once, is run many times by each backend in turn; medians, and their
ratios to a bare spawn of the same run. Of containers also how much of a one-shot round is the engine's, which
is not counted as the bot's.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from pathlib import Path

from botequim.core.limits import Limits
from botequim.core.process import Launch, Program, Sandbox
from botequim.sandbox.containers import probe as engines
from botequim.sandbox.containers import toolbox
from botequim.sandbox.none import NoSandbox
from botequim.sandbox.probe import probe_bubblewrap

ROUNDS = 20
LIMITS = Limits()
COMMAND = ("/bin/sh", "-c", "exit 0")


async def once(sandbox: Sandbox, program: Program) -> tuple[float, float, float]:
    """Seconds until it runs, that it runs, and until all of it is gone."""
    began = time.perf_counter()
    process = sandbox.start(Launch(program, LIMITS, stdin=False))
    try:
        await process.wait_running()
        runs = time.perf_counter()
        await process.wait_ended()
        over = time.perf_counter()
        await process.wait_exit()
    finally:
        await process.close()
    return runs - began, over - runs, time.perf_counter() - over


async def measured(folder: Path) -> int:
    backends: dict[str, tuple[Sandbox, Program]] = {"none": (NoSandbox(), Program(COMMAND, folder))}
    bubblewrap = (await probe_bubblewrap()).sandbox
    if bubblewrap is not None:
        backends["bubblewrap"] = bubblewrap, Program(COMMAND, folder)
    containers = (await engines.probe_engines()).sandbox
    if containers is not None:
        image = await toolbox.image(containers.engine)
        backends[containers.name] = containers, Program(COMMAND, folder, image=image)
    taken: dict[str, list[tuple[float, float, float]]] = {name: [] for name in backends}
    for _ in range(ROUNDS):
        for name, (sandbox, program) in backends.items():
            taken[name].append(await once(sandbox, program))
    bare = statistics.median(sum(times) for times in taken["none"])
    print(
        f"{'backend':12}{'set up':>10}{'runs':>10}{'cleared':>10}{'all':>10}{'to bare':>10}   (ms, medians)"
    )
    for name, times in taken.items():
        parts = [statistics.median(part) * 1000 for part in zip(*times, strict=True)]
        whole = statistics.median(sum(each) for each in times)
        print(
            f"{name:12}"
            + "".join(f"{part:10.1f}" for part in (*parts, whole * 1000))
            + f"{whole / bare:10.1f}"
        )
    if containers is None:
        print("no container engine here")
        return 1
    ready, runs, gone = (statistics.median(part) for part in zip(*taken[containers.name], strict=True))
    share = (ready + gone) / (ready + runs + gone)
    print(f"Of a one-shot round in a container {share:.1%} is the engine's and not counted as the bot's.")
    return 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="botequim-") as place:
        sys.exit(asyncio.run(measured(Path(place))))
