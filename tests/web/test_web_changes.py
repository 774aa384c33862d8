"""Changes of a cup that has begun: the organiser's page, the public pages and the API."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from botequim.cli import main
from botequim.cup.config_parser import read
from tests.support.cup_files import results_file
from tests.support.pace import until
from tests.support.played_cups import play_cup
from tests.support.server_thread import TOKEN, ServerThread, serving, written_cup

STAGES = """
[options]
rounds = 4
[[stages]]
name = "league"
format = "round_robin"
games = 2
[[stages]]
name = "final"
format = "knockout"
from = "league"
top = 2
"""
ORGANISER = {"Authorization": f"Bearer {TOKEN}"}
DESK = "/cups/copa/organiser/changes"
API = "/api/cups/copa"
DISQUALIFY = {"kind": "disqualification", "entrant": "rock", "why": "it is <a rock>", "who": "jury"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A cup that is over."""
    written = written_cup(tmp_path, "copa", ["greedy", "random", "rock", "markov"], STAGES)
    play_cup(read(written), results_file(written))[0].close()
    return written


@pytest.fixture
def served(path: Path) -> Iterator[ServerThread]:
    with serving(path) as running:
        yield running


def preview(served: ServerThread, **fields: str) -> str:
    answer = served.post(f"{DESK}/preview", data=fields, headers=ORGANISER)
    assert answer.status_code == 200, answer.text
    return answer.text


def ask(served: ServerThread, change: dict[str, Any], why: str = "a reason") -> Any:
    return served.post(f"{API}/requests", json={"change": change, "why": why}, headers=ORGANISER)


def wait_for_changes(served: ServerThread, count: int) -> list[Any]:
    until(lambda: len(served.json(f"{API}/changes")) == count)
    found: list[Any] = served.json(f"{API}/changes")
    return found


def test_a_form_leads_to_a_question_and_only_that_to_a_change(served: ServerThread) -> None:
    desk = served.get(DESK, headers=ORGANISER).text
    for kind in ("late_entrant", "disqualification", "withdrawal", "new_files", "replay"):
        assert f'name="kind" value="{kind}"' in desk
    question = preview(served, **DISQUALIFY)
    assert "rock is disqualified; its results are kept." in question
    assert "Reason: it is &lt;a rock&gt;" in question
    assert 'name="entrant" value="rock"' in question
    assert served.json(f"{API}/changes") == []
    assert served.post(DESK, data=DISQUALIFY, headers=ORGANISER).status_code == 303
    (change,) = wait_for_changes(served, 1)
    assert change["change"] == {
        **dict.fromkeys(("bot", "wire", "stage", "key", "entry")),
        "kind": "disqualification", "entrant": "rock", "annulled": False,
    }  # fmt: skip
    assert (change["number"], change["who"], change["why"]) == (1, "jury", "it is <a rock>")
    assert change["description"] == "rock is disqualified; its results are kept"
    desk = served.get(DESK, headers=ORGANISER).text
    assert 'data-request="1"' in desk
    assert 'name="kind" value="revocation"' in desk
    for page in ("/cups/copa", "/cups/copa/entrants/rock"):
        text = served.get(page).text
        assert "rock is disqualified; its results are kept" in text
        assert "it is &lt;a rock&gt;" in text
    assert "is disqualified" not in served.get("/cups/copa/entrants/greedy").text
    table = served.json(f"{API}/standings")["stages"][0]["rows"]
    assert (table[-1]["entrant"], table[-1]["why"]) == ("rock", "disqualified")


def test_what_is_not_possible_is_refused_with_the_reason_and_stores_nothing(served: ServerThread) -> None:
    wrong: list[tuple[dict[str, str], str]] = [
        ({"kind": "withdrawal", "entrant": "nobody"}, "here is no entrant"),
        ({"kind": "withdrawal"}, "fill in the whole form"),
        ({"kind": "nonsense"}, "fill in the whole form"),
        ({"kind": "replay", "stage": "leag", "series": "1"}, "did you mean league?"),
        ({"kind": "replay", "stage": "league", "series": "rock - gredy"}, "did you mean"),
        ({"kind": "new_files", "entrant": "rock", "stage": "final"}, "begun"),
    ]
    for fields, remedy in wrong:
        answer = served.post(f"{DESK}/preview", data={**fields, "why": "x"}, headers=ORGANISER)
        assert (answer.status_code, remedy in answer.text) == (422, True), (fields, answer.text)
    assert served.post(DESK, data={**DISQUALIFY, "why": " "}, headers=ORGANISER).status_code == 409
    assert ask(served, {"kind": "withdrawal", "entrant": "nobody"}).status_code == 409
    assert ask(served, {"kind": "withdrawal"}).status_code == 409
    assert ask(served, {"kind": "burning"}).status_code == 422
    assert served.get(f"{API}/requests", headers=ORGANISER).json() == []


