"""`botequim cup forget`: delete the data of a person, or of an entrant with its people."""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

from botequim.cli.confirming import confirm
from botequim.cli.stores import file_words, read_cup
from botequim.cup.config import Cup
from botequim.cup.forgetting import Deletion, delete_data, find_deletion, require_finished, with_late_entries
from botequim.cup.paths import CupPaths
from botequim.i18n import _


def run_forget(arguments: argparse.Namespace) -> int:
    cup = announced = read_cup(arguments.file, arguments.store)
    storage = CupPaths.of_cup(cup).storage
    opened = storage.open_results(write=True, check=True) if storage.has_results() else nullcontext()
    with opened as store:
        if store is not None:
            cup = with_late_entries(cup, store)
        deletion = find_deletion(cup, arguments.name)
        if store is not None:
            require_finished(announced, store, deletion)
        if not confirm(_plan(deletion), yes=arguments.yes):
            return 1
        copies = delete_data(cup, store, deletion)
    if arguments.json:
        result = {
            "people": len(deletion.people),
            "entrants": list(deletion.entrants),
            "copies": [str(path) for path in copies],
        }
        print(json.dumps(result, ensure_ascii=False, indent=2))
        return 0
    for sentence in _rest(cup, deletion, copies):
        print(sentence)
    return 0


def _plan(deletion: Deletion) -> Iterator[str]:
    names = ", ".join(dict.fromkeys(person.name or person.key for person in deletion.people))
    if names:
        yield _("These people are deleted from all private files of the cup: {names}", names=names)
    if deletion.entrants:
        yield _(
            "Files, logs and pictures of these bots are deleted: {names}", names=", ".join(deletion.entrants)
        )
    for entrant, others in deletion.others:
        yield _(
            'The bot of "{entrant}" stays, because others made it too: {names}', entrant=entrant, names=others
        )


def _rest(cup: Cup, deletion: Deletion, copies: list[Path]) -> Iterator[str]:
    names = dict.fromkeys((*deletion.entrants, *(entrant for entrant, _others in deletion.others)))
    yield _("Deleted.")
    if names:
        yield _(
            "Games and results stay under the name of the entrant, with all that the bot said: {names}",
            names=", ".join(names),
        )
    for path in copies:
        yield _("This may still contain the data; delete or replace it: {path}", path=shlex.quote(str(path)))
    yield _(
        "Delete the data also where Botequim cannot: backups, downloads, messages, and what was published. A "
        "new bundle may have another digest than the one that was published; both are valid."
    )
    yield _("Write the report again: botequim cup report {words}", words=file_words(cup))
