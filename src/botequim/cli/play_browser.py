"""`botequim play --browser`: a server for one person on this machine, and a browser that shows it."""

from __future__ import annotations

import argparse
import webbrowser
from contextlib import ExitStack, closing
from socket import socket
from typing import TYPE_CHECKING, Final

from botequim import interrupts, registry
from botequim.cli import bots
from botequim.cli.play_run import players_by_seat
from botequim.cli.serve_run import require_web
from botequim.core.errors import InputError
from botequim.core.messages import msg
from botequim.core.options import resolve_options
from botequim.i18n import _

if TYPE_CHECKING:
    from botequim.tables.spec import TableSpec
    from botequim.tables.table import OfferedBots

HOST: Final = "127.0.0.1"
PORT: Final = 8082
"""The usual port, so that the browser finds its statistics and games again."""
UNSUPPORTED: Final = ("adviser", "seed", "records", "plain", "go_on", "hint")
"""Options of `botequim play` that have no meaning in the browser."""


def play_in_browser(arguments: argparse.Namespace) -> int:
    require_web("botequim play --browser")
    from botequim.engine.thinking_pool import ThinkingPool
    from botequim.tables.folder import TablesFolder
    from botequim.tables.table import NO_BOTS
    from botequim.tables.tables import Tables
    from botequim.tables.thinking import Thinking
    from botequim.terminal.savegame import state_folder
    from botequim.web.app import create_app
    from botequim.web.live.served import ServedCups
    from botequim.web.server.serving import Server

    given = [name for name in UNSUPPORTED if getattr(arguments, name) not in (None, False)]
    if given:
        names = ", ".join("--continue" if name == "go_on" else f"--{name}" for name in given)
        raise InputError(msg("--browser does not support {options}", options=names))
    with ExitStack() as stack:
        listening = stack.enter_context(_listening_socket())
        port = listening.getsockname()[1]
        offered, spec = NO_BOTS, None
        if arguments.game is not None:
            offered, spec = _table(arguments, stack)
        folder = stack.enter_context(closing(TablesFolder(state_folder() / "tables" / str(port))))
        tables = Tables(folder, Thinking(ThinkingPool()), offered)
        address = f"http://{HOST}:{port}"
        app = create_app(ServedCups([]), address=f"{address}/", tables=tables)

        def show() -> None:
            path = "/play"
            if spec is not None:
                tables.add(spec)
                path = f"/play/seat/{spec.seats[spec.creator].secret}"
            print(_("Play at {address}", address=address + path))
            print(_("Press Ctrl-C to stop."), flush=True)
            webbrowser.open(address + path)

        server = Server(app, show)
        try:
            interrupts.run(server.serve([listening]))
        except KeyboardInterrupt:
            if not server.started:
                raise
    print()
    return 0


def _listening_socket() -> socket:
    """Return a socket at the usual port, or at a free one if another program uses it."""
    from botequim.web.server.serving import listening_socket

    try:
        return listening_socket(HOST, PORT)
    except InputError:
        return listening_socket(HOST, 0)


def _table(arguments: argparse.Namespace, stack: ExitStack) -> tuple[OfferedBots, TableSpec]:
    """Return the bots and the table that the command line describes."""
    from botequim.tables.opening import ME, TableWishes, open_table
    from botequim.tables.table import OfferedBots
    from botequim.terminal.ui import TerminalUI

    game = registry.game(arguments.game)
    values = bots.read_options(arguments.option)
    if any(option.name == "players" for option in game.options) and len(arguments.against or ()) > 1:
        values.setdefault("players", len(arguments.against) + 1)
    options = resolve_options(game.name, game.options, values)
    teams = game.teams(options)
    count = sum(map(len, teams))
    seat = (1 if arguments.seat is None else arguments.seat) - 1
    if not 0 <= seat < count:
        raise InputError(
            msg("there is no player {seat}; this table has players 1 to {count}", seat=seat + 1, count=count)
        )
    players = players_by_seat(arguments, game, teams, seat)
    programs = [name for name in dict.fromkeys(players) if name and not registry.is_player(game.name, name)]
    offered = OfferedBots({}, {})
    labels = {}
    if programs:
        ready = stack.enter_context(bots.ready(programs, game.name, arguments))
        labels = {given: one.name for given, one in zip(programs, ready.entrants, strict=True)}
        entrants = {one.name: one for one in ready.entrants}
        sandboxes = {} if ready.sandbox is None else {game.name: ready.sandbox}
        offered = OfferedBots({game.name: entrants}, sandboxes)
    ui = registry.terminal(game.name) or TerminalUI
    wishes = TableWishes(
        game=game.name,
        name=arguments.name or _("human"),
        seats=[labels.get(name, name) or ME for name in players],
        options=options,
        best_of=ui.best_of if arguments.best_of is None else arguments.best_of,
        any_player=True,
    )
    return offered, open_table(wishes, offered.names(game.name))
