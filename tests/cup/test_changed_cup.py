"""A cup that was changed in all ways verifies, and whoever tampers with its log is found."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from botequim.cli import main
from botequim.core.errors import InputError
from botequim.cup.audit import verify_bundle
from botequim.cup.change_effects import effect
from botequim.cup.change_requests import RequestState, apply_requests, request_change, requests
from botequim.cup.change_rules import problem, with_change
from botequim.cup.changes import (
    Change,
    Departure,
    Disqualification,
    LateEntrant,
    NewFiles,
    Replay,
    Revocation,
    chain_problem,
    entries,
    log_json,
    log_start,
    read_log,
)
from botequim.cup.config_parser import read
from botequim.cup.runner import RunStatus
from botequim.cup.stages import commitment
from botequim.cup.withdrawals import without_withdrawn
from botequim.sandbox.probe import isolating_sandbox
from botequim.storage.errors import DamagedStore
from tests import ROOT
from tests.support.changed_cups import (
    FINAL,
    FOUR,
    LEAGUE,
    change,
    findings,
    make_cup,
    play,
    play_some,
    state_of,
    storage_of,
    write_changed_bundle,
)

# --- a cup that is changed in all ways -----------------------------------------------------------------


TOP_FOUR = FINAL.replace("top = 2", "top = 4")


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a cup that was changed in all ways, with its bundle."""
    folder = tmp_path_factory.mktemp("changed")
    for name in ("bot", "fixed"):
        shutil.copytree(ROOT / "examples" / "rps", folder / name)
    (folder / "fixed" / "NEWS").write_text("corrected")
    cup = make_cup(folder, LEAGUE + TOP_FOUR, FOUR | {"bot": "bot"})
    sandbox = isolating_sandbox()
    wanted: list[Change] = [
        LateEntrant("eva", "greedy"),
        Disqualification("bia"),
        Departure("cai", annulled=True),
        Disqualification("dan"),
        Revocation(4),
    ]

    def ask_for_next(status: RunStatus) -> None:
        if wanted:
            request_change(storage_of(cup), wanted.pop(0), who="jury", why="as decided")

    play(cup, between=ask_for_next, stages=["league"], sandbox=sandbox)
    request_change(storage_of(cup), Replay("league", "ana | bot"), who="jury", why="the machine failed")
    request_change(storage_of(cup), NewFiles("bot", "final", "fixed"), who="jury", why="it was broken")
    assert apply_requests(cup, storage_of(cup), sandbox, isolated=True)
    play(cup, sandbox=sandbox)
    assert [one.state for one in requests(storage_of(cup))] == [RequestState.APPLIED] * 7
    write_changed_bundle(cup, folder / "bundle")
    return folder


