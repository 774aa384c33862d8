"""The options of `botequim cup change`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from botequim.cli.confirming import add_yes
from botequim.cli.options import command_of
from botequim.cli.stores import add_store
from botequim.i18n import _


def add_change(actions: Any) -> None:
    """Add the action with all kinds of changes."""
    parser: argparse.ArgumentParser = actions.add_parser(
        "change",
        help=_("change a cup that has begun"),
        description=_(
            "Changes a cup that has begun. Every change needs a reason and is published with it. It says "
            "what it will do, and asks. If the cup is being played, it is applied between two series."
        ),
        epilog=_(
            "Examples:\n"
            "  botequim cup change rinha.toml add Rui ./rui --why 'the mail was late'\n"
            "  botequim cup change rinha.toml disqualify Ana --why 'two bots in one'\n"
            "  botequim cup change rinha.toml withdraw Bia --why 'no longer wants to'\n"
            "  botequim cup change rinha.toml fix Leo --from finals --why 'it crashed'\n"
            "  botequim cup change rinha.toml replay league 'Ana – Leo' --why 'power cut'\n"
            "  botequim cup change rinha.toml revoke 2 --why 'a mistake'\n"
            "  botequim cup change rinha.toml list"
        ),
    )
    parser.add_argument("file", metavar=_("FILE"), type=Path, help=_("a cup file"))
    parser.set_defaults(run=lambda arguments: _explain(parser))
    kinds = parser.add_subparsers(metavar=_("CHANGE"), title=_("changes"))
    _add_entrants(kinds)
    _add_fix(kinds)
    _add_replay(kinds)
    revoke = _kind(kinds, "revoke", _("undo an earlier change"), "2")
    revoke.add_argument("entry", metavar=_("NUMBER"), type=int, help=_("its number in the list"))
    listing = kinds.add_parser(
        "list",
        help=_("list all changes and requests"),
        description=_("list all changes and requests"),
        epilog=_("Examples:\n{example}", example="  botequim cup change rinha.toml list"),
    )
    _add_unrevealed(listing, _("also name series that are not revealed yet"))
    add_store(listing)
    listing.add_argument("--json", action="store_true", help=_("the result as JSON"))
    listing.set_defaults(run=command_of("cup_change_run", "run_list"))


def _explain(parser: argparse.ArgumentParser) -> int:
    parser.print_help()
    return 0


def _kind(kinds: Any, name: str, help_text: str, example: str) -> argparse.ArgumentParser:
    """Add a kind of change with the options that all of them have."""
    line = f"  botequim cup change rinha.toml {name} {example} --why '...'"
    kind: argparse.ArgumentParser = kinds.add_parser(
        name, help=help_text, description=help_text, epilog=_("Examples:\n{example}", example=line)
    )
    kind.add_argument("--why", metavar=_("TEXT"), required=True, help=_("the reason; it is published"))
    kind.add_argument(
        "--who", metavar=_("NAME"), help=_("who decided it; it is published (default: your login name)")
    )
    _add_unrevealed(kind, _("show the effect even if it tells of results that are not revealed yet"))
    add_yes(kind)
    add_store(kind)
    kind.add_argument("--json", action="store_true", help=_("the result as JSON"))
    kind.set_defaults(run=command_of("cup_change_run", "run_change"), change=name)
    return kind


def _add_unrevealed(parser: argparse.ArgumentParser, help_text: str) -> None:
    parser.add_argument("--unrevealed", action="store_true", help=help_text)


def _add_entrants(kinds: Any) -> None:
    """Add the changes of who takes part."""
    add = _kind(kinds, "add", _("a late entrant joins"), "Rui ./rui")
    _add_name(add, _("the name of the new entrant"))
    add.add_argument("bot", metavar=_("BOT"), help=_("its bot, written as in the cup file"))
    add.add_argument("--wire", metavar=_("WIRE"), default="", help=_("its wire format, as in the cup file"))
    _add_trust(add)
    for name, help_text in (
        ("disqualify", _("an entrant is disqualified: it comes last and does not advance")),
        ("withdraw", _("an entrant withdraws: it keeps its place but does not advance")),
    ):
        kind = _kind(kinds, name, help_text, "Ana")
        _add_name(kind, _("the name of the entrant"))
        kind.add_argument(
            "--annul", action="store_true", help=_("its results count for nobody (default: they are kept)")
        )


def _add_fix(kinds: Any) -> None:
    fix = _kind(
        kinds, "fix", _("an entrant plays with corrected files from a later stage on"), "Leo --from finals"
    )
    _add_name(fix, _("the name of the entrant"))
    fix.add_argument(
        "bot", metavar=_("BOT"), nargs="?", default="", help=_("the new bot (default: that of the cup file)")
    )
    fix.add_argument(
        "--from",
        dest="stage",
        metavar=_("STAGE"),
        required=True,
        help=_("the first stage that it plays; the stage must not have begun"),
    )
    _add_trust(fix)


def _add_replay(kinds: Any) -> None:
    replay = _kind(kinds, "replay", _("a spoiled series is played again"), "league 'Ana – Leo'")
    replay.add_argument("stage", metavar=_("STAGE"), help=_("the stage of the series"))
    replay.add_argument(
        "series", metavar=_("SERIES"), help=_("its names or its number, as `cup status --series` prints them")
    )


def _add_name(kind: argparse.ArgumentParser, help_text: str) -> None:
    kind.add_argument("name", metavar=_("NAME"), help=help_text)


def _add_trust(kind: argparse.ArgumentParser) -> None:
    kind.add_argument(
        "--trust", action="store_true", help=_("run bots without isolation, like your own programs")
    )
