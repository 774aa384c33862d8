"""Control groups, in ordinary folders."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import pytest

from botequim.sandbox import cgroups


def test_a_group_that_a_killed_process_with_the_same_number_left_is_not_in_the_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cgroups, "_counter", itertools.count(5))
    parents = tuple(cgroups.GroupParent(tmp_path / name, frozenset({name}), 1) for name in ("memory", "pids"))
    for parent in parents:
        parent.folder.mkdir()
    left = f"botequim-{os.getpid()}-5"
    (tmp_path / "pids" / left).mkdir()
    group = cgroups.Group(parents)
    assert [folder.name for folder in group.folders] == [f"botequim-{os.getpid()}-6"] * 2
    assert not (tmp_path / "memory" / left).exists()
    assert group.remove()
