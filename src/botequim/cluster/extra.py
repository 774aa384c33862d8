"""Tells whether the packages for clusters are installed. It imports none of them."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Final

from botequim.core.extras import extra_error
from botequim.core.messages import msg

PACKAGES: Final = ("cryptography", "distributed")


def require_cluster_extra() -> None:
    """Raise InputError with the command that installs the extra ``cluster``, unless it is installed."""
    if any(find_spec(package) is None for package in PACKAGES):
        raise extra_error(msg("a cluster needs the extra `cluster`"), "cluster")
