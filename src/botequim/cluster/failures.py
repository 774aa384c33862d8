"""Why a scheduler cannot be reached, in words for people."""

from __future__ import annotations

import asyncio

from distributed.comm.core import CommClosedError, FatalCommClosedError

from botequim.core.messages import Message, msg, plain


def failure_reason(error: BaseException) -> Message:
    """Return why there is no connection. What Dask says of a closed one is only for programmers."""
    if isinstance(error, FatalCommClosedError):
        return msg("it does not use TLS, or the key file belongs to another cluster")
    if isinstance(error, CommClosedError | asyncio.CancelledError):
        return msg("the connection was closed")
    return plain((str(error).strip() or type(error).__name__).splitlines()[0])
