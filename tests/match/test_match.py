"""Matches: deals from every side, results that do not depend on the workers, memory that stays flat."""

from __future__ import annotations

import errno
import tracemalloc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from botequim import registry
from botequim.bots.entrant import Entrant
from botequim.core.errors import BotequimError, InputError, UnknownName
from botequim.core.messages import msg
from botequim.core.player import LocalPlayer
from botequim.core.rng import Rng
from botequim.engine.executors import Completed, InProcess, Outcome
from botequim.engine.jobs import GameSetup, JobResult
from botequim.engine.random_player import Random
from botequim.match.records import prepare_records
from botequim.match.runner import play_match
from botequim.match.spec import MatchSpec
from botequim.match.standings import GameSummary, MatchStandings
from botequim.records.reader import read_records
from botequim.records.record import Record
from botequim.records.verify import verify_record


def play(match: MatchSpec, workers: int = 1) -> MatchStandings:
    table = MatchStandings(match)
    for standing in play_match(match, workers=workers):
        table = standing
    return table


def scores(table: MatchStandings) -> list[tuple[int, int, int, Fraction, tuple[float, float] | None]]:
    return [(score.won, score.drawn, score.lost, score.share, score.interval()) for score in table.scores]


def test_three_or_more_have_ratings() -> None:
    table = play(MatchSpec.of("uno", ("greedy", "random", "random"), games=30, seed="7"))
    ratings = table.ratings()
    assert ratings is not None
    assert ratings.anchors == ("greedy",)
    assert {row.entrant for row in ratings.rows} == {"greedy", "random#1", "random#2"}
    assert all(row.games == 30 for row in ratings.rows)
    again = play(MatchSpec.of("uno", ("greedy", "random", "random"), games=30, seed="7"), workers=2)
    assert again.ratings() == ratings, "whoever played which game"
    two = play(MatchSpec.of("uno", ("greedy", "random"), games=2, seed="7"))
    assert two.ratings() is None


def test_each_deal_is_played_from_both_sides(tmp_path: Path) -> None:
    match = MatchSpec.of("cubos", ("random", "greedy"), games=6, seed="7", records=tmp_path)
    play(match)
    headers, deals = [], []
    for path in sorted(tmp_path.glob("*.jsonl")):
        (found,) = read_records(path)
        assert verify_record(found).ok
        headers.append([seat["name"] for seat in found.header.content["seats"]])
        deals.append(found.turns[0].content["moves"][0]["move"])
    assert len(headers) == 6
    assert headers == [["random", "greedy"] * 2, ["greedy", "random"] * 2] * 3
    assert deals[0] == deals[1]
    assert deals[2] == deals[3]
    assert len(set(deals)) == 3


def test_the_result_does_not_depend_on_the_number_of_workers() -> None:
    match = MatchSpec.of("cubos", ("random", "greedy"), games=41, seed="7")
    alone, together = play(match), play(match, workers=2)
    assert alone.games == together.games == 41
    assert [score[:4] for score in scores(alone)] == [score[:4] for score in scores(together)]
    assert alone.turns == together.turns


def test_shares_add_up_to_the_games() -> None:
    table = play(MatchSpec.of("cubos", ("random", "greedy"), games=30, seed="1"))
    assert sum(score.share for score in table.scores) == 30
    assert {score.games for score in table.scores} == {30}
    assert table.scores[0].won == table.scores[1].lost


def test_a_player_against_itself_on_both_sides_of_every_deal_is_even() -> None:
    table = play(MatchSpec.of("cubos", ("greedy", "greedy"), games=40, seed="1"))
    assert table.scores[0].share == 20, "greedy does not roll dice, so the sides of a deal cancel out"


def test_the_same_name_twice_is_told_apart() -> None:
    assert MatchSpec.of("rps", ("random", "random"), games=1, seed="1").labels == ("random#1", "random#2")


def test_memory_does_not_grow_with_the_number_of_games() -> None:
    def peak(games: int) -> int:
        tracemalloc.start()
        try:
            play(MatchSpec.of("rps", ("random", "random"), games=games, seed="1", options={"rounds": 3}))
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(20)  # whatever is loaded once
    assert peak(2000) < peak(500) + 300_000, "keeping anything of a game would take megabytes"


def test_records_that_are_there_are_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "cubos-000001.jsonl").write_text("precious")
    with pytest.raises(InputError, match="already contains records"):
        prepare_records(tmp_path)
    with pytest.raises(InputError, match="cannot be used"):
        prepare_records(tmp_path / "cubos-000001.jsonl")


@pytest.mark.parametrize("entrants", [("random",), ("random", "greedy", "random")])
def test_the_number_of_entrants_must_fit_the_game(entrants: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match=f"cubos is played by 2 entrants, not {len(entrants)}"):
        MatchSpec.of("cubos", entrants, games=1, seed="1")


def test_unknown_names_list_the_known_ones() -> None:
    with pytest.raises(UnknownName, match=r'unknown game "chess"; known: .*cubos.*rps'):
        MatchSpec.of("chess", ("random", "greedy"), games=1, seed="1")
    with pytest.raises(
        UnknownName,
        match='unknown player "deepblue" for cubos; known: champion, greedy, pimc, pimc-js, random',
    ):
        MatchSpec.of("cubos", ("random", "deepblue"), games=1, seed="1")
    with pytest.raises(UnknownName, match=r'unknown player "cubos.greedy"'):
        MatchSpec.of("cubos", ("random", "cubos.greedy"), games=1, seed="1")


