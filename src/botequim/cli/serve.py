"""`botequim serve`: cups in the browser, live."""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from botequim.core.errors import InputError
from botequim.core.messages import msg
from botequim.i18n import _

PORT = 8080
NEEDED = ("fastapi", "uvicorn", "jinja2")


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
        "--host", metavar=_("ADDRESS"), default="127.0.0.1", help=_("where to listen (127.0.0.1)")
    )
    parser.add_argument("--port", metavar=_("PORT"), type=int, default=PORT, help=_("the port (8080)"))
    parser.set_defaults(run=run)
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Serve until interrupted."""
    if not all(find_spec(name) for name in NEEDED):
        raise InputError(msg("serving needs what `pip install botequim[web]` brings"))
    import uvicorn

    from botequim.web.app import create_app
    from botequim.web.house import House

    app = create_app(House(arguments.cups))
    uvicorn.run(app, host=arguments.host, port=arguments.port, log_level="warning", server_header=False)
    return 0
