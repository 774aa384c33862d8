"""Types and decorators for the compiler. Without compiled modules they need nothing to be installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from librt.vecs import vec as vec
    from mypy_extensions import i64 as i64
    from mypy_extensions import mypyc_attr as mypyc_attr
else:

    def mypyc_attr(**wishes):
        """`free_list_len=1`: the place of the last object that was let go is kept for the next."""
        return lambda kind: kind

    i64 = int
    """A machine word when compiled, where it wraps; here it grows: so what could overflow is masked."""

    class vec(list):  # noqa: N801
        """A row of machine words or floats when compiled; a list when not."""

        def __class_getitem__(cls, item):
            return cls
