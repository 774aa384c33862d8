"""Games under way are told to who looks on, whatever happens; and no result depends on it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from botequim import registry
from botequim.core import clock
from botequim.core.errors import Fault, FaultKind, InputError
from botequim.core.game import CHANCE, Remark
from botequim.core.messages import msg
from botequim.core.options import settle
from botequim.core.reading import LONGEST_LINE
from botequim.core.rng import Rng
from botequim.core.turn import Made
from botequim.cup.home import Home
from botequim.cup.live import Following, Live, LiveGame, form, reading, telling
from botequim.cup.live.broadcast import Broadcast, Plan
from botequim.cup.live.post import PART_BYTES, Receiver, Sender, post_box
from botequim.cup.live.telling import Telling
from botequim.cup.pairing import Pairing, Terms
from botequim.cup.reading import read
from botequim.cup.runner import Runner, begin
from botequim.cup.store import Store
from botequim.picture.scene import scene_of
from botequim.sandbox.bare import Bare
from botequim.testing import ManualClock
from tests.cup_commands import Captured, cup, run
from tests.cup_runs import cup_runs
from tests.pace import PATIENCE, until

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
    looking: list[Live] = []
    opened = Live.open

    def open_(path: Path) -> Live:
        looking.append(opened(path))
        return looking[-1]

    monkeypatch.setattr(Live, "open", staticmethod(open_))
    yield
    for live in looking:
        live.close()


class Spectator:
    """Follows every game there is."""

    def __init__(self, path: Path) -> None:
        self.live = Live.open(path)
        self.games: dict[int, LiveGame] = {}
        self.lines: dict[int, list[Any]] = {}
        self.following: dict[int, Following] = {}

    def look(self) -> bool:
        for game in self.live.games() if self.live.changed() else ():
            self.games[game.id] = game
            following = self.following.setdefault(game.id, Following(game.header))
            for turn in self.live.turns(game.id, after=following.number):
                step = following.take(turn.line)
                self.lines.setdefault(game.id, []).append(json.loads(turn.line))
                assert scene_of(following.game, following.options, following.seats, step).number
        return False

    def ended(self) -> list[LiveGame]:
        return [game for game in self.games.values() if game.ended is not None]

    def agrees(self, path: Path) -> None:
        """Every game that was seen to its end is the one that was stored."""
        with Store.open(Home.of(path).store) as store:
            for game in self.ended():
                lines = [json.loads(line) for line in store.record(game.stage, game.key, game.number) or []]
                for line in lines:
                    del line["digest"]
                assert game.header == {name: value for name, value in lines[0].items() if name != "seed"}
                assert self.lines[game.id] == lines[1:-1]
                outcome = self.following[game.id].game.outcome(self.following[game.id].state)
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
    spectator = Spectator(Home.of(path).live)
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

    def played(name: str, live: Path | None) -> Any:
        path = cup(tmp_path / f"{name}.toml", {"a": "greedy", "b": "random"}, game="havana", stages=stages)
        told = read(path)
        with Store.open(Home.of(path).store, write=True) as store:
            for _ in Runner(told, store, begin(told, store, None), Bare(), False, 1, live=live).play():
                pass
            return store.results()

    assert played("told", tmp_path / "live.sqlite") == played("silent", None)


def test_what_comes_next_is_told(tmp_path: Path, start: Callable[..., Any]) -> None:
    bot = slow_bot(tmp_path / "slow")
    entrants = {name: str(bot) for name in "abcd"}
    stages = PATIENT + '[[stages]]\nname = "league"\nformat = "round_robin"\ngames = 1\n'
    path = cup(tmp_path / "c.toml", entrants, stages=stages)
    process = start(path, "--workers", "1")
    live = Live.open(Home.of(path).live)
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
    live = Live.open(Home.of(path).live)
    (game,) = until(live.games)
    began = live.began
    process.kill()
    process.wait()
    with clock.installed(ManualClock(clock.now() + form.LOST_SECONDS)):
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
    return [child for child, words in named.items() if b"spawn_main" in words]


def test_a_killed_workers_game_vanishes_and_is_played_again(
    tmp_path: Path, start: Callable[..., Any]
) -> None:
    path = slow_cup(tmp_path, "uno")
    process = start(path, "--workers", "1")
    spectator = Spectator(Home.of(path).live)
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
    Home.of(path).live.mkdir(parents=True)
    code, out, err = run(capsys, "run", str(path))
    assert code == 0
    assert "games under way are not told any more, the cup goes on" in err
    assert "1. " in out


@pytest.mark.parametrize("left", [b"nothing of ours " * 100, b""])
def test_a_damaged_file_is_made_anew(tmp_path: Path, left: bytes) -> None:
    path = tmp_path / "live.sqlite"
    path.write_bytes(left)
    with Broadcast(path):
        until(lambda: Live.open(path).running)
    assert not Live.open(path).running


def test_a_file_of_another_form_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "live.sqlite"
    live = Live.open(path)
    with Broadcast(path):
        until(lambda: live.running)
    monkeypatch.setattr(reading, "FORM", form.FORM + 1)
    assert live.began is None
    monkeypatch.setattr("botequim.cup.live.broadcast.FORM", form.FORM + 1)
    with Broadcast(path):
        until(lambda: live.running)


# --- one worker, in this process ------------------------------------------------------------------


class Table:
    """A game played by hand, told as a worker tells it."""

    def __init__(self, told: Telling, name: str = "rps", **options: object) -> None:
        self.telling = told
        self.game = registry.game(name)
        self.options = settle(name, self.game.options, options)
        self.seats = [{"name": "\ud800<b>"}, {"name": "b"}]

    def begin(self, number: int = 0, key: str = "a | b") -> Any:
        return self.telling.game("league", key, number, self.game, self.options, self.seats)


def turn(said: str = "", fault: Fault | None = None) -> tuple[Made, Made]:
    rock, paper = map(registry.game("rps").read, ("rock", "paper"))
    remarks = (Remark("say", said),) if said else ()
    return Made(0, rock, 5, remarks, (), fault), Made(1, paper, 5)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "live.sqlite"


@pytest.fixture
def broadcast(path: Path) -> Iterator[Broadcast]:
    with Broadcast(path) as live:
        yield live


@pytest.fixture
def table(broadcast: Broadcast, monkeypatch: pytest.MonkeyPatch) -> Iterator[Table]:
    monkeypatch.setattr(telling, "TELLING", None)
    close = broadcast.first()
    assert telling.TELLING is not None
    yield Table(telling.TELLING)
    close()


def test_hostile_words_come_through_and_logs_do_not(table: Table, path: Path) -> None:
    huge = "<script>\ud800\u202e\0" * 50_000
    log = Fault(FaultKind.CRASH, msg("it {what}", what="\udfff"), {"stderr": "secret", "answer": b"\xff\0"})
    live = Live.open(path)
    with table.begin() as told:
        told.turns.append(turn(huge))
        told.turns.append(turn("", log))
        (game,) = until(live.games)
        lines = until(lambda: live.turns(game.id) if len(live.turns(game.id)) == 2 else None)
    assert game.header["seats"] == table.seats
    assert json.loads(lines[0].line)["moves"][0]["remarks"] == [{"say": huge}]
    assert "secret" not in lines[1].line
    assert "stderr_sha256" in lines[1].line
    following = Following(game.header)
    for line in lines:
        step = following.take(line.line)
        assert scene_of(following.game, following.options, following.seats, step).number == following.number
    assert step.turn[0].fault is not None
    assert live.turns(game.id, after=1) == lines[1:]


def test_a_game_that_fails_never_was(table: Table, path: Path) -> None:
    live = Live.open(path)

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
    table: Table, broadcast: Broadcast, path: Path
) -> None:
    live = Live.open(path)
    for number, key in enumerate(("a | b", "c | d", "a | b")):
        with table.begin(number, key):
            until(lambda: any(game.number == number for game in live.games()))  # noqa: B023
    until(lambda: all(game.ended for game in live.games()))
    broadcast.played_again("league", "a | b")
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
    live = Live.open(path)
    with table.begin() as told:
        told.turns.append(turn())
        until(live.games)
        told.turns.append(turn("x" * (LONGEST_LINE + 1)))
        until(lambda: not live.games())
    with table.begin(1):
        (game,) = until(live.games)
    assert game.number == 1


def test_ended_games_are_forgotten_after_a_while(table: Table, path: Path) -> None:
    live = Live.open(path)
    with table.begin() as told:
        told.turns.append(turn())
        (game,) = until(live.games)
    until(lambda: live.games()[0].ended)
    assert live.turns(game.id)
    with clock.installed(ManualClock(clock.now() + form.KEPT_SECONDS)) as manual:
        assert live.games() == []

        def is_deleted() -> bool:
            manual.advance(form.SEEN_SECONDS)
            return not live.turns(game.id)

        until(is_deleted)


def test_plans_are_told(broadcast: Broadcast, path: Path) -> None:
    live = Live.open(path)
    pairing = Pairing("a | b", ("a", "b"), Terms(3), msg("semi-final {n}", n=1))
    broadcast.planned(Plan("finals", 2, 5, [pairing]))
    (coming,) = until(live.next_series)
    assert (coming.stage, coming.entrants, str(coming.label), coming.games) == (
        "finals", ("a", "b"), "semi-final 1", 3
    )  # fmt: skip
    assert [(stage.name, stage.finished, stage.known) for stage in live.stages()] == [("finals", 2, 5)]


def test_a_reader_survives_a_file_that_is_taken_away(path: Path) -> None:
    live = Live.open(path)
    assert live.changed()
    assert not live.changed()
    for _ in range(2):
        with Broadcast(path):
            until(lambda: live.running)
            assert live.changed()
        for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
            path.with_name(name).unlink(missing_ok=True)
        assert live.games() == []
        assert live.changed()


# --- the way ------------------------------------------------------------------------------------


def test_play_does_not_wait_for_a_full_post_box() -> None:
    """Nobody reads; what could not be posted is told later, without holes."""
    out, into = post_box()
    told = Telling(into).begin()
    table = Table(told)
    told_turns: list[Any] = []
    with table.begin() as game:
        for number in range(1200):
            game.turns.append(turn(f"{number} " + "x" * 5000))
        # more than fits
        assert until(lambda: not Sender(into).post(b"x" * PART_BYTES))
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
    out, into = post_box()
    told = Telling(into).begin()
    out.close()
    with Table(told).begin() as game:
        game.turns.append(turn())
        until(lambda: not told._thread.is_alive())
    into.close()


def test_messages_of_many_senders_are_put_together() -> None:
    out, into = post_box()
    senders = [Sender(into), Sender(into)]
    receiver = Receiver(out)
    long = bytes(range(256)) * (PART_BYTES // 100)
    assert senders[0].post(long)
    assert senders[1].post(b"")
    assert [message for _, message in receiver.messages(1.0)] == [long, b""]
    into.setblocking(False)
    while senders[0].post(long):
        pass  # until there is no room in the middle of one
    whole = [message for _, message in receiver.messages(1.0)]
    assert set(whole) == {long}
    assert senders[0].post(b"again")
    assert [message for _, message in receiver.messages(1.0)] == [b"again"]
    out.close()
    into.close()


def test_following_wants_every_turn() -> None:
    game = registry.game("cubos")
    following = Following({"game": "cubos", "options": {}, "seats": [{"name": str(at)} for at in range(4)]})
    dealt = game.write(game.chance(following.state, Rng("7")))
    line = {"turn": 1, "moves": [{"by": "chance", "move": dealt}]}
    with pytest.raises(InputError, match="turn 1 expected, found 2"):
        following.take({**line, "turn": 2})
    with pytest.raises(InputError):
        following.take({"turn": 1, "moves": [{"by": "chance", "move": "no move"}]})
    step = following.take(json.dumps(line))
    assert step.turn[0].by == CHANCE
    assert (following.number, following.over) == (1, False)
