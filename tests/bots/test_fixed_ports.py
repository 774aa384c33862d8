"""Servers without isolation: they share the ports of the machine, and none is charged for that."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from botequim.bots.entrant import Entrant
from botequim.bots.prepare import prepare
from botequim.bots.transports import http
from botequim.bots.transports.http import Http
from botequim.cli import main
from botequim.core.errors import FaultKind, InputError, PlayerFault
from botequim.core.limits import Limits
from botequim.core.process import Launch, Program
from botequim.sandbox import ports
from botequim.sandbox.netns import NetnsConnector
from botequim.sandbox.none import NoSandbox
from botequim.sandbox.ports import Port
from tests.support.isolated_games import PYTHON_SERVER, faults, play, write
from tests.support.pace import PATIENCE

TOLD = "int(__import__('os').environ['PORT'])"
SHARED = "share the ports of this machine"


@pytest.fixture
def usual(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The port that bots of the competition use: one that nobody else on this machine does."""
    port = Port()
    monkeypatch.setattr(http, "PORT", port.number)
    monkeypatch.setattr(NetnsConnector, "PORT", port.number)
    yield port.number
    port.close()


def server(folder: Path, port: int | str) -> Path:
    return write(folder, server__py=PYTHON_SERVER.replace("8000", str(port)))


def prepare_bot(bot: Path) -> Entrant:
    return asyncio.run(prepare(str(bot), "cubos", NoSandbox(), workshop=bot.parent, isolated=False))


async def start(bot: Path) -> None:
    """Start a bot that nobody has prepared."""
    program = Program((sys.executable, str(bot / "server.py")), bot)
    limits = Limits(start=PATIENCE)
    server = Http(limits, launch=partial(NoSandbox().start, Launch(program, limits, stdin=False, port=True)))
    try:
        await server.start()
    finally:
        await server.close()


def test_a_bot_that_ignores_its_port_is_refused_with_the_reason(tmp_path: Path, usual: int) -> None:
    bot = server(tmp_path / "bot", usual)
    with pytest.raises(InputError, match=f"bot.*listens on port {usual}, but PORT .* {SHARED}"):
        prepare_bot(bot)
    with pytest.raises(InputError, match=SHARED):
        asyncio.run(start(bot))


def test_also_where_the_system_does_not_say_who_listens(
    tmp_path: Path, usual: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ports, "KNOWS_OWNERS", False)
    with pytest.raises(InputError, match=f"listens on port {usual}, but PORT"):
        prepare_bot(server(tmp_path / "bot", usual))


@pytest.mark.parametrize("knows_owners", [True, False])
def test_a_bot_whose_port_another_program_has_is_not_charged(
    tmp_path: Path, usual: int, monkeypatch: pytest.MonkeyPatch, knows_owners: bool
) -> None:
    monkeypatch.setattr(ports, "KNOWS_OWNERS", knows_owners)
    bot = server(tmp_path / "bot", usual)
    with socket.create_server(("0.0.0.0", usual)):
        with pytest.raises(InputError, match=f"another program uses its port .*in use.* {SHARED}"):
            prepare_bot(bot)
        with pytest.raises(InputError, match="another program uses its port"):
            asyncio.run(start(bot))


def test_bots_that_read_their_port_play_four_at_a_time(tmp_path: Path, usual: int) -> None:
    bot = server(tmp_path / "bot", TOLD)
    assert prepare_bot(bot).program is not None
    assert faults(play("cubos", [bot, bot], NoSandbox(), tmp_path)) == []


def test_a_bot_that_crashes_for_another_reason_is_not_refused(tmp_path: Path, usual: int) -> None:
    bot = write(tmp_path / "bot", server__py="raise SystemExit(4)")
    assert prepare_bot(bot).program is not None
    with pytest.raises(PlayerFault) as raised:
        asyncio.run(start(bot))
    assert raised.value.fault.kind is FaultKind.CRASH
    assert raised.value.fault.evidence["exit"] == 4


def test_a_check_says_that_it_cannot_be_tried_here(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], usual: int
) -> None:
    bot = server(tmp_path / "bot", usual)
    assert main(["check", str(bot), "--game", "cubos", "--trust"]) == 2
    said = capsys.readouterr()
    assert SHARED in said.err
    assert "the questions arrive on port" not in said.out + said.err
