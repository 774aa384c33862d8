"""One `Replay` for finished and for growing records."""

from __future__ import annotations

from dataclasses import replace

import pytest

from botequim.core.errors import InputError, RecordError
from botequim.records.reader import RawRecord, read_records
from botequim.records.record import Record
from botequim.records.replay import Replay
from botequim.records.verify import referee_again
from tests.support.golden import FOLDER

RECORDS = sorted(FOLDER.glob("*.jsonl"))


def record_of(name: str) -> tuple[RawRecord, Record]:
    (raw,) = read_records(FOLDER / f"{name}.jsonl")
    return raw, referee_again(raw)


@pytest.mark.parametrize("name", [path.stem for path in RECORDS])
def test_a_growing_record_gives_the_steps_of_the_finished_one(name: str) -> None:
    raw, record = record_of(name)
    whole, growing = Replay.load(raw), Replay.follow(raw.header.content)
    assert (whole.complete, growing.complete, len(growing)) == (True, False, 0)
    for line, step in zip(raw.turns, whole.steps(), strict=True):
        added = growing.append(line.content)
        assert added.number == step.number == len(growing)
        assert whole.game.view(added.after, None) == whole.game.view(step.after, None)
        assert list(map(repr, added.turn)) == list(map(repr, step.turn))
    assert growing.outcome == whole.outcome == record.outcome
    assert list(record.lines()) == list(replace(record, turns=whole.turns).lines())


def test_positions_are_the_same_in_any_order() -> None:
    raw, _ = record_of("cubos-domino")
    replay = Replay.load(raw)
    views = [replay.view(number, 0) for number in range(len(replay) + 1)]
    fresh = Replay.load(raw)
    for number in (7, 3, 0, len(replay), 1, 8, 8):
        assert fresh.view(number, 0) == views[number]


def test_a_record_that_is_not_valid_is_refused_and_its_valid_part_can_be_had() -> None:
    raw, _ = record_of("cubos-domino")
    raw.turns[4].content["moves"][0]["move"] = "pass"
    with pytest.raises(RecordError, match="line 6, turn 5: expected"):
        Replay.load(raw)
    replay, error = Replay.load_valid_part(raw)
    assert (len(replay), replay.complete, replay.outcome) == (4, False, None)
    assert "turn 5" in str(error)
    raw.header.content["seats"].pop()
    with pytest.raises(RecordError, match="expected 4 seats; found 3 seats"):
        Replay.load_valid_part(raw)


def test_a_turn_that_cannot_be_added_changes_nothing() -> None:
    raw, _ = record_of("cubos-domino")
    replay = Replay.follow(raw.header.content)
    replay.append(raw.turns[0].content)
    for wrong in (
        raw.turns[0].content,
        raw.turns[2].content,
        {"turn": 2, "moves": [{"by": 0, "move": "no"}]},
    ):
        with pytest.raises(InputError):
            replay.append(wrong)
    assert (len(replay), replay.append(raw.turns[1].content).number) == (1, 2)
