"""The options of `botequim cluster`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from botequim.cli.options import command_of, whole
from botequim.i18n import _


def add(commands: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        "cluster",
        description=_(
            "Lets several machines play the games of one cup or match. All of them have the same key file, "
            "and trust each other."
        ),
        epilog=_(
            "Examples:\n"
            "  botequim cluster create lab              # writes the key file lab.cluster.pem\n"
            "  botequim cluster status tls://lab-1:8786\n"
            "  botequim cluster drain tls://lab-1:8786 lab-3"
        ),
    )
    parser.set_defaults(run=lambda arguments: _explain(parser))
    actions = parser.add_subparsers(metavar=_("ACTION"), title=_("actions"))
    _add_create(actions)
    for name, help_text, example in (
        ("status", _("show the machines of a cluster"), ""),
        ("drain", _("let a machine take no more jobs, after those that it plays"), " lab-3"),
        ("resume", _("let a machine that was drained take jobs again"), " lab-3"),
        ("logs", _("show the last messages of the scheduler and the workers"), ""),
    ):
        action = actions.add_parser(
            name,
            help=help_text,
            description=help_text,
            epilog=_("Examples:\n  botequim cluster {action} tls://lab-1:8786", action=name) + example,
        )
        action.add_argument("address", metavar=_("ADDRESS"), help=_("the address of the scheduler"))
        if example:
            action.add_argument("machine", metavar=_("MACHINE"), help=_("the label of the machine"))
        add_key_file(action)
        if name in ("status", "logs"):
            action.add_argument("--json", action="store_true", help=_("the result as JSON"))
        action.set_defaults(run=command_of("cluster_status", f"run_{name}"))
    return parser


def add_key_file(parser: argparse.ArgumentParser) -> None:
    """Add the option for the credentials; `cluster.credentials.read_credentials` takes its value."""
    parser.add_argument(
        "--key-file",
        metavar=_("FILE"),
        type=Path,
        help=_(
            "the key file of the cluster (default: BOTEQUIM_CLUSTER_KEY or ~/.config/botequim/cluster.pem)"
        ),
    )


def _add_create(actions: Any) -> None:
    action = actions.add_parser(
        "create",
        help=_("create the key file of a cluster"),
        description=_(
            "writes NAME.cluster.pem, the key file for every machine of the cluster, and NAME.ca.pem, with "
            "which you can create further key files. Whoever has one of them can run programs on all these "
            "machines"
        ),
        epilog=_(
            "Examples:\n"
            "  botequim cluster create lab\n"
            "  botequim cluster create lab-2030 --ca lab.ca.pem   # a newer key file"
        ),
    )
    action.add_argument("name", metavar=_("NAME"), help=_("a name for the files"))
    action.add_argument(
        "--days",
        metavar="N",
        type=whole(1, 36500),
        default=730,
        help=_("how many days the key file is valid (730)"),
    )
    action.add_argument(
        "--ca",
        metavar=_("FILE"),
        type=Path,
        help=_("the CA of an existing cluster: machines with its old and new key files accept each other"),
    )
    action.add_argument("--json", action="store_true", help=_("the result as JSON"))
    action.set_defaults(run=command_of("cluster_create", "run_create"))


def _explain(parser: argparse.ArgumentParser) -> int:
    parser.print_help()
    return 0
