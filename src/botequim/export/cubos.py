"""cubos: a folder with a Dockerfile, and a server on port 8000 in plain Python."""

from __future__ import annotations

from importlib.resources import files as resources
from typing import Final

from botequim.export.sources import with_packages

MODULES: Final = (
    "core.compiling",
    "core.rng",
    "search.chance",
    "search.worlds",
    "search.cubos",
    "search.cubos_numbers",
    "search.cubos_policy",
    "search.cubos_playout",
    "search.cubos_mind",
    "search.cubos_manner",
)

DOCKERFILE: Final = """\
FROM python:3.12-slim
WORKDIR /bot
COPY . .
EXPOSE 8000
CMD ["python", "server.py"]
"""

README: Final = """\
# Botequim's champion of dominoes

`docker build -t champion . && docker run -p 8000:8000 champion`, or just `python server.py`.

Plain Python 3.11 or later, nothing else. It draws hands that the passes allow, weighs them by how likely they
would have made the choices seen, solves some of them, plays others out, and answers in about three seconds.
The port is `PORT`, else 8000; `SECONDS` is the time it may think, else 2.5.
"""


def files() -> dict[str, str]:
    """All files of the submission, by path."""
    server = (resources("botequim.export") / "cubos_server.py").read_text(encoding="utf-8")
    return {
        "Dockerfile": DOCKERFILE,
        "README.md": README,
        "server.py": server,
    } | with_packages(*MODULES)
