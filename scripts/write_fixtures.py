"""Write the fixtures in `tests/fixtures/first`. Run once with version 0.1.0, never again.

Version 0.1.0 was about to be restructured. The fixtures show that later versions read what it wrote, so no
later version may write them.
The script stays in the repository to show how each file came about. It uses only the `botequim` command and
the web API. The sources of the bots in `tests/fixtures/first/bots` were written by hand.

    python -m scripts.write_fixtures
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

TARGET: Final = Path(__file__).resolve().parent.parent / "tests" / "fixtures" / "first"
WORK: Final = Path("/srv/fixtures")
"""A store keeps the path from which a bot was copied, so it is one that says nothing about a machine."""
BOTEQUIM: Final = (sys.executable, "-m", "botequim")
SEED: Final = "the first seed of all fixtures"
PORT: Final = 8639

FINISHED: Final = """\
# An rps cup: two bots (one commits every kind of fault), two built-in players, and one that cannot be built.
name = "Rinha de fixtures"
game = "rps"
{commitment}

[options]
rounds = 6

[limits]
move = 0.5

[[stages]]
name = "league"
format = "round_robin"
games = 2
win = 3
draw = 1
loss = 0

[[stages]]
name = "finals"
from = "league"
top = 4
format = "knockout"
games = 1
third_place = true

[[entrants]]
name = "Ana"
bot = "../bots/steady"
title = "Equipe Árvore"
authors = ["Ana Lima", "Zé"]

[[entrants]]
name = "Bento"
bot = "../bots/faulty"

[[entrants]]
name = "Carla"
bot = "greedy"

[[entrants]]
name = "Davi"
bot = "random"

[[entrants]]
name = "Eva"
bot = "../bots/broken"
"""

STOPPED: Final = """\
# A cubos cup whose process was killed in the middle of its first stage.
name = "Copa interrompida"
game = "cubos"
seed = "a seed that is known from the start"
null = "Caio"
restart = "game"

[limits]
move = 30

[[stages]]
name = "league"
format = "round_robin"
games = 2

[[stages]]
name = "finals"
from = "league"
top = 4
format = "knockout"
games = 1
third_place = true

[[entrants]]
name = "Abel"
bot = "../bots/slow"

[[entrants]]
name = "Bia"
bot = "../bots/steady"

[[entrants]]
name = "Caio"
bot = "greedy"

