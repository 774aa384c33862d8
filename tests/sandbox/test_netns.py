"""The line to a launcher, which hands out descriptors: none may be lost."""

from __future__ import annotations

import asyncio
import socket

import pytest

from botequim.sandbox.netns import NetnsConnector
from tests.support.sandboxes import descriptors


@pytest.mark.parametrize("moment", ["before the answer", "with the answer"])
def test_a_socket_that_nobody_waits_for_any_more_is_closed(moment: str) -> None:
    async def main() -> None:
        ours, launchers = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.setblocking(False)
        connector = NetnsConnector(ours)
        connecting = asyncio.ensure_future(connector.connect())
        await asyncio.sleep(0)
        assert launchers.recv(1) == b"4"
        if moment == "before the answer":
            connecting.cancel()
            await asyncio.sleep(0)
        with socket.socket() as handed_out:
            socket.send_fds(launchers, [b"s"], [handed_out.fileno()])
        while not connecting.done():
            await asyncio.sleep(0)
            if not connector._waiting:  # it was taken in just now; whoever asked is only about to see it
                connecting.cancel()
        launchers.close()
        connector.close()

    before = descriptors()
    asyncio.run(main())
    assert descriptors() == before
