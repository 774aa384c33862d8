"""A command that stops at a chosen moment, so that a test can interrupt it just there."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

MARK: Final = "(held here)"
_SOURCE: Final = f'''
import os, sys, time

def hold():
    os.write(2, b"{MARK}")
    time.sleep(600)

class Finder:
    """Holds when a module is about to be loaded."""
    def __init__(self, name):
        self.name = name
    def find_spec(self, name, path=None, target=None):
        if name == self.name:
            sys.meta_path.remove(self)
            hold()

def hold_at(owner, name, count):
    """Holds when a function is called for the so many-th time, before it does anything."""
    real, calls = getattr(owner, name), 0
    def held(*given, **named):
        nonlocal calls
        calls += 1
        if calls == count:
            hold()
        return real(*given, **named)
    setattr(owner, name, held)

def hold_spawn(word):
    """In place of the program with this word among its arguments, starts one that has not yet left our
    process group, and goes on when it has ended."""
    real = os.posix_spawn
    def held(path, command, environment, **settings):
        if word not in command:
            return real(path, command, environment, **settings)
        child = real("/bin/sleep", ["sleep", "600"], environment, setsigdef=settings["setsigdef"],
                     setsigmask=settings["setsigmask"])
        os.write(2, b"{MARK}")
        os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
        return child
    os.posix_spawn = held

kind, _, what = os.environ.pop("HOLD").partition(" ")  # processes that it starts are not held
if kind == "load":
    sys.meta_path.insert(0, Finder(what))
elif kind == "replace":
    hold_at(os, "replace", int(what))
elif kind == "write":
    import pathlib
    hold_at(pathlib.Path, "write_bytes", int(what))
elif kind == "spawn":
    hold_spawn(what)
elif kind == "leave":
    import atexit
    atexit.register(hold)
'''


def holding(folder: Path, moment: str) -> dict[str, str]:
    """Return the environment of a command that stops at a moment.

    The moments are `load MODULE`, `replace N` (when a file takes its place), `write N` (before one is
    written), `spawn WORD` (while a program with that argument is being started), `leave` (after all was
    done). A mark appears at that moment.
    """
    place = folder / "holding"
    place.mkdir()
    (place / "sitecustomize.py").write_text(_SOURCE, encoding="utf-8")
    path = filter(None, (str(place), os.environ.get("PYTHONPATH")))
    return {"PYTHONPATH": os.pathsep.join(path), "HOLD": moment}
