"""Wrong options of commands for clusters are answered in one sentence, before anything is started."""

from __future__ import annotations

import re
import socket
from pathlib import Path

import pytest

from botequim.cli import main
from tests.support.cup_commands import SMALL_CUP

Captured = pytest.CaptureFixture[str]

MATCH = "match rps random greedy"
HERE = "--cluster tcp://127.0.0.1:9"
NO_KEY = "needs a key file, and there is none: give --key-file FILE"
NOT_ALONE = "is not this machine alone, so its connections must be encrypted"
PORTS = "write ports as 40000-40099, not "
HOURS = "write hours of use as 18:00-07:00, not "
MISTAKES = {
    # --- where the cluster is ---
    f"{MATCH} --cluster tls://lab-1:8786": f"tls://lab-1:8786 {NO_KEY}",
    f"{MATCH} --cluster lab-1": f"lab-1 {NOT_ALONE}",
    f"{MATCH} --cluster http://lab-1:8786": "begins with tls:// (or tcp:// on one machine), not http://",
    f"{MATCH} --cluster tcp://127.0.0.1:99999": "there is no port 99999: ports are 1 to 65535",
    f"{MATCH} --cluster tcp://127.0.0.1:0": "there is no port 0: ports are 1 to 65535",
    f"{MATCH} --cluster two:words:here": '"two:words:here" is not the address of a scheduler; write tls://',
    "cup run c.toml --trust --cluster tls://lab-1": f"tls://lab-1 {NO_KEY}",
    "worker tls://lab-1:8786": NO_KEY,
    "worker lab-1": NOT_ALONE,
    "worker tcp://127.0.0.1:0": "there is no port 0",
    "cluster status tls://lab-1": NO_KEY,
    "cluster drain ftp://lab-1 lab-3": "not ftp://",
    "cluster resume 10.0.0.7 lab-3": f"10.0.0.7 {NOT_ALONE}",
    "cluster logs [::1": '"[::1" is not the address of a scheduler',
    "scheduler --host 0.0.0.0": f"0.0.0.0 {NOT_ALONE}",
    "scheduler --port 65536": '"65536" is not a whole number from 0 to 65535',
    "scheduler --port -1": "--port",
    "scheduler --host a/b": "is not the address of a scheduler",
    # --- the key file ---
    f"{MATCH} {HERE} --key-file missing.pem": "missing.pem cannot be read: there is no such file or folder",
    f"{MATCH} {HERE} --key-file c.toml": "c.toml",
    "worker tcp://127.0.0.1:9 --key-file missing.pem": "missing.pem cannot be read",
    "scheduler --key-file missing.pem": "missing.pem cannot be read",
    "cluster status tcp://127.0.0.1:9 --key-file missing.pem": "missing.pem cannot be read",
    # --- what a worker may do ---
    "worker tcp://127.0.0.1:9 --ports 40000-39999": f'{PORTS}"40000-39999"',
    "worker tcp://127.0.0.1:9 --ports 0": f'{PORTS}"0"',
    "worker tcp://127.0.0.1:9 --ports 1-65536": f'{PORTS}"1-65536"',
    "worker tcp://127.0.0.1:9 --ports many": f'{PORTS}"many"',
    "worker tcp://127.0.0.1:9 --ports 40000:40099": f'{PORTS}"40000:40099"',
    "worker tcp://127.0.0.1:9 --hours 18-7": f'{HOURS}"18-7"',
    "worker tcp://127.0.0.1:9 --hours 18:00-18:00": f'{HOURS}"18:00-18:00"',
    "worker tcp://127.0.0.1:9 --slots 0": '"0" is not a whole number from 1 to 1000',
    "worker tcp://127.0.0.1:9 --slots all": '"all" is not a whole number',
    "worker tcp://127.0.0.1:9 --cache-size 0": '"0" is not a whole number from 1 to',
    "scheduler --cache-size none": '"none" is not a whole number',
    "worker": "ADDRESS",
    # --- options that do not go together ---
    f"{MATCH} {HERE} --workers 2": "--workers is for this machine; on a cluster, each worker has --slots",
    f"cup run c.toml --trust {HERE} --workers 2": "--workers is for this machine",
    f"{MATCH} {HERE} --verbose": "--verbose describes games that are played here, not on a cluster",
    f"{MATCH} --calibrate 0.5": "--calibrate is for a cluster; give --cluster ADDRESS, too",
    "cup run c.toml --trust --calibrate 0.5": "--calibrate is for a cluster",
    **{
        f"{MATCH} {HERE} --calibrate {text}": f'"{text}" is not a part of 1, such as 0.5'
        for text in ("0", "1.01", "-0.5", "half", "nan", "inf", "50%")
    },
}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / "c.toml").write_text(SMALL_CUP)


@pytest.fixture(autouse=True)
def _no_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever connects or listens has not noticed the mistake."""

    def refuse(self: socket.socket, *_: object) -> None:
        raise AssertionError("a mistake must be noticed before")

    for name in ("connect", "connect_ex", "listen"):
        monkeypatch.setattr(socket.socket, name, refuse)


def answer(line: str, capsys: Captured) -> str:
    try:
        code = main(["--lang", "en", *line.split()])
    except SystemExit as left:
        code = int(left.code or 0)
    said = capsys.readouterr()
    assert code == 2, said
    assert "Traceback" not in said.err
    return re.sub(r"\s+", " ", said.err)


@pytest.mark.parametrize("line", MISTAKES)
def test_a_mistake_is_answered_with_what_is_wrong(line: str, capsys: Captured) -> None:
    assert MISTAKES[line] in answer(line, capsys)


@pytest.mark.parametrize(
    "line",
    [
        *(f"{MATCH} {HERE}", f"cup run c.toml --trust {HERE}", "scheduler", "worker tcp://127.0.0.1:9"),
        *("cluster status tcp://127.0.0.1:9", "cluster create lab"),
    ],
)
def test_every_command_for_clusters_names_the_extra(
    line: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("botequim.cluster.extra.PACKAGES", ("no_package_has_this_name",))
    assert "a cluster needs the extra `cluster`: " in answer(line, capsys)


def test_a_cup_does_not_begin_with_options_that_are_refused(capsys: Captured) -> None:
    assert "on a cluster, each worker has --slots" in answer(
        f"cup run c.toml --trust --workers 2 {HERE}", capsys
    )
    assert not Path("c.cup").exists()
