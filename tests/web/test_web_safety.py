"""What a server takes from others: forms of other sites, addresses behind proxies, odd names, idle doors."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import httpx
import pytest

from botequim.cli import main
from botequim.core.sanitize import printable
from botequim.cup.config_parser import read
from botequim.cup.paths import CupPaths
from botequim.votes.contest import Choice, Phase, Voters
from botequim.votes.contests import Contests
from botequim.web.live.public import entrant_key
from botequim.web.server.middleware import Limits, Rate
from botequim.web.server.tls import check_tls_files
from tests.support.certificates import write_certificate
from tests.support.cup_files import results_file
from tests.support.pace import until
from tests.support.played_cups import play_cup
from tests.support.server_thread import GENEROUS, ServerThread, serving, written_cup

ODD = ("a/portrait", "..", ".", "a%2Fb", "~tilde", "?hands=1", "#top", "\u3164", "ação", "C++ & co.", "x\\y")


@pytest.fixture(scope="module")
def odd_cup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cup whose entrants have odd names, each with a portrait."""
    folder = tmp_path_factory.mktemp("odd")
    (folder / "face.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(40))
    entrants = "".join(
        f"[[entrants]]\nname = '{name}'\nbot = 'greedy'\nportrait = 'face.png'\n" for name in ODD
    )
    path = folder / "copa.toml"
    path.write_text(
        f'name = "copa\\u2028\\u2029fim"\ngame = "rps"\nseed = "0123456789abcdef"\n{entrants}'
        '[[stages]]\nname = "league"\nformat = "round_robin"\ngames = 1\n',
        "utf-8",
    )
    CupPaths.of(path).folder.mkdir()
    play_cup(read(path), results_file(path), "0123456789abcdef")[0].close()
    return path


@pytest.fixture(scope="module")
def served(odd_cup: Path) -> Iterator[ServerThread]:
    with serving(odd_cup) as running:
        yield running


@pytest.mark.parametrize("name", ODD)
def test_every_entrant_has_a_page_a_portrait_and_an_answer(served: ServerThread, name: str) -> None:
    entrants = served.json("/api/cups/copa/entrants")
    (brief,) = [one for one in entrants if one["name"] == name]
    page = served.get(brief["page"])
    assert page.status_code == 200
    assert httpx.URL(brief["page"]).raw_path.decode() == brief["page"], "no browser changes it on the way"
    whole = served.json(
        f"/api/cups/copa/entrants/{httpx.URL(brief['page']).raw_path.decode().split('/')[-1]}"
    )
    assert whole["name"] == name
    portrait = served.get(whole["portrait"])
    assert portrait.status_code == 200
    assert portrait.headers["content-type"] == "image/png"


def test_keys_are_one_segment_and_never_the_same() -> None:
    names = [*ODD, *(entrant_key(name) for name in ODD), "Ana", "ana", "Ana "]
    keys = [entrant_key(name) for name in names]
    assert len(set(keys)) == len(set(names))
    assert not [key for key in keys if "/" in key or key in (".", "..")]
    assert entrant_key("Ana") == "Ana"


def test_separators_of_lines_are_shown_as_dots_in_pages(served: ServerThread) -> None:
    assert printable("a\u2028b\u2029c\u202ed\x85e") == "a·b·c·d·e"
    for page in ("/", "/cups/copa", "/cups/copa/games", "/cups/copa/show", "/cups/copa/games/1/1"):
        text = served.get(page).text
        assert "copa··fim" in text, page
        assert not {"\u2028", "\u2029"} & set(text), page


# --- forms of other sites ----------------------------------------------------------------------------


@pytest.fixture
def ballot(served: ServerThread, odd_cup: Path) -> str:
    """The address of a contest in which anybody may vote."""
    with CupPaths.of(odd_cup).storage.open_votes() as store:
        contests = Contests(store)
        contest = contests.add("art", Voters.OPEN, Choice.SINGLE, list(ODD))
        contests.set_phase(contest.id, Phase.OPEN)
    return f"/cups/copa/contests/{contest.id}"


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://[abc]"},
        {"Origin": "http://[abc"},
        {"Origin": "null"},
        {"Origin": ""},
        {"Origin": "http://evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site", "Authorization": "Basic YTpi"},
    ],
)
def test_no_form_of_another_site_is_taken(served: ServerThread, ballot: str, headers: dict[str, str]) -> None:
    for address in (ballot, f"/api{ballot}/votes", "/organiser/login", "/cups/copa/organiser/hold"):
        answer = served.post(address, data={"one": "0"}, headers=headers)
        assert answer.status_code == 403, address
        assert "this form was not sent from this site" in answer.text


