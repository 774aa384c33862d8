"""What a bot costs beyond itself: each transport over the barest loop to the same program, isolated alike.

`python -m benchmarks.wires` prints, in one run and by turns, the best of each:

* lines: real uno questions through player, codec and transport, over a bare asyncio ping-pong of the same
  bytes (and over a raw pipe);
* HTTP: real cubos positions, over a bare loop on one kept connection to the same server;
* one-shot: rps rounds, over bare spawns of the same command;
* havana: a confronto of 1000 games between isolated students, over the same games with trusted players
  plus a bare ping-pong of as many turns.
"""

from __future__ import annotations

import asyncio
import os
import select
import socket
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.confronto import confronto, pairs
from botequim import registry
from botequim.bots.entrant import Entrant
from botequim.bots.interpreters import python
from botequim.bots.prepare import prepare
from botequim.bots.seat import remote_player
from botequim.core.limits import Limits
from botequim.core.options import resolve_options
from botequim.core.process import Launch, Process, Program, Sandbox
from botequim.core.rng import Rng
from botequim.core.wire import GameContext
from botequim.engine.series import Series, seat_assignments
from botequim.games.havana.players import CoursePlayerAdapter
from botequim.sandbox.probe import isolating_sandbox

ROUNDS = 5
TURNS = 2000
SPAWNS = 40
GAMES = 1000
LIMITS = Limits(move=20.0)

UNO = """
import sys
me = None
for line in sys.stdin:
    if line.startswith("YOU"):
        me = line.split()[1]
    elif line.startswith("TURN") and line.split()[1] == me:
        print("BUY 1", flush=True)
"""
SERVER = """
import http.server
class Bot(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")
    def log_message(self, *words): pass
http.server.ThreadingHTTPServer(("", 8000), Bot).serve_forever()
"""
NODE = """
require("http").createServer((request, response) => {
  request.on("data", () => {});
  request.on("end", () => { response.writeHead(200, {"Content-Length": 2}); response.end("{}"); });
}).listen(8000);
"""
STUDENT = """
from basic_players import DummyPlayer, GreedyPlayer
def pair_name(): return "PAIR"
def create_pair(): return KIND(1, "a"), KIND(2, "b")
"""


def views(game_name: str, count: int, wanted: int = 0, **options: Any) -> tuple[GameContext, list[Any]]:
    """So many views of one seat that is to move, in games of random players."""
    game = registry.game(game_name)
    settled = resolve_options(game.name, game.options, options)
    found: list[Any] = []
    rng = Rng("wires")
    while len(found) < count:
        state = game.start(settled)
        while to_move := game.to_move(state):
            moves = {}
            for at in to_move:
                if at == -1:
                    moves[at] = game.chance(state, rng)
                else:
                    view = game.view(state, at)
                    moves[at] = rng.choice(list(view.legal))
                    if at == wanted:
                        found.append(view)
            state = game.apply(state, moves)
    seats = sum(map(len, game.teams(settled)))
    return GameContext(game, settled, tuple(f"p{at}" for at in range(seats))), found[:count]


async def best(*runs: Callable[[], Awaitable[float]]) -> list[float]:
    """The least seconds of each, measured by turns."""
    least = [float("inf")] * len(runs)
    for _ in range(ROUNDS):
        for at, run in enumerate(runs):
            least[at] = min(least[at], await run())
    return least


def told(what: str, ours: float, floors: dict[str, float], limit: float, each: int) -> bool:
    """Print a comparison; whether it holds."""
    floor = next(iter(floors.values()))
    shown = ", ".join(f"{name} {seconds / each * 1e6:.0f}" for name, seconds in floors.items())
    holds = ours / floor <= limit
    print(f"{what}: ours {ours / each * 1e6:.0f} us, {shown}")
    print(
        f"  ratio {ours / floor:.2f} (at most {limit:g}): {'holds' if holds else 'DOES NOT HOLD'}", flush=True
    )
    return holds


# --- lines -----------------------------------------------------------------------------------------


