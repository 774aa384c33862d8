"""What is held back is told nowhere: a cup whose hidden games ended otherwise looks the same, to the byte."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from botequim.core import clock
from botequim.cup.change_requests import apply_requests, request_change, requests
from botequim.cup.changes import Disqualification, LateEntrant, Replay
from botequim.cup.config_parser import read
from botequim.cup.paths import CupPaths
from botequim.sandbox.none import NoSandbox
from botequim.storage.protocol import CupStore
from botequim.storage.values import FinishedSeries, StoredGame
from botequim.testing import ManualClock
from botequim.web.live.tables import LAST_SECONDS
from tests.support.cup_files import results_file
from tests.support.pace import until
from tests.support.played_cups import play_cup
from tests.support.server_thread import TOKEN, Page, ServerThread, serving, written_cup

STAGES = """
[options]
rounds = 6
[[stages]]
name = "league"
format = "round_robin"
games = 2
[[stages]]
name = "final"
format = "knockout"
best_of = 3
from = "league"
top = 2
"""
SHOWN = 5
"""Games: the league has twelve, so the third series is public in half."""


def cup_in(folder: Path) -> Path:
    folder.mkdir()
    return written_cup(folder, "copa", ["greedy", "random", "rock", "markov"], STAGES)


def all_series(store: CupStore) -> list[FinishedSeries]:
    """All series of a store, one after another, as they came from workers."""
    found = []
    faults = store.faults()
    for one in store.series():
        games = []
        for number in range(len(one.result.games)):
            lines = store.record(one.stage, one.result.key, number)
            assert lines is not None
            games.append(StoredGame.from_lines(lines))
        own = tuple(fault for fault in faults if (fault.stage, fault.key) == (one.stage, one.result.key))
        found.append(FinishedSeries(one.stage, one.result, tuple(games), own, one.seconds))
    return found


@pytest.fixture(scope="module")
def two_cups(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The same as far as it is public; what is not public comes from another cup altogether."""
    folder = tmp_path_factory.mktemp("curtain")
    one, other, elsewhere = (cup_in(folder / name) for name in ("one", "other", "elsewhere"))
    for path, seed in ((one, "7"), (elsewhere, "8")):
        store, _ = play_cup(read(path), results_file(path), seed)
        store.close()
    with CupPaths.of(one).storage.open_results() as store:
        real = all_series(store)
        facts = {name: store.fact(name) or "" for name in ("seed", "digest", "commitment", "name", "file")}
        pins = store.entrants()
    with CupPaths.of(elsewhere).storage.open_results() as store:
        unreal = {(one.stage, one.result.key): one for one in all_series(store)}
    with CupPaths.of(other).storage.open_results(write=True) as store:
        store.put_facts(facts)
        for name, value in pins.items():
            store.pin_entrant(name, value)
        left = SHOWN
        for series in real:
            games = len(series.result.games)
            if left >= games:
                store.add_series(series)
            elif left > 0:
                store.add_series(_mix(series, unreal[series.stage, series.result.key], left))
            left -= games
        known = {(one.stage, one.result.key) for one in store.series()}
        for where, series in reversed(unreal.items()):
            if where not in known:
                store.add_series(series)
        hidden = store.results()
    with CupPaths.of(one).storage.open_results() as store:
        assert store.results() != hidden
    for path in (one, other):
        with CupPaths.of(path).storage.open_visibility() as show:
            show.hold(at=SHOWN)
    return one, other


def _mix(real: FinishedSeries, unreal: FinishedSeries, public: int) -> FinishedSeries:
    result = replace(real.result, games=(*real.result.games[:public], *unreal.result.games[public:][::-1]))
    games = (*real.games[:public], *unreal.games[public:])
    assert games != real.games
    return FinishedSeries(real.stage, result, games, real.faults, 99.0)


