"""The names that bots give themselves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from botequim import interrupts
from botequim.bots.folders import Source, resolve_folder
from botequim.bots.introduction import introduce
from botequim.bots.prepare import prepare
from botequim.core.errors import InputError
from botequim.core.process import Sandbox
from botequim.core.titles import clean_title


def own_name(bot: Path, game: str, find_sandbox: Callable[[], Sandbox], workshop: Path) -> str:
    """Return the name in the manifest of a bot, or the one that a pair says when it is started; else "".

    A pair is started in the sandbox. Raise BotequimError if there is none.
    """
    entrant = resolve_folder(Source(bot.name, game, None), bot, name="")
    if entrant.wire is None or not entrant.wire.hosted:
        return clean_title(entrant.name)
    sandbox = find_sandbox()
    try:
        ready = interrupts.run(prepare(str(bot), game, sandbox, workshop=workshop, isolated=True))
        return interrupts.run(introduce(ready, sandbox)).pair
    except InputError:
        return ""  # `cup check` says what is wrong with it
