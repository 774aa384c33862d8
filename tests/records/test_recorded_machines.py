"""Records that name a machine are read, verified and replayed like others; misshapen ones are refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from botequim.core.errors import RecordError
from botequim.engine.machine import Machine
from botequim.records.reader import RawRecord, parse
from botequim.records.record import chain_lines, machine_from
from botequim.records.replay import Replay
from botequim.records.verify import referee_again, verify_record
from tests.support.golden import FOLDER

MACHINE = {"label": "lab-3", "speed": 0.5}


def lines(machine: Any = MACHINE, **last: Any) -> list[str]:
    """The lines of a golden record as if this machine had played it."""
    text = (FOLDER / "cubos-domino.jsonl").read_text(encoding="utf-8")
    contents = [json.loads(line) for line in text.splitlines()]
    for content in contents:
        del content["digest"]
    contents[0]["machine"] = machine
    contents[-1] |= last
    return list(chain_lines(contents))


def raw_record(text: list[str]) -> RawRecord:
    (raw,) = parse([line.encode() for line in text], "x.jsonl")
    return raw


@pytest.mark.parametrize("waited", [[0.25, None, 0, 1], [None] * 4])
def test_a_record_with_a_machine_verifies_and_replays_to_itself(waited: list[Any]) -> None:
    text = lines(waited=waited)
    raw = raw_record(text)
    assert verify_record(raw).ok
    again = referee_again(raw)
    assert again.machine == Machine("lab-3", 0.5)
    assert again.waited == tuple(waited)
    assert list(map(json.loads, again.lines())) == list(map(json.loads, text))
    assert list(map(json.loads, again.public().lines())) == list(map(json.loads, text))
    assert Replay.load(raw).complete


def test_a_machine_without_waits_is_enough() -> None:
    raw = raw_record(lines())
    assert verify_record(raw).ok
    assert referee_again(raw).waited == ()


def test_another_machine_breaks_the_digests() -> None:
    text = lines()
    text[0] = text[0].replace("lab-3", "lab-4")
    (mismatch,) = verify_record(raw_record(text)).mismatches
    assert "the digest" in str(mismatch.sentence())


def test_an_address_in_a_record_written_by_hand_is_not_shown() -> None:
    machine = machine_from({"machine": {"label": "10.1.2.3", "speed": 1}})
    assert machine == Machine("machine", 1.0)
    assert machine_from({}) is None


@pytest.mark.parametrize(
    "machine",
    [
        None,
        "lab-3",
        ["lab-3", 0.5],
        {"label": "lab-3"},
        {"speed": 0.5},
        {"label": 3, "speed": 0.5},
        {"label": "lab-3", "speed": 0},
        {"label": "lab-3", "speed": -1},
        {"label": "lab-3", "speed": "fast"},
        {"label": "lab-3", "speed": True},
        {"label": "lab-3", "speed": 10**400},
    ],
)
def test_a_misshapen_machine_is_refused_by_name(machine: Any) -> None:
    with pytest.raises(
        RecordError, match='"machine" must be an object with a "label" and a "speed"'
    ) as caught:
        raw_record(lines(machine))
    assert caught.value.line == 1


def test_an_infinite_speed_is_refused() -> None:
    text = [line.replace("0.5", "1e999") for line in lines()]
    with pytest.raises(RecordError, match='"machine" must be'):
        raw_record(text)


@pytest.mark.parametrize(
    "waited", [None, 3, "long", [0.1], [0.1] * 5, [0.1, -1, 0, 0], ["1", 0, 0, 0], [True, 0, 0, 0]]
)
def test_misshapen_waits_are_refused_by_name(waited: Any) -> None:
    with pytest.raises(RecordError, match='"waited" must be a list'):
        raw_record(lines(waited=waited))
