"""Replays all files of a folder: `python -m tests.conformance DIR`."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from botequim import registry
from tests.conformance import Mismatch


def main(folder: Path) -> int:
    if not folder.is_dir():
        print(f"{folder} is not a folder; give the one with the *.jsonl files: make conformance DIR=...")
        return 2
    played = failed = 0
    for name in registry.game_names():
        if find_spec(f"tests.conformance.{name}") is None:
            print(f"{name}: nothing was recorded elsewhere")
            continue
        module = import_module(f"tests.conformance.{name}")
        path = folder / module.FILE
        if not path.exists():
            print(f"{name}: {module.FILE} is not there")
            failed += 1
            continue
        lines = path.read_text(encoding="utf-8").splitlines()
        wrong = 0
        for number, line in enumerate(lines, start=1):
            try:
                module.check(json.loads(line))
            except (Mismatch, KeyError, ValueError, IndexError) as error:
                wrong += 1
                print(f"{path.name}:{number}: {type(error).__name__}: {error}")
        print(f"{name}: {len(lines)} replayed, {wrong} mismatches")
        played += len(lines)
        failed += wrong
    print(f"conformance: {max(played - failed, 0)} passed, {failed} failed")
    return 1 if failed or not played else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
