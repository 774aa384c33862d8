"""The submission of cubos: a folder with a Dockerfile and a server on port 8000, compiled if possible."""

from __future__ import annotations

from importlib.resources import files as resources
from typing import Final

from botequim.core.messages import Message, msg
from botequim.i18n import translate
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

README: Final = msg("""\
# Botequim's champion of dominoes

`docker build -t champion . && docker run -p 8000:8000 champion`, or just `python server.py`.

It needs only Python 3.11 or later. It samples hands that the passes allow and weighs each by how likely the
players would have made the moves that were seen. It solves some of these hands, plays others out, and answers
in about two and a half seconds.

`python compile.py` compiles the search, which is then about forty times as fast. The image compiles it if it
is built with a network; otherwise it runs as plain Python.

The port is `PORT`, or 8000. `SECONDS` is the time per move, or 2.5. With `BLOCKED=points` it assumes that
blocked games are decided by points, and with `BLOCKED=draw` that they are draws; else it is {blocked}.
""")


def files(blocked: str = "draw") -> dict[str, str]:
    """Return all files of the submission, by path; `blocked` is the game's option of that name."""
    ours = resources("botequim.games.cubos.submission")
    server = (ours / "server.py").read_text(encoding="utf-8")
    return {
        "Dockerfile": DOCKERFILE,
        "README.md": _readme(blocked),
        "compile.py": (ours / "compile.py").read_text(encoding="utf-8"),
        "server.py": replace_once(server, _USUAL, f'"BLOCKED", "{blocked}"'),
    } | with_packages(*MODULES)


def _readme(blocked: str) -> str:
    return translate(Message(README.template, {"blocked": f"`{blocked}`"}))
