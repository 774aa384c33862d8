"""The exported server of cubos: what it says always fits, and it says something to anything."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from botequim.cli import main
from botequim.core.options import resolve_options
from botequim.core.rng import Rng
from botequim.core.turn import Reply
from botequim.core.wire import GameContext
from botequim.games.cubos.rules import GAME as CUBOS
from botequim.games.cubos.submission import files
from botequim.games.cubos.submission.server import answer as server_answer
from botequim.games.cubos.submission.server import bits, consistent_history, tiles_of
from botequim.games.cubos.wire import WIRE
from tests.support.pace import PATIENCE

SERVE = """
import time
time.perf_counter = time.process_time  # its thinking does not depend on how busy the machine is
import server
server.PATIENCE = 300
from http.server import ThreadingHTTPServer
made = ThreadingHTTPServer(("127.0.0.1", 0), server.Handler)
print(made.server_address[1], flush=True)
made.serve_forever()
"""
OPENING = {"jogador": 1, "pedra": "6-6"}
FIRST = {"jogador": 2, "pedra": "0-6", "lado": "esquerda"}
HAND = ["1-6", "2-6", "1-1", "1-2", "2-2", "2-3", "3-3"]
QUESTION: dict[str, Any] = {
    "jogador": 3,
    "mao": HAND,
    "mesa": ["0-6", "6-6"],
    "jogadas": [OPENING, FIRST],
}
FITS = [{"pedra": "1-6", "lado": "direita"}, {"pedra": "2-6", "lado": "direita"}]
"""Neither has a 0, which is the left end."""


@contextmanager
def run_server(folder: Path, seconds: str, *words: str, **environment: str) -> Iterator[int]:
    """The port of a server that was exported with these words."""
    assert main(["export", "cubos", str(folder), *words]) == 0
    environment |= {"SECONDS": seconds, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
    command = [sys.executable, "-c", SERVE]
    with subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        try:
            yield int(server.stdout.readline())
        finally:
            server.kill()


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with run_server(tmp_path_factory.mktemp("export") / "bot", "0.05") as found:
        yield found


def exchange(port: int, *pieces: bytes) -> tuple[str, bytes]:
    """The status line and the body that come back; nothing is ended on our side before that."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        for piece in pieces:
            connection.sendall(piece)
        with connection.makefile("rb") as came:
            status = came.readline().decode().strip()
            length = 0
            while line := came.readline().decode().strip().lower():
                if line.startswith("content-length:"):
                    length = int(line.split(":")[1])
            return status, came.read(length)


def post(port: int, body: bytes, *headers: str) -> Any:
    head = "\r\n".join(["POST / HTTP/1.1", "Host: here", *headers, "", ""])
    status, came = exchange(port, head.encode(), body)
    assert status == "HTTP/1.1 200 OK"
    return json.loads(came)


def ask(port: int, question: object) -> Any:
    body = json.dumps(question).encode()
    return post(port, body, f"Content-Length: {len(body)}")


# --- what is said fits --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({}, id="as it should be"),
        pytest.param({"jogadas": []}, id="nothing told"),
        pytest.param({"jogadas": [FIRST]}, id="no opening"),
        pytest.param({"jogadas": [OPENING]}, id="less than lies there"),
        pytest.param({"jogadas": [OPENING, {**FIRST, "lado": "direita"}]}, id="the other side"),
        pytest.param({"jogadas": [OPENING, {**FIRST, "lado": "Esquerda"}]}, id="a capital"),
        pytest.param({"jogadas": [OPENING, {**FIRST, "lado": None}]}, id="null side"),
        pytest.param({"jogadas": [OPENING, {"jogador": 2, "pedra": "0-6"}]}, id="no side"),
        pytest.param({"jogadas": [OPENING, {**FIRST, "pedra": "1-6"}]}, id="one of its own"),
        pytest.param({"jogadas": [OPENING, {**FIRST, "pedra": "1-2"}]}, id="one that does not fit"),
        pytest.param({"jogadas": [OPENING, FIRST, FIRST]}, id="a tile laid twice"),
        pytest.param({"jogadas": [OPENING, *[{"jogador": 3}] * 200]}, id="passes without end"),
        pytest.param({"jogadas": [{"jogador": 10**9, "pedra": "6-6"}, FIRST]}, id="no such seat"),
        pytest.param({"jogadas": [OPENING, "0-6", None, 7]}, id="no plays at all"),
        pytest.param({"jogadas": None}, id="null history"),
        pytest.param({"jogadas": {"a": 1}}, id="history that is no list"),
        pytest.param({"jogador": "3"}, id="a player in quotes"),
        pytest.param({"jogador": None}, id="no player"),
        pytest.param({"jogador": 9}, id="no such player"),
        pytest.param({"jogador": float("inf")}, id="a player beyond all numbers"),
        pytest.param({"mao": [*HAND, "1-6"]}, id="a tile named twice"),
        pytest.param({"mao": [*HAND, "7-9", "x", None]}, id="tiles that are none"),
        pytest.param({"mao": ["6-1", "6-2"]}, id="fewer tiles than it should have"),
        pytest.param({"mao": [[1, 6], [2, 6]], "mesa": [[0, 6], [6, 6]]}, id="tiles as lists"),
        pytest.param({"mesa": None}, id="no table, but a history"),
    ],
)
def test_a_tile_that_fits_the_table_is_laid(port: int, changed: dict[str, Any]) -> None:
    assert ask(port, {**QUESTION, **changed}) in FITS


