"""How long a command takes to begin: `python -m benchmarks.startup`.

Each is run many times in turn with a bare interpreter; medians, and their ratios to it. Help may take 150 ms
where the bare interpreter takes 20, completion of names 200: those ratios are the limits, so that a busy
machine changes nothing.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time

ROUNDS = 30
LIMIT = 150 / 20
PLUGINS_LIMIT = 200 / 20
"""Where names are completed, for which everything that is installed is asked."""
COMMANDS = {
    "python -c pass": ["-c", "pass"],
    "botequim": ["-m", "botequim"],
    "botequim --help": ["-m", "botequim", "--help"],
    "botequim games": ["-m", "botequim", "games"],
    "botequim play --help": ["-m", "botequim", "play", "--help"],
    "botequim match --help": ["-m", "botequim", "match", "--help"],
    "botequim cup --help": ["-m", "botequim", "cup", "--help"],
    "completion of a command": ["-m", "botequim", "completion", "--line", "botequim ma"],
    "completion of a player": ["-m", "botequim", "completion", "--line", "botequim match cubos "],
}


def once(words: list[str]) -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, *words], stdout=subprocess.DEVNULL, check=True, env=dict(os.environ))
    return time.perf_counter() - began


def main() -> int:
    taken: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(ROUNDS):
        for name, words in COMMANDS.items():
            taken[name].append(once(words))
    bare = statistics.median(taken["python -c pass"])
    print(f"{'command':26}{'ms':>8}{'to bare':>10}")
    for name, times in taken.items():
        print(f"{name:26}{statistics.median(times) * 1000:8.0f}{statistics.median(times) / bare:10.1f}")
    limits = {name: LIMIT for name in taken if name.endswith("--help")}
    limits |= {"completion of a command": LIMIT, "completion of a player": PLUGINS_LIMIT}
    failed = [name for name, limit in limits.items() if statistics.median(taken[name]) / bare > limit]
    print(f"Help may take {LIMIT:.1f} times a bare interpreter, completion of names {PLUGINS_LIMIT:.1f}.")
    for name in failed:
        print(f"{name} takes longer.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
