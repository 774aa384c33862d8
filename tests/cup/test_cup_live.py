"""Games under way are told to who looks on, whatever happens; and no result depends on it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from botequim import registry
from botequim.core import clock
from botequim.core.errors import Fault, FaultKind, InputError
from botequim.core.game import CHANCE, Remark
from botequim.core.limits import EnforcedLimit
from botequim.core.messages import msg
from botequim.core.options import resolve_options
from botequim.core.rng import Rng
from botequim.core.turn import PlayedMove
from botequim.cup.config_parser import read
from botequim.cup.live import LiveGame, LiveGames, reader
from botequim.cup.live.publisher import GamePublisher, start_publisher
from botequim.cup.live.writer import LiveCollector, StageProgress
from botequim.cup.pairing import Pairing, SeriesRules
from botequim.cup.paths import CupPaths
from botequim.cup.runner import Runner, begin
from botequim.engine.executors import LocalProcesses, StartExecutor
from botequim.engine.jobs import Observation
from botequim.engine.message_channel import PART_BYTES, Receiver, Sender, message_channel
from botequim.records.reader import LONGEST_LINE
from botequim.records.replay import Replay
from botequim.render.scene import scene_at
from botequim.sandbox.none import NoSandbox
from botequim.storage.protocol import CupStorage, LiveStore
from botequim.storage.sqlite import SqliteStorage
from botequim.storage.sqlite import live as schema
from botequim.storage.sqlite.live import SqliteLiveStore
from botequim.testing import ManualClock
from tests.support.cup_commands import Captured, cup, run
from tests.support.cup_files import live_file
from tests.support.cup_runs import cup_runs
from tests.support.elsewhere import DirectSender, Elsewhere
from tests.support.pace import PATIENCE, until

SLOW = """
import json, os, sys, time
for line in sys.stdin:
    question = json.loads(line)
    if "legal" in question:
        while True:
            try:
                os.unlink(GATE)
                break
            except FileNotFoundError:
                time.sleep(0.002)
        said = "\\ud800<script>" + "\\u202e" * 200
        print(json.dumps({"move": question["legal"][0], "say": said}), flush=True)
"""


def slow_bot(folder: Path) -> Path:
    """A bot that waits for a file named `gate` beside its folder, takes it away and answers.

    It says what cannot be written in UTF-8.
    """
    folder.mkdir()
    gate = repr(str(folder.parent / "gate"))
    (folder / "bot.py").write_text(SLOW.replace("GATE", gate), encoding="utf-8")
    (folder / "botequim.toml").write_text('command = "python3 bot.py"\nwire = "arena-lines"\n')
    return folder


PATIENT = f"[limits]\nmove = {PATIENCE:g}\n"


def slow_cup(tmp_path: Path, game: str = "cubos") -> Path:
    bot = slow_bot(tmp_path / "slow")
    stages = PATIENT + '[[stages]]\nname = "league"\nformat = "round_robin"\ngames = 2\n'
    return cup(tmp_path / "c.toml", {"slow": str(bot), "quick": "greedy"}, game=game, stages=stages)


@pytest.fixture
def start() -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    with cup_runs() as begin:
        yield begin


@pytest.fixture(autouse=True)
def _all_are_closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Whatever looks on in a test stops when the test does."""
    opened: list[LiveGames] = []
    create = LiveGames.__init__

    def create_and_note(self: LiveGames, store: LiveStore) -> None:
        create(self, store)
        opened.append(self)

    monkeypatch.setattr(LiveGames, "__init__", create_and_note)
    yield
    for one in opened:
        one.close()


class Spectator:
    """Follows every game there is."""

    def __init__(self, path: Path) -> None:
        self.live = LiveGames(SqliteLiveStore(path))
        self.games: dict[int, LiveGame] = {}
        self.lines: dict[int, list[Any]] = {}
        self.replays: dict[int, Replay] = {}

    def look(self) -> bool:
        for game in self.live.games() if self.live.has_changed() else ():
            self.games[game.id] = game
            replay = self.replays.setdefault(game.id, Replay.follow(game.header))
            for turn in self.live.turns(game.id, after=len(replay)):
                step = replay.append(turn.line)
                self.lines.setdefault(game.id, []).append(json.loads(turn.line))
                assert scene_at(replay, step.number).number
        return False

    def ended(self) -> list[LiveGame]:
        return [game for game in self.games.values() if game.ended is not None]

    def agrees(self, path: Path) -> None:
        """Every game that was seen to its end is the one that was stored."""
        with CupPaths.of(path).storage.open_results() as store:
            for game in self.ended():
                lines = [json.loads(line) for line in store.record(game.stage, game.key, game.number) or []]
                for line in lines:
                    del line["digest"]
                assert game.header == {name: value for name, value in lines[0].items() if name != "seed"}
                assert self.lines[game.id] == lines[1:-1]
                outcome = self.replays[game.id].outcome
                assert outcome is not None
                assert list(outcome.places) == lines[-1]["outcome"]["places"]


