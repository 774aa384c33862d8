"""The `botequim` command.

Exit codes: 0 all is well; 1 something checked is not (a record that does not verify); 2 what was given
is wrong (a name, an option, a file); 3 a failure of ours; 130 interrupted; 141 whoever read the output left;
143 asked to end (SIGTERM), which is done as carefully as after an interrupt.
"""

from __future__ import annotations

import argparse
import io
import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

from botequim import i18n
from botequim.core.errors import BotequimError, InputError, os_reason
from botequim.core.messages import harmless
from botequim.i18n import _

OK, FAILED, BAD_INPUT, OURS, INTERRUPTED, READER_LEFT, ENDED = 0, 1, 2, 3, 130, 141, 143


class AskedToEnd(KeyboardInterrupt):
    """SIGTERM: whatever an interrupt does, it does too."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and give its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    _say_anything()
    with _end_like_interrupts():
        return _run(words)


@contextmanager
def _end_like_interrupts() -> Iterator[None]:
    """A service manager that ends us must leave no more behind than a person who does."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # asked once is enough
        raise AskedToEnd

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _run(words: Sequence[str]) -> int:
    try:
        i18n.use(_wanted_language(words))
        arguments = parser().parse_args(words)
        code: int = arguments.run(arguments)
        if sys.stdout is not None:
            sys.stdout.flush()
    except BotequimError as error:
        print(f"botequim: {i18n.say_error(error)}", file=sys.stderr)
        for line in error.details.splitlines() if isinstance(error, InputError) else ():
            print(f"  {harmless(line)}", file=sys.stderr)
        return BAD_INPUT if isinstance(error, InputError) else OURS
    except KeyboardInterrupt as interrupt:
        print(_("interrupted"), file=sys.stderr)
        return ENDED if isinstance(interrupt, AskedToEnd) else INTERRUPTED
    except BrokenPipeError:
        _stop_writing()
        return READER_LEFT
    except OSError as error:
        # what we read and write is looked after where it is done: this is the output itself
        _stop_writing()
        print("botequim: " + _("the output cannot be written: {why}", why=os_reason(error)), file=sys.stderr)
        return OURS
    except Exception:
        traceback.print_exc()
        print(
            "botequim: " + _("this is a bug of ours; please report it with the lines above"), file=sys.stderr
        )
        return OURS
    return code


def _say_anything() -> None:
    """A terminal that lacks a sign is shown its number, not a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _stop_writing() -> None:
    """Keep Python from trying again, and complaining, when it flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def parser() -> argparse.ArgumentParser:
    """The whole command line, in the language spoken now."""
    from botequim.cli import (
        art,
        ask,
        check,
        cup,
        demo,
        doctor,
        export,
        games,
        gif,
        match,
        picture,
        replay,
        show,
        verify,
    )
    from botequim.version import VERSION

    top = argparse.ArgumentParser(
        prog="botequim",
        description=_("Bot competitions for table games: play them, check them, tell them."),
        epilog=_(
            "Try first:\n"
            "  botequim match cubos random greedy             one game, told move by move\n"
            "  botequim match cubos random greedy --games 200 many games, and who is better\n"
            "  botequim doctor                                what works on this machine"
        ),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    top.add_argument(
        "--version",
        action="version",
        version=f"botequim {VERSION}",
        help=_("show the version and exit"),
    )
    _add_language(top)
    top.set_defaults(run=lambda arguments: _explain(top))
    commands = top.add_subparsers(metavar=_("COMMAND"), title=_("commands"))
    for module in (
        match,
        cup,
        check,
        ask,
        show,
        picture,
        replay,
        verify,
        gif,
        art,
        games,
        export,
        demo,
        doctor,
    ):
        _finish(module.add(commands))
    return top


def _finish(command: argparse.ArgumentParser) -> None:
    """What every command has, and every action of a command."""
    command.formatter_class = argparse.RawDescriptionHelpFormatter
    command.allow_abbrev = False
    _add_language(command)
    for choices in command._actions:
        if isinstance(choices, argparse._SubParsersAction):
            for action in dict.fromkeys(choices.choices.values()):
                _finish(action)


def _explain(top: argparse.ArgumentParser) -> int:
    top.print_help()
    return OK


def _add_language(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--lang",
        metavar=_("LANGUAGE"),
        default=argparse.SUPPRESS,
        help=_("en or pt_BR; else the language of your locale"),
    )


def _wanted_language(words: Sequence[str]) -> str | None:
    """`--lang` is needed before the parser is, because the parser's own help speaks it."""
    for at, word in enumerate(words):
        if word == "--lang" and at + 1 < len(words):
            return words[at + 1]
        if word.startswith("--lang="):
            return word.partition("=")[2]
    return None
