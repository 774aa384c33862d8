"""`botequim cup repair`: what is left of a damaged store."""

from __future__ import annotations

import argparse
import json
import shlex

from botequim.core.messages import harmless
from botequim.cup.reading import read
from botequim.cup.repair import repair_store
from botequim.i18n import _, _n


def run_repair(arguments: argparse.Namespace) -> int:
    """Keep a copy, write what is sound into a new store, and say what is to be played again."""
    done = repair_store(read(arguments.file), arguments.seed)
    damage = done.damage
    if arguments.json:
        found = {
            "damaged": bool(damage),
            "copy": None if done.copy is None else str(done.copy),
            "kept": done.kept,
            "dropped": [{"stage": stage, "series": key} for stage, key in damage.series],
            "facts": list(damage.facts),
        }
        print(json.dumps(found, ensure_ascii=False, indent=2))
        return 0
    if done.copy is None:
        print(_("Nothing is damaged."))
        return 0
    print(_("A copy of the damaged store is kept: {path}", path=done.copy))
    print(_n("{n} series is as it was stored.", "{n} series are as they were stored.", done.kept))
    if damage.series:
        print(
            _n("{n} series is to be played again:", "{n} series are to be played again:", len(damage.series))
        )
        for stage, key in damage.series:
            print(f"  {harmless(stage)}: {harmless(key)}")
    if "entrants" in damage.facts:
        print(_("The entrants are copied and built anew from their sources when the cup goes on."))
    command = shlex.join(["botequim", "cup", "run", str(arguments.file)])
    print(_("To go on: {command}", command=command))
    return 0
