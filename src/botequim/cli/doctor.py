"""`botequim doctor`: report what works on this machine, and how to fix the rest."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from botequim.cli.options import command
from botequim.i18n import _, translate

if TYPE_CHECKING:
    from botequim.botcheck.doctor import Finding


def add(commands: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        "doctor",
        description=_(
            "Tries every part of Botequim on this machine, and says how to fix each part that does not work."
        ),
        epilog=_(
            "Examples:\n"
            "  botequim doctor\n"
            "  botequim doctor --json\n"
            "Exit code 0: games can be played; 1: something that every game needs does not work."
        ),
    )
    parser.add_argument("--json", action="store_true", help=_("the findings as JSON"))
    parser.set_defaults(run=command(run))
    return parser


SIGNS = {"WORKS": "✓", "MISSING": "–", "BROKEN": "✗"}


def run(arguments: argparse.Namespace) -> int:
    from botequim.botcheck.doctor import State, examine
    from botequim.cli.console import print_wrapped

    well = True
    findings = []
    for finding in examine():
        well = well and not (finding.needed and finding.state is not State.WORKS)
        findings.append(finding)
        if not arguments.json:
            for line in _lines(finding):
                print_wrapped(line, len(line) - len(line.lstrip("✓–✗→ ")))
    if arguments.json:
        print(json.dumps([_as_json(finding) for finding in findings], ensure_ascii=False, indent=2))
    else:
        print(_("Games can be played here.") if well else _("Games cannot be played here yet."))
    return 0 if well else 1


def _lines(finding: Finding) -> Iterator[str]:
    yield f"{SIGNS[finding.state.name]} {translate(finding.part)}: {translate(finding.detail)}"
    if finding.remedy is not None:
        yield f"    → {translate(finding.remedy)}"


def _as_json(finding: Finding) -> dict[str, Any]:
    return {
        "part": translate(finding.part),
        "state": finding.state.value,
        "detail": translate(finding.detail),
        "remedy": translate(finding.remedy) if finding.remedy else None,
        "needed": finding.needed,
    }
