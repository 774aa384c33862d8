"""Machines in the report: who played where, whose timeouts cluster, and nothing of held games."""

from __future__ import annotations

import json
from math import comb
from pathlib import Path
from typing import Any

import pytest

from botequim.core.errors import FaultKind, PlayerFault
from botequim.cup.audit import verify_bundle
from botequim.cup.bundle import write_bundle
from botequim.cup.config_parser import read
from botequim.cup.report import write_report
from botequim.cup.report.machines import MachineTally, upper_tail
from botequim.cup.stages import CupState
from botequim.engine.machine import Machine
from botequim.engine.random_player import Random
from botequim.storage.protocol import CupStore
from botequim.storage.values import StoredSeries
from botequim.storage.visibility import Visibility
from tests.support.cup_reports import Page, entrants
from tests.support.played_cups import cup_file, play_cup

LAB = [Machine("lab-1", 1.0), Machine("lab-2", 0.9), Machine("lab-3", 0.5)]


# --- the count ---------------------------------------------------------------------------------------------


def add(
    tally: MachineTally,
    key: str,
    machine: Machine | None,
    *,
    names: tuple[str, str] = ("ana", "rui"),
    late: tuple[int, ...] = (),
    waited: tuple[float | None, ...] = (),
    games: int = 1,
) -> None:
    """Count games of one series; `late` are the seats that time out, once in each game."""
    header: dict[str, Any] = {"seats": [{"name": name} for name in names]}
    if machine is not None:
        header["machine"] = {"label": machine.label, "speed": machine.speed}
    fault = {"kind": "timeout"}
    turns: list[dict[str, Any]] = [{"moves": [{"by": "chance", "move": "deal"}]}]
    turns += [{"moves": [{"by": seat, "move": "pass", "fault": fault}]} for seat in late]
    turns += [{"moves": [{"by": 0, "move": "x", "fault": {"kind": "crash"}}, {"by": 1, "move": "y"}]}]
    last = {"outcome": {}, **({"waited": list(waited)} if waited else {})}
    for _ in range(games):
        tally.add_game(("league", key), header, turns, last)


def test_each_machine_has_its_games_timeouts_and_waits() -> None:
    tally = MachineTally()
    add(tally, "1", LAB[2], late=(0, 0, 1), waited=(0.5, None))
    add(tally, "2", LAB[2], waited=(0.1, 0.0))
    add(tally, "3", LAB[0])
    add(tally, "4", None, late=(1,))
    assert [one.as_json() for one in tally.machines] == [
        {"label": "lab-1", "speed": 1.0, "games": 1, "timeouts": 0, "longest_wait": None, "mean_wait": None},
        {"label": "lab-3", "speed": 0.5, "games": 2, "timeouts": 3, "longest_wait": 0.5, "mean_wait": 0.2},
        {"label": "", "speed": None, "games": 1, "timeouts": 1, "longest_wait": None, "mean_wait": None},
    ]
    assert tally.timeouts == 4


def test_a_machine_that_was_measured_again_has_its_median_speed() -> None:
    tally = MachineTally()
    for number, speed in enumerate((0.5, 0.5, 0.9, 1.0)):
        add(tally, str(number), Machine("lab-3", speed))
    (machine,) = tally.machines
    assert machine.speed == 0.9


def test_without_machines_there_is_nothing_to_say() -> None:
    tally = MachineTally()
    for number in range(20):
        add(tally, str(number), None, late=(0,))
    assert tally.machines == ()
    assert tally.clusters() == ()


def test_timeouts_on_one_machine_are_a_cluster() -> None:
    tally = MachineTally()
    for number in range(20):
        slow = number < 4
        late = (0,) if slow or number == 10 else ()
        add(tally, str(number), LAB[2] if slow else LAB[number % 2], late=late)
    (cluster,) = tally.clusters()
    assert (cluster.entrant, cluster.label) == ("ana", "lab-3")
    assert (cluster.timeouts, cluster.all_timeouts, cluster.share) == (4, 5, 0.2)
    assert cluster.chance == pytest.approx(3 * 5 / comb(20, 4)), "three machines were compared"


def test_timeouts_everywhere_are_no_cluster() -> None:
    tally = MachineTally()
    for number in range(30):
        add(tally, str(number), LAB[number % 3], late=(0,))
    assert tally.clusters() == ()


def test_one_series_full_of_timeouts_is_no_cluster() -> None:
    """Its cause may be the opponent."""
    tally = MachineTally()
    for number in range(30):
        add(tally, str(number), LAB[number % 3], late=(0,) if number == 2 else (), games=50)
    assert tally.timeouts == 50
    assert tally.clusters() == ()


def test_with_few_series_nothing_is_claimed() -> None:
    tally = MachineTally()
    for number in range(7):
        add(tally, str(number), LAB[2 if number < 2 else number % 2], late=(0,) if number < 2 else ())
    assert tally.clusters() == ()


@pytest.mark.parametrize(
    ("every", "late", "here", "late_here", "expected"),
    [
        (10, 3, 5, 0, 1.0),
        (10, 3, 5, 3, comb(7, 2) / comb(10, 5)),
        (4, 2, 2, 1, 5 / 6),
        (5, 5, 2, 2, 1.0),
    ],
)
def test_the_tail_is_exact(every: int, late: int, here: int, late_here: int, expected: float) -> None:
    assert upper_tail(every, late, here, late_here) == pytest.approx(expected)


# --- the report --------------------------------------------------------------------------------------------


NAMES = ("Ana", "Bento", "Carla", "Davi", "Eva", "Fábio", "Gabi", "Hugo", "Inês", "João", "Kim", "Lia")


