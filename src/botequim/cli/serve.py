"""`botequim serve`: show cups live in the browser."""

from __future__ import annotations

import argparse
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from botequim import interrupts
from botequim.cli.options import command
from botequim.cli.stores import add_store, read_cup
from botequim.core.errors import InputError
from botequim.core.extras import extra_error
from botequim.core.messages import msg
from botequim.i18n import _

PORT = 8080
PACE = 1.0


def add(commands: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        "serve",
        description=_(
            "Shows cups in the browser, on a big screen and on phones, live while they are played.\n"
            "`botequim cup run` plays the cups; it may run before, during or after."
        ),
        epilog=_(
            "Examples:\n"
            "  botequim serve rinha.toml\n"
            "  botequim serve rinha.toml art.toml --host 0.0.0.0 --port 80\n"
            "  botequim serve rinha.toml --port 443 --tls-cert cert.pem --tls-key key.pem"
        ),
    )
    parser.add_argument("cups", metavar=_("CUP"), nargs="+", type=Path, help=_("a cup file"))
    add_store(parser)
    parser.add_argument(
        "--host",
        metavar=_("ADDRESS"),
        default="127.0.0.1",
        help=_("the address to listen on (127.0.0.1: only this machine; 0.0.0.0: the whole network)"),
    )
    parser.add_argument("--port", metavar=_("PORT"), type=int, default=PORT, help=_("the port (8080)"))
    parser.add_argument(
        "--hands",
        choices=("auto", "open", "hidden"),
        default="auto",
        help=_("show the hands of games in progress (auto: only if no bot could see the page)"),
    )
    parser.add_argument(
        "--pace",
        metavar=_("SECONDS"),
        type=float,
        default=PACE,
        help=_("seconds between moves when the organiser presents a finished game (1)"),
    )
    parser.add_argument(
        "--token",
        metavar=_("TOKEN"),
        help=_("set the organiser's token; `new` generates one"),
    )
    parser.add_argument(
        "--tls-cert",
        metavar=_("FILE"),
        type=Path,
        help=_("a certificate file (PEM); serves the pages over https, together with --tls-key"),
    )
    parser.add_argument(
        "--tls-key", metavar=_("FILE"), type=Path, help=_("the certificate's private key (PEM)")
    )
    parser.add_argument(
        "--trusted-proxy",
        metavar=_("ADDRESS"),
        action="append",
        default=[],
        help=_(
            "the address or network of a proxy in front of this server; its X-Forwarded-For and "
            "X-Forwarded-Proto headers are trusted; may be repeated (none)"
        ),
    )
    parser.set_defaults(run=command(run))
    return parser


if TYPE_CHECKING:
    from botequim.web.live.served import ServedCups

REQUIREMENTS = ("fastapi", "jinja2", "multipart", "segno", "uvicorn")
NEW = "new"


def run(arguments: argparse.Namespace) -> int:
    if not all(find_spec(name) for name in REQUIREMENTS):
        raise extra_error(msg("`botequim serve` needs the extra `web`"), "web")
    from botequim.web.app import create_app
    from botequim.web.live.served import ServedCups
    from botequim.web.live.tables import Hands
    from botequim.web.server.serving import (
        Server,
        addresses,
        listening_socket,
        raise_open_file_limit,
        trusted_proxies,
    )
    from botequim.web.server.tls import check_tls_files

    if not 0.05 <= arguments.pace <= 60:
        raise InputError(msg("--pace takes 0.05 to 60 seconds"))
    proxies = trusted_proxies(arguments.trusted_proxy)
    pair = check_tls_files(arguments.tls_cert, arguments.tls_key)
    cups = [read_cup(path, arguments.store) for path in arguments.cups]
    served_cups = ServedCups(cups, Hands(arguments.hands))
    with listening_socket(arguments.host, arguments.port) as listening:
        port = listening.getsockname()[1]
        urls = addresses(arguments.host, port, pair)
        token = interrupts.run(_token(served_cups, arguments.token))
        app = create_app(served_cups, pace=arguments.pace, address=urls[0])
        raise_open_file_limit()
        server = Server(app, lambda: _print_addresses(urls, token), pair, proxies)
        try:
            interrupts.run(server.serve([listening]))
        except KeyboardInterrupt:
            if not server.started:
                raise
    print()
    return 0 if server.started else 1


async def _token(served_cups: ServedCups, option: str | None) -> str | None:
    """Return a new token to print, if any cup needs one. All cups without a token get the same."""
    from botequim.web.pages.organiser import SHORTEST_TOKEN, has_token, keep_token, new_token

    if option is not None and option != NEW and len(option) < SHORTEST_TOKEN:
        raise InputError(
            msg("the token is too short and could be guessed; use at least {n} characters", n=SHORTEST_TOKEN)
        )
    token = new_token() if option in (None, NEW) else option
    assert token is not None
    without = [one for one in served_cups.cups.values() if option is not None or not await has_token(one)]
    for cup in without:
        await keep_token(cup, token)
    return token if without else None


def _print_addresses(urls: list[str], token: str | None) -> None:
    """Print the addresses when the server is ready, and a QR code of one that phones can open."""
    from botequim.web.qr import is_local

    for address in urls:
        print(_("serving at {address}", address=address))
    if token is not None:
        print(_("for the organiser only: {address}", address=f"{urls[-1]}organiser?token={token}"))
    else:
        print(_("for the organiser: {address} (a new token: --token new)", address=f"{urls[-1]}organiser"))
    if is_local(urls[0]):
        print(_("Phones cannot open this address; {option} lets them.", option="--host 0.0.0.0"))
    elif sys.stdout.isatty():
        import segno

        segno.make(urls[0], micro=False).terminal(compact=True)
    print(_("Press Ctrl-C to stop."), flush=True)