API_LISTS = (
    *("pace", "standings", "ratings", "cross", "bracket"),
    *("series", "games", "entrants", "faults", "next", "changes"),
)
ADDRESSES = [
    "/",
    "/cups/copa",
    "/cups/copa?lang=pt_BR",
    "/cups/copa/show",
    "/cups/copa/games",
    *[f"/cups/copa/games/{series}" for series in range(1, 9)],
    *[f"/cups/copa/games/{series}/{game}" for series in range(1, 9) for game in range(1, 5)],
    *[f"/cups/copa/games/{series}/{game}.jsonl" for series in (3, 4) for game in (1, 2)],
    *[f"/cups/copa/games/{series}/{game}.data" for series in (3, 4) for game in (1, 2)],
    *[f"/cups/copa/games/{series}/{game}/2.svg" for series in (3, 4) for game in (1, 2)],
    "/cups/copa/games/3/2.gif",
    "/cups/copa/games/4/1.html",
    *[f"/cups/copa/entrants/{name}" for name in ("greedy", "random", "rock", "markov", "nobody", "Rui")],
    "/cups/copa/organiser/changes",
    "/api/cups",
    "/api/cups/copa",
    *[f"/api/cups/copa/{what}" for what in API_LISTS],
    "/api/cups/copa/tables",
    *[f"/api/cups/copa/series/{series}" for series in range(1, 9)],
    *[f"/api/cups/copa/games/{series}/{game}" for series in range(1, 9) for game in range(1, 5)],
    *[f"/api/cups/copa/games/{series}/{game}/record" for series in (3, 4) for game in (1, 2)],
    *[f"/api/cups/copa/games/{series}/{game}/positions/2" for series in (3, 4) for game in (1, 2)],
    *[f"/api/cups/copa/entrants/{name}" for name in ("greedy", "random", "rock", "markov")],
    "/api/cups/copa/games?offset=4&limit=500",
    "/api/cups/copa/curtain",
]


def everything(served: ServerThread) -> dict[str, Any]:
    """All that anybody can get."""
    found: dict[str, Any] = {}
    for path in ADDRESSES:
        answer = served.get(path)
        headers = {name: value for name, value in answer.headers.items() if name != "date"}
        body = answer.content.replace(f":{served.port}".encode(), b":PORT")  # a digest may contain the number
        for name in ("etag", "content-length"):
            headers.pop(name, None)  # of a page that has its own address in it
        found[path] = (answer.status_code, headers, body)
    for lang, shape in (("en", "wide"), ("pt_BR", "tall")):
        page = Page(served.address, lang, shape).listen("copa", until=lambda page: page.last)
        found[f"events {lang}"] = [event.content for event in page.heard if event.kind != "hello"]
    return found


def test_what_is_hidden_changes_nothing_that_can_be_seen(two_cups: tuple[Path, Path]) -> None:
    with serving(two_cups[0]) as served:
        one = everything(served)
    with serving(two_cups[1]) as served:
        other = everything(served)
    assert one["/cups/copa/games/3/1"][0] == 200
    assert one["/cups/copa/games/3/2"][0] == 404
    assert b'"whole":false' in one["/api/cups/copa/series/3"][2]
    for path, seen in one.items():
        assert other[path] == seen, path
    assert one["/cups/copa/games/3/2"] == one["/cups/copa/games/8/4"]


def test_a_change_after_hidden_games_is_as_hidden_as_they_are(tmp_path: Path) -> None:
    path = written_cup(tmp_path, "copa", ["greedy", "random", "rock"])
    play_cup(read(path), results_file(path))[0].close()
    storage = CupPaths.of(path).storage
    with storage.open_visibility() as show:
        show.hold(at=3)
    with serving(path) as served:
        before = everything(served)
    for change in (
        LateEntrant("Rui", "greedy"),
        Disqualification("rock"),
        Replay("league", "greedy | random"),
    ):
        request_change(storage, change, who="jury", why="a secret reason")
    assert apply_requests(read(path), storage, NoSandbox(), isolated=False)
    assert [one.refusal for one in requests(storage)] == [None, None, None]
    with serving(path) as served:
        after = everything(served)
        for where, seen in before.items():
            assert after[where] == seen, where
        served.change("copa", action="open")
        until(lambda: len(served.json("/api/cups/copa/changes")) == 3)
        assert "a secret reason" in served.get("/cups/copa").text
        assert served.get("/cups/copa/entrants/Rui").status_code == 200


