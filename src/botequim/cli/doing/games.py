"""`botequim games`: what can be played, with which options, by whom."""

from __future__ import annotations

import argparse
import json
import sys
import textwrap

from botequim import registry
from botequim.core.errors import BrokenContract
from botequim.core.game import AnyGame
from botequim.core.options import settle
from botequim.i18n import _, say, say_error


def run(arguments: argparse.Namespace) -> int:
    """List them."""
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
        print(
            textwrap.fill(names, 100, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)
        )
        for option in game.options:
            print(f"  --option {option.name}={option.default}  ({option.values})  {say(option.help)}")