def play_on(spectator: Spectator, gate: Path, process: subprocess.Popen[bytes]) -> None:
    """Let the slow bot move whenever its game is seen, until the cup is over."""
    ends = time.monotonic() + PATIENCE
    while process.poll() is None:
        assert time.monotonic() < ends, "the cup does not end"
        spectator.look()
        if any(game.ended is None for game in spectator.live.games()):
            gate.touch()
        time.sleep(0.005)
    spectator.look()


# --- a cup that is really played ------------------------------------------------------------------


def test_a_cup_is_followed_to_its_end(tmp_path: Path, start: Callable[..., Any]) -> None:
    path = slow_cup(tmp_path, "uno")
    spectator = Spectator(live_file(path))
    assert spectator.live.games() == [], "before there is a file"
    process = start(path)
    until(lambda: spectator.live.running)
    play_on(spectator, tmp_path / "gate", process)
    assert process.returncode == 0
    assert [(game.key, game.number) for game in spectator.ended()] == [
        ("quick | slow", 0),
        ("quick | slow", 1),
    ] or [game.number for game in spectator.ended()] == [0, 1]
    spectator.agrees(path)
    assert not spectator.live.running
    assert spectator.live.next_series() == []
    (stage,) = spectator.live.stages()
    assert (stage.name, stage.finished, stage.known) == ("league", 1, 1)


def test_telling_changes_no_result(tmp_path: Path) -> None:
    stages = '[[stages]]\nname = "league"\nformat = "confrontos"\ngames = 40\n'

    def played(name: str, live: CupStorage | None) -> Any:
        path = cup(tmp_path / f"{name}.toml", {"a": "greedy", "b": "random"}, game="havana", stages=stages)
        return play_cup(path, partial(LocalProcesses, 1), live)

    assert played("told", SqliteStorage(tmp_path)) == played("silent", None)


def play_cup(path: Path, start_executor: StartExecutor, live: CupStorage | None, **options: Any) -> Any:
    """Play a cup with an executor, and return its results."""
    found = read(path)
    with CupPaths.of(path).storage.open_results(write=True) as store:
        seed = begin(found, store, None)
        for _ in Runner(found, store, seed, NoSandbox(), False, start_executor, live=live, **options).play():
            pass
        return store.results()


def test_a_cup_is_played_elsewhere_and_its_games_are_seen_here(tmp_path: Path) -> None:
    stages = '[[stages]]\nname = "league"\nformat = "round_robin"\ngames = 1\n'
    entrants = {"a": "greedy", "b": "random"}
    paths = [
        cup(tmp_path / f"{name}.toml", entrants, game="havana", stages=stages) for name in ("here", "far")
    ]
    here = play_cup(paths[0], partial(LocalProcesses, 1), None)
    live = SqliteStorage(tmp_path)
    assert play_cup(paths[1], Elsewhere, live) == here
    with live.open_live() as store:
        games = store.games()
        assert [game.number for game in games] == [0]
        assert games[0].ended is not None


def test_times_of_another_clock_become_ours(request: pytest.FixtureRequest, path: Path) -> None:
    ahead = 1e6
    with clock.use_clock(ManualClock(clock.now() + ahead)):
        kept: list[bytes] = []
        observation = Observation(start_publisher, lambda sender, message, offset: kept.append(message))
        publisher = start_publisher(DirectSender(observation))
        with Table(publisher).begin() as game:
            game.turns.append(turn())
            until(lambda: kept)
        publisher.close()
    # it starts only now: its thread must not read the clock of the other machine
    broadcast: LiveCollector = request.getfixturevalue("broadcast")
    for message in kept:
        broadcast.observation.receive(7, message, -ahead)
    live = LiveGames(SqliteLiveStore(path))
    (seen,) = until(live.games)
    assert abs(seen.began - clock.now()) < ahead / 2
    turns = until(lambda: live.turns(seen.id))
    assert [abs(one.made - clock.now()) < ahead / 2 for one in turns] == [True]


