"""The options of commands whose games can be played on a cluster."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from botequim.cli.cluster import add_key_file
from botequim.core.errors import InputError
from botequim.core.messages import Message, msg
from botequim.i18n import _, translate

if TYPE_CHECKING:
    from botequim.cluster.credentials import Credentials
    from botequim.engine.executors import StartExecutor


def add_cluster(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose a cluster."""
    parser.add_argument(
        "--cluster",
        metavar=_("ADDRESS"),
        help=_("play on the machines of a cluster: the address of its scheduler, tls://lab-1:8786"),
    )
    add_key_file(parser)
    parser.add_argument(
        "--calibrate",
        metavar=_("LEAST"),
        type=_part,
        help=_("do not use machines of the cluster that are slower than this part of the median: 0.5"),
    )


def start_cluster(
    arguments: argparse.Namespace, *, isolated: bool, report: Callable[[Message], None] | None = None
) -> StartExecutor | None:
    """Return what starts the executor of the cluster that the command line names, or None.

    With `isolated`, bots are played only where every limit is enforced. `report` prints a message.
    """
    if arguments.cluster is None:
        if arguments.calibrate is not None:
            raise InputError(msg("--calibrate is for a cluster; give --cluster ADDRESS, too"))
        return None
    if arguments.workers is not None:
        raise InputError(msg("--workers is for this machine; on a cluster, each worker has --slots"))
    address, credentials = find_scheduler(arguments.cluster, arguments.key_file)
    from botequim.cluster.settings import apply_settings

    apply_settings()
    from botequim.cluster.executor import ClusterExecutor, ClusterSettings

    settings = ClusterSettings(address, credentials, arguments.calibrate)
    return lambda observation: ClusterExecutor(
        settings, observation, isolated=isolated, report=report or _say
    )


def find_scheduler(address: str, key_file: Path | None) -> tuple[str, Credentials | None]:
    """Return the whole address of a scheduler, and the credentials for it.

    Raise InputError if the extra is not installed, or if the address or the key file cannot be used.
    """
    from botequim.cluster.extra import require_cluster_extra

    require_cluster_extra()
    from botequim.cluster.addresses import require_safe_address
    from botequim.cluster.credentials import read_credentials

    credentials = read_credentials(key_file)
    return require_safe_address(address, credentials), credentials


def _say(message: Message) -> None:
    print(translate(message), file=sys.stderr, flush=True)


def _part(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= 1:  # also false for what is not a number
        raise argparse.ArgumentTypeError(_('"{text}" is not a part of 1, such as 0.5', text=text))
    return value
