"""What is said to the compiler alone. Nothing has to be installed for it where nothing is compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mypy_extensions import mypyc_attr as mypyc_attr
else:

    def mypyc_attr(**wishes):
        """`free_list_len=1`: the place of the last object that was let go is kept for the next."""
        return lambda kind: kind
