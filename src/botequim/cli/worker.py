"""`botequim worker`: lets this machine play games of a cluster."""

from __future__ import annotations

import argparse
import re
import socket
import sys
from typing import Any, Final

from botequim.cli.cluster import add_key_file
from botequim.cli.clusters import find_scheduler
from botequim.cli.options import command, whole
from botequim.cli.scheduler import add_cache, cache_folder
from botequim.core.errors import InputError
from botequim.core.limits import MB
from botequim.core.messages import Message, msg
from botequim.i18n import _, translate

CACHE_MEGABYTES: Final = 10_000
_PORTS: Final = re.compile(r"(\d{1,5})(?:-(\d{1,5}))?")


def add(commands: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        "worker",
        description=_(
            "Lets this machine play games of a cluster, until it is interrupted. It waits for the\n"
            "scheduler, and joins it again whenever it comes back."
        ),
        epilog=_(
            "Examples:\n"
            "  botequim worker tls://lab-1:8786 --key-file lab.cluster.pem\n"
            "  botequim worker tls://lab-1:8786 --slots 3 --label lab-3 --hours 18:00-07:00"
        ),
    )
    parser.add_argument("address", metavar=_("ADDRESS"), help=_("the address of the scheduler"))
    add_key_file(parser)
    parser.add_argument(
        "--slots", metavar="N", type=whole(1, 1000), help=_("games at the same time (one per core)")
    )
    parser.add_argument(
        "--label",
        metavar=_("NAME"),
        help=_("the name of this machine in records and reports (default: its host name)"),
    )
    parser.add_argument(
        "--ports",
        metavar=_("FROM-TO"),
        help=_("the ports on which it may listen, for a firewall: 40000-40099 (default: any)"),
    )
    parser.add_argument(
        "--hours",
        metavar="HH:MM-HH:MM",
        help=_("play only in these hours of each day, in local time; games that have begun are finished"),
    )
    add_cache(parser, CACHE_MEGABYTES)
    parser.set_defaults(run=command(run))
    return parser


def run(arguments: argparse.Namespace) -> int:
    address, credentials = find_scheduler(arguments.address, arguments.key_file)
    from botequim.cluster.hours import Hours
    from botequim.cluster.worker import WorkerSettings, supervise
    from botequim.engine.executors import cores
    from botequim.engine.machine import Machine, measure_speed

    hours = None if arguments.hours is None else Hours.read(arguments.hours)
    ports = _ports(arguments.ports)
    label = arguments.label or socket.gethostname().partition(".")[0]
    machine = Machine(label, measure_speed())
    slots = arguments.slots or cores()
    settings = WorkerSettings(
        address,
        credentials,
        machine,
        slots,
        ports,
        hours,
        cache_folder(arguments, "worker"),
        arguments.cache_size * MB,
    )
    _say(
        msg(
            "{label}: slots {slots}, speed {speed}; joining {address}",
            label=machine.label,
            slots=slots,
            speed=f"{machine.speed:.2f}",
            address=address,
        )
    )
    supervise(settings, _say)
    return 0


def _ports(text: str | None) -> str:
    """Return a range of ports as Dask writes it."""
    if text is None:
        return "0"
    match = _PORTS.fullmatch(text)
    first, last = (int(match[1]), int(match[2] or match[1])) if match is not None else (0, 0)
    if not 1 <= first <= last <= 65535:
        raise InputError(msg('write ports as 40000-40099, not "{text}"', text=text))
    return f"{first}:{last}"


def _say(message: Message) -> None:
    print(translate(message), file=sys.stderr, flush=True)