class Lab:
    """Plays a cup of twelve on three machines. On lab-3, Bento is late."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        lines = ['name = "copa"', 'game = "cubos"', 'seed = "7"', "[[stages]]", 'name = "league"']
        lines += ['format = "round_robin"', "games = 1", "playoff_games = 1"]
        for name in NAMES:
            bot = "greedy" if name == "Bento" else "random"
            lines += ["[[entrants]]", f'name = "{name}"', f'bot = "{bot}"']
        path = folder / "copa.toml"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        self.cup = read(path)
        self.late = {"greedy"}
        self.late_everywhere = False
        self._slow = False
        self._series = 0
        monkeypatch.setattr("botequim.registry.player", self._player)

    def play(self, folder: Path) -> tuple[CupStore, CupState]:
        return play_cup(self.cup, folder / "store.db", machine_of=self._machine_of)

    def _machine_of(self, stage: str, key: str) -> Machine:
        """Return lab-3 for four of the eleven series of Bento, and for some of others."""
        self._series += 1
        pair = key.split(" | ")
        self._slow = "Ana" in pair or set(pair) <= {"Bento", "Carla", "Davi", "Eva"}
        return LAB[2] if self._slow else LAB[self._series % 2]

    def _player(self, game: str, name: str) -> Any:
        lab = self

        class Bot(Random):
            """Answers at once, except on the slow machine."""

            def choose(self, view: Any) -> Any:
                if (lab._slow or lab.late_everywhere) and name in lab.late:
                    raise PlayerFault(FaultKind.TIMEOUT)
                return super().choose(view)

        return Bot


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    return Lab(tmp_path, monkeypatch)


def test_the_report_names_machines_and_clusters(lab: Lab, tmp_path: Path) -> None:
    store, progress = lab.play(tmp_path)
    with store:
        write_report(lab.cup, progress, store, tmp_path / "report", replays=0)
    public = tmp_path / "report" / "public"
    found = json.loads((public / "report.json").read_text())
    assert [one["label"] for one in found["machines"]] == ["lab-1", "lab-2", "lab-3"]
    assert [one["speed"] for one in found["machines"]] == [1.0, 0.9, 0.5]
    assert sum(one["games"] for one in found["machines"]) == _games(progress)
    (cluster,) = found["timeout_clusters"]
    assert (cluster["entrant"], cluster["machine"]) == ("Bento", "lab-3")
    assert cluster["timeouts"] == cluster["all_timeouts"] >= 4
    count = cluster["timeouts"]
    said = f"{count} of {count} timeouts of Bento happened on lab-3, which played 36.4% of its games."
    page = Page(public / "index.en.html").text
    assert said in page
    assert "fewer than 1 of 20 reports" in page
    assert said.replace("_", "\\_") in (public / "report.en.md").read_text(encoding="utf-8")
    assert "lab-3" in Page(public / "index.pt-BR.html").text


@pytest.mark.parametrize("late", [{"greedy"}, set()], ids=["everywhere", "nowhere"])
def test_without_a_cluster_none_is_named(lab: Lab, tmp_path: Path, late: set[str]) -> None:
    lab.late, lab.late_everywhere = late, True
    store, progress = lab.play(tmp_path)
    with store:
        write_report(lab.cup, progress, store, tmp_path / "report", replays=0)
    public = tmp_path / "report" / "public"
    assert json.loads((public / "report.json").read_text())["timeout_clusters"] == []
    page = Page(public / "index.en.html").text
    assert "Machines" in page
    assert "happened on" not in page
    assert ("No bot's timeouts clearly cluster on one machine." in page) is bool(late)


def test_without_machines_the_report_is_as_it_always_was(tmp_path: Path) -> None:
    cup = cup_file(tmp_path, "cubos", entrants=entrants(4))
    store, progress = play_cup(cup, tmp_path / "store.db")
    with store:
        write_report(cup, progress, store, tmp_path / "report", replays=0)
    public = tmp_path / "report" / "public"
    assert "machines" not in json.loads((public / "report.json").read_text())
    assert "Machines" not in Page(public / "index.en.html").text


def test_machines_of_games_that_are_held_back_are_not_in_the_public_report(lab: Lab, tmp_path: Path) -> None:
    store, _ = lab.play(tmp_path)
    with store:
        played = store.series()
        shown = next(at for at, one in enumerate(played) if "Ana" not in one.result.entrants)
        assert all(_label(store, one) == "lab-3" for one in played[:shown])
        progress = lab.cup.state("7", Visibility(played, shown).results())
        write_report(lab.cup, progress, store, tmp_path / "report", replays=0)
    files = [path for path in (tmp_path / "report").rglob("*") if path.is_file()]
    texts = [path.read_text(encoding="utf-8") for path in files]
    assert any("lab-3" in text for text in texts)
    assert not any("lab-1" in text or "lab-2" in text for text in texts)
    found = json.loads((tmp_path / "report" / "public" / "report.json").read_text())
    assert [(one["label"], one["games"]) for one in found["machines"]] == [("lab-3", shown)]


def _games(progress: CupState) -> int:
    return sum(len(result.games) for result in progress.results["league"].values())


def _label(store: CupStore, series: StoredSeries) -> str:
    lines = store.record(series.stage, series.result.key, 0)
    assert lines is not None
    return str(json.loads(lines[0])["machine"]["label"])


def test_a_bundle_with_machines_is_proved_from_scratch(lab: Lab, tmp_path: Path) -> None:
    store, progress = lab.play(tmp_path)
    with store:
        write_bundle(lab.cup, progress, store, tmp_path / "bundle.zip")
    proof = verify_bundle(tmp_path / "bundle.zip")
    assert proof.ok, [str(one.sentence()) for one in proof.findings]
    assert proof.records == _games(progress)