[[entrants]]
name = "Duda"
bot = "random"
"""


def run(*words: str, typed: str = "", folder: Path, state: str = "") -> str:
    """Run the command in `folder` and return what it prints."""
    environment = os.environ | {"BOTEQUIM_LANG": "en", "XDG_STATE_HOME": state or str(folder / "state")}
    done = subprocess.run(
        [*BOTEQUIM, *words],
        cwd=folder,
        input=typed,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
        check=True,
    )
    return done.stdout


def write_finished(folder: Path) -> None:
    """A cup that is over, partly withheld, with three contests; and its bundle."""
    place = folder / "finished"
    place.mkdir()
    run("cup", "new", "rps", "promise.toml", "--promise", SEED, folder=folder)
    promise = re.search(r"^commitment = .*$", (folder / "promise.toml").read_text(), re.MULTILINE)
    assert promise is not None
    (place / "rinha.toml").write_text(FINISHED.format(commitment=promise[0]), encoding="utf-8")
    run("cup", "run", "rinha.toml", "--seed", SEED, "--hold", "--without-broken", "--quiet", folder=place)
    run("cup", "reveal", "rinha.toml", "series", folder=place)
    run("cup", "reveal", "rinha.toml", folder=place)
    write_contests(place)
    close_databases(place)
    work = folder / "work"
    shutil.copytree(place, work)
    run("cup", "open", "rinha.toml", folder=work)
    bundles = folder / "bundles"
    bundles.mkdir()
    report = ("cup", "report", "rinha.toml", "--replays", "0", "--bundle")
    run(*report, str(bundles / "rinha.zip"), folder=work)
    shutil.unpack_archive(bundles / "rinha.zip", bundles / "rinha")


def write_contests(place: Path) -> None:
    """One contest that is counted, one that is open to all browsers, one that is being prepared."""

    def contest(*words: str) -> Any:
        return json.loads(run("contest", *words, "--json", folder=place))

    contest("new", "rinha.toml", "Melhor arte", "--choice", "ranked")
    codes = contest("codes", "rinha.toml", "1", "6")["codes"]
    contest("open", "rinha.toml", "1")
    contest("new", "rinha.toml", "Melhor frase", "--voters", "open")
    contest("open", "rinha.toml", "2")
    contest("new", "rinha.toml", "Mais simpático", "--entrant", "Ana", "--entrant", "Davi")
    contest("codes", "rinha.toml", "3", "2")
    ballots: Sequence[Sequence[str]] = (
        ("Ana", "Bento"),
        ("Ana",),
        ("Bento", "Carla", "Ana", "Davi"),
        ("Carla", "Bento"),
        ("Davi", "Bento"),
    )
    command = [*BOTEQUIM, "serve", "rinha.toml", "--port", str(PORT), "--token", "a token of fixtures"]
    server = subprocess.Popen(command, cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for_server()
        for code, choices in zip(codes, ballots, strict=False):
            ask("contests/1/votes", {"choices": list(choices), "code": code})
        for name in ("Ana", "Davi", "Davi"):
            with urllib.request.urlopen(address("contests/2")) as answer:
                cookie = str(answer.headers["Set-Cookie"]).split(";")[0]
            ask("contests/2/votes", {"choices": [name]}, cookie)
    finally:
        server.terminate()
        server.wait()
    contest("close", "rinha.toml", "1")
    (place / "result.json").write_text(
        json.dumps(contest("results", "rinha.toml", "1")["result"], indent=1, ensure_ascii=False) + "\n",
        encoding="utf-8",
    )


def address(path: str) -> str:
    return f"http://127.0.0.1:{PORT}/api/cups/rinha/{path}"


def ask(path: str, body: object, cookie: str = "") -> None:
    headers = {"Content-Type": "application/json", "Cookie": cookie}
    request = urllib.request.Request(address(path), json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request) as answer:
        assert answer.status == 201


def wait_for_server() -> None:
    while True:
        try:
            with urllib.request.urlopen(address("contests")):
                return
        except OSError:
            time.sleep(0.1)


def write_stopped(folder: Path) -> None:
    """A cup whose process was killed while games were under way; and what comes of it at the end."""
    place = folder / "stopped"
    place.mkdir()
    (place / "copa.toml").write_text(STOPPED, encoding="utf-8")
    command = [*BOTEQUIM, "cup", "run", "copa.toml", "--quiet", "--workers", "2"]
    process = subprocess.Popen(command, cwd=place, stdout=subprocess.DEVNULL)
    try:
        while not (rows(place, "cup", "series") >= 4 and rows(place, "live", "turns") > 8):
            assert process.poll() is None, "it was over too early"
            time.sleep(0.02)
    finally:
        process.kill()
        process.wait()
    time.sleep(2)  # until its workers have noticed
    close_databases(place)
    assert rows(place, "live", "turns") > 0
    work = folder / "continued"
    shutil.copytree(place, work)
    run("cup", "run", "copa.toml", "--quiet", folder=work)
    run("cup", "report", "copa.toml", "--replays", "0", "--bundle", "copa.zip", folder=work)
    shutil.unpack_archive(work / "copa.zip", work / "bundle")
    shutil.copy(work / "bundle" / "standings.json", place)


def rows(place: Path, name: str, table: str) -> int:
    path = place / "copa.cup" / f"{name}.sqlite"
    if not path.exists():
        return 0
    with closing(sqlite3.connect(path)) as connection:
        try:
            (count,) = connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()
        except sqlite3.OperationalError:
            return 0
    return int(count)


def close_databases(place: Path) -> None:
    """Move what lies in write-ahead logs into the files themselves."""
    for path in place.glob("*.cup/*.sqlite"):
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert not list(place.glob("*.cup/*-wal"))


def write_bundles(folder: Path) -> None:
    """A cup of each competition's own form with built-in players, as a bundle."""
    for name in ("cubos", "havana", "uno", "uno-check", "fives"):
        place = folder / f"cup-{name}"
        place.mkdir()
        path = place / f"{name}.toml"
        run("cup", "new", name, path.name, "--seed", SEED, folder=place)
        text = path.read_text(encoding="utf-8").replace("games = 1000", "games = 2")
        if name == "fives":
            text = text.replace("target = 150", "target = 40")
        path.write_text(text, encoding="utf-8")
        run("cup", "run", path.name, "--quiet", folder=place)
        bundle = folder / "bundles" / f"{name}.zip"
        run("cup", "report", path.name, "--replays", "0", "--bundle", str(bundle), folder=place)


