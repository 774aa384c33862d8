"""The versions that all members of a cluster must share.

Jobs and results travel as pickles of our own classes, so every member must have the same Botequim, the same
Dask and the same minor version of Python. The rules must be compiled on all machines or on none, because bots
of built-in players are much slower otherwise.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TypeAlias

from botequim.compiled import SAMPLES, is_compiled
from botequim.core.messages import Message, msg
from botequim.version import VERSION

Versions: TypeAlias = Mapping[str, str]
"""By part: `botequim`, `dask`, `python`, `compiled`."""


def versions() -> dict[str, str]:
    """Return the versions of this process."""
    from importlib.metadata import version

    compiled = [name for name in SAMPLES if is_compiled(name)]
    return {
        "botequim": VERSION,
        "dask": version("distributed"),
        "python": f"{sys.version_info.major}.{sys.version_info.minor}",
        "compiled": ", ".join(compiled) or "-",
    }


def difference(ours: Versions, theirs: Versions) -> Message | None:
    """Return in what another member of a cluster differs from us, or None."""
    for part, name in (("botequim", "Botequim"), ("dask", "Dask"), ("python", "Python")):
        if ours.get(part) != theirs.get(part):
            return msg(
                "{name} is {ours} here and {theirs} there; install the same version on all machines",
                name=name,
                ours=str(ours.get(part)),
                theirs=str(theirs.get(part)),
            )
    if ours.get("compiled") != theirs.get("compiled"):
        return msg(
            "the compiled modules differ: {ours} here, {theirs} there; install Botequim in the same way on "
            "all machines",
            ours=str(ours.get("compiled")),
            theirs=str(theirs.get("compiled")),
        )
    return None