def test_our_own_forms_are_taken(served: ServerThread, ballot: str) -> None:
    from_here = {"Origin": served.address}
    assert served.post(ballot, data={"one": "0"}, headers=from_here).status_code in (303, 422)
    behind_a_proxy = {"Origin": "https://copa.example", "Sec-Fetch-Site": "same-origin"}
    assert served.post(ballot, data={"one": "0"}, headers=behind_a_proxy).status_code in (303, 422)


# --- proxies -----------------------------------------------------------------------------------------

ONE_AT_A_TIME = Limits(asking=Rate(3, 1e-9), sending=GENEROUS.sending)


def forwarded_status(served: ServerThread, client: str) -> int:
    headers = {"X-Forwarded-For": client, "X-Forwarded-Proto": "https"}
    return served.get("/", headers=headers).status_code


def test_nobody_is_believed_who_says_that_others_ask(tmp_path: Path) -> None:
    path = written_cup(tmp_path, "copa", ["greedy", "random"])
    with serving(path, limits=ONE_AT_A_TIME) as served:
        assert [forwarded_status(served, f"10.0.0.{at}") for at in range(5)] == [200, 200, 200, 429, 429]


def test_a_trusted_proxy_is_believed(tmp_path: Path) -> None:
    path = written_cup(tmp_path, "copa", ["greedy", "random"])
    with serving(path, limits=ONE_AT_A_TIME, proxies=["127.0.0.0/8"]) as served:
        assert [forwarded_status(served, f"10.0.0.{at}") for at in range(5)] == [200] * 5
        assert [forwarded_status(served, "10.0.0.9") for _ in range(4)] == [200, 200, 200, 429]
        cookie = served.get(
            "/?lang=pt", headers={"X-Forwarded-For": "10.1.1.1", "X-Forwarded-Proto": "https"}
        )
        assert "; Secure" in cookie.headers["set-cookie"]


def test_a_proxy_has_an_address(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written_cup(tmp_path, "copa", ["greedy", "random"])
    assert main(["--lang", "en", "serve", str(path), "--port", "0", "--trusted-proxy", "nginx"]) == 2
    assert "--trusted-proxy takes an address (127.0.0.1) or a network" in capsys.readouterr().err


# --- the door ----------------------------------------------------------------------------------------


def is_served(port: int, source: str) -> bool:
    """Whether this address is answered over https."""
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    with suppress(OSError):
        plain = socket.create_connection(("127.0.0.1", port), 60, (source, 0))
        with plain, trusting.wrap_socket(plain) as asking:
            asking.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            return asking.recv(15) == b"HTTP/1.1 200 OK"
    return False


def test_connections_count_before_they_agree_on_a_cipher(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("botequim.web.server.serving.MOST_OF_AN_ADDRESS", 5)
    path = written_cup(tmp_path, "copa", ["greedy", "random"])
    with serving(path, secured=check_tls_files(*write_certificate(tmp_path, "here"))) as served:
        with ExitStack() as silent:
            for _ in range(5):
                silent.enter_context(
                    socket.create_connection(("127.0.0.1", served.port), 60, ("127.0.0.2", 0))
                )
            until(lambda: not is_served(served.port, "127.0.0.2"))
            assert is_served(served.port, "127.0.0.3")
        until(lambda: is_served(served.port, "127.0.0.2"))
