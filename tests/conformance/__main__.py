"""Replays all files of a folder: `python -m tests.conformance DIR`."""

from __future__ import annotations

import json
import sys
from collections import Counter
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Final

from botequim import registry
from tests.conformance import Inexpressible

PASSED: Final = "passed"
FAILED: Final = "mismatches"
SKIPPED: Final = "cannot be expressed"


def main(folder: Path) -> int:
    if not folder.is_dir():
        print(f"{folder} is not a folder; give the one with the *.jsonl files: make conformance DIR=...")
        return 2
    total: Counter[str] = Counter()
    missing = 0
    for name in registry.game_names():
        if find_spec(f"tests.conformance.{name}") is None:
            print(f"{name}: nothing was recorded elsewhere")
            continue
        module = import_module(f"tests.conformance.{name}")
        path = folder / module.FILE
        if not path.exists():
            print(f"{name}: {module.FILE} is not there")
            missing += 1
            continue
        counted = replay(module, path)
        print(f"{name}: {counted.total()} replayed, {counted[FAILED]} {FAILED}{_skipped_text(counted)}")
        total += counted
    files = f", {missing} files missing" if missing else ""
    print(f"conformance: {total[PASSED]} passed, {total[FAILED]} failed{_skipped_text(total)}{files}")
    return 1 if total[FAILED] or missing or not total[PASSED] else 0


def replay(module: ModuleType, path: Path) -> Counter[str]:
    """Replay every line of a file and report those that do not pass; one never ends the others."""
    counted: Counter[str] = Counter()
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            module.check(json.loads(line))
            counted[PASSED] += 1
        except Inexpressible as error:
            counted[SKIPPED] += 1
            print(f"{path.name}:{number}: cannot be expressed: {error}")
        except Exception as error:  # a record that is not as the reader expects it is reported too
            counted[FAILED] += 1
            print(f"{path.name}:{number}: {type(error).__name__}: {error}")
    return counted


def _skipped_text(counted: Counter[str]) -> str:
    return f", {counted[SKIPPED]} {SKIPPED}" if counted[SKIPPED] else ""


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
