"""`botequim serve`: cups in the browser, live."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from botequim.cli.arguments import doing
from botequim.i18n import _

PORT = 8080
PACE = 1.0


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
            "  botequim serve rinha.toml art.toml --host 0.0.0.0 --port 80\n"
            "  botequim serve rinha.toml --port 443 --tls-cert cert.pem --tls-key key.pem"
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
    parser.add_argument(
        "--tls-cert",
        metavar=_("FILE"),
        type=Path,
        help=_("a certificate (PEM): pages are served by https, with --tls-key"),
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
            "an address or network of a proxy in front of this server, whose X-Forwarded-For and "
            "X-Forwarded-Proto are believed; may be repeated (nobody's are)"
        ),
    )
    parser.set_defaults(run=doing("serve"))
    return parser
