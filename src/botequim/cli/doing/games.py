"""`botequim games`: what can be played, and by which rules."""

from __future__ import annotations

import argparse
import json
import sys

from rich.console import Console
from rich.markdown import Markdown

from botequim import registry
from botequim.cli.doing.console import print_wrapped
from botequim.core.errors import BrokenContract, InputError
from botequim.core.game import AnyGame
from botequim.core.messages import msg
from botequim.core.options import settle
from botequim.i18n import _, language, say, say_error
from botequim.web import prose

READABLE = 100
"""Columns: longer lines are hard to read."""


def run(arguments: argparse.Namespace) -> int:
    """List them."""
    if arguments.rules:
        if arguments.game is None:
            known = ", ".join(registry.game_names())
            raise InputError(msg("--rules needs the name of a game: {known}", known=known))
        _tell(registry.game(arguments.game))
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
            print(f"botequim: {say_error(error)}", file=sys.stderr)
    _list(games, as_json=arguments.json)
    return 3 if broken else 0


def _tell(game: AnyGame) -> None:
    """The rules: set on a terminal, elsewhere just as they are written."""
    text = prose.plain(f"rules-{game.name}", language())
    if text is None:
        print(_("{game} came with a plugin, and its rules are not written down here.", game=game.name))
        _list([game], as_json=False)
        return
    console = Console()
    if console.is_terminal:
        console.print(Markdown(text), width=min(console.width, READABLE))
    else:
        print(text, end="")


def _list(games: list[AnyGame], *, as_json: bool) -> None:
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
        teams = game.teams(settle(game.name, game.options, {}))
        print(game.name)
        print(
            "  " + _("teams: {teams}", teams=", ".join("+".join(str(s + 1) for s in team) for team in teams))
        )
        names = _("players: {names}", names=", ".join(registry.player_names(game.name)))
        print_wrapped(f"  {names}", 4)
        for option in game.options:
            print_wrapped(
                f"  --option {option.name}={option.default}  ({option.values})  {say(option.help)}", 4
            )
