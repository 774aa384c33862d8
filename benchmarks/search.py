"""The solver of cubos beside the same in C++, and beside itself uncompiled.

`python -m benchmarks.search` solves the same positions by all three, which must look at the same number of
nodes. Ours should do at least 0.7 of the nodes a second of C++ -O3, and 30 times those of plain Python. They
take turns, and the best of each counts.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import botequim
from botequim.core.rng import Rng
from botequim.games.cubos.search.solver import FITTING, OTHERS, Solver

POSITIONS = 150
PLAIN = 6
"""Positions that plain Python is given: it takes long enough."""
ROUNDS = 60
OF_CPP = 0.7
OF_PLAIN = 30.0
CPP = Path(__file__).with_name("cubos_solver.cpp")


def positions(count: int) -> list[list[int]]:
    """points, the four hands, the ends, who is to move: after some random moves from a random deal."""
    rng = Rng("benchmark")
    found: list[list[int]] = []
    while len(found) < count:
        deal = rng.shuffled(range(28))
        hands = [sum(1 << tile for tile in deal[seat * 7 : seat * 7 + 7]) for seat in range(4)]
        seat = next(seat for seat in range(4) if hands[seat] >> 27 & 1)
        hands[seat] ^= 1 << 27
        ends = [6, 6]
        for _ in range(rng.below(6)):
            seat = (seat + 1) % 4
            moves = [
                (tile, end)
                for tile in range(28)
                for end in (0, 1)
                if hands[seat] >> tile & 1 and fits(tile, ends[end])
            ]
            if moves:
                tile, end = rng.choice(moves)
                hands[seat] ^= 1 << tile
                ends[end] = int(OTHERS[tile * 8 + ends[end]])
        found.append([rng.below(2), *hands, *ends, (seat + 1) % 4])
    return sorted(found)  # one way to end after the other: each has a solver, and a table, of its own


def fits(tile: int, number: int) -> bool:
    return bool(FITTING[number] >> tile & 1)


def solve(given: list[list[int]]) -> tuple[int, int, float]:
    """The sum of the results, the nodes and the seconds, by the solver of this process."""
    solvers = [Solver(False), Solver(True)]
    total = 0
    seconds = 0.0
    for points, first, second, third, fourth, left, right, seat in given:
        began = time.process_time()
        solver = solvers[points]
        solver.set_world(first, second, third, fourth, seat & 1)
        hand = (first, second, third, fourth)[seat]
        for tile in range(28):
            if hand >> tile & 1:
                if fits(tile, left):
                    total += solver.result_of(tile, left, right, seat)
                if left != right and fits(tile, right):
                    total += solver.result_of(tile, right, left, seat)
        seconds += time.process_time() - began
    return int(total), int(solvers[0].nodes + solvers[1].nodes), seconds


def solve_in_cpp(program: Path, given: list[list[int]]) -> tuple[int, int, float]:
    """The same in C++: two runs, because ours has a table for each way that a blocked game ends."""
    total = nodes = 0
    seconds = 0.0
    for points in (0, 1):
        text = "\n".join(" ".join(map(str, one)) for one in given if one[0] == points)
        said = subprocess.run(
            [program], input=text, capture_output=True, text=True, check=True
        ).stdout.split()
        total, nodes, seconds = total + int(said[0]), nodes + int(said[1]), seconds + float(said[2])
    return total, nodes, seconds


def solve_uncompiled(folder: Path, given: list[list[int]]) -> tuple[int, int, float]:
    """The same by a copy of our sources without what was compiled."""
    code = "import json, sys, benchmarks.search as b; print(json.dumps(b.solve(json.load(sys.stdin))))"
    environment = os.environ | {"PYTHONPATH": f"{folder}:{Path(__file__).parent.parent}"}
    ran = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(given),
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    total, nodes, seconds = json.loads(ran.stdout)
    return total, nodes, seconds


def main() -> int:
    """Measure and print; the exit code says whether the claims hold."""
    given = positions(POSITIONS)
    with tempfile.TemporaryDirectory() as place:
        program = Path(place) / "cubos_solver"
        subprocess.run(["c++", "-O3", "-o", program, CPP], check=True)
        source = Path(botequim.__file__).parent
        shutil.copytree(
            source, Path(place) / "botequim", ignore=shutil.ignore_patterns("*.so", "__pycache__")
        )
        ours = theirs = plain = 0.0
        for _ in range(ROUNDS):
            here, there = solve(given), solve_in_cpp(program, given)
            if here[:2] != there[:2]:
                print(f"DIFFERENT: {here[:2]} here, {there[:2]} in C++")
                return 1
            ours, theirs = max(ours, here[1] / here[2]), max(theirs, there[1] / there[2])
        few, slow = solve(given[:PLAIN]), solve_uncompiled(Path(place), given[:PLAIN])
        assert few[:2] == slow[:2], "compiled and uncompiled must agree"
        plain = slow[1] / slow[2]
    print(f"{POSITIONS} positions, {here[1]} nodes: the same in all three")
    speeds = (("compiled", ours), ("in C++", theirs), ("in plain Python", plain))
    print("nodes a second: " + ", ".join(f"{speed / 1e6:.3g} M {how}" for how, speed in speeds))
    holds = ours / theirs >= OF_CPP and ours / plain >= OF_PLAIN
    print(f"{ours / theirs:.2f} of C++ (at least {OF_CPP:g})")
    print(f"{ours / plain:.0f} times plain Python (at least {OF_PLAIN:g})")
    print("holds" if holds else "DOES NOT HOLD")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
