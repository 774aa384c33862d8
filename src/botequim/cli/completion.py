"""`botequim completion`: complete a command line in a shell.

The script for a shell calls this command for every completion, so that games and players of other packages
are completed too.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import Any

from botequim import i18n
from botequim.core.errors import BotequimError
from botequim.i18n import _

SHELLS = {
    "bash": r"""_botequim() {
    local line="${COMP_LINE:0:COMP_POINT}" word="${COMP_WORDS[COMP_CWORD]}" whole kept IFS=$'\n'
    whole="${line##* }"
    kept="${whole%"$word"}"  # bash takes what stands before an = or @ for a word of its own
    COMPREPLY=($(botequim completion --line "$line" 2>/dev/null))
    COMPREPLY=("${COMPREPLY[@]#"$kept"}")
    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace
}
complete -o default -F _botequim botequim
""",
    "zsh": r"""#compdef botequim
_botequim() {
    local -a found
    found=("${(@f)$(botequim completion --line "${(j: :)words[1,CURRENT]}" 2>/dev/null)}")
    if [[ -n "${found[*]}" ]]; then compadd -a found; else _files; fi
}
compdef _botequim botequim
""",
    "fish": r"""complete -c botequim -a '(botequim completion --line (commandline -cp) 2>/dev/null)'
""",
}
LEVELS = ("easy", "normal", "hard", "full")


def add(commands: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        "completion",
        description=_(
            "Prints the script that lets your shell complete commands, options, games and players."
        ),
        epilog=_(
            "Examples:\n"
            "  botequim completion bash >> ~/.bashrc\n"
            "  botequim completion zsh >> ~/.zshrc        # after compinit\n"
            "  botequim completion fish > ~/.config/fish/completions/botequim.fish"
        ),
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("shell", metavar=_("SHELL"), nargs="?", choices=tuple(SHELLS), help="bash, zsh, fish")
    what.add_argument("--line", metavar=_("LINE"), help=_("print the possible completions of this line"))
    parser.set_defaults(run=run)
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Print the script for a shell, or the candidates for a line."""
    if arguments.line is None:
        print(SHELLS[arguments.shell], end="")
        return 0
    try:
        for word in candidates(arguments.line):
            print(word)
    except BotequimError:
        return 0  # an invalid line has no completions
    return 0


def candidates(line: str) -> list[str]:
    """Return the words that could complete the line; none if a file is expected."""
    from botequim.cli import parser

    words = line.split()[1:]
    current = "" if line[-1:].isspace() or not words else words.pop()
    command, rest = _command(parser(words or [""]), words)
    completions = _candidates(command, rest, current)
    return sorted({word for word in completions if word.startswith(current)})


def _command(top: argparse.ArgumentParser, words: Sequence[str]) -> tuple[argparse.ArgumentParser, list[str]]:
    """Return the parser of the command in the words, and the words after its name."""
    here, rest = top, list(words)
    for at, word in enumerate(words):
        choices = _subcommands(here)
        if word in choices:
            here, rest = choices[word], list(words[at + 1 :])
    return here, rest


def _subcommands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def _candidates(parser: argparse.ArgumentParser, words: Sequence[str], current: str) -> Iterator[str]:
    options = {name: action for action in parser._actions for name in action.option_strings}
    positionals = [
        action
        for action in parser._actions
        if not action.option_strings and not isinstance(action, argparse._SubParsersAction)
    ]
    positional_words: list[str] = []
    values: dict[str, str] = {}
    waiting: argparse.Action | None = None
    for word in words:
        if waiting is not None:
            waiting = None
        elif word in options:
            waiting = options[word] if options[word].nargs != 0 else None
        else:
            positional_words.append(word)
    for action, word in zip(positionals, positional_words, strict=False):
        values[action.dest] = word
    if waiting is not None:
        yield from _values(waiting, values, current)
        if waiting.nargs != "?":
            return
    if current.startswith("-"):
        yield from options
        return
    yield from _subcommands(parser)
    at = min(len(positional_words), len(positionals) - 1)
    if at >= 0 and (len(positional_words) < len(positionals) or positionals[-1].nargs in ("+", "*")):
        yield from _values(positionals[at], values, current)


def _values(action: argparse.Action, arguments: dict[str, str], current: str) -> Iterator[str]:
    """Yield the values of an option or a positional argument; `current` is the beginning of one."""
    from botequim import registry  # not needed to complete commands and options

    if action.choices is not None:
        yield from map(str, action.choices)
    elif action.dest == "lang":
        yield from i18n.LANGUAGES
    elif action.dest == "game" and action.metavar == _("GAME"):
        yield from registry.game_names()
    elif action.dest in ("entrants", "against", "partner", "adviser"):
        yield from _players(arguments.get("game", ""), current)
    elif action.dest == "option" and arguments.get("game") in registry.game_names():
        from botequim.core.options import ChoiceOption

        for option in registry.game(arguments["game"]).options:
            yield f"{option.name}="
            if isinstance(option, ChoiceOption):
                yield from (f"{option.name}={value}" for value in option.known)
    elif action.dest == "template":
        yield from registry.cup_template_names()


def _players(game_name: str, current: str) -> Iterator[str]:
    """Yield the names of players. Only the player in `current` is loaded to add its levels."""
    from botequim import registry

    for name in registry.player_names(game_name):
        yield name
        if current.startswith(name) and hasattr(registry.player_class(game_name, name), "at"):
            yield from (f"{name}@{level}" for level in LEVELS)
