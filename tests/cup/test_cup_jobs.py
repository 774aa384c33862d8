"""One series of a cup in one process: sittings, faults noted, delays that are ours."""

from __future__ import annotations

import io
import json
import pickle
import zlib
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any

import pytest

from botequim import registry
from botequim.bots.entrant import Entrant
from botequim.core.errors import FaultKind, PlayerFault
from botequim.core.limits import EnforcedLimit
from botequim.core.messages import msg
from botequim.core.options import resolve_options
from botequim.core.process import Program
from botequim.cup.jobs import CupGame, Overloaded, finished_series, series_job
from botequim.cup.pairing import Pairing, SeriesRules, Sides
from botequim.engine.jobs import SeriesJob, run_job
from botequim.engine.random_player import Random
from botequim.records.reader import parse
from botequim.records.verify import verify_record
from botequim.sandbox.bubblewrap import Bubblewrap
from botequim.sandbox.cgroups import GroupParent
from botequim.storage.values import FinishedSeries

GREEDY, RANDOM = Entrant("greedy", "greedy"), Entrant("random", "random")


def pairing(**rules: Any) -> Pairing:
    return Pairing("a | b", ("a", "b"), SeriesRules(**{"games": 4} | rules), msg("a trial"))


def job(game_name: str = "cubos", options: dict[str, Any] | None = None, **rules: Any) -> SeriesJob[CupGame]:
    game = registry.game(game_name)
    resolved = resolve_options(game.name, game.options, options or {})
    return series_job("league", pairing(**rules), "7", game_name, resolved, {"a": GREEDY, "b": RANDOM})


def play(job: SeriesJob[CupGame]) -> FinishedSeries:
    return finished_series(pairing(), run_job(job))


@pytest.mark.parametrize("sides", Sides)
def test_every_game_is_played_and_its_record_is_true(sides: Sides) -> None:
    finished = play(job(sides=sides))
    assert len(finished.result.games) == len(finished.games) == 4
    for game in finished.games:
        lines = zlib.decompress(game.record).split(b"\n")
        (found,) = parse(lines, "test.jsonl")
        assert verify_record(found).ok
        assert json.loads(lines[-1])["digest"] == game.digest


def test_the_same_series_is_the_same_anywhere() -> None:
    one, other = play(job(sides=Sides.EVERY)), play(job(sides=Sides.EVERY))
    assert one.result == other.result


def test_a_best_of_ends_when_it_is_decided() -> None:
    games = play(job("fives", games=9, early=True, options={"target": 5})).result.games
    won = [sum(game.is_win(at) for game in games) for at in range(2)]
    assert max(won) > 9 - len(games) + min(won) or len(games) == 9
    assert len(games) < 9 or abs(won[0] - won[1]) <= 1


class StarvedBot(Random):
    """Blames the machine."""

    def choose(self, view: Any) -> Any:
        raise PlayerFault(FaultKind.TIMEOUT, queued=1.5, allowed=5.0)


def test_a_timeout_of_ours_is_played_again_and_not_charged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("botequim.registry.player", lambda game, name: StarvedBot)
    with pytest.raises(Overloaded, match=r"waited 1.5 of its 5.0 seconds"):
        play(replace(job(), is_last_attempt=False))
    charged = play(job())
    assert {note.kind for note in charged.faults} == {"timeout"}


def test_faults_are_noted_by_entrant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = registry.player

    class Clumsy(Random):
        def choose(self, view: Any) -> Any:
            raise ZeroDivisionError

    monkeypatch.setattr(
        "botequim.registry.player", lambda game, name: Clumsy if name == "greedy" else real(game, name)
    )
    finished = play(job(sides=Sides.DRAWN))
    assert {note.entrant for note in finished.faults} == {"a"}
    assert all(game.faults == (1, 0) for game in finished.result.games)
    assert all(json.loads(note.fault)["kind"] == "crash" for note in finished.faults)


class Inspector(pickle.Pickler):
    """Notes all objects that a pickle contains."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO())
        self.found: list[Any] = []

    def persistent_id(self, value: Any) -> None:
        self.found.append(value)


def places_of_this_machine(job: SeriesJob[CupGame]) -> set[str]:
    """The paths and control groups that travel with a job."""
    inspector = Inspector()
    inspector.dump(job)
    paths = {str(one) for one in inspector.found if isinstance(one, PurePath | GroupParent)}
    return paths | {one for one in inspector.found if isinstance(one, str) and one[:1] == "/" != one}


def test_a_job_contains_nothing_of_this_machine_but_the_files_of_its_bots(tmp_path: Path) -> None:
    assert not places_of_this_machine(job())
    assert not places_of_this_machine(replace(job(), sandbox=Bubblewrap()))
    folder = Path(str(tmp_path))  # Python 3.13 pickles a joined path in its parts
    bot = Entrant.bot("bot", "bot", registry.wire("cubos", "arena-lines"), Program(("./bot",), folder))
    assert places_of_this_machine(replace(job(), entrants=(bot, GREEDY))) == {str(tmp_path)}


def test_a_sandbox_uses_the_control_groups_of_the_process_that_gets_it() -> None:
    here = Bubblewrap(frozenset(EnforcedLimit))
    assert pickle.loads(pickle.dumps(here)).group_parents == here.group_parents
    without = Bubblewrap(group_parents=())
    assert pickle.loads(pickle.dumps(without)).group_parents == ()
