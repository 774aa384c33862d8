"""`botequim cluster status`, `drain`, `resume` and `logs`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any

from botequim.cli.clusters import find_scheduler
from botequim.cluster.hours import OUTSIDE_HOURS
from botequim.core.errors import InputError
from botequim.core.messages import msg
from botequim.core.sanitize import printable
from botequim.core.suggestions import with_suggestion
from botequim.i18n import _, _n, number

if TYPE_CHECKING:
    from botequim.cluster.connection import Connection


def run_status(arguments: argparse.Namespace) -> int:
    """Print the machines of a cluster."""
    with _connection(arguments) as connection:
        found = connection.call("botequim_machines")
    machines = sorted(found["workers"].values(), key=lambda one: one["label"])
    if arguments.json:
        print(json.dumps({"machines": machines, "standby": found["standby"]}, ensure_ascii=False, indent=2))
        return 0
    if machines:
        _print_machines(machines)
        slots = sum(one["slots"] for one in machines)
        print(_n("{n} game at the same time.", "{n} games at the same time.", slots))
    else:
        print(_("No machine takes part. Start `botequim worker` on each machine."))
    _warn_about_labels([one["label"] for one in machines])
    for label, why in sorted(found["standby"].items()):
        print(_("{label} does not take part: {why}", label=printable(label), why=_standby_reason(why)))
    return 0


def _print_machines(machines: list[dict[str, Any]]) -> None:
    from rich.table import Table

    from botequim.cli.console import table_console

    table = Table()
    table.add_column(_("machine"))
    for heading in (_("slots"), _("jobs"), _("speed")):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column(_("isolation"))
    table.add_column(_("containers"))
    for one in machines:
        table.add_row(
            printable(one["label"]),
            str(one["slots"]),
            str(one["playing"]),
            number(f"{one['speed']:.2f}"),
            _("yes") if "isolated" in one["offers"] else _("no"),
            _("yes") if "containers" in one["offers"] else _("no"),
        )
    table_console().print(table)
    for one in machines:
        if one["problem"]:
            print(_("{label}: {why}", label=printable(one["label"]), why=printable(one["problem"])))


def _warn_about_labels(labels: list[str]) -> None:
    for label in sorted({one for one in labels if labels.count(one) > 1}):
        print(
            _(
                "Several machines are called {label}, so reports cannot tell them apart: give each its own "
                "--label.",
                label=printable(label),
            )
        )


def _standby_reason(why: str) -> str:
    match why.split(OUTSIDE_HOURS):
        case ["drained"]:
            return _("it is drained")
        case ["leaving"]:
            return _("it finishes its games and leaves")
        case ["", hours]:
            return _("its hours of use are {hours}", hours=printable(hours))
    return printable(why)


def run_drain(arguments: argparse.Namespace) -> int:
    """Let a machine take no more jobs."""
    _drain(arguments, drained=True)
    print(
        _(
            "{label} finishes its games and takes no more. `botequim cluster resume` takes it back.",
            label=arguments.machine,
        )
    )
    return 0


def run_resume(arguments: argparse.Namespace) -> int:
    """Let a machine take jobs again."""
    _drain(arguments, drained=False)
    print(_("{label} takes part again in a few seconds.", label=arguments.machine))
    return 0


def _drain(arguments: argparse.Namespace, *, drained: bool) -> None:
    label = arguments.machine
    with _connection(arguments) as connection:
        if connection.call("botequim_drain", label=label, drained=drained):
            return
        found = connection.call("botequim_machines")
    known = sorted({one["label"] for one in found["workers"].values()} | found["standby"].keys())
    problem = msg('unknown machine "{label}"; known: {known}', label=label, known=", ".join(known))
    raise InputError(with_suggestion(problem, label, known))


def run_logs(arguments: argparse.Namespace) -> int:
    """Print the last messages of the cluster."""
    with _connection(arguments) as connection:
        lines = connection.call("botequim_logs")
    if arguments.json:
        print(json.dumps([{"time": at, "who": who, "text": text} for at, who, text in lines], indent=2))
        return 0
    for at, who, text in lines:
        print(f"{datetime.fromtimestamp(at):%Y-%m-%d %H:%M:%S}  {printable(who)}: {printable(text)}")
    return 0


@contextmanager
def _connection(arguments: argparse.Namespace) -> Iterator[Connection]:
    """Connect to the scheduler of the command line."""
    address, credentials = find_scheduler(arguments.address, arguments.key_file)
    from botequim.cluster.settings import apply_settings

    apply_settings()
    from botequim.cluster.connection import Connection
    from botequim.cluster.executor import ClusterSettings

    connection = Connection(ClusterSettings(address, credentials), "")
    try:
        connection.connect()
        yield connection
    finally:
        connection.end()
