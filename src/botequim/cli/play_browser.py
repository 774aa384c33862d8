"""`botequim play --browser`: a server for one person on this machine, and a browser that shows it."""

from __future__ import annotations

import argparse
import webbrowser
from contextlib import ExitStack, closing
from socket import socket
from typing import TYPE_CHECKING, Final

from botequim import registry
from botequim.cli import bots
from botequim.cli.play_run import new_match
from botequim.cli.serve_run import require_web
from botequim.core.errors import InputError
from botequim.core.messages import msg
from botequim.i18n import _

if TYPE_CHECKING:
    from botequim.tables.offered_bots import OfferedBots
    from botequim.tables.spec import TableSpec

HOST: Final = "127.0.0.1"
PORT: Final = 8082
"""The usual port, so that the browser finds its statistics and games again."""
UNSUPPORTED: Final = ("adviser", "seed", "records", "plain", "go_on", "hint")
"""Options of `botequim play` that have no meaning in the browser."""


def play_in_browser(arguments: argparse.Namespace) -> int:
    require_web("botequim play --browser")
    from botequim.engine.thinking_pool import ThinkingPool
    from botequim.tables.folder import TablesFolder
    from botequim.tables.offered_bots import NO_BOTS
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
        app = create_app(ServedCups([]), address=f"{address}/", tables=tables, is_local=True)

        def show() -> None:
            path = "/play"
            if spec is not None:
                tables.add(spec)
                path = f"/play/seat/{spec.seats[spec.creator].secret}"
            print(_("Play at {address}", address=address + path))
            print(_("Press Ctrl-C to stop."), flush=True)
            webbrowser.open(address + path)

        return Server(app, show).run_on(listening)


def _listening_socket() -> socket:
    """Return a socket at the usual port, or at a free one if another program uses it."""
    from botequim.web.server.serving import listening_socket

    try:
        return listening_socket(HOST, PORT)
    except InputError:
        return listening_socket(HOST, 0)


def _table(arguments: argparse.Namespace, stack: ExitStack) -> tuple[OfferedBots, TableSpec]:
    """Return the bots and the table that the command line describes."""
    from botequim.tables.offered_bots import OfferedBots
    from botequim.tables.opening import ME, TableWishes, open_table

    match = new_match(arguments)
    programs = [name for name in dict.fromkeys(match.players) if name]
    programs = [name for name in programs if not registry.is_player(match.game, name)]
    offered = OfferedBots({}, {})
    labels = {}
    if programs:
        ready = stack.enter_context(bots.ready(programs, match.game, arguments))
        labels = {given: one.name for given, one in zip(programs, ready.entrants, strict=True)}
        entrants = {one.name: one for one in ready.entrants}
        sandboxes = {} if ready.sandbox is None else {match.game: ready.sandbox}
        offered = OfferedBots({match.game: entrants}, sandboxes)
    wishes = TableWishes(
        game=match.game,
        name=match.names[match.seat],
        seats=[labels.get(name, name) or ME for name in match.players],
        options=match.options,
        best_of=match.best_of,
        any_player=True,
    )
    return offered, open_table(wishes, offered.names(match.game))
