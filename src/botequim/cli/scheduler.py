"""`botequim scheduler`: the process that hands out the jobs of a cluster."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any, Final

from botequim import interrupts
from botequim.cli.cluster import add_key_file
from botequim.cli.options import command, whole
from botequim.core.limits import MB
from botequim.i18n import _

PORT: Final = 8786
PARCEL_MEGABYTES: Final = 10_000


def add(commands: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        "scheduler",
        description=_(
            "Hands out the games of cups and matches to the machines of a cluster. Start one, then\n"
            "`botequim worker` on each machine. If it is started again, machines and cups find it."
        ),
        epilog=_(
            "Examples:\n"
            "  botequim scheduler --key-file lab.cluster.pem\n"
            "  botequim scheduler --host 127.0.0.1   # for workers on this machine only"
        ),
    )
    add_key_file(parser)
    parser.add_argument(
        "--host",
        metavar=_("ADDRESS"),
        help=_("the address to listen on (with a key file: 0.0.0.0, the whole network; else 127.0.0.1)"),
    )
    parser.add_argument(
        "--port", metavar=_("PORT"), type=whole(0, 65535), default=PORT, help=_("the port (8786)")
    )
    add_cache(parser, PARCEL_MEGABYTES)
    parser.set_defaults(run=command(run))
    return parser


def add_cache(parser: argparse.ArgumentParser, megabytes: int) -> None:
    """Add the options for the folder in which files of bots are stored."""
    parser.add_argument(
        "--cache",
        metavar=_("FOLDER"),
        type=Path,
        help=_("the folder for the files of bots (default: ~/.cache/botequim)"),
    )
    parser.add_argument(
        "--cache-size",
        metavar="MB",
        type=whole(1, 10_000_000),
        default=megabytes,
        help=_("the largest size of that folder, in megabytes ({size})", size=megabytes),
    )


def cache_folder(arguments: argparse.Namespace, name: str) -> Path:
    """Return the folder of the command line, or the user's own."""
    if arguments.cache is not None:
        folder: Path = arguments.cache
        return folder.absolute() / name
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "botequim" / name


def run(arguments: argparse.Namespace) -> int:
    from botequim.cluster.extra import require_cluster_extra

    require_cluster_extra()
    from botequim.cluster.addresses import require_safe_address
    from botequim.cluster.credentials import read_credentials
    from botequim.cluster.scheduler import SchedulerSettings, run_scheduler

    credentials = read_credentials(arguments.key_file)
    host = arguments.host or ("127.0.0.1" if credentials is None else "0.0.0.0")
    place = f"[{host}]" if ":" in host else host
    address = require_safe_address(f"{place}:{arguments.port}", credentials, listen=True)
    settings = SchedulerSettings(
        address, credentials, cache_folder(arguments, "parcels"), arguments.cache_size * MB
    )
    interrupts.run(run_scheduler(settings, _say_address, _say))
    return 0


def _say_address(address: str) -> None:
    _say(_("The scheduler listens on {address}. On each machine: botequim worker {address}", address=address))


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