def test_a_cup_that_was_changed_in_all_ways_verifies(
    changed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cup = read(changed / "copa.toml")
    state = state_of(cup)
    assert state.over
    assert set(state.entrants("final") or ()) == {"ana", "dan", "bot", "eva"}
    assert [row.entrant for row in state.overall()][-2:] == ["bia", "cai"]
    assert len(state.log) == 7
    assert "ana | bot" in state.void_series("league")
    proof = verify_bundle(changed / "bundle")
    assert [str(one.sentence()) for one in proof.findings] == []
    assert proof.log == state.log
    assert proof.progress.overall() == state.overall()
    headers = [
        json.loads(line)
        for stage in ("league", "final")
        for line in (changed / "bundle" / "records" / f"{stage}.jsonl").read_text().splitlines()
        if '"seats"' in line
    ]
    files = {seat["files"] for header in headers for seat in header["seats"] if seat["name"] == "bot"}
    assert len(files) == 2, "the first files and the corrected ones"
    assert main(["verify", str(changed / "bundle")]) == 0
    assert capsys.readouterr().out.count(" Reason: ") == 7, "a reader sees that the cup was changed"


def test_effects_and_problems_are_told_before(changed: Path) -> None:
    cup = read(changed / "copa.toml")
    state = state_of(cup)
    with storage_of(cup).open_results() as store:
        played = without_withdrawn(cup, store)
    before = state.before(state.log[1])
    assert problem(played, before, state.log[1].change) is None
    told = "\n".join(str(one) for one in effect(played, before, state.log[1].change))
    assert "series won without play" in told
    assert "bia" in told
    assert "no longer count" in "\n".join(
        str(one) for one in effect(played, state.before(state.log[2]), state.log[2].change)
    )
    assert with_change(before, state.log[1].change).changes[-1].change == state.log[1].change


# --- tampering -----------------------------------------------------------------------------------------


def remove_entry(log: list[Any]) -> None:
    del log[1]


def remove_last(log: list[Any]) -> None:
    del log[-1]


def alter_reason(log: list[Any]) -> None:
    log[2]["why"] = "another reason"


def alter_effect(log: list[Any]) -> None:
    log[1]["change"]["entrant"] = "ana"


def move_entry(log: list[Any]) -> None:
    log[0], log[1] = log[1], log[0]


def alter_moment(log: list[Any]) -> None:
    log[2]["after"]["league"] += 1


def add_entry(log: list[Any]) -> None:
    log.append({**log[-1], "number": 8, "change": {"kind": "revocation", "entry": 2}})


@pytest.mark.parametrize(
    ("edit", "named"),
    [
        (remove_entry, "changes.json, entry 2: entry 3 is where entry 2 should be"),
        (remove_last, "changes.json, entry 6: this is the last entry, but the log had 7 entries"),
        (alter_reason, "changes.json, entry 3: it does not match its digest"),
        (alter_effect, "changes.json, entry 2: it does not match its digest"),
        (move_entry, "changes.json, entry 1: entry 2 is where entry 1 should be"),
        (alter_moment, "changes.json, entry 3: it does not match its digest"),
        (add_entry, "changes.json, entry 8: it does not match its digest"),
    ],
)
def test_a_log_that_was_tampered_with_is_found(
    edit: Callable[[list[Any]], None], named: str, changed: Path, tmp_path: Path
) -> None:
    """Also if the checksums of the files are made to fit again, which anybody can do."""
    bundle = Path(shutil.copytree(changed / "bundle", tmp_path / "bundle"))
    log = json.loads((bundle / "changes.json").read_text())
    edit(log)
    (bundle / "changes.json").write_text(json.dumps(log))
    manifest = json.loads((bundle / "bundle.json").read_text())
    manifest["files"]["changes.json"] = sha256((bundle / "changes.json").read_bytes()).hexdigest()
    (bundle / "bundle.json").write_text(json.dumps(manifest))
    assert named in "\n".join(findings(bundle))


def test_a_log_that_is_left_out_is_found(changed: Path, tmp_path: Path) -> None:
    bundle = Path(shutil.copytree(changed / "bundle", tmp_path / "bundle"))
    (bundle / "changes.json").unlink()
    with pytest.raises(InputError, match=r"changes\.json is missing"):
        verify_bundle(bundle)
    manifest = json.loads((bundle / "bundle.json").read_text())
    del manifest["changes"], manifest["files"]["changes.json"], manifest["entrants"]["eva"]
    (bundle / "bundle.json").write_text(json.dumps(manifest))
    assert any("should not have been played here" in one for one in findings(bundle))


def test_an_effect_with_fresh_digests_does_not_fit_the_games(changed: Path, tmp_path: Path) -> None:
    """Whoever writes the whole chain anew still cannot make another change fit what was played."""
    bundle = Path(shutil.copytree(changed / "bundle", tmp_path / "bundle"))
    log = list(read_log(json.loads((bundle / "changes.json").read_text())))
    log[1] = replace(log[1], change=Disqualification("ana"))
    manifest = json.loads((bundle / "bundle.json").read_text())
    before = log_start(manifest["digest"], manifest["commitment"])
    for at, entry in enumerate(log):
        log[at] = entry.with_digest(before)
        before = log[at].digest
    (bundle / "changes.json").write_text(json.dumps(log_json(log)))
    manifest["files"]["changes.json"] = sha256((bundle / "changes.json").read_bytes()).hexdigest()
    manifest["changes"]["digest"] = before
    (bundle / "bundle.json").write_text(json.dumps(manifest))
    assert findings(bundle)


def test_a_stored_log_with_a_wrong_entry_is_damage(tmp_path: Path) -> None:
    cup = make_cup(tmp_path)
    play_some(cup, 1)
    change(cup, Disqualification("ana"))
    with storage_of(cup).open_results(write=True) as store:
        (entry,) = entries(store)
        assert chain_problem([entry], log_start(cup.digest(), commitment("7"))) is None
        store.put_facts({"changes": '[{"number": 1}]'})
        with pytest.raises(DamagedStore):
            entries(store)