def test_a_cup_with_isolation_is_not_played_where_limits_are_missing(tmp_path: Path) -> None:
    path = cup(tmp_path / "c.toml", {"a": "greedy", "b": "random"})
    found = read(path)
    enforced = set(EnforcedLimit) - {EnforcedLimit.MEMORY}
    with CupPaths.of(path).storage.open_results(write=True) as store:
        start = partial(Elsewhere, enforces=enforced)
        runner = Runner(found, store, begin(found, store, None), NoSandbox(), True, start)
        with pytest.raises(InputError, match="memory would not be enforced"):
            next(runner.play())
    assert play_cup(path, start, None), "bots that are trusted need no limits"


def test_what_comes_next_is_told(tmp_path: Path, start: Callable[..., Any]) -> None:
    bot = slow_bot(tmp_path / "slow")
    entrants = {name: str(bot) for name in "abcd"}
    stages = PATIENT + '[[stages]]\nname = "league"\nformat = "round_robin"\ngames = 1\n'
    path = cup(tmp_path / "c.toml", entrants, stages=stages)
    process = start(path, "--workers", "1")
    live = LiveGames(CupPaths.of(path).storage.open_live())
    until(lambda: live.games())
    (game,) = live.games()
    coming = live.next_series()
    assert len(coming) == 5
    assert game.key not in {one.key for one in coming}
    assert all(len(one.entrants) == 2 and one.games == 1 and str(one.label) for one in coming)
    (stage,) = live.stages()
    assert (stage.finished, stage.known) == (0, 6)
    process.send_signal(signal.SIGINT)
    process.wait(PATIENCE)
    assert not live.running
    assert live.games() == []
    assert live.next_series() == []


def test_a_killed_coordinator_is_noticed_and_the_next_begins_anew(
    tmp_path: Path, start: Callable[..., Any]
) -> None:
    path = slow_cup(tmp_path)
    process = start(path)
    live = LiveGames(CupPaths.of(path).storage.open_live())
    (game,) = until(live.games)
    began = live.began
    process.kill()
    process.wait()
    with clock.use_clock(ManualClock(clock.now() + reader.LOST_SECONDS)):
        assert not live.running
        assert live.games() == []
        assert live.next_series() == []
    start(path)
    until(lambda: live.began != began)
    (again,) = until(live.games)
    assert again.id > game.id
    assert (again.key, again.number) == (game.key, game.number)


