"""Bots are recognised before any sandbox is probed: what runs elsewhere needs none."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from botequim import registry
from botequim.bots.entrant import Entrant
from botequim.bots.resolve import needs_isolation
from botequim.core.process import Program

PROBES = ("botequim.sandbox.bubblewrap", "botequim.sandbox.probe", "botequim.sandbox.containers")


@pytest.mark.parametrize(
    ("given", "needed"),
    [
        ("greedy", False),
        ("champion@easy", False),
        ("http://127.0.0.1:8000/", False),
        ("arena-http:http://127.0.0.1:8000/", False),
        ("arena-lines:greedy", True),
        ("http://127.0.0.1/bot.git", True),
        ("https://127.0.0.1/bot", True),
        ("cmd:./bot", True),
        ("image:bot", True),
        ("no/such/bot", True),
    ],
)
def test_only_programs_that_run_here_need_isolation(given: str, needed: bool) -> None:
    assert needs_isolation(given, "cubos") is needed


CUP = """
[cup]
name = "elsewhere"
game = "cubos"

[[entrants]]
name = "Ana"
bot = "http://127.0.0.1:9/"

[[entrants]]
name = "Rui"
bot = "greedy"

[[stages]]
name = "all"
format = "round-robin"
"""
COMMANDS = {
    "match": ["match", "cubos", "http://127.0.0.1:9/", "greedy", "--games", "1", "--limit", "start=0.01"],
    "cup": ["cup", "check", "cup.toml"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_servers_elsewhere_and_built_in_players_are_not_probed(command: str, tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text(CUP, encoding="utf-8")
    program = f"""
import sys
from botequim.cli import main
try:
    main({COMMANDS[command]!r})
except SystemExit:
    pass
print("imported:", *sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path)
    imported = done.stdout.rpartition("imported:")[2].split()
    assert "botequim.bots.prepare" in imported, done.stdout + done.stderr
    assert not [name for name in imported if name.startswith(PROBES)]


def test_an_entrant_travels_to_other_processes_with_its_wire_by_name(tmp_path: Path) -> None:
    for game, name in (("uno", "uno"), ("havana", "havana"), ("cubos", "arena-lines")):
        wire = registry.wire(game, name)
        bot = Entrant.bot("bot", "bot", wire, Program(("bot",), tmp_path)).with_limits({"move": 9.0})
        travelled = pickle.loads(pickle.dumps(bot))
        assert travelled == bot
        assert travelled.wire is wire
        assert travelled.limits.move == 9.0
