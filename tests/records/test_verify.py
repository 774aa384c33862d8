"""Records that are true, edited, cut short, corrupted, or written by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botequim import registry
from botequim.core.errors import BotequimError, RecordError
from botequim.records.reader import parse, read_records
from botequim.records.record import chain_lines
from botequim.records.verify import Verdict, referee_again, verify_record
from tests.support.golden import FOLDER, GOLDEN

DOMINO = FOLDER / "cubos-domino.jsonl"
FORFEIT = FOLDER / "cubos-forfeit.jsonl"
RPS = FOLDER / "rps-faults-and-art.jsonl"

Lines = list[dict[str, Any]]


def load(path: Path) -> Lines:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def check(lines: Lines) -> Verdict:
    (found,) = parse([json.dumps(line).encode() for line in lines], "x.jsonl")
    return verify_record(found)


def strip_digests(lines: Lines) -> Lines:
    """The same record without digests, as if it were written by hand."""
    return [{key: value for key, value in line.items() if key != "digest"} for line in lines]


def forge_digests(lines: Lines) -> Lines:
    """The same record with digests that fit, as a forger would make them."""
    return [json.loads(line) for line in chain_lines(strip_digests(lines))]


def sentence(verdict: Verdict) -> str:
    return str(verdict.mismatches[0].sentence())


def first_turn_of_a_seat(lines: Lines) -> int:
    return next(at for at, line in enumerate(lines) if "moves" in line and line["moves"][0]["by"] != "chance")


# --- true ones


def test_a_record_without_digests_or_seed_verifies_by_the_rules_alone() -> None:
    lines = strip_digests(load(DOMINO))
    del lines[0]["seed"]
    verdict = check(lines)
    assert verdict.ok
    assert not verdict.has_digests
    assert not verdict.has_seed


def test_white_space_and_the_order_of_keys_do_not_matter() -> None:
    lines = [json.dumps(line, indent=None, sort_keys=True).encode() + b"  \n" for line in load(RPS)]
    (found,) = parse([b"\n", *lines], "x.jsonl")
    assert verify_record(found).ok


def test_a_file_may_hold_several_records() -> None:
    text = DOMINO.read_bytes() + RPS.read_bytes()
    games = [verify_record(found) for found in parse(text.splitlines(keepends=True), "x.jsonl")]
    assert [game.ok for game in games] == [True, True]
    assert games[1].raw.header.number == len(DOMINO.read_text().splitlines()) + 1


def test_a_tile_may_be_written_either_way_by_hand() -> None:
    lines = strip_digests(load(DOMINO))
    at = next(at for at, line in enumerate(lines) if "moves" in line and " left" in line["moves"][0]["move"])
    tile, side = lines[at]["moves"][0]["move"].split()
    lines[at]["moves"][0]["move"] = f"{tile[2]}-{tile[0]} {side}"
    assert check(lines).ok


# --- edits the rules notice, with or without digests that fit


def edit(path: Path, change: Callable[[Lines], None]) -> Verdict:
    lines = load(path)
    change(lines)
    return check(forge_digests(lines))


def test_an_illegal_move_is_named_with_line_turn_expected_and_found() -> None:
    def change(lines: Lines) -> None:
        at = first_turn_of_a_seat(lines)
        lines[at]["moves"][0]["move"] = "6-6 left"

    at = first_turn_of_a_seat(load(DOMINO)) + 1
    assert sentence(edit(DOMINO, change)) == (
        f'line {at}, turn {at - 1}: expected a fault (6-6 is not in the hand); found "6-6 left"'
    )


def test_a_move_of_the_wrong_seat() -> None:
    def change(lines: Lines) -> None:
        move = lines[first_turn_of_a_seat(lines)]["moves"][0]
        move["by"] = (move["by"] + 1) % 4

    assert "expected a move of seat" in sentence(edit(DOMINO, change))


def test_a_second_move_in_a_turn_of_one() -> None:
    def change(lines: Lines) -> None:
        line = lines[first_turn_of_a_seat(lines)]
        line["moves"].append({"by": (line["moves"][0]["by"] + 1) % 4, "move": "pass"})

    assert "expected no such move" in sentence(edit(DOMINO, change))


def test_an_invented_fault() -> None:
    def change(lines: Lines) -> None:
        move = lines[first_turn_of_a_seat(lines)]["moves"][0]
        move |= {"fault": {"kind": "illegal", "refused": move["move"]}, "move": "forfeit"}
        del lines[first_turn_of_a_seat(lines) + 1 : -1]

    assert "which is legal; found a fault" in sentence(edit(DOMINO, change))


def test_a_fault_that_became_another_move() -> None:
    def change(lines: Lines) -> None:
        for move in lines[-2]["moves"]:
            if "fault" in move:
                move["move"] = "pass"

    assert 'expected "forfeit"; found "pass"' in sentence(edit(FORFEIT, change))


def test_an_impossible_deal() -> None:
    def change(lines: Lines) -> None:
        del lines[0]["seed"]
        lines[1]["moves"][0]["move"] = lines[1]["moves"][0]["move"].replace("0-0", "1-1")

    assert "line 2, turn 1: expected a move that chance can make (a deal holds no tile twice)" in sentence(
        edit(DOMINO, change)
    )


def test_a_deal_that_does_not_follow_from_the_seed() -> None:
    def change(lines: Lines) -> None:
        lines[0]["seed"] = "another"

    assert "as the seed gives; found" in sentence(edit(DOMINO, change))


@pytest.mark.parametrize(
    ("name", "value"), [("places", [1, 2]), ("how", "blocked"), ("points", [0, 0, 0, 0]), ("places", [])]
)
def test_another_outcome(name: str, value: object) -> None:
    def change(lines: Lines) -> None:
        lines[-1]["outcome"][name] = value

    assert f"expected {name} = " in sentence(edit(DOMINO, change))


def test_turns_left_out_before_the_outcome() -> None:
    def change(lines: Lines) -> None:
        del lines[-2]

    verdict = edit(DOMINO, change)
    assert verdict.mismatches[0].line == len(load(DOMINO)) - 1
    assert "found the outcome" in sentence(verdict)


def test_turns_added_after_the_end() -> None:
    def change(lines: Lines) -> None:
        turn = lines[-2]["turn"] + 1
        lines.insert(-1, {"turn": turn, "moves": [{"by": 0, "move": "pass"}]})

    assert "the game is over" in sentence(edit(DOMINO, change))


def test_too_few_seats() -> None:
    def change(lines: Lines) -> None:
        lines[0]["seats"].pop()

    assert sentence(edit(DOMINO, change)) == "line 1: expected 4 seats; found 3 seats"


def test_a_move_that_is_none() -> None:
    def change(lines: Lines) -> None:
        lines[5]["moves"][0]["move"] = "castle"

    assert "expected a move of cubos" in sentence(edit(DOMINO, change))


def test_art_beyond_the_limits() -> None:
    def change(lines: Lines) -> None:
        lines[1]["moves"][0]["remarks"] = [{"art": ["*" * 61]}]

    assert "61 characters" in sentence(edit(RPS, change))


def test_chance_makes_no_remarks() -> None:
    def change(lines: Lines) -> None:
        lines[1]["moves"][0]["remarks"] = [{"say": "hello"}]

    assert "expected no remark" in sentence(edit(DOMINO, change))


# --- edits only the digests notice


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: lines[0]["seats"][0].update(name="champion"),
        lambda lines: lines[0].update(comment="added"),
        lambda lines: lines[4]["moves"][0].update(us=1),
        lambda lines: lines[7]["moves"][0].update(remarks=[{"say": "I won"}]),
        lambda lines: lines[-1].update(seconds=3),
    ],
)
def test_an_edit_the_rules_cannot_notice_is_found_by_the_digest(change: Callable[[Lines], None]) -> None:
    lines = load(RPS)
    change(lines)
    assert check(forge_digests(lines)).ok, "the rules do not notice"
    verdict = check(lines)
    assert not verdict.ok
    assert "the digest" in sentence(verdict)


def test_a_digest_taken_away_from_one_line_is_noticed() -> None:
    lines = load(DOMINO)
    del lines[6]["digest"]
    assert "line 7, turn 6: expected the digest" in sentence(check(lines))
    assert "found no digest" in sentence(check(lines))


# --- what cannot be read: a clear error, with file and line


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "x.jsonl: the file is empty"),
        (b"\n\n", "x.jsonl: the file is empty"),
        (b"hello", "x.jsonl:1: not complete JSON at column 1"),
        (b'{"botequim":1,"ga', "x.jsonl:1: not complete JSON at column 15"),
        (b"[1]", "x.jsonl:1: a line must be a JSON object"),
        (b"\xff\xfe", "x.jsonl:1: not UTF-8 at byte 1"),
        (b'{"turn":1}', "x.jsonl:1: a record begins with a line"),
        (b'{"botequim":2}', "x.jsonl:1: record version 2 is not known; this program reads 1"),
        (b'{"botequim":1,"botequim":1}', 'the key "botequim" appears twice'),
        (b'{"botequim":1,"game":7}', '"game" must be the name of a game'),
        (b'{"botequim":1,"game":"cubos","seats":[]}', '"seats" must be a list'),
        (b'{"botequim":NaN}', "NaN is not a number in JSON"),
        (b"[" * 100_000, "JSON nested too deeply"),
        (b'{"botequim":' + b"9" * 5000 + b"}", "a number is too long"),
    ],
)
def test_unreadable_files_say_where_and_why(text: bytes, message: str) -> None:
    with pytest.raises(RecordError) as caught:
        list(parse(text.splitlines(keepends=True), "x.jsonl"))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("turn", "message"),
    [
        ({"turn": 2, "moves": [{"by": 0, "move": "pass"}]}, "turn 1 expected, found 2"),
        ({"turn": True, "moves": []}, '"turn" must be a whole number'),
        ({"turn": 1, "moves": []}, '"moves" must be a list'),
        ({"turn": 1, "moves": [7]}, "a move must be an object"),
        ({"turn": 1, "moves": [{"by": -1, "move": "pass"}]}, '"by" must be'),
        ({"turn": 1, "moves": [{"by": 0, "move": 7}]}, '"move" must be a text'),
        ({"turn": 1, "moves": [{"by": 0, "move": "pass", "us": 1.5}]}, '"us" must be'),
        ({"turn": 1, "moves": [{"by": 0, "move": "pass", "remarks": ["hi"]}]}, '"remarks" must be'),
        ({"turn": 1, "moves": [{"by": 0, "move": "pass", "warnings": [7]}]}, '"warnings" must be'),
        ({"turn": 1, "moves": [{"by": 0, "move": "pass", "fault": {"kind": "oops"}}]}, '"fault" must be'),
        (
            {
                "turn": 1,
                "moves": [{"by": 0, "move": "x", "fault": {"kind": "crash", "why": {"text": 7}}}],
            },
            '"why" must be',
        ),
        ({"turn": 1, "moves": [{"by": 0, "move": "pass"}] * 2}, "moves twice"),
    ],
)
def test_misshapen_turns_say_what_is_wrong(turn: dict[str, Any], message: str) -> None:
    lines = strip_digests(load(DOMINO))
    lines[1] = turn
    with pytest.raises(RecordError) as caught:
        check(lines)
    assert message in str(caught.value)
    assert caught.value.line == 2


def test_an_unknown_game_or_option_is_an_error_that_lists_the_known_ones() -> None:
    lines = strip_digests(load(DOMINO))
    lines[0]["game"] = "domino"
    with pytest.raises(RecordError, match=r'x.jsonl:1: unknown game "domino"; known: .*cubos'):
        check(lines)
    lines[0] |= {"game": "cubos", "options": {"blocked": "x"}}
    with pytest.raises(RecordError, match="allowed: draw, points"):
        check(lines)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BotequimError, match="cannot be read"):
        list(read_records(tmp_path / "none.jsonl"))
    with pytest.raises(BotequimError, match="is a folder; give a record"):
        list(read_records(tmp_path))


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden.path.stem)
def test_cut_anywhere_it_is_never_taken_for_whole(golden: Any) -> None:
    lines = golden.path.read_bytes().splitlines(keepends=True)
    for length in range(len(lines)):
        with pytest.raises(RecordError):
            list(parse(lines[:length], "x.jsonl"))


@settings(max_examples=300)
@given(data=st.data())
def test_any_changed_byte_is_noticed_without_a_traceback(data: st.DataObject) -> None:
    path = data.draw(st.sampled_from([DOMINO, FORFEIT, RPS]))
    text = bytearray(path.read_bytes())
    at = data.draw(st.integers(0, len(text) - 1))
    text[at] = data.draw(st.integers(0, 255).filter(lambda byte: byte != text[at]))
    try:
        records = [verify_record(found) for found in parse(bytes(text).splitlines(keepends=True), "x.jsonl")]
    except BotequimError:
        return
    same = [json.loads(line) for line in bytes(text).splitlines() if line.strip()] == load(path)
    assert same or not all(record.ok for record in records)


# --- records of strangers, made to hurt


def with_why(why: Any) -> Lines:
    lines = load(FORFEIT)
    for move in lines[-2]["moves"]:
        move["fault"]["why"] = why
    return forge_digests(lines)


@pytest.mark.parametrize(
    "text", ["{x:>99999999999}", "{x.__class__.__mro__}", "{x!r}", "{", "}{", "{0}", "", "\ud800"]
)
def test_templates_are_only_ever_filled_in(text: str) -> None:
    (found,) = parse(
        [json.dumps(line).encode() for line in with_why({"text": text, "with": {"x": "a"}})], "x"
    )
    assert verify_record(found).ok
    made = referee_again(found).turns[-1][0]
    assert made.fault is not None
    assert str(made.fault.reason) == text


def test_messages_may_not_be_nested_without_end() -> None:
    why: Any = {"text": "end"}
    for _ in range(100):
        why = {"text": "{x}", "with": {"x": why}}
    with pytest.raises(RecordError, match='"why" must be'):
        check(with_why(why))


def test_half_a_character_is_a_text_like_any_other() -> None:
    lines = load(DOMINO)
    lines[0]["seed"] = "\ud800"
    assert "as the seed gives" in sentence(check(forge_digests(lines)))
    lines = load(RPS)
    lines[1]["moves"][0]["remarks"] = [{"say": "\ud800"}]
    assert check(forge_digests(lines)).ok


def test_a_rule_book_that_breaks_down_is_said_to(monkeypatch: pytest.MonkeyPatch) -> None:
    class Breaks:
        def __getattr__(self, name: str) -> Any:
            if name == "check":
                raise ZeroDivisionError("a bug")
            return getattr(registry_game("cubos"), name)

    registry_game = registry.game
    monkeypatch.setattr(registry, "game", lambda name: Breaks())
    with pytest.raises(BotequimError, match="failed on this record"):
        check(load(DOMINO))


def test_a_whole_record_before_a_broken_line_still_counts() -> None:
    records = parse([*DOMINO.read_bytes().splitlines(keepends=True), b"garbage"], "x.jsonl")
    assert verify_record(next(records)).ok
    with pytest.raises(RecordError):
        next(records)


def test_a_line_without_end_is_not_read_into_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("botequim.records.reader.LONGEST_LINE", 1000)
    path = tmp_path / "long.jsonl"
    path.write_bytes(b'{"botequim":1,"game":"' + b"x" * 5000)
    with pytest.raises(RecordError, match="longer than 1000 bytes"):
        list(read_records(path))
