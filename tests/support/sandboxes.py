"""Helpers for tests of sandboxes: run programs in a sandbox, and look at their processes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import uuid
from dataclasses import dataclass
from pathlib import Path

from botequim.core.limits import MB, EnforcedLimit, Limits
from botequim.core.process import Launch, Process, Program, Usage
from botequim.sandbox.bubblewrap import Bubblewrap
from botequim.sandbox.running import readable

SECONDS = 300.0
"""The seconds to wait for something that must happen, on however busy a machine."""
PYTHON = Path(sys.executable).resolve()
SEEN = (Path(sys.base_prefix),)
SMALL = Limits(memory=128 * MB, processes=40, space=4 * MB)

NODE = """
require('http').createServer((request, response) => response.end(process.argv[2]))
  .listen(8000, process.argv[3], () => console.log('listening'))
"""
SERVER = """
import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = sys.argv[2].encode()
        self.send_response(200)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *words): pass
server = http.server.HTTPServer(('127.0.0.1', 8000), Handler)
print('listening', flush=True)
server.serve_forever()
"""


@dataclass
class Ran:
    status: int
    out: str
    err: str
    exceeded: EnforcedLimit | None
    usage: Usage


def python(home: Path, script: str, *, marker: str = "-") -> Program:
    (home / "bot.py").write_text(script)
    return Program((str(PYTHON), "-I", str(home / "bot.py"), marker), home, extra_paths=SEEN)


def shell(home: Path, script: str) -> Program:
    return Program(("/bin/sh", "-c", script), home)


async def everything(descriptor: int) -> str:
    text = b""
    while True:
        await readable(descriptor)
        more = os.read(descriptor, 1 << 16)
        if not more:
            return text.decode()
        text += more


async def ran(sandbox: Bubblewrap, program: Program, limits: Limits = SMALL, **how: object) -> Ran:
    process = sandbox.start(Launch(program, limits, stdin=False, **how))  # type: ignore[arg-type]
    try:
        async with asyncio.timeout(SECONDS):
            out, err = await asyncio.gather(everything(process.stdout), everything(process.stderr))
            status = await process.wait_exit()
    finally:
        await process.close()
    return Ran(status, out, err, process.exceeded, process.usage)


async def line(process: Process) -> str:
    """Return the next line of its output."""
    text = b""
    async with asyncio.timeout(SECONDS):
        while not text.endswith(b"\n"):
            await readable(process.stdout)
            more = os.read(process.stdout, 1)
            assert more, "it has ended"
            text += more
    return text.decode().strip()


def marked_processes(marker: str) -> list[str]:
    """Return the processes of this machine that have `marker` in their command line."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (folder / "cmdline").read_bytes().split(b"\0")
            if marker.encode() in words and folder.name != str(os.getpid()):
                found.append(b" ".join(words).decode())
    return found


def descriptors() -> list[str]:
    """Return our open descriptors."""
    folder = Path("/proc/self/fd")
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def a_marker() -> str:
    return uuid.uuid4().hex


async def answer(process: Process) -> str:
    sock = await process.connect()
    assert sock.getblocking() is False
    reader, writer = await asyncio.open_connection(sock=sock)
    writer.write(b"GET / HTTP/1.0\r\n\r\n")
    text = await reader.read()
    writer.close()
    await writer.wait_closed()
    return text.decode().rpartition("\r\n\r\n")[2]