def write_records(folder: Path) -> None:
    """Games of each kind against a bot that commits faults."""
    (folder / "records").mkdir()
    for game, players, options in (
        ("cubos", ("bots/faulty", "bots/steady"), ()),
        ("havana", ("bots/faulty", "bots/steady"), ("strict=yes",)),
        ("fives", ("bots/faulty", "bots/steady"), ("target=30",)),
        ("uno", ("bots/faulty", "bots/steady", "greedy"), ()),
        ("rps", ("bots/faulty", "bots/steady"), ("rounds=12",)),
    ):
        chosen = [word for option in options for word in ("--option", option)]
        kept = f"match-{game}"
        words = (
            "--games",
            "3" if game == "havana" else "6",
            "--seed",
            SEED,
            "--limit",
            "move=0.5",
            "--records",
            kept,
            "--quiet",
        )
        run("match", game, *players, *chosen, *words, folder=folder)
        games = sorted((folder / kept).iterdir())
        (folder / "records" / f"{game}.jsonl").write_bytes(b"".join(path.read_bytes() for path in games))


def write_saved(folder: Path) -> None:
    """Games that a person left after a few moves."""
    (folder / "saved").mkdir()
    for game, words in (
        ("fives", ("--option", "target=15", "--best-of", "1")),
        ("cubos", ("--seat", "3", "--partner", "greedy")),
        ("havana", ("--partner", "greedy")),
        ("uno", ("--against", "random")),
        ("rps", ("--option", "rounds=4")),
    ):
        state = folder / f"state-{game}"
        play = ("play", game, *words, "--against", "greedy", "--hint", "--adviser", "greedy", "--seed", SEED)
        typed = ""
        for _ in range(2):
            shutil.rmtree(state, ignore_errors=True)
            said = run(*play, typed=typed + "q\ny\n", folder=folder, state=str(state))
            typed += (
                re.findall(r"would play: ((?:m \w+|d|p)(?: \w+)?) ?(?:\(|$)", said, re.MULTILINE)[-1] + "\n"
            )
        shutil.rmtree(state, ignore_errors=True)
        run(*play, typed=typed + "q\ny\n", folder=folder, state=str(state))
        (path,) = (state / "botequim" / "games").iterdir()
        shutil.copy(path, folder / "saved" / f"{game}.jsonl")


def main() -> None:
    """Write everything that is not there yet."""
    if (TARGET / "finished").exists():
        sys.exit(f"{TARGET} is complete; it is never written again")
    folder = WORK
    shutil.copytree(TARGET / "bots", folder / "bots")
    try:
        write_finished(folder)
        write_stopped(folder)
        write_bundles(folder)
        write_records(folder)
        write_saved(folder)
        for part in ("finished", "stopped", "bundles", "records", "saved"):
            shutil.copytree(folder / part, TARGET / part)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
