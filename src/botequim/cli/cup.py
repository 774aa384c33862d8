"""`botequim cup`: from one file to a champion."""

from __future__ import annotations

import argparse
import secrets
from pathlib import Path
from typing import Any

from botequim import i18n
from botequim.cli.cup_pace import AMOUNTS, run_hold, run_open, run_reveal
from botequim.cli.cup_playing import run_check, run_rehearse, run_run
from botequim.cli.cup_tables import run_status
from botequim.cli.progress import counting
from botequim.core.errors import InputError, os_reason
from botequim.core.messages import msg
from botequim.cup import importing, templates
from botequim.cup.absence import held
from botequim.cup.bundle import write_bundle
from botequim.cup.curtain import Curtain
from botequim.cup.home import Home
from botequim.cup.reading import read
from botequim.cup.report import write_report
from botequim.cup.stages import SHORTEST_SECRET, commitment, is_guessable
from botequim.cup.store import Store
from botequim.i18n import _, _n, say


def add(commands: Any) -> argparse.ArgumentParser:
    """The command's options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "cup",
        description=_(
            "Holds a cup that a file describes. What was played is never lost: run again to go on."
        ),
        epilog=_(
            "Examples:\n"
            "  botequim cup new cubos rinha.toml        a file to fill in\n"
            "  botequim cup import PARTICIPANTS.md --template cubos rinha.toml\n"
            "  botequim cup check rinha.toml            is every entrant ready?\n"
            "  botequim cup rehearse rinha.toml         all of it with stand-ins, in a minute\n"
            "  botequim cup run rinha.toml --stage league\n"
            "  botequim cup status rinha.toml\n"
            "  botequim cup run rinha.toml --hold       play ahead, then:\n"
            "  botequim cup reveal rinha.toml           game by game\n"
            "  botequim cup report rinha.toml --bundle rinha.zip"
        ),
    )
    parser.set_defaults(run=lambda arguments: _explain(parser))
    actions = parser.add_subparsers(metavar=_("ACTION"), title=_("actions"))
    _add_new(actions)
    _add_import(actions)
    for name, help_text, run in (
        ("check", _("try every entrant"), run_check),
        ("run", _("play, or go on playing"), run_run),
        ("rehearse", _("play all of it with built-in stand-ins"), run_rehearse),
        ("status", _("how it stands"), run_status),
        ("hold", _("from now on let games be public only when they are revealed"), run_hold),
        ("reveal", _("let the next game of a cup that is held back be public"), run_reveal),
        ("open", _("let everything be public, as it happens"), run_open),
        ("report", _("write pages, tables, feedback sheets and grades"), run_report),
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
                "--workers", metavar="N", type=int, help=_("games at the same time (one per core)")
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
        if name == "report":
            action.add_argument(
                "--to", metavar=_("FOLDER"), type=Path, help=_("where to (beside the cup's file)")
            )
            action.add_argument(
                "--bundle",
                metavar=_("FILE.zip"),
                type=Path,
                help=_("also everything that `botequim verify` needs to referee the cup again"),
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
        if name in ("status", "check"):
            action.add_argument("--json", action="store_true", help=_("the result as JSON"))
        action.set_defaults(run=run)
    return parser


def _explain(parser: argparse.ArgumentParser) -> int:
    parser.print_help()
    return 0


# --- new and import --------------------------------------------------------------------------------


def _add_new(actions: Any) -> None:
    known = ", ".join(templates.TEMPLATES)
    action = actions.add_parser(
        "new",
        help=_("write a cup file to fill in"),
        epilog=_("Examples:\n  botequim cup new cubos rinha.toml\n  botequim cup new uno uno.toml --seed 7"),
    )
    action.add_argument("template", metavar=_("TEMPLATE"), help=_("a competition: {known}", known=known))
    action.add_argument("file", metavar=_("FILE"), type=Path, help=_("a cup file that is not there yet"))
    action.add_argument("--name", help=_("the cup's name"))
    action.add_argument("--seed", metavar="S", help=_("any text; else it is drawn when the cup begins"))
    action.add_argument(
        "--promise", metavar="S", help=_("only the digest of this seed is written: reveal it after the cup")
    )
    action.set_defaults(run=run_new)


def run_new(arguments: argparse.Namespace) -> int:
    template = templates.named(arguments.template)
    if arguments.promise is not None and is_guessable(arguments.promise):
        raise InputError(
            msg(
                "the digest of so short a seed tells it to whoever tries them all: take at least {least} "
                "signs, not all alike, such as {fresh}",
                least=SHORTEST_SECRET,
                fresh=secrets.token_hex(16),
            )
        )
    text = templates.written(
        template,
        name=arguments.name or "",
        seed=arguments.seed,
        commitment=commitment(arguments.promise) if arguments.promise is not None else None,
    )
    _write_new(arguments.file, text)
    print(_("{path} is written. Fill in the entrants, then: botequim cup check {path}", path=arguments.file))
    return 0


def _add_import(actions: Any) -> None:
    action = actions.add_parser(
        "import",
        help=_("write a cup file for those who have entered"),
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
    action.set_defaults(run=run_import)


def run_import(arguments: argparse.Namespace) -> int:
    template = templates.named(arguments.template)
    most_authors = arguments.most_authors or template.most_authors
    found = importing.imported(arguments.source, cup=arguments.file, most_authors=most_authors)
    text = templates.written(
        template, name=arguments.name or "", entrants=found.entrants, most_authors=most_authors
    )
    _write_new(arguments.file, text)
    print(_n("{n} entrant", "{n} entrants", len(found.entrants)))
    for left_out in found.left_out:
        print(f"  – {left_out.what}: {say(left_out.why)}")
    print(_("{path} is written. Look at it, then: botequim cup check {path}", path=arguments.file))
    return 0


def _write_new(path: Path, text: str) -> None:
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise InputError(
            msg("{path} cannot be written: {why}", path=str(path), why=os_reason(error))
        ) from error


# --- the report -------------------------------------------------------------------------------------


def run_report(arguments: argparse.Namespace) -> int:
    """What is published of a cup, and what its entrants are told."""
    cup = read(arguments.file)
    # apart: what is not public yet must not lie in a folder that is published
    named = "report-unrevealed" if arguments.unrevealed else "report"
    folder = arguments.to or Home.of(cup.path).folder / named
    with Store.open(Home.of(cup.path).store) as store:
        cup = held(cup, store)
        curtain = Curtain.of(store, Home.of(cup.path).show, unrevealed=arguments.unrevealed)
        progress = cup.progress(store.get("seed") or "", curtain.results())
        if arguments.bundle is not None:
            _refuse_hidden(curtain, arguments.file)
        with counting() as tell:
            written = write_report(
                cup, progress, store, folder, on_record=lambda n: tell(_n("{n} record", "{n} records", n))
            )
        spoken = i18n.language()
        for other in i18n.LANGUAGES:  # feedback is for whoever wrote the bot, in either language
            if other != spoken:
                i18n.use(other)
                write_report(cup, progress, store, folder / other, records=False)
        i18n.use(spoken)
        print(_("The report is {path}", path=written[0]))
        print(_("For the organiser alone: {path}", path=folder / "private"))
        if arguments.bundle is not None:
            digest = write_bundle(cup, progress, store, arguments.bundle)
            print(_("The bundle {path} has the digest {digest}", path=arguments.bundle, digest=digest))
    return 0


def _refuse_hidden(curtain: Curtain, file: Path) -> None:
    if curtain.hides:
        raise InputError(
            msg(
                "{path}: not all games are revealed, and a bundle tells everything; reveal them first, or "
                "let all be public: botequim cup open {path}",
                path=str(file),
            )
        )