async def lines(folder: Path, sandbox: Sandbox) -> bool:
    """uno over lines: whole games' questions, the same bytes in the floors."""
    (folder / "uno.py").write_text(UNO)
    interpreter = python()
    program = Program(
        (str(interpreter), "-I", str(folder / "uno.py")), folder, extra_paths=(interpreter.parent.parent,)
    )
    entrant = Entrant.bot("bench", "bench", registry.wire("uno", "uno"), program, limits=LIMITS)
    context, asked = views("uno", TURNS, players=2)
    codec = registry.wire("uno", "uno").codec
    bodies = [
        codec.encode_question(view, len(view.events) - 1, context).body or b"TURN p0\n" for view in asked
    ]
    opening = codec.encode_question(asked[0], 0, context).body

    async def ours() -> float:
        player = remote_player(entrant, sandbox, context, member=0)
        await player.open(0)
        try:
            await player.choose(asked[0])
            session = player._current_session
            assert session is not None
            began = time.perf_counter()
            for view in asked:
                session.seen = len(view.events) - 1  # as if the bot knew the rest
                await player.choose(view)
            return time.perf_counter() - began
        finally:
            await player.close()

    async def bare() -> float:
        process = sandbox.start(Launch(program, LIMITS))
        try:
            return await _ping_pong(process, [opening, *bodies])
        finally:
            await process.close()

    async def raw() -> float:
        process = sandbox.start(Launch(program, LIMITS))
        try:
            return _raw_ping_pong(process, [opening, *bodies])
        finally:
            await process.close()

    took, floor, pipe = await best(ours, bare, raw)
    floors = {"a bare asyncio ping-pong": floor, "a raw pipe": pipe}
    return told("lines (uno)", took, floors, 1.5, TURNS)


async def _ping_pong(process: Process, bodies: Sequence[bytes]) -> float:
    """With asyncio's own streams; the first exchange, which waits for the start, is not counted."""
    assert process.stdin is not None
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    incoming, _ = await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(os.dup(process.stdout), "rb", 0)
    )
    outgoing, protocol = await loop.connect_write_pipe(
        lambda: asyncio.streams.FlowControlMixin(loop=loop), os.fdopen(os.dup(process.stdin), "wb", 0)
    )
    writer = asyncio.StreamWriter(outgoing, protocol, reader, loop)
    try:
        began = 0.0
        for body in bodies:
            writer.write(body)
            await writer.drain()
            await reader.readline()
            began = began or time.perf_counter()
        return time.perf_counter() - began
    finally:
        outgoing.close()
        incoming.close()


def _raw_ping_pong(process: Process, bodies: Sequence[bytes]) -> float:
    assert process.stdin is not None
    poll = select.poll()
    poll.register(process.stdout, select.POLLIN)
    began = 0.0
    for body in bodies:
        os.write(process.stdin, body)
        poll.poll()
        os.read(process.stdout, 65536)
        began = began or time.perf_counter()
    return time.perf_counter() - began


# --- HTTP ------------------------------------------------------------------------------------------


async def http(folder: Path, sandbox: Sandbox, name: str, source: str, words: list[str]) -> bool:
    """cubos over HTTP: forced passes, so that one answer is right for all."""
    (folder / name).write_text(source)
    interpreter = python()
    program = Program((*words, str(folder / name)), folder, extra_paths=(interpreter.parent.parent,))
    entrant = Entrant.bot("bench", "bench", registry.wire("cubos", "cubos"), program, limits=LIMITS)
    context, asked = views("cubos", TURNS)
    codec = registry.wire("cubos", "cubos").codec
    bodies = [codec.encode_question(view, 0, context).body for view in asked]
    player = remote_player(entrant, sandbox, context, member=0)
    await player.open(0)
    process = sandbox.start(Launch(program, LIMITS, stdin=False, port=True))
    try:
        await player.choose(asked[0])
        line = await _connected(process)
        reader, writer = await asyncio.open_connection(sock=line)

        async def ours() -> float:
            began = time.perf_counter()
            for view in asked:
                await player.choose(view)
            return time.perf_counter() - began

        async def bare() -> float:
            began = time.perf_counter()
            for body in bodies:
                writer.write(
                    b"POST / HTTP/1.1\r\nHost: localhost:8000\r\nContent-Type: application/json\r\n"
                    b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
                )
                await writer.drain()
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().partition(b"content-length:")[2].split()[0])
                await reader.readexactly(length)
            return time.perf_counter() - began

        took, floor = await best(ours, bare)
        writer.close()
    finally:
        await player.close()
        await process.close()
    return told(f"HTTP (cubos, {name})", took, {"a bare kept connection": floor}, 1.3, TURNS)


async def _connected(process: Process) -> socket.socket:
    while True:
        try:
            return await process.connect()
        except ConnectionRefusedError:
            await asyncio.sleep(0.01)


# --- one-shot --------------------------------------------------------------------------------------


