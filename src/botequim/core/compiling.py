"""Types and decorators for the compiler, with replacements if the compiler is not installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from librt.vecs import vec as vec
    from mypy_extensions import i64 as i64
    from mypy_extensions import mypyc_attr as mypyc_attr
else:

    def mypyc_attr(**wishes):
        """Do nothing. With `free_list_len=1` the compiler reuses the memory of the last freed object."""
        return lambda kind: kind

    i64 = int
    """A 64-bit integer when compiled, where it wraps around; code that could overflow must mask its
    values."""

    class vec(list):  # noqa: N801
        """A vector of 64-bit integers or floats when compiled; a list otherwise."""

        def __class_getitem__(cls, item):
            return cls
