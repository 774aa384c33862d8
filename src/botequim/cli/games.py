"""`botequim games`: list the games, and print their rules."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from botequim.cli.options import command, examples
from botequim.core.errors import BrokenContract, InputError
from botequim.core.messages import msg
from botequim.i18n import _, error_text, language, translate

if TYPE_CHECKING:
    from botequim.core.game import AnyGame


def add(commands: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        "games",
        description=_(
            "Lists the games with their options and built-in players, or shows the rules of one game."
        ),
        epilog=examples("games", "", "--json"),
    )
    parser.add_argument("game", metavar=_("GAME"), nargs="?", help=_("show only this game"))
    parser.add_argument("--rules", action="store_true", help=_("show the rules of the game"))
    parser.add_argument("--json", action="store_true", help=_("the list as JSON"))
    parser.set_defaults(run=command(run))
    return parser


READABLE = 100
"""The most columns: longer lines are hard to read."""


def run(arguments: argparse.Namespace) -> int:
    from botequim import registry

    if arguments.rules:
        if arguments.game is None:
            names = ", ".join(registry.game_names())
            raise InputError(msg("--rules needs the name of a game: {known}", known=names))
        _print_rules(registry.game(arguments.game))
        return 0
    if arguments.game is not None:
        _list([registry.game(arguments.game)], as_json=arguments.json)
        return 0
    games = []
    broken = False
    for name in registry.game_names():
        try:
            games.append(registry.game(name))
        except BrokenContract as error:
            broken = True
            print(f"botequim: {error_text(error)}", file=sys.stderr)
    _list(games, as_json=arguments.json)
    return 3 if broken else 0


def _print_rules(game: AnyGame) -> None:
    """Print the rules: formatted on a terminal, otherwise as they are written."""
    from rich.console import Console
    from rich.markdown import Markdown

    from botequim.web import prose

    text = prose.plain(f"rules-{game.name}", language())
    if text is None:
        print(_("{game} comes from a plugin that provides no text of its rules.", game=game.name))
        _list([game], as_json=False)
        return
    console = Console()
    if console.is_terminal:
        console.print(Markdown(text), width=min(console.width, READABLE))
    else:
        print(text, end="")


def _list(games: list[AnyGame], *, as_json: bool) -> None:
    from botequim import registry
    from botequim.cli.console import print_wrapped
    from botequim.core.options import resolve_options

    if as_json:
        listing = {
            game.name: {
                "players": registry.player_names(game.name),
                "options": {
                    option.name: {"default": option.default, "known": option.values}
                    for option in game.options
                },
            }
            for game in games
        }
        print(json.dumps(listing, ensure_ascii=False, indent=2))
        return
    for game in games:
        teams = game.teams(resolve_options(game.name, game.options, {}))
        print(game.name)
        print(
            "  " + _("teams: {teams}", teams=", ".join("+".join(str(s + 1) for s in team) for team in teams))
        )
        names = _("players: {names}", names=", ".join(registry.player_names(game.name)))
        print_wrapped(f"  {names}", 4)
        for option in game.options:
            print_wrapped(
                f"  --option {option.name}={option.default}  ({option.values})  {translate(option.help)}", 4
            )
