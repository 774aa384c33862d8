"""Bots that play the same move in the same situation on every machine, and wait for a file if they are told.

A gate is a path: the bot waits in each of its turns until the file exists. The path is part of its source, so
such a bot must run without isolation.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from botequim import registry
from botequim.bots.entrant import Entrant
from botequim.core.process import Program

SOURCE: Final = """
import hashlib, json, os, sys, time

for line in sys.stdin:
    question = json.loads(line)
    if "legal" not in question:
        continue
    while GATE and not os.path.exists(GATE):
        time.sleep(0.01)
    legal = question["legal"]
    seed = hashlib.sha256(json.dumps([NAME, legal], sort_keys=True).encode()).digest()
    print(json.dumps({"move": legal[int.from_bytes(seed, "big") % len(legal)]}), flush=True)
"""
SPY: Final = """
import json, os, sys

for line in sys.stdin:
    question = json.loads(line)
    if "legal" in question:
        print(json.dumps({"move": question["legal"][not os.path.exists(PATH)]}), flush=True)
"""
"""Plays the first legal move if it sees a file, and the second if not."""


def write_bot(folder: Path, *, gate: Path | None = None, mark: str = "bot") -> Path:
    """Make the folder of a bot. `mark` is a word of its command line, by which its processes are found."""
    folder.mkdir(parents=True)
    source = SOURCE.replace("GATE", repr(str(gate or ""))).replace("NAME", repr(folder.name))
    (folder / "bot.py").write_text(source, encoding="utf-8")
    command = f"python3 bot.py {mark}"
    (folder / "botequim.toml").write_text(f'command = "{command}"\nwire = "arena-lines"\n', encoding="utf-8")
    return folder


def spy(folder: Path, path: Path) -> Entrant:
    """Make a bot of rps whose moves tell whether it sees a file."""
    bot = entrant(folder)
    (folder / "bot.py").write_text(SPY.replace("PATH", repr(str(path))), encoding="utf-8")
    return bot


def entrant(folder: Path, *, gate: Path | None = None, mark: str = "bot") -> Entrant:
    """Make a bot of rps that can be seated without further preparation."""
    write_bot(folder, gate=gate, mark=mark)
    program = Program(("python3", "bot.py", mark), folder)
    return Entrant.bot(folder.name, folder.name, registry.wire("rps", "arena-lines"), program)
