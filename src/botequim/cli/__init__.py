"""The `botequim` command.

Exit codes: 0 success; 1 a check failed (for example, a record that does not verify); 2 the input is wrong (a
name, an option, a file); 3 an internal error; 130 interrupted; 141 the output was closed by its reader; 143
terminated by SIGTERM, after the same cleanup as an interrupt.
"""

from __future__ import annotations

import argparse
import errno
import io
import os
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from botequim import i18n, interrupts
from botequim.cli.parsing import Help, Parser
from botequim.core.errors import BotequimError, InputError, os_reason
from botequim.core.sanitize import printable
from botequim.i18n import _

OK, FAILED, BAD_INPUT, INTERNAL_ERROR, INTERRUPTED, OUTPUT_CLOSED, TERMINATED = 0, 1, 2, 3, 130, 141, 143


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    _replace_closed_streams()
    _escape_unencodable()
    with interrupts.SignalHandling():
        return _run(words)


def _run(words: Sequence[str]) -> int:
    try:
        return _code(words)
    except BotequimError as error:
        print(f"botequim: {i18n.error_text(error)}", file=sys.stderr)
        for line in error.details.splitlines() if isinstance(error, InputError) else ():
            print(f"  {printable(line)}", file=sys.stderr)
        return BAD_INPUT if isinstance(error, InputError) else INTERNAL_ERROR
    except KeyboardInterrupt as interrupt:
        print(_("interrupted"), file=sys.stderr)
        return TERMINATED if isinstance(interrupt, interrupts.TerminationRequested) else INTERRUPTED
    except BrokenPipeError:
        _discard_output()
        return OUTPUT_CLOSED
    except OSError as error:
        if _is_about_processes(error):
            print("botequim: " + _no_process_text(error), file=sys.stderr)
            return INTERNAL_ERROR
        # Commands handle the errors of their own files, so this one is about stdout or stderr.
        _discard_output()
        print("botequim: " + _("the output cannot be written: {why}", why=os_reason(error)), file=sys.stderr)
        return INTERNAL_ERROR
    except Exception:
        traceback.print_exc()
        print(
            "botequim: " + _("this is a bug in Botequim; please report it together with the lines above"),
            file=sys.stderr,
        )
        return INTERNAL_ERROR


def _is_about_processes(error: OSError) -> bool:
    """Return whether no process could be started, because there are too many, or too little memory."""
    # the error of a stream that would block says how much was written
    would_block = error.errno == errno.EAGAIN and not hasattr(error, "characters_written")
    return would_block or error.errno == errno.ENOMEM


def _no_process_text(error: OSError) -> str:
    return _(
        "this machine cannot start another process ({why}); end some programs, and run the command again",
        why=os_reason(error),
    )


def _code(words: Sequence[str]) -> int:
    try:
        i18n.set_language(_language_option(words))
        arguments = parser(words).read(words)
        code: int = arguments.run(arguments)
        sys.stdout.flush()
    except Exception:
        interrupts.raise_if_signalled()  # a signal may have caused the error
        raise
    return code


def _replace_closed_streams() -> None:
    """Replace standard streams that were closed (`<&-`) by the null device."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def _escape_unencodable() -> None:
    """Print a character that the terminal cannot encode as an escape sequence, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _discard_output() -> None:
    """Redirect stdout to the null device, so that Python does not fail to flush it at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def parser(words: Sequence[str] | None = None) -> Parser:
    """Return the parser in the current language, for these words or for all commands.

    Only the module of the command in `words` is imported. Other commands only have their line in the help.
    """
    from botequim.cli.index import ALIASES, COMMANDS
    from botequim.version import VERSION

    top = Parser(
        prog="botequim",
        description=_("Bot competitions for table games: play, watch, organise and verify them."),
        epilog=_(
            "`botequim COMMAND --help` shows examples.\n"
            "\n"
            "Exit codes: 0 success; 1 a check failed; 2 wrong input; 3 an internal error; 130 "
            "interrupted;\n"
            "141 output closed; 143 terminated."
        ),
        formatter_class=Help,
        allow_abbrev=False,
    )
    top.add_argument(
        "--version",
        action="version",
        version=f"botequim {VERSION}",
        help=_("show the version and exit"),
    )
    _add_language(top)
    top.set_defaults(run=lambda arguments: _explain())
    commands = top.add_subparsers(metavar=_("COMMAND"), title=_("commands"))
    command = None
    if words is not None:
        word_of_command = next((word for word in words if word in COMMANDS or word in ALIASES), "")
        command = ALIASES.get(word_of_command, word_of_command)
    for name, purpose in COMMANDS.items():
        if command in (None, name):
            _finish(import_module(f"botequim.cli.{name}").add(_Command(commands, i18n.translate(purpose))))
        else:
            commands.add_parser(name, help=i18n.translate(purpose), add_help=False)
    return top


class _Command:
    """Adds the parser of a command, with the help text that `index.py` gives for it."""

    def __init__(self, commands: Any, purpose: str) -> None:
        self._commands = commands
        self._purpose = purpose

    def add_parser(self, name: str, **settings: Any) -> argparse.ArgumentParser:
        parser: argparse.ArgumentParser = self._commands.add_parser(
            name, **{**settings, "help": self._purpose}
        )
        return parser


def _finish(command: argparse.ArgumentParser) -> None:
    """Add the options and settings that every command and every action has."""
    command.formatter_class = Help
    command.allow_abbrev = False
    command.set_defaults(command=command)
    _add_language(command)
    for choices in command._actions:
        if isinstance(choices, argparse._SubParsersAction):
            for action in dict.fromkeys(choices.choices.values()):
                _finish(action)


def _explain() -> int:
    """Print what this program does, in ten lines."""
    print(
        _(
            "Botequim runs bot competitions for dominoes, cards and rock-paper-scissors.\n"
            "Bots, people and built-in champions play at the same table.\n"
            "\n"
            "Try first:\n"
            "  botequim {play} # you against the champion\n"
            "  botequim {match} # a game between bots, move by move\n"
            "  botequim doctor                     # what works on this machine\n"
            "Your own bot: botequim {check}\n"
            "A whole cup:  botequim {cup}\n"
            "All commands: botequim --help",
            play=f"{_example('play'):26}",
            match=f"{_example('match'):26}",
            check=_example("check"),
            cup=_example("cup"),
        )
    )
    return OK


def _example(command: str) -> str:
    """Return a command that a game proposes to beginners."""
    from botequim import registry

    lines = [line for plugin in registry.plugins() for line in plugin.examples.get("start", ())]
    return next((line for line in lines if line.split()[0] == command), f"{command} --help")


def _add_language(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--lang",
        metavar=_("LANGUAGE"),
        default=argparse.SUPPRESS,
        help=_("en or pt_BR (default: the language of your locale)"),
    )


def _language_option(words: Sequence[str]) -> str | None:
    """Return the value of the last `--lang`. The parser needs it, because its help is translated."""
    value = None
    for at, word in enumerate(words):
        if word == "--lang" and at + 1 < len(words):
            value = words[at + 1]
        if word.startswith("--lang="):
            value = word.partition("=")[2]
    return value