class NotingBot:
    """A bot that notes when it is opened and closed."""

    log: ClassVar[list[str]] = []
    introduced: ClassVar[dict[str, str]] = {}

    def __init__(self, *_: Any, **__: Any) -> None:
        self.inner = LocalPlayer(Random(Rng("noted")))

    async def open(self, seat: int) -> None:
        self.log.append(f"open {seat}")
        if seat == 2 and "refuse" in self.log:
            raise BotequimError(msg("no room"))

    async def choose(self, view: Any) -> Any:
        return await self.inner.choose(view)

    async def finish(self, view: Any, outcome: Any) -> None: ...

    async def close(self) -> None:
        self.log.append("close")


@pytest.mark.parametrize("refuse", [False, True])
def test_players_that_were_opened_are_closed_whatever_happens(
    refuse: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    NotingBot.log.clear()
    NotingBot.log.extend(["refuse"] * refuse)
    monkeypatch.setattr("botequim.engine.series.Series._seat", NotingBot)
    bot = Entrant.bot(
        "bot", "http://127.0.0.1:1/", registry.wire("cubos", "arena-http"), address="http://127.0.0.1:1/"
    )
    match = MatchSpec.of("cubos", (bot, bot), games=1, seed="1")
    if refuse:
        with pytest.raises(BotequimError, match="no room"):
            play(match)
        assert NotingBot.log == ["refuse", "open 0", "open 1", "open 2", "close", "close", "close"]
    else:
        play(match)
        assert NotingBot.log == [*(f"open {seat}" for seat in range(4)), *["close"] * 4]


def test_a_record_that_cannot_be_written_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Record) -> Iterator[str]:
        yield "half a record"
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Record, "lines", full)
    match = MatchSpec.of("cubos", ("random", "greedy"), games=1, seed="1", records=tmp_path)
    with pytest.raises(BotequimError, match="cannot be written: the disk is full"):
        play(match)
    assert list(tmp_path.iterdir()) == []


class ScriptedExecutor(InProcess):
    """Plays nothing: every job comes back at once, as if its games had taken a second."""

    def __init__(self, slots: int) -> None:
        super().__init__()
        self.slots = slots  # type: ignore[misc]
        self.capacity = 2 * slots  # type: ignore[misc]
        self.sizes: list[int] = []
        self.waiting: list[int] = []

    def wait(self, timeout: float | None = None) -> Sequence[Outcome]:
        self.waiting.append(len(self._jobs))
        job = self._jobs.pop(next(iter(self._jobs)))
        self.sizes.append(len(job.runs[0]))
        game = GameSummary((Fraction(1), Fraction(0)), (1, 2), (0, 0), 1)
        return [Completed(job.id, JobResult(job.id, (game,) * sum(map(len, job.runs)), 1.0))]


def test_no_more_jobs_wait_than_workers_can_soon_take() -> None:
    executor = ScriptedExecutor(2)
    *_, table = play_match(
        MatchSpec.of("cubos", ("random", "greedy"), games=300, seed="1"), executor=executor
    )
    assert table.games == 300
    assert max(executor.waiting) == 4


@pytest.mark.parametrize(
    ("games", "workers", "sizes"),
    [(2000, 1, [1000]), (2600, 1, [1000, 300]), (2000, 2, [500, 500]), (20, 2, [5, 5]), (1, 1, [1])],
)
def test_instances_of_a_series_play_as_many_games_as_a_confronto(
    games: int, workers: int, sizes: list[int]
) -> None:
    student = Entrant.bot("student", "student", registry.wire("havana", "havana"))
    executor = ScriptedExecutor(workers)
    list(play_match(MatchSpec.of("havana", (student, "greedy"), games=games, seed="1"), executor=executor))
    assert executor.sizes == sizes


def test_a_sequential_test_hands_out_shorter_jobs() -> None:
    student = Entrant.bot("student", "student", registry.wire("havana", "havana"))
    match = MatchSpec.of("havana", (student, "greedy"), games=2000, seed="1")
    executor = ScriptedExecutor(1)
    list(play_match(match, executor=executor, stop=lambda played: False))
    assert max(executor.sizes) == 64


def test_games_that_are_narrated_are_played_in_order() -> None:
    numbers: list[int] = []

    class Observer:
        @contextmanager
        def observe(self, job: Any, setup: GameSetup, series: Any, options: Any) -> Iterator[Any]:
            numbers.append(setup.number)
            yield SimpleNamespace(emit=None, turns=None)

        def close(self) -> None: ...

    match = MatchSpec.of("rps", ("random", "random"), games=7, seed="1", options={"rounds": 3})
    with InProcess(Observer()) as executor:
        list(play_match(match, executor=executor, in_order=True))
    assert numbers == list(range(7))


def test_players_cannot_tell_the_deal_from_their_own_seed() -> None:
    seeds = []

    class Looks(Random):
        def __init__(self, rng: Rng) -> None:
            seeds.append(rng.seed)
            super().__init__(rng)

    match = MatchSpec.of("cubos", ("random", "greedy"), games=2, seed="promised")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("botequim.registry.player", lambda game, name: Looks)
        play(match)
    assert len(set(seeds)) == 8
    assert not any("promised" in seed for seed in seeds)
