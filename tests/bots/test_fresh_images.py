"""A bot of cubos as contestants send it, in a container, with a port and a log file of its own choice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from botequim.cli import main
from botequim.cup.paths import CupPaths
from botequim.sandbox.containers.names import log_file
from botequim.sandbox.containers.sandbox import Containers
from tests.support import container_engine as engines
from tests.support.container_engine import BASE

GENEROUS = ("--limit", "start=120", "--limit", "move=120")
SERVER = """
import http.server, json, sys

def chosen(mao, mesa):
    ends = {"esquerda": mesa[0][0], "direita": mesa[-1][-1]}
    for pedra in mao:
        for lado, ponta in ends.items():
            if ponta in pedra:
                return {"pedra": pedra, "lado": lado}
    return {}

class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = json.dumps(chosen(asked["mao"], asked["mesa"])).encode()
        print("answer:", answer, flush=True)
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

print("listening on 8000", file=sys.stderr)
http.server.ThreadingHTTPServer(("0.0.0.0", 8000), Handler).serve_forever()
"""
GOOD = f"""FROM {BASE}
WORKDIR /app/out
COPY server.py .
EXPOSE 8000
CMD python3 /app/out/server.py > /out.log 2>&1
"""
BROKEN = f"FROM {BASE}\nCOPY server.py .\nCMD echo it cannot find itself >&2; exit 3\n"


@pytest.fixture(scope="module", autouse=True)
def containers() -> Containers:
    return engines.engine()


def image(folder: Path, dockerfile: str) -> str:
    folder.mkdir()
    (folder / "Dockerfile").write_text(dockerfile, encoding="utf-8")
    (folder / "server.py").write_text(SERVER, encoding="utf-8")
    return str(folder)


def check(capsys: pytest.CaptureFixture[str], bot: str, *more: str, code: int) -> dict[str, Any]:
    assert main(["check", bot, "--game", "cubos", "--quick", "--json", *GENEROUS, *more]) == code
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    return result


@pytest.mark.slow
def test_it_passes_its_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = check(capsys, image(tmp_path / "bot", GOOD), "--seconds", "100000", code=0)
    assert result["mistakes"] == []


@pytest.mark.parametrize("games", [1, pytest.param(10, marks=pytest.mark.slow)])
def test_it_plays(tmp_path: Path, capsys: pytest.CaptureFixture[str], games: int) -> None:
    bot = image(tmp_path / "bot", GOOD)
    command = ["match", "cubos", bot, "greedy", "--games", str(games), "--seed", "1", "--json", *GENEROUS]
    assert main(command) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["games"] == games
    assert [entrant["faults"] for entrant in result["entrants"]] == [0, 0]


def test_its_broken_twin_is_diagnosed_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = check(capsys, image(tmp_path / "bot", BROKEN), code=1)
    assert result["mistakes"] == ["ends-at-start"]
    (problem,) = [problem for one in result["checks"] for problem in one["problems"]]
    assert problem["told"] == (
        "It exits before the first question: the player ended with exit code 3: it cannot find itself"
    )
    assert "docker run" in problem["remedy"]
    assert problem["evidence"]["exit"] == 3


def test_a_log_that_goes_to_a_file_in_the_container_is_said_to_be_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = GOOD.replace("/app/out/server.py", "/app/out/none.py")
    result = check(capsys, image(tmp_path / "bot", broken), code=1)
    assert result["mistakes"] == ["ends-at-start"]
    (problem,) = [problem for one in result["checks"] for problem in one["problems"]]
    assert "writes the log to /out.log inside the container" in problem["remedy"]
    assert "Remove `> /out.log` from the command" in problem["remedy"]


@pytest.mark.parametrize(
    ("command", "file"),
    [
        ("node /app/index.js > /out.log 2>&1", "/out.log"),
        ("node /app/index.js >> '/var/log/out.log' 2>&1", "/var/log/out.log"),
        ("exec node index.js 2>err.txt >/dev/null", "err.txt"),
        ("node index.js &> log", "log"),
        ("node index.js > out.log", ""),
        ("node index.js 2>&1 | tee out.log", ""),
        ("node index.js", ""),
    ],
)
def test_where_the_command_of_an_image_writes_its_log(command: str, file: str) -> None:
    assert log_file({"Entrypoint": None, "Cmd": ["/bin/sh", "-c", command]}) == file
    assert log_file({"Entrypoint": ["/bin/sh", "-c", command], "Cmd": None}) == file
    assert log_file({"Cmd": command.split()}) == ""


@pytest.mark.slow  # the same crash in a cup: test_a_cup_with_its_broken_twin_ends
def test_a_match_with_its_broken_twin_names_the_crash(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bot = image(tmp_path / "bot", BROKEN)
    records = tmp_path / "records"
    command = ["match", "cubos", bot, "greedy", "--games", "1", "--json", "--records", str(records)]
    assert main([*command, *GENEROUS]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["games"] == 1
    assert result["entrants"][0]["faults"] > 0
    (record,) = [path.read_text(encoding="utf-8") for path in records.iterdir() if path.is_file()]
    assert '"crash"' in record
    assert "it cannot find itself" in record


CUP = """
name = "Copa"
game = "cubos"
seed = "a seed that was drawn long before the day of the cup"

[[entrants]]
name = "twin"
bot = "twin"

[[entrants]]
name = "greedy"
bot = "greedy"

[[stages]]
name = "league"
format = "round_robin"
games = 2
"""


def test_a_cup_with_its_broken_twin_ends(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    image(tmp_path / "twin", BROKEN)
    cup = tmp_path / "copa.toml"
    cup.write_text(CUP, encoding="utf-8")
    assert main(["cup", "run", str(cup)]) == 0, capsys.readouterr().err
    with CupPaths.of(cup).storage.open_results() as store:
        kinds = {(fault.entrant, fault.kind) for fault in store.faults()}
        assert len(store.results()["league"]) == 1
    assert kinds == {("twin", "crash")}