@pytest.mark.parametrize("missing", ["jogador", "jogadas"])
def test_what_is_missing_is_done_without(port: int, missing: str) -> None:
    assert ask(port, {key: told for key, told in QUESTION.items() if key != missing}) in FITS


def test_without_a_history_that_makes_sense_the_heaviest_is_laid(port: int) -> None:
    assert ask(port, {**QUESTION, "jogadas": []}) == {"pedra": "2-6", "lado": "direita"}


@pytest.mark.parametrize("told", [{"pedra": None}, {}, {"pedra": None, "lado": None}])
def test_a_pass_may_be_told(port: int, told: dict[str, Any]) -> None:
    passed = {**QUESTION, "jogador": 4, "jogadas": [OPENING, FIRST, {"jogador": 3, **told}]}
    assert ask(port, passed) in FITS


def test_who_cannot_lay_passes(port: int) -> None:
    assert ask(port, {**QUESTION, "mao": ["1-1", "1-2"]}) == {}


def test_the_only_tile_that_fits_is_laid_though_named_twice(port: int) -> None:
    answer = ask(port, {**QUESTION, "mao": ["1-6", "1-6", "1-1"]})
    assert answer == {"pedra": "1-6", "lado": "direita"}


def test_on_an_empty_table_the_opening_is_laid(port: int) -> None:
    answer = ask(port, {"jogador": 1, "mao": ["1-6", "6-6"], "mesa": [], "jogadas": []})
    assert answer["pedra"] == "6-6"


@pytest.mark.parametrize("seed", range(4))
def test_the_history_of_a_real_game_makes_sense(seed: int) -> None:
    """Or else it would never search, which nobody would see."""
    rng = Rng(f"sensible/{seed}")
    context = GameContext(CUBOS, resolve_options("cubos", CUBOS.options, {}), ("a", "b"))
    state = CUBOS.start(context.options)
    asked_for = 0
    while due := CUBOS.to_move(state):
        (by,) = due
        if by < 0:
            state = CUBOS.apply(state, {by: CUBOS.chance(state, rng)})
            continue
        told = json.loads(WIRE.codec.encode_question(CUBOS.view(state, by), 0, context).body)
        hand = bits(tiles_of(told["mao"]))
        line = tiles_of(told["mesa"])
        past = consistent_history(told, hand, line)
        assert past is not None
        answer = server_answer(told, 0.0)
        move = WIRE.codec.decode_answer([json.dumps(answer).encode()], CUBOS.view(state, by), context)
        assert isinstance(move, Reply)
        assert CUBOS.check(state, by, move.move) is None
        state = CUBOS.apply(state, {by: rng.choice(CUBOS.legal(state, by))})
        asked_for += 1
    assert asked_for > 4


# --- both endings of a blocked game -------------------------------------------------------------------------

ALMOST_BLOCKED = [
    (1, "6-3", "direita"),
    (2, "3-1", "direita"),
    (3, "1-2", "direita"),
    (4, "2-0", "direita"),
    (1, "2-6", "esquerda"),
    (2, "4-2", "esquerda"),
    (3, "0-5", "direita"),
    (4, "5-4", "esquerda"),
    (1, "5-1", "direita"),
    (2, "1-6", "direita"),
    (3, "3-5", "esquerda"),
    (4, "0-3", "esquerda"),
    (1, "1-0", "esquerda"),
    (2, "6-0", "direita"),
    (4, "0-0", "direita"),
    (1, "4-1", "esquerda"),
    (2, "4-4", "esquerda"),
]
"""Then 4 is asked, who can block this game at once: that is a draw, or won by points."""
BLOCKS = {"pedra": "0-4", "lado": "esquerda"}
GOES_ON = {"pedra": "0-4", "lado": "direita"}


