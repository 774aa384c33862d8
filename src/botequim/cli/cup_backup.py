"""`botequim cup backup` and `restore`: a cup in one file, also while it is played."""

from __future__ import annotations

import argparse
import json
import os
import shlex

from botequim.cli.output import require_folder
from botequim.cli.stores import VARIABLE, read_cup
from botequim.cup.backup import BackupSummary, restore_backup, write_backup
from botequim.cup.config_parser import read
from botequim.i18n import _, _n


def run_backup(arguments: argparse.Namespace) -> int:
    cup = read_cup(arguments.file, arguments.store)
    require_folder(arguments.backup)
    summary = write_backup(cup, arguments.backup)
    if arguments.json:
        _print_json(summary, backup=str(arguments.backup))
        return 0
    print(_("Wrote {path}: {contents}", path=arguments.backup, contents=_contents(summary)))
    print(_("It contains the seed, the people and the bots: keep it private."))
    if summary.outside:
        names = ", ".join(summary.outside)
        print(_("Keep the files or images of these entrants too; they are not in it: {names}", names=names))
    return 0


def run_restore(arguments: argparse.Namespace) -> int:
    summary = restore_backup(arguments.backup, arguments.folder)
    store = read(summary.cup_file).store
    other = str(store) if store is not None else os.environ.get(VARIABLE, "")
    if arguments.json:
        _print_json(summary, file=str(summary.cup_file), other_store=other)
        return 0
    print(_("Restored {path}: {contents}", path=summary.cup_file, contents=_contents(summary)))
    if other:
        print(
            _(
                "The copy is in {folder}, but {path} would be played in {store}. Remove [store] from the "
                "file or {variable} from the environment, or move the copy there: botequim cup move",
                folder=summary.cup_file.with_suffix(".cup"),
                path=summary.cup_file,
                store=other,
                variable=VARIABLE,
            )
        )
    print(_("Continue only one of the two cups, the copy or the original. To continue the copy:"))
    print(f"  botequim cup run {shlex.quote(str(summary.cup_file))}")
    return 0


def _contents(summary: BackupSummary) -> str:
    contents = summary.contents
    return _(
        "{series}, {games}, {ballots}; sha256:{digest}",
        series=_n("{n} series", "{n} series", contents.series),
        games=_n("{n} game", "{n} games", contents.games),
        ballots=_n("{n} ballot", "{n} ballots", contents.ballots),
        digest=contents.sha256,
    )


def _print_json(summary: BackupSummary, **more: str) -> None:
    contents = summary.contents
    result = {
        **more,
        "files": summary.files,
        "series": contents.series,
        "games": contents.games,
        "ballots": contents.ballots,
        "sha256": contents.sha256,
        "version": summary.version,
        "outside": summary.outside,
    }
    print(json.dumps(result, ensure_ascii=False, indent=2))
