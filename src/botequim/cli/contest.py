"""The options of `botequim contest`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from botequim.cli.arguments import doing
from botequim.i18n import _

VOTERS = ("codes", "open")
CHOICES = ("single", "ranked")


def add(commands: Any) -> argparse.ArgumentParser:
    """The command's options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "contest",
        description=_(
            "Lets the public vote for entrants of a cup: by one-time codes, or openly with one vote for\n"
            "each browser. People vote in the pages of `botequim serve`, where all this can be done too."
        ),
        epilog=_(
            "Examples:\n"
            "  botequim contest new rinha.toml 'Best art' --choice ranked\n"
            "  botequim contest codes rinha.toml 1 60 --csv codes.csv\n"
            "  botequim contest open rinha.toml 1\n"
            "  botequim contest close rinha.toml 1\n"
            "  botequim contest results rinha.toml 1"
        ),
    )
    parser.set_defaults(run=lambda arguments: _explain(parser))
    actions = parser.add_subparsers(metavar=_("ACTION"), title=_("actions"))
    _add_new(actions)
    _action(actions, "list", _("all contests of a cup"), doing("contest", "run_list"), numbered=False)
    _add_codes(actions)
    _action(actions, "open", _("let people vote"), doing("contest", "run_open"))
    _action(
        actions,
        "close",
        _("end the voting, for good: then everybody sees the result"),
        doing("contest", "run_close"),
    )
    results = _action(actions, "results", _("who has won, and why"), doing("contest", "run_results"))
    results.add_argument(
        "--early", action="store_true", help=_("also before it is closed: nobody else is told that early")
    )
    delete = _action(
        actions,
        "delete",
        _("with its codes and ballots, for good"),
        doing("contest", "run_delete"),
        more=" --title 'Best art'",
    )
    delete.add_argument("--title", required=True, help=_("its title, so that it is the one meant"))
    return parser


def _explain(parser: argparse.ArgumentParser) -> int:
    parser.print_help()
    return 0


def _action(
    actions: Any,
    name: str,
    help_text: str,
    run: Callable[[argparse.Namespace], int],
    *,
    numbered: bool = True,
    more: str = "",
) -> argparse.ArgumentParser:
    """`more` is what its example needs besides."""
    example = f"  botequim contest {name} rinha.toml" + (" 1" if numbered else "") + more
    action: argparse.ArgumentParser = actions.add_parser(
        name, help=help_text, description=help_text, epilog=_("Examples:\n{example}", example=example)
    )
    action.add_argument("cup", metavar=_("CUP"), type=Path, help=_("a cup file"))
    if numbered:
        action.add_argument("number", metavar=_("NUMBER"), type=int, help=_("of the contest"))
    action.add_argument("--json", action="store_true", help=_("the result as JSON"))
    action.set_defaults(run=run)
    return action


def _add_new(actions: Any) -> None:
    action = _action(
        actions,
        "new",
        _("prepare a contest"),
        doing("contest", "run_new"),
        numbered=False,
        more=" 'Best art'",
    )
    action.add_argument("title", metavar=_("TITLE"), help=_("what is asked, in a few words"))
    action.add_argument(
        "--voters",
        choices=VOTERS,
        default=VOTERS[0],
        help=_("whoever has a code, or everybody once with each browser (codes)"),
    )
    action.add_argument(
        "--choice",
        choices=CHOICES,
        default=CHOICES[0],
        help=_("one entrant, or a ranking (single)"),
    )
    action.add_argument(
        "--entrant",
        metavar=_("NAME"),
        action="append",
        help=_("between these alone; may be repeated (all of the cup)"),
    )


def _add_codes(actions: Any) -> None:
    action = _action(actions, "codes", _("make codes to vote with"), doing("contest", "run_codes"))
    action.epilog = _(
        "Examples:\n"
        "  botequim contest codes rinha.toml 1 60 --csv codes.csv\n"
        "  botequim contest codes rinha.toml 1 60 --sheet codes.html \\\n"
        "    --address http://192.168.0.10:8080"
    )
    action.add_argument("count", metavar="N", type=int, help=_("how many"))
    action.add_argument(
        "--sheet", metavar=_("FILE.html"), type=Path, help=_("a sheet with QR codes to print and to cut")
    )
    action.add_argument(
        "--address", metavar=_("ADDRESS"), help=_("of the server, as phones reach it: for the QR codes")
    )
    action.add_argument("--csv", metavar=_("FILE.csv"), type=Path, help=_("a list"))