def _workers(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    named = {int(child): Path(f"/proc/{child}/cmdline").read_bytes() for child in children}
    return [child for child, words in named.items() if b"helper_process" in words]


def test_a_killed_workers_game_vanishes_and_is_played_again(
    tmp_path: Path, start: Callable[..., Any]
) -> None:
    path = slow_cup(tmp_path, "uno")
    process = start(path, "--workers", "1")
    spectator = Spectator(live_file(path))
    until(lambda: spectator.look() or spectator.games)
    (first,) = spectator.games
    (worker,) = _workers(process.pid)
    os.kill(worker, signal.SIGKILL)
    until(lambda: spectator.look() or len(spectator.games) > 1)
    assert first not in {game.id for game in spectator.live.games()}
    assert spectator.games[first].ended is None
    play_on(spectator, tmp_path / "gate", process)
    assert process.returncode == 0
    assert {game.number for game in spectator.ended()} == {0, 1}
    spectator.agrees(path)


def test_a_file_that_cannot_be_written_is_said_and_the_cup_goes_on(tmp_path: Path, capsys: Captured) -> None:
    path = cup(tmp_path / "c.toml", {"a": "greedy", "b": "random"})
    live_file(path).mkdir(parents=True)
    code, out, err = run(capsys, "run", str(path))
    assert code == 0
    assert "live games are no longer published; the cup continues" in err
    assert "1. " in out


@pytest.mark.parametrize("left", [b"nothing of ours " * 100, b""])
def test_a_damaged_file_is_made_anew(tmp_path: Path, left: bytes) -> None:
    path = tmp_path / "live.sqlite"
    path.write_bytes(left)
    with LiveCollector(SqliteStorage(path.parent)):
        until(lambda: LiveGames(SqliteLiveStore(path)).running)
    assert not LiveGames(SqliteLiveStore(path)).running


def test_a_file_of_another_form_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "live.sqlite"
    live = LiveGames(SqliteLiveStore(path))
    with LiveCollector(SqliteStorage(path.parent)):
        until(lambda: live.running)
    monkeypatch.setattr(schema, "VERSION", schema.VERSION + 1)
    assert live.began is None
    with LiveCollector(SqliteStorage(path.parent)):
        until(lambda: live.running)


# --- one worker, in this process ------------------------------------------------------------------


class Table:
    """A game played by hand, told as a worker tells it."""

    def __init__(self, told: GamePublisher, name: str = "rps", **options: object) -> None:
        self.telling = told
        self.game = registry.game(name)
        self.options = resolve_options(name, self.game.options, options)
        self.seats = [{"name": "\ud800<b>"}, {"name": "b"}]

    def begin(self, number: int = 0, key: str = "a | b") -> Any:
        return self.telling.game("league", key, number, self.game, self.options, self.seats)


def turn(said: str = "", fault: Fault | None = None) -> tuple[PlayedMove, PlayedMove]:
    rock, paper = map(registry.game("rps").read, ("rock", "paper"))
    remarks = (Remark("say", said),) if said else ()
    return PlayedMove(0, rock, 5, remarks, (), fault), PlayedMove(1, paper, 5)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "live.sqlite"


@pytest.fixture
def broadcast(path: Path) -> Iterator[LiveCollector]:
    with LiveCollector(SqliteStorage(path.parent)) as live:
        yield live


@pytest.fixture
def table(broadcast: LiveCollector) -> Iterator[Table]:
    published = start_publisher(DirectSender(broadcast.observation))
    yield Table(published)
    published.close()


def test_hostile_words_come_through_and_logs_do_not(table: Table, path: Path) -> None:
    huge = "<script>\ud800\u202e\0" * 50_000
    log = Fault(FaultKind.CRASH, msg("it {what}", what="\udfff"), {"stderr": "secret", "answer": b"\xff\0"})
    live = LiveGames(SqliteLiveStore(path))
    with table.begin() as told:
        told.turns.append(turn(huge))
        told.turns.append(turn("", log))
        (game,) = until(live.games)
        lines = until(lambda: live.turns(game.id) if len(live.turns(game.id)) == 2 else None)
    assert game.header["seats"] == table.seats
    assert json.loads(lines[0].line)["moves"][0]["remarks"] == [{"say": huge}]
    assert "secret" not in lines[1].line
    assert "stderr_sha256" in lines[1].line
    replay = Replay.follow(game.header)
    for line in lines:
        step = replay.append(line.line)
        assert scene_at(replay, len(replay)).number == step.number
    assert step.turn[0].fault is not None
    assert live.turns(game.id, after=1) == lines[1:]


def test_a_game_that_fails_never_was(table: Table, path: Path) -> None:
    live = LiveGames(SqliteLiveStore(path))

    def fail() -> None:
        with table.begin():
            until(live.games)
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    until(lambda: not live.games())
    with table.begin():
        until(live.games)
    until(lambda: live.games()[0].ended)


def test_a_series_that_is_played_again_takes_its_games_along(
    table: Table, broadcast: LiveCollector, path: Path
) -> None:
    live = LiveGames(SqliteLiveStore(path))
    for number, key in enumerate(("a | b", "c | d", "a | b")):
        with table.begin(number, key):
            until(lambda: any(game.number == number for game in live.games()))  # noqa: B023
    until(lambda: all(game.ended for game in live.games()))
    broadcast.discard_series("league", "a | b")
    until(lambda: [game.number for game in live.games()] == [1])
    with table.begin(0, "a | b"):
        until(lambda: [game.number for game in live.games()] == [1, 0])


def test_of_thousands_of_games_some_are_told(table: Table, path: Path) -> None:
    """To tell all of them would take a minute and more: each has to be seen twice."""
    spectator, played = Spectator(path), 0

    def play_some() -> bool:
        nonlocal played
        for _ in range(2000):
            with table.begin(played) as told:
                told.turns.append(turn())
            played += 1
        spectator.look()
        return bool(spectator.ended())

    until(play_some)
    assert 1 <= len(spectator.ended()) < played
    for game in spectator.ended():
        assert len(spectator.lines[game.id]) == 1


def test_a_turn_that_no_record_can_hold_ends_the_telling_not_the_game(table: Table, path: Path) -> None:
    live = LiveGames(SqliteLiveStore(path))
    with table.begin() as told:
        told.turns.append(turn())
        until(live.games)
        told.turns.append(turn("x" * (LONGEST_LINE + 1)))
        until(lambda: not live.games())
    with table.begin(1):
        (game,) = until(live.games)
    assert game.number == 1


def test_ended_games_are_forgotten_after_a_while(table: Table, path: Path) -> None:
    live = LiveGames(SqliteLiveStore(path))
    with table.begin() as told:
        told.turns.append(turn())
        (game,) = until(live.games)
    until(lambda: live.games()[0].ended)
    assert live.turns(game.id)
    with clock.use_clock(ManualClock(clock.now() + reader.KEPT_SECONDS)) as manual:
        assert live.games() == []

        def is_deleted() -> bool:
            manual.advance(reader.SEEN_SECONDS)
            return not live.turns(game.id)

        until(is_deleted)


def test_plans_are_told(broadcast: LiveCollector, path: Path) -> None:
    live = LiveGames(SqliteLiveStore(path))
    pairing = Pairing("a | b", ("a", "b"), SeriesRules(3), msg("semi-final {n}", n=1))
    broadcast.set_progress(StageProgress("finals", 2, 5, [pairing]))
    (coming,) = until(live.next_series)
    assert (coming.stage, coming.entrants, str(coming.label), coming.games) == (
        "finals", ("a", "b"), "semi-final 1", 3
    )  # fmt: skip
    assert [(stage.name, stage.finished, stage.known) for stage in live.stages()] == [("finals", 2, 5)]


def test_a_reader_survives_a_file_that_is_taken_away(path: Path) -> None:
    live = LiveGames(SqliteLiveStore(path))
    assert live.has_changed()
    assert not live.has_changed()
    for _ in range(2):
        with LiveCollector(SqliteStorage(path.parent)):
            until(lambda: live.running)
            assert live.has_changed()
        for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
            path.with_name(name).unlink(missing_ok=True)
        assert live.games() == []
        assert live.has_changed()


# --- the way ------------------------------------------------------------------------------------


def test_play_does_not_wait_for_a_full_post_box() -> None:
    """Nobody reads; what could not be posted is told later, without holes."""
    out, into = message_channel()
    told = GamePublisher(Sender(into)).start()
    table = Table(told)
    told_turns: list[Any] = []
    with table.begin() as game:
        for number in range(1200):
            game.turns.append(turn(f"{number} " + "x" * 5000))
        # more than fits
        assert until(lambda: not Sender(into).send(b"x" * PART_BYTES))
        receiver = Receiver(out)
        end = time.monotonic() + PATIENCE
        while len(told_turns) < 1200 and time.monotonic() < end:
            for _, message in receiver.messages(0.1):
                if message.startswith(b"["):
                    for part in json.loads(message):
                        told_turns += part[2] if part[0] == "turns" else []
    assert [number for number, _, _ in told_turns] == list(range(1, 1201))
    told.close()
    out.close()
    into.close()


def test_nobody_is_told_when_the_coordinator_is_gone() -> None:
    out, into = message_channel()
    told = GamePublisher(Sender(into)).start()
    out.close()
    with Table(told).begin() as game:
        game.turns.append(turn())
        until(lambda: not told._thread.is_alive())
    into.close()


def test_a_growing_replay_wants_every_turn() -> None:
    game = registry.game("cubos")
    replay = Replay.follow({"game": "cubos", "options": {}, "seats": [{"name": str(at)} for at in range(4)]})
    dealt = game.write(game.chance(replay.state(0), Rng("7")))
    line = {"turn": 1, "moves": [{"by": "chance", "move": dealt}]}
    with pytest.raises(InputError, match="turn 1 expected, found 2"):
        replay.append({**line, "turn": 2})
    with pytest.raises(InputError):
        replay.append({"turn": 1, "moves": [{"by": "chance", "move": "no move"}]})
    step = replay.append(json.dumps(line))
    assert step.turn[0].by == CHANCE
    assert (len(replay), replay.outcome) == (1, None)
