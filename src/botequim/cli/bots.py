"""The common part of commands that run bots: preparing them, and reading options and limits."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from botequim import interrupts, registry
from botequim.bots.entrant import Entrant
from botequim.core.errors import InputError
from botequim.core.limits import MB, EnforcedLimit, limits_list
from botequim.core.messages import Message, msg
from botequim.core.process import Sandbox
from botequim.i18n import _, translate

if TYPE_CHECKING:
    from botequim.cup.config import Cup

IN_SECONDS = ("move", "start", "build", "thinking")
IN_MEGABYTES = ("memory", "space", "output")
IN_NUMBERS = ("cpus", "processes", "timeouts")


@dataclass(frozen=True, slots=True)
class Bots:
    """Prepared entrants, and the sandbox in which programs run."""

    entrants: Sequence[Entrant]
    sandbox: Sandbox | None


@contextmanager
def ready(names: Sequence[str], game_name: str, arguments: argparse.Namespace) -> Iterator[Bots]:
    """Copy and build the files of the bots; remove them at the end."""
    game = registry.game(game_name)
    changed = read_limits(arguments.limit)
    if all(registry.is_player(game.name, name) for name in names):
        for name in names:
            registry.player(game.name, name)  # says which levels there are
        yield Bots([Entrant(name, name) for name in names], None)
        return
    from botequim.bots.prepare import prepare, recognise
    from botequim.bots.routing import sandbox_for
    from botequim.bots.tree_files import temporary_folder
    from botequim.sandbox.none import NoSandbox

    with temporary_folder() as place:
        recognised = []
        for name in names:
            with telling() as tell:
                recognised.append(recognise(name, game.name, workshop=place, tell=tell))
        runs_programs = any(entrant.program is not None and entrant.image is None for entrant in recognised)
        programs = _sandbox(trusted=arguments.trust) if runs_programs else NoSandbox()
        entrants = []
        for one in recognised:
            with telling() as tell:
                preparing = prepare(
                    one,
                    game.name,
                    programs,
                    workshop=place,
                    isolated=programs.isolates,
                    build_seconds=changed.get("build"),
                    tell=tell,
                )
                entrants.append(interrupts.run(preparing).with_limits(changed))
        sandbox = sandbox_for(programs, entrants)
        images = [one.program for one in entrants if one.program is not None and one.program.image]
        if images:
            _say_missing(sandbox.sandbox_of(images[0]))
        yield Bots(entrants, sandbox)


@contextmanager
def telling() -> Iterator[Callable[[Message], None]]:
    """Show on one line of the terminal what is done with a bot; without a terminal, print only the steps."""
    console = Console(stderr=True)
    if console.is_terminal:
        with console.status("") as status:
            yield lambda said: status.update(Text(translate(said), overflow="ellipsis", no_wrap=True))
    else:
        yield say_step


def say_step(message: Message) -> None:
    """Print a step of preparing a bot, without every line that a build writes."""
    step = str(message.values.get("step", "STEP"))
    if step.upper().startswith("STEP"):
        print(translate(message), file=sys.stderr, flush=True)


@dataclass(frozen=True, slots=True)
class CupSandbox:
    """The sandbox for the programs of a cup."""

    sandbox: Sandbox
    isolated: bool


def cup_sandbox(cup: Cup, *, trusted: bool) -> CupSandbox:
    """Return the sandbox for the programs of a cup: they are isolated, or refused unless they are trusted.

    Built-in players and servers that run elsewhere need none, so then nothing is probed.
    """
    from botequim.bots.resolve import needs_isolation
    from botequim.sandbox.none import NoSandbox

    if not any(needs_isolation(cup.bot_reference(entry), cup.game) for entry in cup.entrants):
        return CupSandbox(NoSandbox(), isolated=False)
    if trusted:
        return CupSandbox(_sandbox(trusted=True), isolated=False)
    from botequim.sandbox.probe import isolating_sandbox

    return CupSandbox(isolating_sandbox(), isolated=True)


def _sandbox(*, trusted: bool) -> Sandbox:
    """Return the best sandbox of this machine for the user's own bots, and print what it lacks."""
    from botequim.sandbox.none import NoSandbox

    if trusted:
        print(_("Bots run without isolation: they can do everything that your user can do."), file=sys.stderr)
        return NoSandbox()
    from botequim.sandbox.probe import probe_result

    found = probe_result()
    if found.sandbox is None:
        why = found.why or ""
        notice = _("Bots run without isolation, like your own programs, because {why}", why=why)
        print(notice, file=sys.stderr)
        return NoSandbox()
    _say_missing(found.sandbox)
    return found.sandbox


def _say_missing(sandbox: Sandbox) -> None:
    missing = [limit for limit in EnforcedLimit if limit not in sandbox.enforces]
    if missing:
        names = limits_list(missing)
        print(
            _("These limits cannot be enforced here by {name}: {limits}", name=sandbox.name, limits=names),
            file=sys.stderr,
        )


def read_options(pairs: list[str]) -> dict[str, object]:
    """Return the options of the command line: `name=value`."""
    options: dict[str, object] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise InputError(msg('write an option as NAME=VALUE, not "{text}"', text=pair))
        if name.strip() in options:
            raise InputError(msg('the option "{name}" is given more than once', name=name.strip()))
        options[name.strip()] = value.strip()
    return options


def read_limits(pairs: Sequence[str]) -> dict[str, Any]:
    limits: dict[str, Any] = {}
    known = (*IN_SECONDS, *IN_MEGABYTES, *IN_NUMBERS)
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if equals and name not in known:
            raise InputError(msg('unknown limit "{name}"; known: {known}', name=name, known=", ".join(known)))
        try:
            value = float(text) if name in IN_SECONDS else int(text)
        except ValueError:
            value = 0
        if not equals or not 0 < value < 1e6:
            raise InputError(
                msg(
                    'write a limit as NAME=NUMBER, not "{text}"; limits: {known}',
                    text=pair,
                    known=", ".join(known),
                )
            )
        limits[name] = value * MB if name in IN_MEGABYTES else value
    return limits