async def once(folder: Path, sandbox: Sandbox) -> bool:
    """rps rounds, a process each."""
    command = ("/bin/sh", "-c", """echo '{"move": "ROCK"}'""", "bot")
    program = Program(command, folder)
    entrant = Entrant.bot("bench", "bench", registry.wire("rps", "rps"), program, limits=LIMITS)
    context, asked = views("rps", SPAWNS)

    async def ours() -> float:
        player = remote_player(entrant, sandbox, context, member=0)
        await player.open(0)
        began = time.perf_counter()
        for view in asked:
            await player.choose(view)
        took = time.perf_counter() - began
        await player.close()
        return took

    async def bare() -> float:
        began = time.perf_counter()
        for view in asked:
            process = sandbox.start(Launch(program, LIMITS, arguments=(view.history,), stdin=False))
            await process.wait_exit()
            os.read(process.stdout, 65536)
            await process.close()
        return time.perf_counter() - began

    async def plain() -> float:
        began = time.perf_counter()
        for view in asked:
            process = await asyncio.create_subprocess_exec(
                *command, view.history, stdout=asyncio.subprocess.PIPE
            )
            await process.communicate()
        return time.perf_counter() - began

    took, floor, unprotected = await best(ours, bare, plain)
    floors = {"bare spawns in the same sandbox": floor, "without a sandbox": unprotected}
    return told("one-shot (rps)", took, floors, 1.25, SPAWNS)


# --- havana ----------------------------------------------------------------------------------------


async def havana(folder: Path, sandbox: Sandbox) -> bool:
    """A confronto of greedy against dummy, isolated and trusted."""
    game = registry.game("havana")
    options = resolve_options(game.name, game.options, {})
    entrants = []
    for name, kind in (("greedy", "GreedyPlayer"), ("dummy", "DummyPlayer")):
        home = folder / name
        home.mkdir()
        (home / "student_players.py").write_text(STUDENT.replace("PAIR", name).replace("KIND", kind))
        entrants.append(await prepare(str(home), "havana", sandbox, workshop=folder, isolated=True))
    table = seat_assignments(game.teams(options), entrants, ("greedy", "dummy"))
    turns = 0

    async def ours() -> float:
        nonlocal turns
        turns = 0
        async with Series(game, table, games=GAMES, sandbox=sandbox) as series:
            await series.play("warm", options)
            began = time.perf_counter()
            for number in range(GAMES):
                first = "random" if number == 0 else str(number % 4)
                settled = resolve_options(game.name, game.options, {"first": first})
                turns += len((await series.play(f"confronto/{number}", settled)).turns) - 2
            return time.perf_counter() - began

    async def trusted() -> float:
        began = time.perf_counter()
        await confronto([CoursePlayerAdapter(player) for player in pairs()], lambda: None)
        return time.perf_counter() - began

    interpreter = python()
    (folder / "echo.py").write_text("import sys\nfor line in sys.stdin: print(line, end='', flush=True)\n")
    echo = Program(
        (str(interpreter), "-I", str(folder / "echo.py")), folder, extra_paths=(interpreter.parent.parent,)
    )

    async def bare() -> float:
        process = sandbox.start(Launch(echo, LIMITS))
        try:
            return await _ping_pong(process, [b"x" * 60 + b"\n"] * (turns + 1))
        finally:
            await process.close()

    async def raw() -> float:
        process = sandbox.start(Launch(echo, LIMITS))
        try:
            return _raw_ping_pong(process, [b"x" * 60 + b"\n"] * (turns + 1))
        finally:
            await process.close()

    took, alone, floor, pipe = await best(ours, trusted, bare, raw)
    floors = {
        "trusted and a bare asyncio ping-pong": alone + floor,
        "trusted": alone,
        "a raw pipe": pipe,
    }
    print(f"a confronto of {GAMES} games: {took:.2f} s isolated")
    return told("havana", took, floors, 1.5, turns)


def main() -> int:
    """Measure everything; the exit code says whether all of it holds."""
    sandbox = isolating_sandbox()

    async def everything() -> list[bool]:
        with tempfile.TemporaryDirectory(prefix="botequim-bench-") as name:
            folder = Path(name)
            wanted = sys.argv[1:] or ["lines", "http", "once", "havana"]
            holds = []
            if "lines" in wanted:
                holds.append(await lines(folder, sandbox))
            if "http" in wanted:
                holds.append(await http(folder, sandbox, "server.py", SERVER, [str(python()), "-I"]))
                holds.append(await http(folder, sandbox, "server.js", NODE, ["/usr/bin/env", "node"]))
            if "once" in wanted:
                holds.append(await once(folder, sandbox))
            if "havana" in wanted:
                holds.append(await havana(folder, sandbox))
            return holds

    return 0 if all(asyncio.run(everything())) else 1


if __name__ == "__main__":
    sys.exit(main())
