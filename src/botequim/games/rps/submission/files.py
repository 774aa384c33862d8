"""The submission of rps: the folder of an image that runs once for each round, and shows art."""

from __future__ import annotations

import zlib

from botequim.core.messages import msg
from botequim.games.rps.search.value import Outlook
from botequim.games.rps.submission.main import REACH_KEPT, ROUNDS, STEP_KEPT
from botequim.i18n import translate
from botequim.submissions.bundle import bundle_program

DOCKERFILE = """\
FROM python:3-alpine
WORKDIR /bot
COPY bot.py counts.bin ./
ENTRYPOINT ["python3", "-I", "/bot/bot.py"]
"""
README = msg("""\
# The champion of rock, paper, scissors with memory

    docker build -t champion .
    docker run --network=none champion ""
    docker run --network=none -e PLAYER_NUMBER=2 champion "rp2;sp1"

It runs once per round with the history as its only argument, and prints one line of JSON: its move, and one
frame of an evening at the bay. Without Docker: `python3 bot.py "rp2;sp1"`.
""")


def files() -> dict[str, str | bytes]:
    parts = ("search.value", "search.forecast", "search.decision", "submission.art")
    program = bundle_program(
        "The champion of rock, paper, scissors with memory.",
        [f"games.rps.{part}" for part in parts],
        main="games.rps.submission.main",
    )
    return {
        "bot.py": program,
        "counts.bin": counts(),
        "Dockerfile": DOCKERFILE,
        "README.md": translate(README),
    }


def counts() -> bytes:
    """Return the precomputed values of differences, because plain Python is too slow to compute them in a
    round."""
    outlook = Outlook()
    near = range(-REACH_KEPT, REACH_KEPT + 1)
    steps = [
        round(outlook.safe(rock, paper, left) * STEP_KEPT)
        for left in range(ROUNDS)
        for rock in near
        for paper in near
    ]
    return zlib.compress(bytes(steps), 9)
