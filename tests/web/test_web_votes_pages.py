"""Voting on a real server: what is taken, what is refused, what is told to whom."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from botequim.core import clock
from botequim.core.messages import msg
from botequim.testing import ManualClock
from botequim.votes.contest import Choice, Contest, Phase, Voters
from botequim.votes.contests import Contests
from botequim.web.jobs.galleries import Galleries
from botequim.web.jobs.worker import RenderError
from botequim.web.votes.pages import GALLERY_SECONDS
from botequim.web.votes.voting import WRONG_CODES
from tests.support.contest_cups import HOSTILE, NAMES, TOKEN, ContestServer, finished_cup, hostile, serving
from tests.support.pace import PATIENCE, until

ORGANISER = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ContestServer]:
    with serving(finished_cup(tmp_path_factory.mktemp("contests"))) as running:
        yield running


@pytest.fixture
def client(served: ContestServer) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=served.at(), timeout=PATIENCE) as opened:
        yield opened


def form(contest: Contest, *chosen: str, **fields: str) -> dict[str, str]:
    """What a browser sends."""
    if contest.choice is Choice.SINGLE:
        return {**({"one": str(contest.entrants.index(chosen[0]))} if chosen else {}), **fields}
    ranks = {f"place-{contest.entrants.index(name)}": str(rank) for rank, name in enumerate(chosen, start=1)}
    return {**ranks, **fields}


# --- by code -----------------------------------------------------------------------------------------


def test_a_vote_with_a_code_that_is_then_used(served: ContestServer, client: httpx.Client) -> None:
    contest, (code, *_) = served.contest()
    at = f"/contests/{contest.id}"
    assert f'value="{code}"' in client.get(at, params={"code": code}).text
    answer = client.post(at, data=form(contest, "Caju", code=code))
    assert (answer.status_code, answer.headers["location"]) == (303, f"/cups/cup{at}/in")
    assert "Your vote was recorded." in client.get(f"{at}/in").text
    again = client.post(at, data=form(contest, "Boteco", code=code))
    assert again.status_code == 409
    assert "omebody has already voted with this code" in again.text
    assert "omebody has already voted with this code" in client.get(at, params={"code": code}).text
    assert served.ballots(contest.id) == 1


def test_that_a_vote_is_in_is_said_to_who_voted_alone(served: ContestServer, client: httpx.Client) -> None:
    contest, _ = served.contest()
    answer = client.get(f"/contests/{contest.id}/in")
    assert (answer.status_code, answer.headers["location"]) == (303, f"/cups/cup/contests/{contest.id}")


@pytest.mark.parametrize(
    ("choice", "fields", "why"),
    [
        (Choice.SINGLE, {}, "no entrant was chosen"),
        (Choice.SINGLE, {"one": "77"}, "not in this contest"),
        (Choice.SINGLE, {"one": "<b>"}, "not in this contest"),
        (Choice.RANKED, {}, "no entrant was chosen"),
        (Choice.RANKED, {"place-0": "1", "place-1": "1"}, "two entrants have the same rank"),
        (Choice.RANKED, {"place-0": "first"}, "a whole number"),
        (Choice.RANKED, {"place-0": "-1"}, "a whole number"),
        (Choice.RANKED, {"place-0": "²"}, "a whole number"),
    ],
)
def test_a_spoilt_ballot_comes_back_and_its_code_still_counts(
    served: ContestServer, client: httpx.Client, choice: Choice, fields: dict[str, str], why: str
) -> None:
    contest, (code, *_) = served.contest(choice=choice)
    answer = client.post(f"/contests/{contest.id}", data={**fields, "code": code})
    assert answer.status_code == 422
    assert why in answer.text.lower()
    assert f'value="{code}"' in answer.text
    assert client.post(f"/contests/{contest.id}", data=form(contest, "Caju", code=code)).status_code == 303


def test_ranks_may_leave_numbers_out(served: ContestServer, client: httpx.Client) -> None:
    contest, (code, *_) = served.contest(choice=Choice.RANKED)
    fields = {"place-0": "9", "place-3": "2", "place-1": "", "code": code}
    assert client.post(f"/contests/{contest.id}", data=fields).status_code == 303
    served.close(contest.id)
    with served.storage.open_votes() as show:
        found = Contests(show).tally(contest.id)
    assert [row.entrant for row in found.standings][:2] == [NAMES[3], NAMES[0]]


def test_wrong_codes_are_told_apart_and_not_tried_for_ever(tmp_path: Path) -> None:
    with (
        clock.use_clock(ManualClock()) as manual,
        serving(finished_cup(tmp_path)) as other,
        httpx.Client(base_url=other.at(), timeout=PATIENCE) as client,
    ):
        contest, (code, *_) = other.contest()
        at = f"/contests/{contest.id}"
        wrong = form(contest, "Caju", code="CCCC-CCCC-CCCC")
        answers = [client.post(at, data=wrong) for _ in range(int(WRONG_CODES.burst) + 1)]
        assert {answer.status_code for answer in answers[:-1]} == {404}
        assert "his contest has no such code" in answers[0].text
        assert answers[-1].status_code == 429
        # others behind the same address have right ones
        assert client.post(at, data=form(contest, "Caju", code=code)).status_code == 303
        manual.advance(int(answers[-1].headers["retry-after"]))
        assert client.post(at, data=wrong).status_code == 404


def test_nobody_is_kept_from_voting_by_a_gallery_that_cannot_be_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(self: Galleries, served: object) -> None:
        raise RenderError(msg("rendering failed"))

    monkeypatch.setattr(Galleries, "of", broken)
    with (
        serving(finished_cup(tmp_path)) as other,
        httpx.Client(base_url=other.at(), timeout=PATIENCE) as client,
    ):
        contest, (code, *_) = other.contest()
        assert "Caju" in client.get(f"/contests/{contest.id}").text
        assert client.post(f"/contests/{contest.id}", data={"code": code}).status_code == 422
        assert (
            client.post(f"/contests/{contest.id}", data=form(contest, "Caju", code=code)).status_code == 303
        )
        assert client.get("/gallery").status_code == 503


def test_a_ballot_waits_only_a_while_for_its_pictures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def slow(self: Galleries, served: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(Galleries, "of", slow)
    with clock.use_clock(ManualClock()) as manual, serving(finished_cup(tmp_path)) as other:
        contest, _ = other.contest()
        with ThreadPoolExecutor(1) as reader:
            ballot = reader.submit(httpx.get, other.at(f"/contests/{contest.id}"), timeout=PATIENCE)
            until(lambda: GALLERY_SECONDS in manual.pending, "until the ballot waits")
            manual.advance(GALLERY_SECONDS)
            assert "Caju" in ballot.result().text


# --- open to everybody -------------------------------------------------------------------------------


def test_one_vote_for_each_browser(served: ContestServer) -> None:
    contest, _ = served.contest(Voters.OPEN)
    at = served.at(f"/contests/{contest.id}")
    for name in ("Caju", "Boteco"):
        with httpx.Client(timeout=PATIENCE) as browser:
            cookie = browser.get(at).headers["set-cookie"]
            assert "HttpOnly" in cookie
            assert "SameSite=lax" in cookie
            assert browser.post(at, data=form(contest, name)).status_code == 303
            assert "has already voted" in browser.post(at, data=form(contest, "Caju")).text
            assert "Your vote was recorded." in browser.get(at).text
    assert served.ballots(contest.id) == 2
    unknown = httpx.post(at, data=form(contest, "Caju"), timeout=PATIENCE)
    assert unknown.status_code == 422
    assert "does not accept cookies" in unknown.text
    assert served.ballots(contest.id) == 2


def test_everybodys_ballot_has_an_order_of_its_own_and_keeps_it(served: ContestServer) -> None:
    contest, _ = served.contest(Voters.OPEN)
    orders = set()
    for _ in range(12):
        with httpx.Client(timeout=PATIENCE) as browser:
            first, second = (
                re.findall(
                    r'name="one" value="(\d+)"', browser.get(served.at(f"/contests/{contest.id}")).text
                )
                for _ in range(2)
            )
            assert first == second
            assert sorted(first) == [str(place) for place in range(len(NAMES))]
            orders.add(tuple(first))
    assert len(orders) > 4


# --- what is told, and when --------------------------------------------------------------------------


def test_nothing_tells_how_it_stands_before_it_is_closed(served: ContestServer, client: httpx.Client) -> None:
    contest, codes = served.contest(title="A close race", codes=8)
    places = [
        "",
        "/contests",
        "/contests/part",
        f"/contests/{contest.id}",
        f"/api/cups/cup/contests/{contest.id}",
        f"/api/cups/cup/contests/{contest.id}/result",
        f"/api/cups/cup/contests/{contest.id}/turnout",
    ]

    def seen() -> list[str]:
        client.cookies.set("voter", "A" * 22)
        texts = []
        for place in places:
            address = f"{served.address}{place}" if place.startswith("/api") else served.at(place)
            texts.append(client.get(address).text)
        return texts

    before = seen()
    for code in codes[:6]:
        served.vote(contest.id, "Caju", code=code)
    assert seen() == before
    early = client.get(served.address + places[5])
    assert early.status_code == 409
    served.close(contest.id)
    assert seen() != before
    result = client.get(served.address + places[5]).json()
    assert (result["ballots"], result["codes"], result["winners"]) == (6, 8, ["Caju"])


def test_before_and_after(served: ContestServer, client: httpx.Client) -> None:
    contest, (code, *_) = served.contest(phase=Phase.PREPARING)
    at = f"/contests/{contest.id}"
    assert "has not started" in client.get(at, params={"code": code}).text
    early = client.post(at, data=form(contest, "Caju", code=code))
    assert (early.status_code, "has not started" in early.text) == (409, True)
    with served.storage.open_votes() as show:
        Contests(show).set_phase(contest.id, Phase.OPEN)
    served.close(contest.id)
    late = client.post(at, data=form(contest, "Caju", code=code))
    assert (late.status_code, "came too late" in late.text) == (409, True)
    assert "Nobody voted" in client.get(at).text


@pytest.mark.parametrize("at", ["/contests/999", "/contests/0", "/contests/999/in", "/gallery/99/art.gif"])
def test_what_is_not_there(client: httpx.Client, at: str) -> None:
    assert client.get(at).status_code == 404


@pytest.mark.parametrize("at", ["/contests/x", "/contests/99999999999999999999999", "/gallery/1/x.gif"])
def test_what_makes_no_sense(client: httpx.Client, at: str) -> None:
    assert client.get(at).status_code in (404, 422)


def test_a_cup_without_contests_has_an_empty_list(tmp_path: Path) -> None:
    with serving(finished_cup(tmp_path)) as other:
        assert "There are no contests" in httpx.get(other.at("/contests"), timeout=PATIENCE).text
        assert httpx.get(f"{other.address}/api/cups/cup/contests", timeout=PATIENCE).json() == []


def test_in_portuguese(served: ContestServer, client: httpx.Client) -> None:
    contest, (code, *_) = served.contest(choice=Choice.RANKED)
    page = client.get(f"/contests/{contest.id}", params={"lang": "pt_BR"}).text
    assert "Seu código" in page
    assert 'lang="pt-BR"' in page
    refused = client.post(f"/contests/{contest.id}", data={"code": code})
    assert "Nenhum inscrito foi escolhido." in refused.text


# --- the organiser's desk ----------------------------------------------------------------------------


def test_only_the_organiser_has_a_desk(served: ContestServer, client: httpx.Client) -> None:
    contest, _ = served.contest()
    desk = f"/organiser/contests/{contest.id}"
    pages = ("/organiser/contests", desk, f"{desk}?early=1", f"{desk}/close", f"{desk}/sheet")
    for page in (*pages, f"{desk}/codes.csv"):
        answer = client.get(page)
        assert (answer.status_code, answer.headers["location"]) == (303, "/organiser")
    posts = {
        "/organiser/contests": {"title": "Mine", "entrant": "0"},
        f"{desk}/phase": {"phase": "closed"},
        f"{desk}/codes": {"count": "5"},
        f"{desk}/delete": {"title": "Best art"},
    }
    for page, fields in posts.items():
        assert client.post(page, data=fields).status_code == 401
        wrong = client.post(page, data=fields, headers={"Authorization": "Bearer nonsense-nonsense"})
        assert wrong.status_code in (403, 429)
    with served.storage.open_votes() as show:
        assert Contests(show).get(contest.id).phase is Phase.OPEN


def test_a_contest_from_the_desk(served: ContestServer, client: httpx.Client) -> None:
    client.headers.update(ORGANISER)
    fields = {"title": "From the desk", "voters": "codes", "choice": "ranked", "entrant": ["0", "2", "3"]}
    answer = client.post("/organiser/contests", data=fields)
    assert answer.status_code == 303
    desk = answer.headers["location"].removeprefix("/cups/cup")
    number = int(desk.rpartition("/")[2])
    assert client.post(f"{desk}/codes", data={"count": "4"}).status_code == 303
    assert client.post(f"{desk}/phase", data={"phase": "open"}).status_code == 303
    assert client.post(f"{desk}/codes", data={"count": "2"}).status_code == 303
    first = client.get(f"{desk}/codes.csv", params={"batch": 1}).text.split()[1:]
    assert len(first) == 4
    assert len(client.get(f"{desk}/codes.csv").text.split()) == 1 + 6
    served.vote(number, NAMES[2], NAMES[0], code=first[0])
    assert "1 ballot received" in client.get(desk).text
    assert "Show the current count" in client.get(desk).text
    assert "Round 1" not in client.get(desk).text
    assert "Round 1" in client.get(f"{desk}?early=1").text
    assert len(client.get(f"{desk}/codes.csv", params={"batch": 1}).text.split()) == 1 + 3
    question = client.get(f"{desk}/close").text
    assert "this counts 1 ballot and shows everybody the result." in question
    assert "5 codes were not used" in question
    assert "Close voting" in client.get(desk).text, "to ask closes nothing"
    assert client.post(f"{desk}/phase", data={"phase": "closed"}).status_code == 303
    assert client.get(f"{desk}/close").status_code == 303
    assert (
        "closed contest cannot be opened again" in client.post(f"{desk}/phase", data={"phase": "open"}).text
    )
    assert "nothing was deleted" in client.post(f"{desk}/delete", data={"title": "Another"}).text
    assert client.post(f"{desk}/delete", data={"title": "From the desk"}).status_code == 303
    assert client.get(desk).status_code == 404


@pytest.mark.parametrize(
    "fields",
    [{"title": ""}, {"title": "x" * 101, "entrant": ["0", "1"]}, {"title": "One", "entrant": ["0"]}],
)
def test_contests_that_make_no_sense_are_not_made(
    client: httpx.Client, fields: dict[str, str | list[str]]
) -> None:
    client.headers.update(ORGANISER)
    answer = client.post("/organiser/contests", data=fields)
    assert answer.status_code == 422
    assert 'role="alert"' in answer.text


@pytest.mark.parametrize(
    "address", ["ftp://x", "http://", "nonsense", "http://a b", "http://x:99999", "x" * 300]
)
def test_a_sheet_leads_to_a_server(served: ContestServer, client: httpx.Client, address: str) -> None:
    contest, _ = served.contest()
    client.headers.update(ORGANISER)
    answer = client.get(f"/organiser/contests/{contest.id}/sheet", params={"address": address})
    assert answer.status_code == 422
    assert "is not the address of a server" in answer.text


# --- for programs ------------------------------------------------------------------------------------


def test_all_of_it_for_programs(served: ContestServer) -> None:
    with httpx.Client(base_url=f"{served.address}/api/cups/cup", timeout=PATIENCE) as client:
        wanted = {"title": "By a program", "choice": "ranked", "entrants": ["Caju", "Boteco"]}
        assert client.post("/contests", json=wanted).status_code == 401
        new = client.post("/contests", json=wanted, headers=ORGANISER)
        assert new.status_code == 201
        at = f"/contests/{new.json()['number']}"
        assert new.json()["entrants"] == ["Caju", "Boteco"]
        codes = client.post(f"{at}/codes", json={"count": 3}, headers=ORGANISER).json()["codes"]
        vote = {"choices": ["Boteco", "Caju"], "code": codes[0]}
        assert client.post(f"{at}/votes", json=vote).status_code == 409
        early = client.put(f"{at}/phase", json={"phase": "closed"}, headers=ORGANISER)
        assert early.status_code == 409
        assert "never opened" in early.json()["detail"]
        turned = client.put(f"{at}/phase", json={"phase": "open"}, headers=ORGANISER)
        assert turned.json()["phase"] == "open"
        for wrong, status in (
            ({"choices": [], "code": codes[0]}, 422),
            ({"choices": ["Caju", "Caju"], "code": codes[0]}, 422),
            ({"choices": ["Aroeira"], "code": codes[0]}, 422),
            ({"choices": ["Caju"], "code": "nonsense"}, 404),
            ({"choices": ["Caju"]}, 404),
        ):
            assert client.post(f"{at}/votes", json=wrong).status_code == status, wrong
        assert client.post(f"{at}/votes", json=vote).status_code == 201
        assert client.post(f"{at}/votes", json=vote).status_code == 409
        assert client.get(f"{at}/turnout", headers=ORGANISER).json() == {"codes": 3, "used": 1, "ballots": 1}
        left = client.get(f"{at}/codes", headers=ORGANISER).json()["codes"]
        assert sorted(left) == sorted(codes[1:])
        assert client.get(f"{at}/result", headers=ORGANISER).status_code == 409
        client.put(f"{at}/phase", json={"phase": "closed"}, headers=ORGANISER)
        result = client.get(f"{at}/result").json()
        assert [row["entrant"] for row in result["standings"]] == ["Boteco", "Caju"]
        assert result["rounds"][0] == {
            "votes": {"Boteco": 1, "Caju": 0}, "silent": 0, "asked": [], "leaving": ["Caju"],
        }  # fmt: skip
        assert client.delete(at, params={"title": "Wrong"}, headers=ORGANISER).status_code == 409
        assert client.delete(at, params={"title": "By a program"}, headers=ORGANISER).status_code == 204
        assert client.get(at).status_code == 404
        strange = client.post("/contests", json={**wanted, "entrants": ["Caju", "Zoe"]}, headers=ORGANISER)
        assert strange.status_code == 422


def test_an_open_vote_by_a_program_needs_the_cookie_too(served: ContestServer) -> None:
    contest, _ = served.contest(Voters.OPEN)
    with httpx.Client(base_url=f"{served.address}/api/cups/cup", timeout=PATIENCE) as client:
        vote = {"choices": ["Caju"]}
        assert client.post(f"/contests/{contest.id}/votes", json=vote).status_code == 422
        client.get(f"/contests/{contest.id}")
        assert client.post(f"/contests/{contest.id}/votes", json=vote).status_code == 201
        assert client.post(f"/contests/{contest.id}/votes", json=vote).status_code == 409


# --- many at once ------------------------------------------------------------------------------------


def test_two_hundred_voters_at_once_lose_nothing(served: ContestServer) -> None:
    contest, codes = served.contest(choice=Choice.RANKED, codes=200)
    at = served.at(f"/contests/{contest.id}")

    async def voter(client: httpx.AsyncClient, number: int, code: str) -> None:
        name = NAMES[number % len(NAMES)]
        answer = await client.post(at, data=form(contest, name, code=code))
        assert answer.status_code == 303, answer.text
        if number % 10 == 0:  # who is not sure whether it was sent sends it again
            again = await client.post(at, data=form(contest, "Caju", code=code))
            assert again.status_code == 409

    async def all_of_them() -> None:
        limits = httpx.Limits(max_connections=100)
        async with httpx.AsyncClient(timeout=PATIENCE, limits=limits) as client:
            await asyncio.gather(*(voter(client, number, code) for number, code in enumerate(codes)))

    # in a thread: an event loop of ours beside the browsers' of other tests
    thread = threading.Thread(target=lambda: asyncio.run(all_of_them()))
    thread.start()
    thread.join()
    served.close(contest.id)
    with served.storage.open_votes() as show:
        found = Contests(show).tally(contest.id)
    assert found.ballots == 200
    assert {row.votes for row in found.standings if row.place == 1} == {40}
    assert dict(found.rounds[0].votes) == dict.fromkeys(NAMES, 40)


# --- strangers' names --------------------------------------------------------------------------------


def test_hostile_names_are_chosen_like_others(tmp_path: Path) -> None:
    cup = finished_cup(tmp_path, HOSTILE, remarks=hostile)
    with serving(cup) as other, httpx.Client(base_url=other.at(), timeout=PATIENCE) as client:
        contest, codes = other.contest(choice=Choice.RANKED, title="<script>alert(2)</script> & co", codes=6)
        for code, name in zip(codes, HOSTILE, strict=True):
            answer = client.post(f"/contests/{contest.id}", data=form(contest, name, code=code))
            assert answer.status_code == 303
        other.close(contest.id)
        for page in ("/gallery", "/contests", f"/contests/{contest.id}", "/contests/part", "/gallery/part"):
            text = client.get(page).text
            for bad in ("<script>alert", "<img src=x", "<h1>mine", "ul>49", "\u202e", "x" * 400):
                assert bad not in text, (page, bad)
        assert "drawkcab" in client.get("/gallery").text
        assert client.get("/gallery/1/art.gif").content.startswith(b"GIF89a")
        exhibits = client.get(f"{other.address}/api/cups/cup/gallery").json()
        assert [one["entrant"] for one in exhibits] == list(HOSTILE)
        assert all(len(said) <= 300 for one in exhibits for said in one["says"])
        api = client.get(f"{other.address}/api/cups/cup/contests/{contest.id}/result").json()
        assert set(api["winners"]) == set(HOSTILE)
