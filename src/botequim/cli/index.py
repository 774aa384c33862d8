"""The commands in the order of the help, with their purpose in a few words.

They are here, and not in their modules, so that `botequim --help` imports none of these.
"""

from __future__ import annotations

from collections.abc import Mapping

from botequim.core.messages import Message, msg

COMMANDS: Mapping[str, Message] = {
    "play": msg("play against the champions"),
    "watch": msg("watch games move by move"),
    "match": msg("play games between players"),
    "cup": msg("run a cup: leagues, brackets and finals from one file"),
    "cluster": msg("let several machines play together"),
    "scheduler": msg("hand out the games of a cluster"),
    "worker": msg("let this machine play games of a cluster"),
    "serve": msg("show cups in the browser, live"),
    "contest": msg("let the public vote for entrants of a cup"),
    "check": msg("find out whether a bot is ready, and what is wrong with it"),
    "ask": msg("repeat a question of a recorded game to a bot"),
    "show": msg("describe a recorded game move by move"),
    "picture": msg("draw a recorded game"),
    "replay": msg("write an HTML page that replays a recorded game"),
    "verify": msg("verify that records are correct"),
    "gif": msg("make an animated GIF from art"),
    "art": msg("turn an image or a short GIF into art for a bot"),
    "games": msg("list games, their options and players"),
    "export": msg("write a champion as a submission for its competition"),
    "demo": msg("play and show a few games of every kind"),
    "doctor": msg("show what works on this machine"),
    "completion": msg("let your shell complete commands, games and players"),
}

ALIASES: Mapping[str, str] = {"generate-gif": "gif"}
"""Other names of commands, from the program of BattleBots."""
