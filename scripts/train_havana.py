"""Teaches havana's policy: `python -m scripts.train_havana`, some twenty minutes on an idle core.

Writes src/botequim/games/havana/search/policy.txt. The opponents are greedy pairs, dummy pairs and pairs
that play by the policy as it was a little earlier, in turn. The same seed gives the same weights.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from botequim.core.rng import Rng
from botequim.games.havana.search.policy import FEATURES, STAGES, Policy
from botequim.games.havana.search.training import DUMMY, GREEDY, LIKE_ME, School
from botequim.search.chance import dice

TABLE = Path(__file__).parent.parent / "src/botequim/games/havana/search/policy.txt"
HEAD = """\
# havana's policy, by scripts/train_havana.py: what each feature of a move weighs when its player holds
# 1-2, 3-4, 5-7 or 8-10 tiles.
"""
WIDTH = len(FEATURES)
WEIGHTS = WIDTH * int(STAGES)
GAMES = 400
"""In a lesson."""
ASTRAY = 0.03
"""Of the moves in a lesson are made at random, so that the policy also learns what it would not do."""
LOOKED_AT = 0.25
"""Of the turns are learnt from."""
RATE = 0.05
LAST_RATE = 0.002
MEMORY = 0.995
"""What is written is the mean of the last few hundred lessons' weights."""
STEPS_BEHIND = 50
"""After so many lessons the policy that it plays against catches up."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--lessons", type=int, default=4000)
    parser.add_argument("--seed", default="havana policy")
    given = parser.parse_args()
    weights = teach(given.lessons, given.seed)
    TABLE.write_text(HEAD + "".join(lines(weights)), encoding="ascii")
    seen = School(Policy(weights), Policy(weights), dice(Rng(given.seed + " seen")), 1.0)
    print(f"v greedy {seen.match(10000, GREEDY):.3f}, v dummy {seen.match(10000, DUMMY):.3f}")


def teach(lessons: int, seed: str) -> list[float]:
    """Adam's way up the expected wins of a softmax over the moves."""
    policy = Policy(beginning())
    school = School(policy, Policy(beginning()), dice(Rng(seed)), 1.0)
    mean, spread, smooth = [0.0] * WEIGHTS, [0.0] * WEIGHTS, beginning()
    for step in range(1, lessons + 1):
        for at in range(WEIGHTS):
            school.gradient[at] = 0.0
        for rivals in (GREEDY, DUMMY, LIKE_ME):
            school.lesson(GAMES // 3, rivals, ASTRAY, LOOKED_AT)
        rate = RATE * (1 - step / lessons) + LAST_RATE
        for at in range(WEIGHTS):
            slope = school.gradient[at] / GAMES
            mean[at] += 0.1 * (slope - mean[at])
            spread[at] += 0.001 * (slope * slope - spread[at])
            pace = math.sqrt(spread[at] / (1 - 0.999**step)) + 1e-8
            policy.weights[at] += rate * mean[at] / (1 - 0.9**step) / pace
            smooth[at] += (1 - MEMORY) * (policy.weights[at] - smooth[at])
        if step % STEPS_BEHIND == 0:
            school.rival = Policy(list(policy.weights))
    return smooth


def beginning() -> list[float]:
    """Heavy tiles first, and no passing: better than nothing to begin with."""
    row = [0.0] * WIDTH
    row[FEATURES.index("pass")], row[FEATURES.index("pips")] = -3.0, 3.0
    return row * int(STAGES)


def lines(weights: list[float]) -> list[str]:
    """A line for each feature, a number for each stage."""
    return [
        f"{name}: {' '.join(f'{weights[stage * WIDTH + at]:.3f}' for stage in range(int(STAGES)))}\n"
        for at, name in enumerate(FEATURES)
    ]


if __name__ == "__main__":
    main()
