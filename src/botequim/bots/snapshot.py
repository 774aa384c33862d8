"""Copies the files of bots. Isolated bots run from a copy, and images are built from one."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from botequim.bots.digests import digest_of
from botequim.bots.entrant import Entrant
from botequim.bots.links import Links, examine_links
from botequim.bots.tree_files import copy_tree
from botequim.bots.trees import TreeError, file_id, open_tree, printable
from botequim.core.errors import InputError
from botequim.core.messages import msg

COPY = "bot"
"""The name of the folder with the copy."""


def snapshot_files(entrant: Entrant, parent: Path) -> Entrant:
    """Copy the files of an entrant to a new folder in `parent`, which may itself be among these files."""
    assert entrant.program is not None
    copy = Path(tempfile.mkdtemp(prefix="bot-", dir=parent)).resolve() / COPY
    source, extra_paths = entrant.program.folder, entrant.program.extra_paths
    with charge_tree_errors_to(entrant):
        with open_tree(source) as top:
            copy_tree(top, copy, without={file_id(parent.stat())})
        links = examine_links(copy, source, extra_paths)
        copy_entrant = entrant.moved_to(copy, digest_of(copy))
    assert copy_entrant.program is not None
    program = replace(copy_entrant.program, extra_paths=links.interpreters)
    _require_visible(entrant, program.command, copy, links)
    return replace(copy_entrant, program=program, lost_links=links.lost)


def _require_visible(entrant: Entrant, command: Sequence[str], copy: Path, links: Links) -> None:
    """Raise InputError if the program is a broken link. Started, it would only fail with "not found"."""
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
def charge_tree_errors_to(entrant: Entrant) -> Iterator[None]:
    """Turn an error of a tree into an error that names the entrant."""
    try:
        yield
    except TreeError as error:
        raise InputError(
            msg('the files of "{given}" cannot be used: {why}', given=entrant.given, why=error.message)
        ) from error
