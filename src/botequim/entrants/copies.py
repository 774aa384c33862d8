"""Copies of bots' files: what runs isolated, and what images are built from."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from botequim.core.errors import InputError
from botequim.core.messages import msg
from botequim.entrants.digests import digest_of
from botequim.entrants.entrant import Entrant
from botequim.entrants.trees import TreeError, copy_tree, file_id, opened

COPY = "bot"
"""The name of the copy, in a folder of its own."""


def copy_entrant(entrant: Entrant, workshop: Path) -> Entrant:
    """Copy the files of an entrant to a new folder in `workshop`, which may lie among them."""
    assert entrant.program is not None
    copy = Path(tempfile.mkdtemp(prefix="bot-", dir=workshop)).resolve() / COPY
    with blame(entrant), opened(entrant.program.folder) as source:
        copy_tree(source, copy, without={file_id(workshop.stat())})
        return entrant.placed(copy, digest_of(copy))


@contextmanager
def blame(entrant: Entrant) -> Iterator[None]:
    """Turn an error of a tree into an error that names the entrant."""
    try:
        yield
    except TreeError as error:
        raise InputError(
            msg('the files of "{given}" cannot be used: {why}', given=entrant.given, why=error.message)
        ) from error