def test_only_the_organiser_changes_a_cup(served: ServerThread) -> None:
    desk = served.get(DESK)
    assert (desk.status_code, desk.headers["location"]) == (303, "/organiser")
    wanted = {"change": {"kind": "withdrawal", "entrant": "rock"}, "why": "x"}
    for where, sent in (
        (f"{DESK}/preview", {"data": DISQUALIFY}),
        (DESK, {"data": DISQUALIFY}),
        (f"{API}/requests", {"json": wanted}),
        (f"{API}/requests/preview", {"json": wanted["change"]}),
    ):
        assert served.post(where, **sent).status_code == 401
    assert served.get(f"{API}/requests").status_code == 401
    assert served.get(f"{API}/requests", headers=ORGANISER).json() == []


def test_a_series_is_spoiled_and_a_change_revoked_by_a_program(served: ServerThread) -> None:
    last = served.json(f"{API}/series")["items"][-1]["series"]
    replay = {"kind": "replay", "stage": "final", "key": str(last)}
    seen = served.post(f"{API}/requests/preview", json=replay, headers=ORGANISER)
    assert seen.status_code == 200, seen.text
    assert "is played again" in seen.json()["description"]
    assert served.get(f"{API}/requests", headers=ORGANISER).json() == [], "to ask changes nothing"
    made = ask(served, replay, "power cut")
    assert (made.status_code, made.json()["state"], made.json()["entry"]) == (201, "applied", 1)
    wait_for_changes(served, 1)
    assert "does not count: it was played again" in served.get("/cups/copa/games").text
    until(lambda: served.json(f"{API}/pace")["state"] != "over")
    assert ask(served, {"kind": "revocation", "entry": 1}, "a mistake").json()["state"] == "applied"
    first, second = wait_for_changes(served, 2)
    assert (first["revoked_by"], second["change"]["kind"]) == (2, "revocation")
    until(lambda: served.json(f"{API}/pace")["state"] == "over")


def test_a_change_with_a_bot_waits_for_somebody_who_can_prepare_it(tmp_path: Path) -> None:
    written = written_cup(tmp_path, "copa", ["greedy", "random"])
    assert main(["cup", "run", str(written), "--quiet"]) == 0
    late = {"kind": "late_entrant", "entrant": "Rui", "bot": "rock", "why": "the mail was late"}
    with serving(written) as served:
        assert "It waits until" in preview(served, **late)
        assert served.post(DESK, data=late, headers=ORGANISER).status_code == 303
        assert ask(served, {"kind": "withdrawal", "entrant": "random"}).json()["entry"] == 1
        (waiting, _) = served.get(f"{API}/requests", headers=ORGANISER).json()
        assert (waiting["state"], waiting["who"]) == ("waiting", "organiser's page")
        assert "it waits until" in served.get(DESK, headers=ORGANISER).text
        wait_for_changes(served, 1)
        assert main(["cup", "run", str(written), "--quiet"]) == 0
        wait_for_changes(served, 2)
        (done, _) = served.get(f"{API}/requests", headers=ORGANISER).json()
        assert (done["state"], done["entry"]) == ("applied", 2)
        until(lambda: "Rui" in served.get("/cups/copa/entrants/Rui").text)


def test_a_cup_that_has_not_begun_is_changed_in_its_file(tmp_path: Path) -> None:
    with serving(written_cup(tmp_path, "copa", ["greedy", "random"])) as served:
        assert "change its file instead" in served.get(DESK, headers=ORGANISER).text
        assert ask(served, {"kind": "withdrawal", "entrant": "random"}).status_code == 409
