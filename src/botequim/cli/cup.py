"""The options of `botequim cup`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from botequim import registry
from botequim.cli.clusters import add_cluster
from botequim.cli.confirming import add_yes
from botequim.cli.cup_change import add_change
from botequim.cli.options import command_of, examples, whole
from botequim.cli.stores import add_store
from botequim.i18n import _

AMOUNTS = ("game", "series", "stage")
"""The amounts that can be revealed at once."""


def add(commands: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        "cup",
        description=_(
            "Runs a cup described by a file. Finished series are never lost; run the command again "
            "to continue."
        ),
        epilog=_(
            "Examples:\n"
            "  botequim cup new {template} rinha.toml        # a file to fill in\n"
            "  botequim cup import download.zip rinha.toml --game {template}\n"
            "  botequim cup check rinha.toml            # is every entrant ready?\n"
            "  botequim cup rehearse rinha.toml         # play it with built-in players\n"
            "  botequim cup run rinha.toml --stage league\n"
            "  botequim cup status rinha.toml\n"
            "  botequim cup run rinha.toml --hold       # play, but publish nothing yet\n"
            "  botequim cup reveal rinha.toml           # publish the next game\n"
            "  botequim cup open rinha.toml             # publish everything\n"
            "  botequim cup report rinha.toml --bundle rinha.zip",
            template=_first_template(),
        ),
    )
    parser.set_defaults(run=lambda arguments: _explain(parser))
    actions = parser.add_subparsers(metavar=_("ACTION"), title=_("actions"))
    _add_new(actions)
    _add_import(actions)
    for name, help_text, run in (
        ("check", _("check every entrant"), command_of("cup_run", "run_check")),
        ("run", _("play the cup, or continue it"), command_of("cup_run", "run_run")),
        (
            "rehearse",
            _("rehearse the whole cup with built-in players"),
            command_of("cup_run", "run_rehearse"),
        ),
        ("status", _("show the standings"), command_of("cup_status", "run_status")),
        (
            "hold",
            _("keep new games private until they are revealed"),
            command_of("cup_reveal", "run_hold"),
        ),
        (
            "reveal",
            _("make the next game public"),
            command_of("cup_reveal", "run_reveal"),
        ),
        ("open", _("make everything public as it happens"), command_of("cup_reveal", "run_open")),
        (
            "report",
            _("write pages, tables, feedback sheets and grades"),
            command_of("cup_files", "run_report"),
        ),
        (
            "repair",
            _("repair a damaged store; damaged series are played again"),
            command_of("cup_repair", "run_repair"),
        ),
    ):
        action = actions.add_parser(
            name,
            help=help_text,
            description=help_text,
            epilog=_("Examples:\n  botequim cup {action} rinha.toml", action=name),
        )
        action.add_argument("file", metavar=_("FILE"), type=Path, help=_("a cup file"))
        if name in ("run", "status", "hold", "reveal", "open", "report", "repair"):
            add_store(action)
        if name in ("run", "rehearse"):
            action.add_argument(
                "--workers", metavar="N", type=whole(1, 1000), help=_("games at the same time (one per core)")
            )
        if name == "run":
            add_cluster(action)
            action.add_argument("--quiet", action="store_true", help=_("do not print the tables"))
            action.add_argument(
                "--stage", metavar=_("NAME"), action="append", help=_("only this stage; may be repeated")
            )
            action.add_argument("--seed", metavar="S", help=_("the seed that was promised"))
            action.add_argument(
                "--without-broken",
                action="store_true",
                help=_("leave out entrants whose files cannot be unpacked or built"),
            )
        if name in ("run", "check"):
            action.add_argument(
                "--trust", action="store_true", help=_("run bots without isolation, like your own programs")
            )
        if name == "check":
            action.add_argument(
                "--seconds",
                metavar="N",
                type=float,
                help=_("stop the check of each entrant after N seconds (default: 30, longer for a slow bot)"),
            )
        if name == "report":
            action.add_argument(
                "--to",
                metavar=_("FOLDER"),
                type=Path,
                help=_("the output folder (default: beside the cup file)"),
            )
            action.add_argument(
                "--replays",
                metavar="N",
                type=whole(0, 100_000),
                default=200,
                help=_("the maximum number of replay pages (200)"),
            )
            action.add_argument(
                "--csv",
                choices=("comma", "semicolon"),
                default="comma",
                help=_(
                    "tables with commas, or with semicolons and decimal commas, as spreadsheets in "
                    "Portuguese expect (comma)"
                ),
            )
            action.add_argument(
                "--mail-from",
                metavar=_("ADDRESS"),
                help=_("also write feedback as messages from this sender, in mbox files; nothing is sent"),
            )
            action.add_argument("--url", help=_("where the public folder will be, for the links in feedback"))
            action.add_argument(
                "--worksheet",
                metavar=_("FILE.csv"),
                type=Path,
                help=_(
                    "a worksheet for grades from your learning platform; a copy with the grades is written"
                ),
            )
            action.add_argument(
                "--bundle",
                metavar=_("FILE.zip"),
                type=Path,
                help=_("also write the bundle of a finished cup to this file, for `botequim verify`"),
            )
        if name == "repair":
            action.add_argument(
                "--seed",
                metavar="S",
                help=_("the seed of the cup, if it can no longer be read from the store"),
            )
        if name == "run":
            action.add_argument(
                "--hold",
                action="store_true",
                help=_("keep results private until they are revealed (see `cup reveal`)"),
            )
        if name == "reveal":
            action.add_argument(
                "how_much",
                metavar=_("HOW_MUCH"),
                nargs="?",
                choices=AMOUNTS,
                default=AMOUNTS[0],
                help=_("game: the next game; series or stage: the rest of the current one"),
            )
        if name in ("reveal", "open"):
            add_yes(action)
        if name == "status":
            action.add_argument(
                "--series", action="store_true", help=_("also list the series, with their numbers and scores")
            )
        if name in ("status", "report"):
            action.add_argument(
                "--unrevealed",
                action="store_true",
                help=_("include results that are not revealed yet; for the organiser only"),
            )
        if name not in ("hold", "reveal", "open"):
            action.add_argument("--json", action="store_true", help=_("the result as JSON"))
        action.set_defaults(run=run)
    add_change(actions)
    _add_move(actions)
    _add_backup(actions)
    _add_forget(actions)
    return parser


def _add_move(actions: Any) -> None:
    action = actions.add_parser(
        "move",
        help=_("move a cup to another store"),
        description=_(
            "copies a cup between its folder and a database, or between two databases, proves that both "
            "are equal and seals the old store. Stop `cup run` first"
        ),
        epilog=_(
            "Examples:\n"
            "  botequim cup move rinha.toml postgresql://db.example.org/cups\n"
            "  botequim cup move 'postgresql://db.example.org/cups?cup=rinha' rinha.toml"
        ),
    )
    for name, help_text in (
        ("old", _("a cup file, or the address of a database (postgresql://HOST/DATABASE?cup=ID)")),
        ("new", _("the same, where the cup is stored from now on")),
    ):
        action.add_argument(name, metavar=name.upper(), help=help_text)
    action.add_argument("--json", action="store_true", help=_("the result as JSON"))
    action.set_defaults(run=command_of("cup_move", "run_move"))


def _add_backup(actions: Any) -> None:
    text = _("copy a cup with its stores, bots and people into one file, also while it is played")
    action = actions.add_parser(
        "backup",
        help=text,
        description=text,
        epilog=_("Examples:\n  botequim cup backup rinha.toml rinha-friday.tar.gz"),
    )
    action.add_argument("file", metavar=_("FILE"), type=Path, help=_("a cup file"))
    action.add_argument("backup", metavar=_("BACKUP"), type=Path, help=_("a new file, such as rinha.tar.gz"))
    add_store(action)
    action.add_argument("--json", action="store_true", help=_("the result as JSON"))
    action.set_defaults(run=command_of("cup_backup", "run_backup"))
    text = _("restore a backup into a new folder, to continue the cup there")
    action = actions.add_parser(
        "restore",
        help=text,
        description=text,
        epilog=_("Examples:\n  botequim cup restore rinha-friday.tar.gz restored"),
    )
    action.add_argument("backup", metavar=_("BACKUP"), type=Path, help=_("a file that `cup backup` wrote"))
    action.add_argument("folder", metavar=_("FOLDER"), type=Path, help=_("a new or empty folder"))
    action.add_argument("--json", action="store_true", help=_("the result as JSON"))
    action.set_defaults(run=command_of("cup_backup", "run_restore"))


def _add_forget(actions: Any) -> None:
    text = _("delete the data of a person or of an entrant; played games stay")
    action = actions.add_parser(
        "forget",
        help=text,
        description=text,
        epilog=_("Examples:\n  botequim cup forget rinha.toml 123456"),
    )
    action.add_argument("file", metavar=_("FILE"), type=Path, help=_("a cup file"))
    action.add_argument(
        "name",
        metavar=_("NAME"),
        help=_("name, e-mail address or number of a person; or the name of an entrant, with all its people"),
    )
    add_store(action)
    add_yes(action)
    action.add_argument("--json", action="store_true", help=_("the result as JSON"))
    action.set_defaults(run=command_of("cup_forget", "run_forget"))


def _first_template() -> str:
    """Return the template that `cup import` takes if none is given."""
    return next(iter(registry.cup_template_names()))


def _explain(parser: argparse.ArgumentParser) -> int:
    parser.print_help()
    return 0


def _add_new(actions: Any) -> None:
    known = ", ".join(registry.cup_template_names())
    action = actions.add_parser(
        "new",
        help=_("write a cup file to fill in"),
        description=_("write a cup file to fill in"),
        epilog=examples("cup new"),
    )
    action.add_argument("template", metavar=_("TEMPLATE"), help=_("a competition: {known}", known=known))
    action.add_argument("file", metavar=_("FILE"), type=Path, help=_("a new cup file"))
    action.add_argument("--name", help=_("the cup's name"))
    action.add_argument(
        "--seed", metavar="S", help=_("any text; by default a random seed is chosen when the cup begins")
    )
    action.add_argument(
        "--promise",
        metavar="S",
        help=_("promise a seed: the file contains only its digest, and you publish the seed after the cup"),
    )
    action.set_defaults(run=command_of("cup_files", "run_new"))


def _add_import(actions: Any) -> None:
    first = _first_template()
    action = actions.add_parser(
        "import",
        help=_("collect bots for a cup: from a learning platform, a list or a folder"),
        description=_(
            "collects bots for a cup file, and writes the file if there is none. Import as often as you "
            "like: each time it says what is new, changed, unchanged or late, and keeps what was handed in "
            "before"
        ),
        epilog=examples(
            "cup import",
            f"PARTICIPANTS.md rinha.toml --game {first}",
            f"bots.zip rinha.toml --game {first} --class-list turma.csv",
            "bots.zip rinha.toml --deadline 2026-11-20 --late refuse",
        ),
    )
    action.add_argument(
        "source",
        metavar=_("SOURCE"),
        type=Path,
        help=_(
            "the download of a learning platform (a zip file or folder), a folder of bots or archives, a CSV "
            "file, or PARTICIPANTS.md"
        ),
    )
    action.add_argument("file", metavar=_("FILE"), type=Path, help=_("a cup file, new or not"))
    action.add_argument(
        "--template",
        "--game",
        metavar=_("GAME"),
        help=_("the competition or game of a new cup file (if not given: {first})", first=first),
    )
    action.add_argument("--name", help=_("the cup's name"))
    action.add_argument(
        "--class-list",
        metavar=_("FILE.csv"),
        type=Path,
        help=_("the students, with names, numbers, e-mail addresses and groups; later imports remember it"),
    )
    action.add_argument(
        "--names",
        choices=("bot", "list", "folder"),
        help=_(
            "where names of entrants come from: the bot itself, the class list, or the folder or table "
            "(default: the class list, if they are in it)"
        ),
    )
    action.add_argument(
        "--deadline", metavar=_("TIME"), help=_('what was handed in later is late: "2026-11-20 23:59"')
    )
    action.add_argument(
        "--late",
        choices=("mark", "refuse"),
        default="mark",
        help=_("mark: late bots play and are marked; refuse: the one before still plays (default: mark)"),
    )
    action.add_argument(
        "--most-authors",
        metavar="N",
        type=int,
        help=_("maximum number of authors of a bot (default: as in the competition)"),
    )
    action.add_argument(
        "--in-place",
        action="store_true",
        help=_("write a new cup file for bots that stay where they are: no copies, no history"),
    )
    action.add_argument("--json", action="store_true", help=_("the result as JSON"))
    action.set_defaults(run=command_of("cup_import", "run_import"))
