"""People play over HTTP: nobody is sent what another seat sees, and an address opens only what it should."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from botequim.tables.tables import Tables
from botequim.web.pages.organiser import digest
from tests.support.pace import PATIENCE
from tests.support.play_clients import TableClient
from tests.support.play_tables import new_tables
from tests.support.server_thread import NO_TLS, ServerThread, serving

ORGANISER = "the organiser of the tables"
WRITTEN = re.compile(r"\b([0-6])-([0-6])\b")
DRAWN = re.compile(r"#[vh]([0-6])([0-6])")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerThread]:
    tables: Tables = new_tables(tmp_path / "tables")
    tables.organiser = digest(ORGANISER)
    with serving(tables=tables) as thread:
        yield thread


def open_table(server: ServerThread, **form: str) -> str:
    """Open a table, and return the address of the person who opened it."""
    answer = server.post("/play/tables", data={"name": "Ana", **form})
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]


def tiles_in(event: dict[str, Any]) -> set[frozenset[str]]:
    """Return all tiles that an event draws or mentions. The paths of a drawing may look like tiles."""
    texts = json.dumps({name: value for name, value in event.items() if name != "parts"})
    found = DRAWN.findall(json.dumps(event)) + WRITTEN.findall(texts)
    return {frozenset(match) for match in found}


def test_no_seat_is_ever_sent_what_another_seat_holds(server: ServerThread) -> None:
    seats = {"seat-1": "me", "seat-2": "friend", "seat-3": "friend", "seat-4": "friend"}
    first = open_table(server, game="cubos", **seats)
    watch, invitations = waiting_table(server, first)
    people = [TableClient(server.address, first)]
    spectator = TableClient(server.address, watch, plays=False)
    for name, invitation in zip(("Rui", "Bia", "Davi"), invitations, strict=True):
        answer = server.post(invitation, data={"name": name})
        assert answer.status_code == 303
        people.append(TableClient(server.address, answer.headers["location"]))
    for one in [*people, spectator]:
        one.join()

    hands = [first_hand(one) for one in people]
    assert len(set().union(*hands)) >= 27  # chance lays the first tile, perhaps before a hand is sent
    for own, one in [*enumerate(people), (None, spectator)]:
        laid: set[frozenset[str]] = set()
        checked = 0
        for event in one.events:
            if event["result"]:
                break  # all hands are shown when the game is over
            laid |= tiles_in({"moves": event["moves"], "told": event["told"]})
            secret = set().union(*(hand for at, hand in enumerate(hands) if at != own)) - laid
            assert not tiles_in(event) & secret, (own, event["turn"])
            checked += 1
        assert checked > 10


def waiting_table(server: ServerThread, address: str) -> tuple[str, list[str]]:
    """Return the address for spectators and all invitations of a table that waits."""
    with httpx.stream("GET", f"{server.address}{address}/events", timeout=PATIENCE, verify=NO_TLS) as answer:
        for line in answer.iter_lines():
            if line.startswith("data: "):
                event = json.loads(line.removeprefix("data: "))
                return event["watch"], [one["invitation"] for one in event["seats"] if one["invitation"]]
    raise AssertionError("the stream ended")


def first_hand(browser: TableClient) -> set[frozenset[str]]:
    hands = (event["you"]["hand"] for event in browser.events if event["you"] and event["you"]["hand"])
    return {frozenset(piece["name"].split("-")) for piece in next(hands)}


def test_secrets_of_seats_are_sent_to_nobody_else(server: ServerThread) -> None:
    first = open_table(server, game="rps", **{"seat-1": "me", "seat-2": "friend", "option-rounds": "3"})
    watch, (invitation,) = waiting_table(server, first)
    spectator = TableClient(server.address, watch, plays=False)
    second = server.post(invitation, data={"name": "Rui"}).headers["location"]
    people = [TableClient(server.address, first), TableClient(server.address, second)]
    for one in [*people, spectator]:
        one.join()
    secrets = [address.rpartition("/")[2] for address in (first, second, invitation)]
    assert len(set(secrets)) == 3
    everything = [bytes(one.content).decode() for one in (*people, spectator)]
    assert not any(secret in everything[2] for secret in secrets)
    assert secrets[1] not in everything[0]
    assert secrets[0] not in everything[1]
    record = spectator.events[-1]["result"]["record"]
    assert not any(secret in server.get(record).text for secret in secrets)


@pytest.mark.parametrize(
    "path",
    [
        "/play/seat/x",
        "/play/seat/x/events",
        "/play/seat/x/review",
        "/play/join/x",
        "/play/watch/0123456789ab",
        "/play/watch/..%2f..%2f",
        "/play/watch/0123456789ab/games/1.jsonl",
    ],
)
def test_an_unknown_address_is_not_found(server: ServerThread, path: str) -> None:
    answer = server.get(path)
    assert answer.status_code == 404
    assert 'class="button" href="/play"' in answer.text


def test_a_move_needs_the_seat_and_the_site(server: ServerThread) -> None:
    own = open_table(server, game="rps", **{"seat-1": "me", "seat-2": "greedy"})
    move = {"game": 1, "turn": 0, "move": "rock"}
    watch, _ = waiting_table(server, own)
    assert server.post(f"{watch}/move", json=move).status_code in (404, 405)
    elsewhere = {"Origin": "http://elsewhere.example"}
    assert server.post(f"{own}/move", json=move, headers=elsewhere).status_code == 403
    wrong = server.post(f"{own}/move", json={**move, "move": "stone"})
    assert wrong.status_code == 422
    assert wrong.json()["detail"]
    assert server.post(f"{own}/move", json={**move, "turn": 3}).status_code == 409
    assert server.post(f"{own}/move", json={"game": 1}).status_code == 422
    assert server.post(f"{own}/move", json=move).status_code == 204


def test_a_finished_game_can_be_downloaded_and_replayed(server: ServerThread) -> None:
    own = open_table(server, game="rps", **{"seat-1": "me", "seat-2": "greedy", "option-rounds": "3"})
    watch, _ = waiting_table(server, own)
    assert server.get(f"{watch}/games/1.jsonl").status_code == 404  # not yet
    browser = TableClient(server.address, own)
    browser.join()
    result = browser.events[-1]["result"]
    lines = server.get(result["record"]).text.splitlines()
    assert json.loads(lines[0])["seats"][0] == {"name": "Ana", "person": True}
    for path in (result["replay"], f"{result['replay']}.data", f"{result['replay']}.html"):
        assert server.get(path).status_code == 200
    assert server.get(f"{watch}/games/2.jsonl").status_code == 404


def test_advice_and_the_review_explain_moves(server: ServerThread) -> None:
    own = open_table(server, game="rps", **{"seat-1": "me", "seat-2": "greedy", "option-rounds": "3"})
    advice = server.post(f"{own}/hint")
    assert advice.status_code == 200
    assert advice.json()["move"] in ("rock", "paper", "scissors")
    assert "champion would play" in advice.json()["lines"][0]
    assert server.get(f"{own}/review?game=1").status_code == 404  # the game is not over
    TableClient(server.address, own).join()
    while (review := server.get(f"{own}/review?game=1&lang=pt_BR").json())["ready"] < review["moves"]:
        pass
    assert review["moves"] == 3
    assert all("champion jogaria" in row["lines"][0] for row in review["rows"])


def test_only_the_organiser_removes_names_and_tables(server: ServerThread) -> None:
    own = open_table(server, game="rps", **{"seat-1": "me", "seat-2": "greedy", "name": "rude name"})
    watch, _ = waiting_table(server, own)
    name = watch.rpartition("/")[2]
    assert server.get("/play/desk").status_code == 303
    assert server.post(f"/play/desk/{name}/remove").status_code == 403
    token = {"Authorization": f"Bearer {ORGANISER}"}
    assert "rude name" in server.get("/play/desk", headers=token).text
    assert server.post(f"/play/desk/{name}/redact", data={"seat": "0"}, headers=token).status_code == 303
    assert "rude name" not in server.get("/play/desk", headers=token).text
    assert "rude name" not in server.get(watch).text
    assert server.post(f"/play/desk/{name}/remove", headers=token).status_code == 303
    assert server.get(watch).status_code == 404
    assert server.get(own).status_code == 404


def test_a_server_without_tables_has_no_page_for_them() -> None:
    with serving() as thread:
        assert thread.get("/play").status_code == 404
        assert 'href="/play"' not in thread.get("/").text
