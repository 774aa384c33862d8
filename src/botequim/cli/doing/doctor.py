"""`botequim doctor`: what works here, and what to do about the rest."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import Any

from botequim.cli.doing.console import print_wrapped
from botequim.doctor import Finding, State, examine
from botequim.i18n import _, say

SIGNS = {State.WORKS: "✓", State.MISSING: "–", State.BROKEN: "✗"}


def run(arguments: argparse.Namespace) -> int:
    """Examine and report."""
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
    yield f"{SIGNS[finding.state]} {say(finding.part)}: {say(finding.detail)}"
    if finding.remedy is not None:
        yield f"    → {say(finding.remedy)}"


def _as_json(finding: Finding) -> dict[str, Any]:
    return {
        "part": say(finding.part),
        "state": finding.state.value,
        "detail": say(finding.detail),
        "remedy": say(finding.remedy) if finding.remedy else None,
        "needed": finding.needed,
    }
