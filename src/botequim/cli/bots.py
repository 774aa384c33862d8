"""What the commands that seat bots have in common: bots made ready, and options and limits read."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from rich.console import Console
from rich.text import Text

from botequim import interrupts, registry
from botequim.core.errors import InputError
from botequim.core.limits import MB, Enforced, limits_told
from botequim.core.messages import Message, msg
from botequim.core.process import Sandbox
from botequim.entrants.entrant import Entrant
from botequim.entrants.housing import Both, housed
from botequim.entrants.prepare import prepare
from botequim.entrants.trees import temporary_folder
from botequim.i18n import _, say
from botequim.sandbox.bare import Bare
from botequim.sandbox.probe import found, isolated

IN_SECONDS = ("move", "start", "build", "thinking")
IN_MEGABYTES = ("memory", "space", "output")
IN_NUMBERS = ("cpus", "processes", "timeouts")


@dataclass(frozen=True, slots=True)
class Bots:
    """Entrants that are ready, and where those that are programs run."""

    entrants: Sequence[Entrant]
    sandbox: Sandbox | None


@contextmanager
def ready(names: Sequence[str], game_name: str, arguments: argparse.Namespace) -> Iterator[Bots]:
    """The bots that are meant, their files copied and built; all of it gone afterwards."""
    game = registry.game(game_name)
    changed = read_limits(arguments.limit)
    if all(registry.is_player(game.name, name) for name in names):
        for name in names:
            registry.player(game.name, name)  # says which levels there are
        yield Bots([Entrant(name, name) for name in names], None)
        return
    sandbox = _sandbox(trusted=arguments.trust)
    with temporary_folder() as place:
        entrants = []
        for name in names:
            with telling() as tell:
                entrant = interrupts.run(
                    prepare(
                        name,
                        game.name,
                        sandbox,
                        workshop=place,
                        isolated=not isinstance(sandbox, Bare),
                        build_seconds=changed.get("build"),
                        tell=tell,
                    )
                )
            if entrant.wire is not None and changed:
                limits = entrant.limits or registry.wire(game.name, entrant.wire).limits
                entrant = replace(entrant, limits=replace(limits, **changed))
            entrants.append(entrant)
        housing = housed(sandbox, entrants)
        if housing is not sandbox:
            _say_missing(housing)
        yield Bots(entrants, housing)


@contextmanager
def telling() -> Iterator[Callable[[Message], None]]:
    """Shows what is done with a bot, on one line of the terminal; elsewhere the steps alone."""
    console = Console(stderr=True)
    if console.is_terminal:
        with console.status("") as status:
            yield lambda said: status.update(Text(say(said), overflow="ellipsis", no_wrap=True))
    else:
        yield say_step


def say_step(said: Message) -> None:
    """What is done with a bot, without every line that a build writes."""
    step = str(said.values.get("step", "STEP"))
    if step.upper().startswith("STEP"):
        print(say(said), file=sys.stderr, flush=True)


@dataclass(frozen=True, slots=True)
class Prepared:
    """Where programs run."""

    sandbox: Sandbox
    isolated: bool


def sandbox_for(*, strangers: bool, trusted: bool) -> Prepared:
    """For a cup: strangers' programs are isolated, or refused unless they are trusted."""
    if not strangers:
        return Prepared(Bare(), isolated=False)
    if trusted:
        return Prepared(_sandbox(trusted=True), isolated=False)
    return Prepared(isolated(), isolated=True)


def _sandbox(*, trusted: bool) -> Sandbox:
    """Isolation as far as this machine has it: these are one's own bots. What is missing is said."""
    if trusted:
        print(_("Bots run without isolation: they can do whatever you can."), file=sys.stderr)
        return Bare()
    there = found()
    if there.sandbox is None:
        why = there.why or ""
        notice = _("Bots run without isolation, as your own programs, because {why}", why=why)
        print(notice, file=sys.stderr)
        return Bare()
    _say_missing(there.sandbox)
    return there.sandbox


def _say_missing(sandbox: Sandbox) -> None:
    where = sandbox.images if isinstance(sandbox, Both) else sandbox
    missing = [limit for limit in Enforced if limit not in where.enforces]
    if missing:
        told = limits_told(missing)
        print(
            _("These limits cannot be enforced here by {name}: {limits}", name=where.name, limits=told),
            file=sys.stderr,
        )


def read_options(pairs: list[str]) -> dict[str, object]:
    """Options as they stand on the command line: `name=value`."""
    options: dict[str, object] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise InputError(msg('an option is given as NAME=VALUE, not "{text}"', text=pair))
        if name.strip() in options:
            raise InputError(msg('the option "{name}" is given twice', name=name.strip()))
        options[name.strip()] = value.strip()
    return options


def read_limits(pairs: Sequence[str]) -> dict[str, Any]:
    """Limits as they stand on the command line."""
    limits: dict[str, Any] = {}
    known = (*IN_SECONDS, *IN_MEGABYTES, *IN_NUMBERS)
    for pair in pairs:
        name, equals, text = pair.partition("=")
        try:
            value = float(text) if name in IN_SECONDS else int(text)
        except ValueError:
            value = 0
        if not equals or name not in known or not 0 < value < 1e6:
            raise InputError(
                msg(
                    'a limit is given as NAME=NUMBER, not "{text}"; known: {known}',
                    text=pair,
                    known=", ".join(known),
                )
            )
        limits[name] = value * MB if name in IN_MEGABYTES else value
    return limits
