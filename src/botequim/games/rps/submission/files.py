"""rps: the folder of an image that is run for each round, with the bay as its moving picture."""

from __future__ import annotations

import zlib

from botequim.export.bundle import bundled
from botequim.export.rps_main import REACH_KEPT, ROUNDS, STEP_KEPT
from botequim.search.rps import Outlook

DOCKERFILE = """\
FROM python:3-alpine
WORKDIR /bot
COPY bot.py counts.bin ./
ENTRYPOINT ["python3", "-I", "/bot/bot.py"]
"""
README = """\
# The champion of rock, paper, scissors with memory

    docker build -t champion .
    docker run --network=none champion ""
    docker run --network=none -e PLAYER_NUMBER=2 champion "rp2;sp1"

It is run once a round with the history as its only argument, and prints one line of JSON: its move, and a
frame of an evening at the bay. Without Docker: `python3 bot.py "rp2;sp1"`.
"""


def files() -> dict[str, str | bytes]:
    """By name, what the folder holds."""
    modules = ("search.rps", "search.rps_forecast", "search.rps_mind", "export.rps_art")
    program = bundled("The champion of rock, paper, scissors with memory.", modules, main="export.rps_main")
    return {
        "bot.py": program,
        "counts.bin": counts(),
        "Dockerfile": DOCKERFILE,
        "README.md": README,
    }


def counts() -> bytes:
    """What differences are worth, worked out beforehand: a round leaves no time for it without a compiler."""
    outlook = Outlook()
    near = range(-REACH_KEPT, REACH_KEPT + 1)
    steps = [
        round(outlook.safe(rock, paper, left) * STEP_KEPT)
        for left in range(ROUNDS)
        for rock in near
        for paper in near
    ]
    return zlib.compress(bytes(steps), 9)
