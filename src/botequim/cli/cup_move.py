"""`botequim cup move`: move a cup from one store to another."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Final

from botequim.cli.stores import chosen_store
from botequim.core.errors import InputError
from botequim.core.messages import msg
from botequim.i18n import _, _n
from botequim.storage import open_storage
from botequim.storage.address import StoreAddress, is_address
from botequim.storage.moving import move_cup
from botequim.storage.protocol import CupStorage

FOLDER: Final = ".cup"


def run_move(arguments: argparse.Namespace) -> int:
    """Copy the cup, compare the copy, seal the old store, and print where the cup is now."""
    old, new = _storages(arguments.old, arguments.new)
    summary = move_cup(old, new)
    if arguments.json:
        result = {
            "old": old.location,
            "new": new.location,
            "series": summary.series,
            "games": summary.games,
            "ballots": summary.ballots,
            "sha256": summary.sha256,
        }
        print(json.dumps(result, ensure_ascii=False, indent=2))
        return 0
    print(
        _(
            "Both stores are equal: {series}, {games}, {ballots}; sha256:{digest}",
            series=_n("{n} series", "{n} series", summary.series),
            games=_n("{n} game", "{n} games", summary.games),
            ballots=_n("{n} ballot", "{n} ballots", summary.ballots),
            digest=summary.sha256,
        )
    )
    print(_("{old} is sealed. From now on use {new}", old=old.location, new=new.location))
    if is_address(arguments.new):
        print(_("The copies of the bots stay in the folder of the cup, on this machine."))
    return 0


def _storages(old: str, new: str) -> tuple[CupStorage, CupStorage]:
    target = StoreAddress.parse(new) if is_address(new) else None
    source = StoreAddress.parse(old) if is_address(old) else _store_of_file(Path(old), target)
    stems = [Path(text).stem for text in (old, new) if not is_address(text)]
    ids = [one.cup for one in (source, target) if one is not None and one.cup] + stems
    if not ids:
        example = StoreAddress.parse(old).with_default("rinha")
        raise InputError(
            msg("say which cup is moved: add ?cup=ID to the address, for example {url}", url=str(example))
        )
    storages = []
    for text, address in ((old, source), (new, target)):
        folder = Path(text).with_suffix(FOLDER) if address is None else Path(f"{ids[0]}{FOLDER}")
        storages.append(open_storage(folder, None if address is None else address.with_default(ids[0])))
    if storages[0].location == storages[1].location:
        raise InputError(msg("{path} is both the old and the new store", path=storages[0].location))
    return storages[0], storages[1]


def _store_of_file(path: Path, target: StoreAddress | None) -> StoreAddress | None:
    """Return the store in which the cup of a file is now, as other commands choose it; None means its folder.

    If that is the new store already, the cup is moved from its folder. A path that ends in .cup is a folder.
    """
    store = None if path.suffix == FOLDER else chosen_store(path)
    if store is None or target is None:
        return store
    is_target = store.with_default(path.stem) == target.with_default(path.stem)
    return None if is_target else store