@pytest.fixture
def held(two_cups: tuple[Path, Path], tmp_path: Path) -> Path:
    """One of them, to be changed."""
    folder = two_cups[0].parent
    shutil.copytree(folder, tmp_path / "held")
    return tmp_path / "held" / two_cups[0].name


def test_games_are_revealed_one_by_one_to_the_podium(held: Path) -> None:
    with serving(held) as served:
        page = Page(served.address).listen("copa", until=lambda page: page.last)
        assert "slate" not in page.parts["podium"]
        assert served.change("copa", action="reveal", expected=SHOWN).json()["shown"] == SHOWN + 1
        assert served.change("copa", action="reveal", expected=SHOWN).status_code == 409
        until(lambda: served.json("/api/cups/copa/pace")["games"] == SHOWN + 1)
        assert served.json("/api/cups/copa/series/3")["whole"]
        assert served.get("/cups/copa/games/3/2").status_code == 200
        before = len(page.heard)
        page.listen("copa", until=lambda page: "games" in [e.content.get("id") for e in page.heard[before:]])
        assert "hello" not in page.kinds()[before:]  # it missed nothing, and was told nothing twice
        served.change("copa", action="reveal", amount="series")
        until(lambda: served.json("/api/cups/copa/pace")["games"] == 8)
        served.change("copa", action="reveal", amount="stage")
        until(lambda: served.json("/api/cups/copa/pace")["games"] == 12)
        assert served.json("/api/cups/copa/pace")["stage"] == "final"
        assert served.json("/api/cups/copa")["seed"] is None
        organiser = {"Authorization": f"Bearer {TOKEN}", "Accept-Language": "pt-BR"}
        served.change("copa", action="reveal", amount="stage")
        until(lambda: served.json("/api/cups/copa/pace")["state"] == "over")
        desk = served.get("/organiser", headers=organiser).text
        assert "nenhuma está escondida" in desk
        assert "/reveal/all" not in desk, "there is nothing to open"
        served.change("copa", action="open")
        until(lambda: served.json("/api/cups/copa/pace")["state"] == "over")
        assert served.json("/api/cups/copa")["podium"][0]["place"] == 1
        assert served.json("/api/cups/copa")["seed"] == "7"


