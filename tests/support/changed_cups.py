"""Cups that are changed while they are played, in this process."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from botequim.core.process import Sandbox
from botequim.cup.audit import verify_bundle
from botequim.cup.bundle import write_bundle
from botequim.cup.change_requests import ChangeRequest, RequestState, apply_requests, request_change, requests
from botequim.cup.changes import Change
from botequim.cup.config import Cup
from botequim.cup.config_parser import read
from botequim.cup.paths import CupPaths
from botequim.cup.rounds import stored_state
from botequim.cup.runner import Runner, RunStatus, begin
from botequim.cup.stages import CupState
from botequim.cup.withdrawals import without_withdrawn
from botequim.engine.executors import InProcess
from botequim.sandbox.none import NoSandbox
from botequim.storage.protocol import CupStorage
from tests.support.cup_commands import cup as write_cup

FOUR = {"ana": "greedy", "bia": "random", "cai": "random", "dan": "greedy"}
LEAGUE = '[[stages]]\nname = "league"\nformat = "round_robin"\nplayoff = "cut"\ngames = 2\n'
FINAL = '[[stages]]\nname = "final"\nfrom = "league"\ntop = 2\nformat = "knockout"\ngames = 3\n'


def make_cup(folder: Path, stages: str = LEAGUE, entrants: Mapping[str, str] = FOUR) -> Cup:
    stages = f"[options]\nrounds = 2\n{stages}"
    return read(write_cup(folder / "copa.toml", dict(entrants), game="rps", stages=stages))


def storage_of(cup: Cup) -> CupStorage:
    return CupPaths.of_cup(cup).storage


def play(
    cup: Cup,
    *,
    between: Callable[[RunStatus], object] = lambda status: None,
    stages: list[str] | None = None,
    sandbox: Sandbox | None = None,
) -> None:
    """Play a cup in this process, and call `between` after each series."""
    with storage_of(cup).open_results(write=True) as store:
        seed = begin(cup, store, None)
        played = without_withdrawn(cup, store)
        runner = Runner(
            played,
            store,
            seed,
            sandbox or NoSandbox(),
            sandbox is not None,
            lambda observation: InProcess(),
            live=storage_of(cup),
        )
        for status in runner.play(stages):
            between(status)


def play_some(cup: Cup, count: int) -> None:
    """Play until so many series are stored."""

    class Enough(Exception):
        """So many are stored."""

    def check(status: RunStatus) -> None:
        if sum(map(len, status.progress.results.values())) >= count:
            raise Enough

    with pytest.raises(Enough):
        play(cup, between=check)


def ask(cup: Cup, *changes: Change) -> list[ChangeRequest]:
    """Ask for changes while nobody plays, and return what became of them."""
    numbers = [request_change(storage_of(cup), one, who="organiser", why="because") for one in changes]
    assert apply_requests(cup, storage_of(cup), NoSandbox(), isolated=False)
    found = {one.number: one for one in requests(storage_of(cup))}
    return [found[number] for number in numbers]


def change(cup: Cup, *changes: Change) -> None:
    for one in ask(cup, *changes):
        assert one.state is RequestState.APPLIED, one.refusal


def refusal(cup: Cup, wanted: Change) -> str:
    (found,) = ask(cup, wanted)
    assert found.state is RequestState.REFUSED
    return str(found.refusal)


def state_of(cup: Cup) -> CupState:
    with storage_of(cup).open_results(check=True) as store:
        return stored_state(without_withdrawn(cup, store), store, store.results())


def places(state: CupState, stage: str = "league") -> dict[str, int]:
    standings = state.standings(stage)
    assert standings is not None
    return {row.entrant: row.place for row in standings.rows}


def write_changed_bundle(cup: Cup, target: Path) -> Path:
    with storage_of(cup).open_results() as store:
        played = without_withdrawn(cup, store)
        write_bundle(played, stored_state(played, store, store.results()), store, target)
    return target


def findings(bundle: Path) -> list[str]:
    return [str(one.sentence()) for one in verify_bundle(bundle).findings]
