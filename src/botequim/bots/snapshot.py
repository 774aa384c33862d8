"""Copies of bots' files: what runs isolated, and what images are built from."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from botequim.core.errors import InputError
from botequim.core.messages import msg
from botequim.entrants.digests import digest_of
from botequim.entrants.entrant import Entrant
from botequim.entrants.links import Links, examine_links
from botequim.entrants.trees import TreeError, copy_tree, file_id, open_tree, printable

COPY = "bot"
"""The name of the copy, in a folder of its own."""


def copy_entrant(entrant: Entrant, workshop: Path) -> Entrant:
    """Copy the files of an entrant to a new folder in `workshop`, which may lie among them."""
    assert entrant.program is not None
    copy = Path(tempfile.mkdtemp(prefix="bot-", dir=workshop)).resolve() / COPY
    source, also = entrant.program.folder, entrant.program.also
    with blame(entrant):
        with open_tree(source) as top:
            copy_tree(top, copy, without={file_id(workshop.stat())})
        links = examine_links(copy, source, also)
        placed = entrant.placed(copy, digest_of(copy))
    assert placed.program is not None
    program = replace(placed.program, also=links.interpreters)
    _require_visible(entrant, program.command, copy, links)
    return replace(placed, program=program, lost_links=links.lost)


def _require_visible(entrant: Entrant, command: Sequence[str], copy: Path, links: Links) -> None:
    """A program that is a link to nowhere is said to be "not found" by all that try to start it."""
    for link in links.lost:
        if command[:1] == (str(copy / link.path),):
            raise InputError(
                msg(
                    '"{given}": {path} is a link to {target}, which bots cannot see; copy it into the '
                    "bot's folder, or name the program itself",
                    given=entrant.given,
                    path=printable(link.path),
                    target=printable(link.target),
                )
            )


@contextmanager
def blame(entrant: Entrant) -> Iterator[None]:
    """Turn an error of a tree into an error that names the entrant."""
    try:
        yield
    except TreeError as error:
        raise InputError(
            msg('the files of "{given}" cannot be used: {why}', given=entrant.given, why=error.message)
        ) from error
