"""The paths of the stores of a cup, for tests that damage, lock or read the files themselves."""

from __future__ import annotations

from pathlib import Path

from botequim.cup.paths import CupPaths
from botequim.storage.sqlite import LIVE, RESULTS, SHOW


def results_file(cup: Path) -> Path:
    return CupPaths.of(cup).folder / RESULTS


def live_file(cup: Path) -> Path:
    return CupPaths.of(cup).folder / LIVE


def show_file(cup: Path) -> Path:
    return CupPaths.of(cup).folder / SHOW
