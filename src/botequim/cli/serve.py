"""`botequim serve`: cups in the browser, live."""

from __future__ import annotations

import argparse
import asyncio
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from botequim.core.errors import InputError
from botequim.core.messages import msg
from botequim.i18n import _

if TYPE_CHECKING:
    from botequim.web.house import House

PORT = 8080
PACE = 1.0
NEEDED = ("fastapi", "jinja2", "multipart", "segno", "uvicorn")
NEW = "new"


def add(commands: Any) -> argparse.ArgumentParser:
    """The command's options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "serve",
        description=_(
            "Shows cups in the browser while they are played: on the big screen, and on phones. The cups\n"
            "are played by `botequim cup run`, before, meanwhile or afterwards."
        ),
        epilog=_(
            "Examples:\n"
            "  botequim serve rinha.toml\n"
            "  botequim serve rinha.toml art.toml --host 0.0.0.0 --port 80"
        ),
    )
    parser.add_argument("cups", metavar=_("CUP"), nargs="+", type=Path, help=_("a cup file"))
    parser.add_argument(
        "--host",
        metavar=_("ADDRESS"),
        default="127.0.0.1",
        help=_("where to listen (127.0.0.1: this machine alone; 0.0.0.0: everybody in the network)"),
    )
    parser.add_argument("--port", metavar=_("PORT"), type=int, default=PORT, help=_("the port (8080)"))
    parser.add_argument(
        "--hands",
        choices=("auto", "open", "hidden"),
        default="auto",
        help=_("whether hands of games under way are shown (auto: unless a bot could look on too)"),
    )
    parser.add_argument(
        "--pace",
        metavar=_("SECONDS"),
        type=float,
        default=PACE,
        help=_("from move to move, when the organiser shows a game that was played before (1)"),
    )
    parser.add_argument(
        "--token",
        metavar=_("TOKEN"),
        help=_("the organiser's from now on; `new` makes one, as the first time"),
    )
    parser.set_defaults(run=run)
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Serve until interrupted."""
    if not all(find_spec(name) for name in NEEDED):
        raise InputError(msg("serving needs what `pip install botequim[web]` brings"))
    from botequim.web.app import create_app
    from botequim.web.house import House
    from botequim.web.serving import Server, addresses, bound, open_wide
    from botequim.web.tables import Hands

    if not 0.05 <= arguments.pace <= 60:
        raise InputError(msg("--pace takes 0.05 to 60 seconds"))
    house = House(arguments.cups, Hands(arguments.hands))
    listening = bound(arguments.host, arguments.port)
    port = listening.getsockname()[1]
    known = addresses(arguments.host, port)
    token = asyncio.run(_token(house, arguments.token))
    app = create_app(house, pace=arguments.pace, address=known[0])
    open_wide()
    server = Server(app, lambda: _say(known, token))
    try:
        asyncio.run(server.serve([listening]))
    except KeyboardInterrupt:
        print()
    return 0 if server.started else 1


async def _token(house: House, given: str | None) -> str | None:
    """The token that is to be told, if there is a new one. All cups that have none get the same."""
    from botequim.web.organiser import SHORTEST_TOKEN, has_token, keep_token, new_token

    if given is not None and given != NEW and len(given) < SHORTEST_TOKEN:
        raise InputError(
            msg("a token that short can be guessed: take at least {n} characters", n=SHORTEST_TOKEN)
        )
    token = new_token() if given in (None, NEW) else given
    assert token is not None
    without = [one for one in house.cups.values() if given is not None or not await has_token(one)]
    for hosted in without:
        await keep_token(hosted, token)
    return token if without else None


def _say(known: list[str], token: str | None) -> None:
    """Where to look, once it is there to be looked at."""
    for address in known:
        print(_("serving at {address}", address=address))
    if token is not None:
        print(_("for the organiser alone: {address}", address=f"{known[-1]}organiser?token={token}"))
    else:
        print(_("for the organiser: {address} (a new token: --token new)", address=f"{known[-1]}organiser"))
    if sys.stdout.isatty():
        import segno

        segno.make(known[0], micro=False).terminal(compact=True)
    print(_("Ctrl-C ends it."), flush=True)
