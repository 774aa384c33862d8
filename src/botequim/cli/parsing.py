"""The parser of the command line. For a wrong word it suggests a similar one."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from botequim.core.suggestions import similar_name
from botequim.i18n import _

GAME_EXAMPLES = "%examples of games: "
"""The placeholder in a help text for the examples that games provide for a command."""


class Help(argparse.RawDescriptionHelpFormatter):
    """Formats help as wide as the terminal. Examples, which begin with a blank, are not wrapped."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        import textwrap  # only needed for help

        rows: list[str] = []
        prose: list[str] = []
        for line in [*_with_game_examples(text.splitlines()), ""]:
            if line and not line.startswith(" "):
                prose.append(line)
            if prose and (not line or line.startswith(" ") or line.endswith(".")):
                rows += textwrap.wrap(" ".join(prose), width, break_on_hyphens=False)
                prose = []
            if not line or line.startswith(" "):
                rows.append(line)
        return "\n".join(indent + row for row in rows).rstrip() + "\n"


def _with_game_examples(lines: Iterable[str]) -> Iterable[str]:
    for line in lines:
        before, mark, command = line.partition(GAME_EXAMPLES)
        if not mark:
            yield line
            continue
        from botequim import registry  # only for a help text with examples of games

        for plugin in registry.plugins():
            yield from (
                f"{before}botequim {command} {example}" for example in plugin.examples.get(command, ())
            )


class Parser(argparse.ArgumentParser):
    """An argparse parser that also suggests similar words and says how to get help."""

    def __init__(self, *words: Any, **more: Any) -> None:
        super().__init__(*words, **more)
        self.register("type", int, _int)
        self.register("type", float, _float)

    def read(self, words: Sequence[str]) -> argparse.Namespace:
        """Return the arguments. The parser of the command, not the top one, reports an unknown option."""
        arguments, unknown = self.parse_known_args(words)
        if unknown:
            command: Parser = getattr(arguments, "command", self)
            options = [name for action in command._actions for name in action.option_strings]
            problem = _("unrecognized arguments: %s") % " ".join(unknown)
            command.error(problem + suggestion(unknown[0].partition("=")[0], options))
        return arguments

    def error(self, message: str) -> NoReturn:
        super().error(message + "\n" + _("Help: {command}", command=f"{self.prog} --help"))

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        choices = [str(choice) for choice in action.choices]
        problem = _('"{value}" is not one of {known}', value=value, known=", ".join(choices))
        raise argparse.ArgumentError(action, problem + suggestion(str(value), choices))


def _int(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(_('"{text}" is not a whole number', text=text)) from None


def _float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(_('"{text}" is not a number', text=text)) from None


def suggestion(word: str, words: Iterable[str]) -> str:
    """Return `; did you mean play?` if a known word is similar, or ""."""
    similar = similar_name(word, words)
    return _("; did you mean {word}?", word=similar) if similar else ""
