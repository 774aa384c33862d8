"""The commands there are, in the order in which help lists them, and what each is for in a few words.

Here, and not in their modules, so that `botequim --help` need not load what it only lists.
"""

from __future__ import annotations

from collections.abc import Mapping

from botequim.core.messages import Message, msg

COMMANDS: Mapping[str, Message] = {
    "play": msg("play against the champions"),
    "watch": msg("watch games move by move, drawn"),
    "match": msg("play games between players"),
    "cup": msg("hold a cup: leagues, brackets and finals from one file"),
    "serve": msg("show cups in the browser, live"),
    "contest": msg("let the public vote for entrants of a cup"),
    "check": msg("find out whether a bot is ready, and what its author did wrong"),
    "ask": msg("ask a bot a question of a recorded game again"),
    "show": msg("tell a recorded game"),
    "picture": msg("draw a recorded game"),
    "replay": msg("make one HTML file that plays a recorded game"),
    "verify": msg("check that records are true"),
    "gif": msg("art as an animated GIF"),
    "art": msg("an image or short GIF as art for a bot"),
    "games": msg("list games, their options and players"),
    "export": msg("write a champion in the form that its competition takes"),
    "demo": msg("a small show of every game"),
    "doctor": msg("what works on this machine"),
    "completion": msg("let your shell complete commands, games and players"),
}

ALIASES: Mapping[str, str] = {"generate-gif": "gif"}
"""Other names of commands: as BattleBots' own program calls them."""
