"""Matches and cups on a cluster of two machines, which cannot isolate bots. Connections are encrypted."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from botequim.cli import main
from botequim.cluster.authority import create_cluster
from botequim.cluster.jobs import Batch
from botequim.core import clock
from botequim.cup.live import LiveGames
from botequim.cup.paths import CupPaths
from botequim.storage.sqlite.live import SqliteLiveStore
from tests import ROOT
from tests.support.cluster import KEY_VARIABLE, NO_ISOLATION, Cluster, altered_machine, open_cluster
from tests.support.cup_commands import cup, run
from tests.support.cup_files import live_file
from tests.support.cup_runs import cup_runs
from tests.support.gated_bots import write_bot
from tests.support.pace import PATIENCE, until

Captured = pytest.CaptureFixture[str]
LABELS = ("lab-1", "lab-2")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    folder = tmp_path_factory.mktemp("games")
    key_file = create_cluster(folder, "lab").key_file
    machine = altered_machine(folder / "python", NO_ISOLATION)
    with open_cluster(folder / "cluster", machine, key_file=key_file) as opened:
        for label in LABELS:
            opened.start_worker(label)
        yield opened


@pytest.fixture(autouse=True)
def _key_file(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, str(cluster.key_file))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder of the coordinator, with two bots."""
    for name in ("alpha", "beta"):
        write_bot(tmp_path / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """What the coordinator sends to workers."""
    found: list[bytes] = []
    encode = Batch.encode

    def encode_and_note(batch: Batch) -> bytes:
        found.append(encode(batch))
        return found[-1]

    monkeypatch.setattr(Batch, "encode", encode_and_note)
    return found


def require_no_paths(sent: list[bytes], folder: Path) -> None:
    """Fail if a path of the coordinator's machine travels to others."""
    assert sent
    for path in (folder, ROOT, Path.home(), Path(sys.prefix)):
        assert not any(str(path).encode() in payload for payload in sent), path


TIMES = ("us", "waited_us", "waited")


def played(lines: Sequence[str]) -> list[Any]:
    """Return a record without its times, its machine and its digests."""
    kept = [json.loads(line) for line in lines]
    for line in kept:
        for part in (line, *line.get("moves", ())):
            for name in (*TIMES, "machine", "digest"):
                part.pop(name, None)
    return kept


def machine(lines: Sequence[str]) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(lines[0]).get("machine", {})
    return found


# --- matches -------------------------------------------------------------------------------------------

MATCH = ("match", "cubos", "alpha", "beta", "--games", "12", "--seed", "7", "--trust", "--quiet")


def match_records(folder: Path, *words: str) -> dict[str, list[str]]:
    assert main([*MATCH, "--records", str(folder), *words]) == 0
    return {one.name: one.read_text(encoding="utf-8").splitlines() for one in sorted(folder.iterdir())}


def test_a_match_has_the_records_of_a_local_one(cluster: Cluster, folder: Path, sent: list[bytes]) -> None:
    here = match_records(folder / "here")
    assert not sent
    there = match_records(folder / "there", "--cluster", cluster.address)
    assert len(there) == 12
    assert {name: played(lines) for name, lines in there.items()} == {
        name: played(lines) for name, lines in here.items()
    }
    assert {machine(lines).get("label") for lines in here.values()} == {None}
    assert {machine(lines)["label"] for lines in there.values()} <= set(LABELS)
    assert all(machine(lines)["speed"] > 0 for lines in there.values())
    require_no_paths(sent, folder)


def test_every_pairing_of_a_match_is_played_there(cluster: Cluster, folder: Path, capsys: Captured) -> None:
    words = ["match", "cubos", "alpha", "beta", "greedy", "--games", "2", "--seed", "7", "--trust", "--json"]
    found = []
    for place in ([], ["--cluster", cluster.address]):
        capsys.readouterr()
        assert main([*words, *place]) == 0
        found.append(json.loads(capsys.readouterr().out))
    here, there = found
    assert there["games"] == 6
    assert there["cross"] == here["cross"]


# --- cups ----------------------------------------------------------------------------------------------

STAGES = f"""
restart = "series"
[limits]
move = {PATIENCE:g}
[[stages]]
name = "league"
format = "round_robin"
games = 4
"""


def write_cup(path: Path) -> Path:
    return cup(path, {"alpha": "alpha", "beta": "beta", "greedy": "greedy"}, stages=STAGES)


def stored(path: Path) -> tuple[Any, dict[tuple[str, str, int], list[str]]]:
    """Return the results and the records of a cup."""
    with CupPaths.of(path).storage.open_results(check=True) as store:
        records = {(stage, key, at): list(lines) for stage, key, at, lines in store.records()}
        return store.results(), records


def test_a_cup_has_the_results_of_a_local_one(
    cluster: Cluster, folder: Path, sent: list[bytes], capsys: Captured
) -> None:
    here, there = write_cup(folder / "here.toml"), write_cup(folder / "there.toml")
    words = ("--trust", "--quiet")
    assert run(capsys, "run", str(here), *words, "--workers", "1")[0] == 0
    code, _, said = run(capsys, "run", str(there), *words, "--cluster", cluster.address)
    assert code == 0, said
    require_no_paths(sent, folder)
    results, records = stored(here)
    assert stored(there)[0] == results
    found = stored(there)[1]
    assert len(found) == 12
    assert {key: played(lines) for key, lines in found.items()} == {
        key: played(lines) for key, lines in records.items()
    }
    assert {machine(lines)["label"] for lines in found.values()} <= set(LABELS)
    assert run(capsys, "report", str(there), "--bundle", "there.zip")[0] == 0
    assert main(["verify", "there.zip"]) == 0
    assert "OK" in capsys.readouterr().out


def test_games_are_watched_while_they_are_played_on_another_machine(cluster: Cluster, folder: Path) -> None:
    gate = folder / "gate"
    write_bot(folder / "slow", gate=gate)
    path = cup(folder / "c.toml", {"slow": "slow", "greedy": "greedy"}, stages=STAGES)
    live = LiveGames(SqliteLiveStore(live_file(path)))
    with closing(live), cup_runs() as start:
        coordinator = start(path, "--cluster", cluster.address)
        (game,) = until(live.games, "that a game is seen")
        assert (game.stage, game.number, game.ended) == ("league", 0, None)
        assert {seat["name"] for seat in game.header["seats"]} == {"slow", "greedy"}
        assert abs(game.began - clock.now()) < PATIENCE, "in the time of this machine"
        gate.touch()
        turns = until(lambda: live.turns(game.id), "that turns are seen")
        assert coordinator.wait(PATIENCE) == 0
    lines = stored(path)[1][game.stage, game.key, 0]
    first = json.loads(turns[0].line)
    assert [first["turn"], first["moves"]] == [1, json.loads(lines[1])["moves"]]


def test_what_no_machine_can_play_is_refused_at_once(
    cluster: Cluster, folder: Path, capsys: Captured
) -> None:
    words = [word for word in MATCH if word != "--trust"]
    assert main([*words, "--cluster", cluster.address]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "no machine of the cluster can play this: " in said
    for label in LABELS:
        assert f"{label}: isolated (bots of other people cannot be isolated here: " in said


# --- the cluster ---------------------------------------------------------------------------------------


def test_status_shows_the_machines(cluster: Cluster, capsys: Captured) -> None:
    assert main(["cluster", "status", cluster.address, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(one["label"], one["slots"], one["playing"]) for one in found["machines"]] == [
        ("lab-1", 1, 0),
        ("lab-2", 1, 0),
    ]
    assert found["standby"] == {}
    assert main(["cluster", "status", cluster.address]) == 0
    said = capsys.readouterr().out
    assert "lab-1" in said
    assert "2 games at the same time." in said
    assert "lab-2: bots of other people cannot be isolated here: " in said


def test_without_the_key_file_nobody_gets_in(
    cluster: Cluster, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(KEY_VARIABLE)
    assert main(["cluster", "status", cluster.address]) == 2
    assert f"{cluster.address} needs a key file" in capsys.readouterr().err
    assert main(["cluster", "status", cluster.address, "--key-file", str(cluster.key_file)]) == 0


def test_logs_tell_what_happened(cluster: Cluster, capsys: Captured) -> None:
    assert main(["cluster", "logs", cluster.address]) == 0
    assert "scheduler: lab-1 joined" in capsys.readouterr().out
    assert main(["cluster", "logs", cluster.address, "--json"]) == 0
    joined = [one for one in json.loads(capsys.readouterr().out) if "joined" in one["text"]]
    assert {(one["who"], one["text"].split()[0]) for one in joined} == {("scheduler", one) for one in LABELS}
    assert all(abs(one["time"] - time.time()) < PATIENCE for one in joined)


def test_a_machine_that_nobody_knows_is_not_drained(cluster: Cluster, capsys: Captured) -> None:
    assert main(["cluster", "drain", cluster.address, "lab-11"]) == 2
    said = capsys.readouterr().err
    assert 'unknown machine "lab-11"' in said
    assert "lab-1" in said
