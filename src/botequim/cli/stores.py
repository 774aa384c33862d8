"""The store of a cup: from `--store`, `[store]` in the cup file, BOTEQUIM_STORE, or its folder."""

from __future__ import annotations

import argparse
import os
import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from botequim.i18n import _

if TYPE_CHECKING:
    from botequim.cup.config import Cup
    from botequim.storage.address import StoreAddress

VARIABLE: Final = "BOTEQUIM_STORE"


def add_store(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--store",
        metavar="URL",
        help=_("a database with the results: postgresql://HOST/DATABASE (default: the folder of the cup)"),
    )


def read_cup(path: Path, store: str | None, *, from_store: bool = True) -> Cup:
    """Read a cup file and choose its store. If the file does not exist, read the copy in the store."""
    from botequim.cup.config_parser import read

    from_option = _address(store)
    address = from_option or _address(os.environ.get(VARIABLE))
    if address is not None and from_store and not path.exists():
        return _stored_cup(path, address)
    cup = read(path)
    return replace(cup, store=from_option or cup.store or address)


def file_words(cup: Cup) -> str:
    """Return the words that name a cup and its store in a suggested command."""
    words = [str(cup.path), *(["--store", str(cup.store)] if cup.store is not None else [])]
    return shlex.join(words)


def chosen_store(path: Path) -> StoreAddress | None:
    """Return the store of a cup file if no option names one; None means the folder of the cup."""
    from botequim.cup.config_parser import read

    in_file = read(path).store if path.exists() else None
    return in_file or _address(os.environ.get(VARIABLE))


def _address(text: str | None) -> StoreAddress | None:
    from botequim.storage.address import StoreAddress

    return StoreAddress.parse(text) if text else None


def _stored_cup(path: Path, address: StoreAddress) -> Cup:
    """Return the cup with the name of this file, from the copy of the file that `cup run` stored."""
    from botequim.core.errors import InputError
    from botequim.core.messages import msg
    from botequim.cup.config_parser import parse
    from botequim.storage import open_storage

    with open_storage(path.with_suffix(".cup"), address).open_results() as store:
        text = store.fact("file")
        if not text:
            raise InputError(
                msg(
                    "{store} has no copy of the cup file: {path} is needed",
                    store=store.location,
                    path=str(path),
                )
            )
    return replace(parse(text, path), store=address)
