"""`botequim cup repair`: save the intact part of a damaged store."""

from __future__ import annotations

import argparse
import json
import shlex

from botequim.cli.stores import read_cup
from botequim.core.sanitize import printable
from botequim.cup.repair import repair_cup
from botequim.i18n import _, _n


def run_repair(arguments: argparse.Namespace) -> int:
    """Copy the store, write its intact part into a new one, and print which series must be played again."""
    repair = repair_cup(read_cup(arguments.file, arguments.store, from_store=False), arguments.seed)
    damage = repair.damage
    if arguments.json:
        result = {
            "damaged": bool(damage),
            "copy": repair.copy,
            "kept": repair.kept,
            "dropped": [{"stage": stage, "series": key} for stage, key in damage.series],
            "facts": list(damage.facts),
        }
        print(json.dumps(result, ensure_ascii=False, indent=2))
        return 0
    if repair.copy is None:
        print(_("Nothing is damaged."))
        return 0
    print(_("A copy of the damaged store is in {path}", path=repair.copy))
    print(_n("{n} series is intact.", "{n} series are intact.", repair.kept))
    if damage.series:
        print(_n("{n} series will be played again:", "{n} series will be played again:", len(damage.series)))
        for stage, key in damage.series:
            print(f"  {printable(stage)}: {printable(key)}")
    if "entrants" in damage.facts:
        print(_("When the cup continues, the entrants are copied and built again from their sources."))
    command = shlex.join(["botequim", "cup", "run", str(arguments.file)])
    print(_("To go on: {command}", command=command))
    return 0
