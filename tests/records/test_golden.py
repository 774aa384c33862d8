"""Golden records: the same text from the same seed, on every Python, for every registered game."""

from __future__ import annotations

import pytest

from botequim import registry
from botequim.records.reader import read_records
from botequim.records.verify import referee_again, verify_record
from tests.support.golden import FOLDER, GOLDEN, Golden


@pytest.mark.parametrize("name", registry.game_names())
def test_every_registered_game_has_a_golden_record(name: str) -> None:
    assert list(FOLDER.glob(f"{name}-*.jsonl")), f"add one to tests/support/golden.py: {name}"


def test_every_file_is_a_golden_record() -> None:
    assert {path.name for path in FOLDER.iterdir()} == {golden.path.name for golden in GOLDEN}


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden.path.stem)
def test_the_same_seed_gives_the_same_text(golden: Golden) -> None:
    assert golden.text() == golden.path.read_text(encoding="utf-8")


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden.path.stem)
def test_golden_records_verify_and_replay_to_themselves(golden: Golden) -> None:
    (found,) = read_records(golden.path)
    verdict = verify_record(found)
    assert verdict.ok
    assert verdict.has_seed
    assert verdict.has_digests
    assert "".join(line + "\n" for line in referee_again(found).lines()) == golden.path.read_text(
        encoding="utf-8"
    )