def test_what_will_be_revealed_is_said_to_the_organiser_alone(held: Path) -> None:
    organiser = {"Authorization": f"Bearer {TOKEN}"}
    with serving(held) as served:
        lead = served.get("/cups/copa/organiser")
        assert (lead.status_code, lead.headers["location"]) == (303, "/organiser")
        portuguese = {**organiser, "Accept-Language": "pt-BR"}
        changes = served.get("/cups/copa/organiser/changes", headers=portuguese).text
        assert changes.count('<option value="league">liga</option>') == 2
        for amount in ("series", "stage", "all"):
            stranger = served.get(f"/cups/copa/organiser/reveal/{amount}")
            assert (stranger.status_code, stranger.headers["location"]) == (303, "/organiser")
        assert served.get("/cups/copa/organiser/reveal/game", headers=organiser).status_code == 404
        series = served.get("/cups/copa/organiser/reveal/series", headers=organiser).text
        assert "This reveals 1 game and the result of 1 series." in series
        (said,) = re.findall(
            r"Next: league: .+ – .+ \(.+\), game 2; 1 game of this series is hidden.", series
        )
        assert said in served.get("/organiser", headers=organiser).text
        desk = served.get("/organiser", headers=organiser).text
        assert "open: reveal everything, and show games live" in desk
        assert 'name="pace" value="1"' in desk
        assert "Next: " not in served.get("/organiser").text
        assert "<code>/cups/copa</code>" not in series, "there is no other cup"
        assert "the winners of" not in series
        stage = served.get("/cups/copa/organiser/reveal/stage", headers=organiser).text
        assert "This reveals 7 games and the results of 4 series." in stage
        assert "the winners of these stages: league." in stage
        assert "the winner of the cup" not in stage
        everything = served.get("/cups/copa/organiser/reveal/all", headers=organiser).text
        assert "the winners of these stages: league, final." in everything
        assert "the winner of the cup." in everything
        assert served.json("/api/cups/copa/pace")["games"] == SHOWN, "to ask reveals nothing"
        fields = {"amount": "stage", "expected": str(SHOWN)}
        assert all(f'name="{name}" value="{value}"' in stage for name, value in fields.items())
        where = "/cups/copa/organiser/reveal"
        assert served.post(where, data=fields, headers=organiser).status_code == 303
        assert served.post(where, data=fields, headers=organiser).status_code == 409, "once is enough"
        until(lambda: served.json("/api/cups/copa/pace")["games"] == 12)


def shown_turn(served: ServerThread, manual: ManualClock) -> int:
    """Return the turn that the only table shows, after a moment for the server to look; 0: there is none."""
    manual.advance(0.05)
    (served_cup,) = served.served_cups.cups.values()
    watched = served_cup.tables.by_id.get("show-3-2")
    return len(watched.replay) if watched is not None else 0


def test_a_game_is_shown_move_by_move_and_then_public_also_after_a_restart(held: Path) -> None:
    pace = 10.0
    with clock.use_clock(ManualClock()) as manual:
        with serving(held) as served:
            told = served.change("copa", action="reveal", pace=pace).json()
            assert (told["shown"], told["showing"]) == (SHOWN, True)
            until(lambda: shown_turn(served, manual) == 1)
            assert served.get("/cups/copa/games/3/2").status_code == 404
            assert served.json("/api/cups/copa/tables")[0]["shown"]
            twice = served.change("copa", action="reveal", pace=pace)  # one at a time
            assert twice.status_code == 409
            assert "a game is being shown already" in twice.json()["detail"]
            organiser = {"Authorization": f"Bearer {TOKEN}"}
            fields = {"amount": "game", "expected": str(SHOWN), "pace": str(pace)}
            desk = served.post("/cups/copa/organiser/reveal", data=fields, headers=organiser)
            assert desk.status_code == 409
            assert "A game is being shown already" in desk.text
            assert re.search("This game is being shown: league: .+, game 2\\.", desk.text)
            assert "Next: " not in desk.text
            assert '<button class="main" disabled>show the next game' in desk.text
            assert "reveal this game at once" in desk.text
            later = served.get("/cups/copa/organiser/reveal", headers=organiser)
            assert (later.status_code, later.headers["location"]) == (303, "/organiser")
            manual.advance(pace)
            until(lambda: shown_turn(served, manual) == 2)
        with serving(held) as served:
            until(lambda: shown_turn(served, manual) == 2)
            page = Page(served.address, packed=True).listen("copa", until=lambda page: page.last)
            for turn in range(3, 7):
                manual.advance(pace)
                until(lambda: shown_turn(served, manual) == turn)  # noqa: B023
            assert served.get("/cups/copa/games/3/2").status_code == 404
            manual.advance(LAST_SECONDS)
            until(lambda: shown_turn(served, manual) == 0)
            until(lambda: served.get("/cups/copa/games/3/2").status_code == 200)
            page.listen("copa", until=lambda page: any(event.kind == "gone" for event in page.heard))
        turns = [event.content["turn"] for event in page.heard if event.kind == "board"]
        assert turns == [2, 3, 4, 5, 6]
