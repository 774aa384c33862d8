"""The options of `botequim cup`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from botequim.cli.arguments import doing, whole
from botequim.i18n import _

TEMPLATES = ("cubos", "havana", "rps", "uno", "uno-check", "fives")
AMOUNTS = ("game", "series", "stage")
"""How much is revealed at once."""


def add(commands: Any) -> argparse.ArgumentParser:
    """The command's options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "cup",
        description=_(
            "Holds a cup that a file describes. What was played is never lost: run again to go on."
        ),
        epilog=_(
            "Examples:\n"
            "  botequim cup new cubos rinha.toml        # a file to fill in\n"
            "  botequim cup import PARTICIPANTS.md --template cubos rinha.toml\n"
            "  botequim cup check rinha.toml            # is every entrant ready?\n"
            "  botequim cup rehearse rinha.toml         # all of it with stand-ins\n"
            "  botequim cup run rinha.toml --stage league\n"
            "  botequim cup status rinha.toml\n"
            "  botequim cup run rinha.toml --hold       # play ahead, then:\n"
            "  botequim cup reveal rinha.toml           # game by game\n"
            "  botequim cup open rinha.toml             # all of it\n"
            "  botequim cup report rinha.toml --bundle rinha.zip"
        ),
    )
    parser.set_defaults(run=lambda arguments: _explain(parser))
    actions = parser.add_subparsers(metavar=_("ACTION"), title=_("actions"))
    _add_new(actions)
    _add_import(actions)
    for name, help_text, run in (
        ("check", _("try every entrant"), doing("cup_playing", "run_check")),
        ("run", _("play, or go on playing"), doing("cup_playing", "run_run")),
        ("rehearse", _("play all of it with built-in stand-ins"), doing("cup_playing", "run_rehearse")),
        ("status", _("how it stands"), doing("cup_tables", "run_status")),
        (
            "hold",
            _("from now on let games be public only when they are revealed"),
            doing("cup_pace", "run_hold"),
        ),
        (
            "reveal",
            _("let the next game of a cup that is held back be public"),
            doing("cup_pace", "run_reveal"),
        ),
        ("open", _("let everything be public, as it happens"), doing("cup_pace", "run_open")),
        ("report", _("write pages, tables, feedback sheets and grades"), doing("cup", "run_report")),
        (
            "repair",
            _("make a damaged store whole again; what was damaged is played again"),
            doing("cup_repair", "run_repair"),
        ),
    ):
        action = actions.add_parser(
            name,
            help=help_text,
            description=help_text,
            epilog=_("Examples:\n  botequim cup {action} rinha.toml", action=name),
        )
        action.add_argument("file", metavar=_("FILE"), type=Path, help=_("a cup file"))
        if name in ("run", "rehearse"):
            action.add_argument(
                "--workers", metavar="N", type=whole(1, 1000), help=_("games at the same time (one per core)")
            )
        if name == "run":
            action.add_argument("--quiet", action="store_true", help=_("no tables"))
            action.add_argument(
                "--stage", metavar=_("NAME"), action="append", help=_("only this stage; may be repeated")
            )
            action.add_argument("--seed", metavar="S", help=_("the seed that was promised"))
            action.add_argument(
                "--without-broken",
                action="store_true",
                help=_("hold the cup without entrants whose files cannot be unpacked or built"),
            )
        if name in ("run", "check"):
            action.add_argument(
                "--trust", action="store_true", help=_("run bots without isolation, as your own programs")
            )
        if name == "check":
            action.add_argument(
                "--seconds",
                metavar="N",
                type=float,
                help=_("stop the check of an entrant after so long (else 30 s, longer for a slow bot)"),
            )
        if name == "report":
            action.add_argument(
                "--to", metavar=_("FOLDER"), type=Path, help=_("where to (beside the cup's file)")
            )
            action.add_argument(
                "--replays",
                metavar="N",
                type=whole(0, 100_000),
                default=200,
                help=_("games that have a page which plays them back, at most (200)"),
            )
            action.add_argument(
                "--bundle",
                metavar=_("FILE.zip"),
                type=Path,
                help=_("also the bundle of a finished cup somewhere else: what `botequim verify` needs"),
            )
        if name == "repair":
            action.add_argument(
                "--seed",
                metavar="S",
                help=_("the seed that the cup began with, if it cannot be read any more"),
            )
        if name == "run":
            action.add_argument(
                "--hold",
                action="store_true",
                help=_("play ahead: nothing is public until it is revealed (see `cup reveal`)"),
            )
        if name == "reveal":
            action.add_argument(
                "how_much",
                metavar=_("HOW_MUCH"),
                nargs="?",
                choices=AMOUNTS,
                default=AMOUNTS[0],
                help=_("game (the next), series or stage (the rest of it)"),
            )
        if name in ("status", "report"):
            action.add_argument(
                "--unrevealed",
                action="store_true",
                help=_("also what is held back: for the organiser's eyes"),
            )
        if name not in ("hold", "reveal", "open"):
            action.add_argument("--json", action="store_true", help=_("the result as JSON"))
        action.set_defaults(run=run)
    return parser


def _explain(parser: argparse.ArgumentParser) -> int:
    parser.print_help()
    return 0


def _add_new(actions: Any) -> None:
    known = ", ".join(TEMPLATES)
    action = actions.add_parser(
        "new",
        help=_("write a cup file to fill in"),
        description=_("write a cup file to fill in"),
        epilog=_("Examples:\n  botequim cup new cubos rinha.toml\n  botequim cup new uno uno.toml --seed 7"),
    )
    action.add_argument("template", metavar=_("TEMPLATE"), help=_("a competition: {known}", known=known))
    action.add_argument("file", metavar=_("FILE"), type=Path, help=_("a cup file that is not there yet"))
    action.add_argument("--name", help=_("the cup's name"))
    action.add_argument("--seed", metavar="S", help=_("any text; else it is drawn when the cup begins"))
    action.add_argument(
        "--promise", metavar="S", help=_("only the digest of this seed is written: reveal it after the cup")
    )
    action.set_defaults(run=doing("cup", "run_new"))


def _add_import(actions: Any) -> None:
    action = actions.add_parser(
        "import",
        help=_("write a cup file for those who have entered"),
        description=_("write a cup file for those who have entered"),
        epilog=_("Examples:\n  botequim cup import PARTICIPANTS.md rinha.toml --template cubos"),
    )
    action.add_argument(
        "source", metavar=_("SOURCE"), type=Path, help=_("PARTICIPANTS.md, a folder of bots or of archives")
    )
    action.add_argument("file", metavar=_("FILE"), type=Path, help=_("a cup file that is not there yet"))
    action.add_argument("--template", default="cubos", help=_("the competition (cubos)"))
    action.add_argument("--name", help=_("the cup's name"))
    action.add_argument(
        "--most-authors",
        metavar="N",
        type=int,
        help=_("people that may make a bot (the competition's number)"),
    )
    action.add_argument("--json", action="store_true", help=_("the result as JSON"))
    action.set_defaults(run=doing("cup", "run_import"))