def almost_blocked() -> dict[str, Any]:
    line = [
        "4-4",
        "4-1",
        "1-0",
        "0-3",
        "3-5",
        "5-4",
        "4-2",
        "2-6",
        "6-6",
        "6-3",
        "3-1",
        "1-2",
        "2-0",
        "0-5",
        "5-1",
        "1-6",
        "6-0",
        "0-0",
    ]
    plays = [{"jogador": by, "pedra": tile, "lado": side} for by, tile, side in ALMOST_BLOCKED]
    opening = {"jogador": 3, "pedra": "6-6"}
    hand = ["3-4", "1-1", "0-4"]
    return {"jogador": 4, "mao": hand, "mesa": line, "jogadas": [opening, *plays]}


@pytest.mark.parametrize(
    ("words", "environment", "answer"),
    [
        ([], {}, GOES_ON),
        (["--option", "blocked=points"], {}, BLOCKS),
        (["--option", "blocked=points"], {"BLOCKED": "draw"}, GOES_ON),
    ],
    ids=["usual", "points", "draw by the environment"],
)
def test_it_reckons_with_the_ending_it_was_exported_for(
    words: list[str], environment: dict[str, str], answer: dict[str, str], tmp_path: Path
) -> None:
    with run_server(tmp_path / "bot", "1", *words, **environment) as found:
        assert ask(found, almost_blocked()) == answer


# --- anything is answered -----------------------------------------------------------------------------------


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b"null", b"[]", b"3", b'"a"', b"{}", b"[" * 60_000])
def test_what_is_no_question_is_answered_with_a_pass(port: int, body: bytes) -> None:
    assert post(port, body, f"Content-Length: {len(body)}") == {}


def test_a_body_in_chunks_is_read(port: int) -> None:
    body = json.dumps(QUESTION).encode()
    first, second = body[:30], body[30:]
    chunks = b"%x\r\n%b\r\n%x;a=b\r\n%b\r\n0\r\n\r\n" % (len(first), first, len(second), second)
    assert post(port, chunks, "Transfer-Encoding: chunked") in FITS


@pytest.mark.parametrize(
    "chunks", [pytest.param(b"", marks=pytest.mark.slow), b"zz\r\n", b"-5\r\n", b"ffffffff\r\nabc"]
)
def test_chunks_that_make_no_sense_are_answered(port: int, chunks: bytes) -> None:
    assert post(port, chunks, "Transfer-Encoding: chunked") == {}


@pytest.mark.parametrize(
    "headers",
    [
        [],
        pytest.param(["Content-Length: -1"], marks=pytest.mark.slow),
        pytest.param(["Content-Length: many"], marks=pytest.mark.slow),
        ["Content-Length: 9999999999"],
    ],
)
def test_what_came_is_answered_though_its_length_is_not_known(port: int, headers: list[str]) -> None:
    assert post(port, json.dumps(QUESTION).encode(), *headers) in FITS


def test_a_body_without_measure_is_not_kept(port: int) -> None:
    body = b" " * 3_000_000
    assert post(port, body, f"Content-Length: {len(body)}") == {}


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_who_looks_whether_it_is_up_hears_so(port: int, method: str) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        connection.sendall(f"{method} / HTTP/1.1\r\nHost: here\r\n\r\n".encode())
        with connection.makefile("rb") as came:
            head, _, body = came.read().partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 ")
    assert body == (b"{}" if method == "GET" else b"")


def test_a_connection_is_kept_for_the_next_question(port: int) -> None:
    body = json.dumps(QUESTION).encode()
    request = b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        for _ in range(2):
            connection.sendall(request)
            came = b""
            while not came.endswith(b"}"):
                piece = connection.recv(4096)
                assert piece
                came += piece
            assert json.loads(came.partition(b"\r\n\r\n")[2]) in FITS


def test_its_readme_names_what_can_be_set() -> None:
    readme = files.files()["README.md"]
    assert all(name in readme for name in ("`PORT`", "`SECONDS`", "`BLOCKED=points`"))
    assert "else it is `draw`" in readme
    assert "else it is `points`" in files.files(blocked="points")["README.md"]
