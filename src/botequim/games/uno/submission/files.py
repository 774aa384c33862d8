"""The submission of uno: one program that reads and writes lines."""

from __future__ import annotations

from botequim.core.messages import msg
from botequim.i18n import translate
from botequim.submissions.bundle import bundle_program

README = msg("""\
# The champion of uno

    ./uno ./bot.py another_bot

One file of plain Python that reads from its standard input and writes to its standard output. It thinks for
a little over a second of the three that it has; `./bot.py 0.5` thinks for half a second.
""")


def files() -> dict[str, str]:
    """Return the files of the submission by name; `bot.py` should be executable."""
    parts = ("table", "observation", "hands", "styles", "search")
    modules = ["search.bits", "search.chance", *(f"games.uno.search.{part}" for part in parts)]
    program = bundle_program(
        "The champion of uno with a French deck.", modules, main="games.uno.submission.main"
    )
    return {"bot.py": program, "README.md": translate(README)}
