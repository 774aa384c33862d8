"""`botequim serve`: the options. `serve_run` serves."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from botequim.cli.options import add_bots, command_of
from botequim.cli.stores import add_store
from botequim.i18n import _

PORT = 8080
PACE = 1.0


def add(commands: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        "serve",
        description=_(
            "Shows cups in the browser, on a big screen and on phones, live while they are played. People "
            "also play there, against the champions and each other; for that no cup is needed.\n"
            "`botequim cup run` plays the cups; it may run before, during or after."
        ),
        epilog=_(
            "Examples:\n"
            "  botequim serve\n"
            "  botequim serve rinha.toml\n"
            "  botequim serve rinha.toml art.toml --host 0.0.0.0 --port 80\n"
            "  botequim serve rinha.toml --port 443 --tls-cert cert.pem --tls-key key.pem"
        ),
    )
    parser.add_argument("cups", metavar=_("CUP"), nargs="*", type=Path, help=_("a cup file"))
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
    parser.add_argument("--no-play", action="store_true", help=_("do not let people play on this server"))
    parser.add_argument(
        "--tables",
        metavar=_("FOLDER"),
        type=Path,
        help=_("the folder for the games that people play (default: in your state folder, one a port)"),
    )
    parser.add_argument(
        "--offer",
        metavar=_("GAME=BOT"),
        action="append",
        default=[],
        help=_("let people play against this bot; may be repeated"),
    )
    parser.add_argument(
        "--offer-entrants",
        action="store_true",
        help=_("let people play against the entrants of the cups (they could study them before the final)"),
    )
    add_bots(parser)
    parser.set_defaults(run=command_of("serve_run", "run_serve"))
    return parser
