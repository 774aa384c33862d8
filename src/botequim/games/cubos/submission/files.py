"""The submission of cubos: a folder with a Dockerfile and a server on port 8000, compiled if possible."""

from __future__ import annotations

from importlib.resources import files as resources
from typing import Final

from botequim.submissions.sources import replace_once, with_packages

MODULES: Final = (
    "core.compiling",
    "core.rng",
    "search.bits",
    "search.chance",
    "search.worlds",
    "games.cubos.search.solver",
    "games.cubos.search.numbers",
    "games.cubos.search.history",
    "games.cubos.search.policy",
    "games.cubos.search.playout",
    "games.cubos.search.decision",
    "games.cubos.search.settings",
)

_USUAL: Final = '"BLOCKED", "draw"'
"""The text in the server's source that sets how a blocked game ends; `files` replaces it."""

DOCKERFILE: Final = """\
# What searches is compiled here; where that is not possible, the same files run as plain Python.
FROM python:3.12 AS compiled
WORKDIR /bot
COPY . .
RUN python3 compile.py || true

FROM python:3.12-slim
WORKDIR /bot
COPY --from=compiled /bot .
EXPOSE 8000
CMD ["python3", "server.py"]
"""

README: Final = """\
# Botequim's champion of dominoes

`docker build -t champion . && docker run -p 8000:8000 champion`, or just `python server.py`.

Python 3.11 or later, nothing else. It draws hands that the passes allow, weighs them by how likely they would
have made the choices seen, solves some of them, plays others out, and answers in about
two and a half seconds.

`python compile.py` compiles what searches, which then thinks some forty times as fast; the image does so by
itself where it is built with a network, and thinks in plain Python where not.
The port is `PORT`, else 8000; `SECONDS` is the time it may think, else 2.5. With `BLOCKED=points` it reckons
with blocked games being decided by points, with `BLOCKED=draw` with their being draws; else it is {blocked}.
"""


def files(blocked: str = "draw") -> dict[str, str]:
    """Return all files of the submission, by path; `blocked` is the game's option of that name."""
    ours = resources("botequim.games.cubos.submission")
    server = (ours / "server.py").read_text(encoding="utf-8")
    return {
        "Dockerfile": DOCKERFILE,
        "README.md": replace_once(README, "{blocked}", f"`{blocked}`"),
        "compile.py": (ours / "compile.py").read_text(encoding="utf-8"),
        "server.py": replace_once(server, _USUAL, f'"BLOCKED", "{blocked}"'),
    } | with_packages(*MODULES)
