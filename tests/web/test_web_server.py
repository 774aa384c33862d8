"""The server: what it answers to whom, and what it does not put up with."""

from __future__ import annotations

import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import pytest

from botequim.core import clock
from botequim.cup.config_parser import read
from botequim.cup.paths import CupPaths
from botequim.testing import ManualClock
from botequim.web.server import middleware
from botequim.web.server.middleware import BODY_SECONDS, Limits, Rate, RateLimiter
from botequim.web.server.serving import HEAD_SECONDS
from tests.support.cup_files import results_file
from tests.support.pace import PATIENCE, until
from tests.support.played_cups import play_cup
from tests.support.server_thread import GENEROUS, TOKEN, Page, ServerThread, serving, written_cup

PAGES = [
    "/",
    "/cups/copa",
    "/cups/copa/show",
    "/cups/copa/games",
    "/cups/copa/games/1",
    "/cups/copa/games/1/1",
    "/cups/copa/games/1/1/3",
    "/cups/copa/entrants/greedy",
    "/organiser",
    "/api",
]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerThread]:
    folder = tmp_path_factory.mktemp("served")
    short = '[options]\nrounds = 6\n[[stages]]\nname = "league"\nformat = "round_robin"\ngames = 2\n'
    path = written_cup(folder, "copa", ["greedy", "random", "rock"], short)
    cup = read(path)
    store, _ = play_cup(cup, results_file(path))
    store.close()
    empty = written_cup(folder, "vazia", ["greedy", "random"])
    with serving(path, empty) as running:
        yield running


@pytest.mark.parametrize("path", [*PAGES, "/cups/vazia", "/cups/vazia/show", "/cups/vazia/games"])
def test_pages_are_there_in_both_languages_behind_the_policy(served: ServerThread, path: str) -> None:
    english = served.get(path)
    portuguese = served.get(path, headers={"Accept-Language": "pt"})
    assert english.status_code == portuguese.status_code == 200
    assert 'lang="en"' in english.text
    assert 'lang="pt-BR"' in portuguese.text
    for answer in (english, portuguese):
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert " style=" not in answer.text
        assert "<style" not in answer.text
        assert "http://" not in answer.text.replace("http://www.w3.org", "").replace(served.address, "")


@pytest.mark.parametrize("path", PAGES)
def test_what_has_not_changed_is_not_sent_again(served: ServerThread, path: str) -> None:
    first = served.get(path)
    again = served.get(path, headers={"If-None-Match": first.headers["etag"]})
    assert again.status_code == 304
    assert not again.content
    other = served.get(path, headers={"If-None-Match": first.headers["etag"], "Accept-Language": "pt"})
    assert other.status_code == 200


@pytest.mark.parametrize("path", [*PAGES, "/static/site.css", "/api/cups", "/cups/copa/events"])
def test_whatever_can_be_got_can_be_asked_about(served: ServerThread, path: str) -> None:
    import httpx

    answer = httpx.head(served.address + path, timeout=PATIENCE)
    assert answer.status_code == 200
    assert not answer.content


@pytest.mark.parametrize(
    "path",
    [
        "/nothing",
        "/cups/other",
        "/cups/copa/games/1/3",
        "/cups/copa/games/99/1",
        "/cups/copa/games/1/1/9999",
        "/cups/copa/games/1/1/0",
        "/cups/copa/games/1/0",
        "/cups/copa/games/0/1.jsonl",
        "/cups/copa/games/" + "9" * 1000 + "/1",
        "/cups/copa/entrants/nobody",
        "/cups/copa/entrants/greedy/portrait",
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2fapp.py",
        "/cups/..%2f..%2fetc%2fpasswd",
        "/api/cups/copa/games/1/3",
        "/api/cups/copa/games/9/1/record",
    ],
)
def test_what_is_not_there_is_said_in_words(served: ServerThread, path: str) -> None:
    answer = served.get(path)
    assert answer.status_code == 404
    assert "content-security-policy" in answer.headers
    assert ("detail" in answer.json()) if path.startswith("/api") else ("</html>" in answer.text)


def test_downloads_are_what_they_say(served: ServerThread) -> None:
    record = served.get("/cups/copa/games/1/1.jsonl")
    assert record.headers["content-type"] == "application/x-ndjson"
    assert record.text.startswith('{"botequim":1')
    assert "attachment" in record.headers["content-disposition"]
    page = served.get("/cups/copa/games/1/1.html")
    assert page.text.startswith("<!doctype html>")
    assert page.headers["content-security-policy"] == "sandbox"
    drawn = served.get("/cups/copa/games/1/1/3.svg")
    assert drawn.headers["content-type"] == "image/svg+xml"
    assert drawn.text.startswith("<svg")


@pytest.mark.parametrize(
    ("wishes", "language"),
    [
        ("en;q=0.1, pt-BR;q=0.9", "pt-BR"),
        ("pt-BR;q=0.1, en;q=0.9", "en"),
        ("pt-BR;q=0, en", "en"),
        ("pt-BR;q=0.000", "en"),
        ("de, fr;q=0.9, pt ; Q=0.2, en;q=0.1", "pt-BR"),
        ("pt-BR, en", "pt-BR"),
        ("en;q=0.5, pt;q=0.5", "en"),
        ("pt;q=much, en;q=0.1", "en"),
        ("pt;q=nan, ;q=1, ,*", "en"),
    ],
)
def test_the_language_is_the_one_that_the_browser_wants_most(
    served: ServerThread, wishes: str, language: str
) -> None:
    told = served.get("/", headers={"Accept-Language": wishes})
    assert told.headers["content-language"] == language
    assert f'lang="{language}"' in told.text.partition(">")[2].partition(">")[0]


@pytest.mark.parametrize("what", [".gif", "/3.svg"])
def test_what_is_kept_of_a_game_is_kept_for_each_language(served: ServerThread, what: str) -> None:
    for wish, language in (("en", "en"), ("pt", "pt-BR")):
        told = served.get(f"/cups/copa/games/1/1{what}", headers={"Accept-Language": wish}).headers
        assert told["content-language"] == language
        assert {"accept-language", "cookie"} <= {one.strip().lower() for one in told["vary"].split(",")}


def test_a_game_is_had_as_a_gif_whoever_else_waits_for_it(served: ServerThread) -> None:
    animation = served.get("/cups/copa/games/1/1.gif")
    assert animation.content.startswith(b"GIF89a")
    assert served.get("/cups/copa/games/1/1.gif").content == animation.content


def test_requests_that_make_no_sense_are_refused(served: ServerThread) -> None:
    import httpx

    assert httpx.request("BREW", served.address + "/", timeout=PATIENCE).status_code == 400
    assert httpx.request("PROPFIND", served.address + "/", timeout=PATIENCE).status_code == 405
    assert served.post("/", data={"a": "b"}).status_code == 405
    assert served.get("/?" + "a" * 3000).status_code == 414
    much = served.post("/organiser/login", content=b"token=" + b"a" * 100_000)
    assert much.status_code == 413

    def pieces() -> Iterator[bytes]:
        for _ in range(20):
            yield b"a" * 10_000

    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    endless = served.post("/organiser/login", content=pieces(), headers=kind)
    assert 400 <= endless.status_code < 500


def test_a_head_without_end_is_cut_off(served: ServerThread) -> None:
    with socket.create_connection(("127.0.0.1", served.port), timeout=PATIENCE) as asking:
        asking.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nX: ")
        sent = 0
        with suppress(OSError):
            while sent < 10_000_000:
                asking.sendall(b"a" * 10_000)
                sent += 10_000
        assert sent < 10_000_000


def test_a_gallery_where_nothing_hangs_is_empty(served: ServerThread) -> None:
    answer = served.get("/cups/vazia/gallery/part")
    assert (answer.status_code, answer.text.strip()) == (200, "")


def test_a_replay_goes_on_without_scripts(served: ServerThread) -> None:
    first, second = served.get("/cups/copa/games/1/1/1").text, served.get("/cups/copa/games/1/1/2").text
    assert 'rel="next" href="/cups/copa/games/1/1/2"' in first
    assert 'href="/cups/copa/games/1/1/0"' not in first
    assert 'rel="prev" href="/cups/copa/games/1/1/1"' in second
    assert "needs JavaScript" in served.get("/cups/copa/show").text
    seat = served.get("/cups/copa/games/1/1/1?hands=2").text
    assert 'rel="next" href="/cups/copa/games/1/1/2?hands=2"' in seat
    assert 'src="/cups/copa/games/1/1/1.svg?hands=2"' in seat
    assert "?hands=" not in first


@pytest.mark.parametrize("hands", ["all", "0", "11", "", "9"])
@pytest.mark.parametrize("what", ["", "/1", ".gif", ".html", "/1.svg"])
def test_hands_of_nobody_are_refused(served: ServerThread, what: str, hands: str) -> None:
    answer = served.get(f"/cups/copa/games/1/1{what}?hands={hands}")
    assert answer.status_code == (404 if hands == "9" else 422), "one status for a seat that is not there"
    assert "</html>" in answer.text


def test_the_api_refuses_the_hands_of_nobody_alike(served: ServerThread) -> None:
    position = "/api/cups/copa/games/1/1/positions/1?hands="
    assert served.get(position + "2").status_code == 200
    assert served.get(position + "9").status_code == 404
    assert served.get(position + "11").status_code == 422


def test_a_page_is_written_once_until_something_changes(
    served: ServerThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = {lang: served.get(f"/cups/vazia?lang={lang}").text for lang in ("en", "pt_BR")}
    assert first["en"] != first["pt_BR"]
    with monkeypatch.context() as patched:
        patched.setattr(
            "botequim.web.templating.render_template", lambda *_, **__: pytest.fail("it was written again")
        )
        assert {lang: served.get(f"/cups/vazia?lang={lang}").text for lang in first} == first
    served.change("vazia", action="hold")
    until(lambda: served.get("/cups/vazia").text != first["en"])
    served.change("vazia", action="open")
    until(lambda: served.get("/cups/vazia").text == first["en"])


def test_one_address_does_not_take_all_the_room(
    served: ServerThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("botequim.web.server.serving.MOST_OF_AN_ADDRESS", 5)

    def status(source: str) -> bytes:
        asking = socket.create_connection(("127.0.0.1", served.port), 60, (source, 0))
        with asking, suppress(OSError):
            asking.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            return asking.recv(15)
        return b""

    with ExitStack() as held:
        for _ in range(5):
            idle = socket.create_connection(("127.0.0.1", served.port), 60, ("127.0.0.2", 0))
            held.enter_context(idle).sendall(b"POST /organiser/login HTTP/1.1\r\nHost: x\r\n")
        assert status("127.0.0.2") == b""
        assert status("127.0.0.3") == b"HTTP/1.1 200 OK"
    until(lambda: status("127.0.0.2") == b"HTTP/1.1 200 OK")


def test_who_asks_too_often_is_told_when_to_come_again(tmp_path: Path) -> None:
    path = written_cup(tmp_path, "copa", ["greedy", "random"])
    limits = Limits(asking=Rate(5, 0.5), sending=GENEROUS.sending)
    with clock.use_clock(ManualClock()) as manual, serving(path, limits=limits) as served:
        answers = [served.get("/") for _ in range(7)]
        assert [answer.status_code for answer in answers] == [200] * 5 + [429] * 2
        wait = int(answers[-1].headers["retry-after"])
        assert wait > 0
        assert served.get("/api/cups").json()["detail"]
        manual.advance(wait)
        assert served.get("/").status_code == 200


def test_who_asks_too_slowly_is_cut_off(tmp_path: Path) -> None:
    path = written_cup(tmp_path, "copa", ["greedy", "random"])
    form = b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 9\r\n\r\ntoken"
    slow = [
        (b"GET / HTTP/1.1\r\nHost: x\r\n", HEAD_SECONDS, b""),
        (b"POST /organiser/login HTTP/1.1\r\nHost: x\r\n" + form, BODY_SECONDS, b"HTTP/1.1 4"),
    ]
    with clock.use_clock(ManualClock()) as manual, serving(path) as served:
        for begun, seconds, answer in slow:
            with socket.create_connection(("127.0.0.1", served.port), timeout=PATIENCE) as asking:
                asking.sendall(begun)
                until(lambda: seconds in manual.pending, "until the server waits for the rest")  # noqa: B023
                manual.advance(seconds)
                try:
                    heard = asking.recv(len(answer) or 1)
                except ConnectionResetError:  # it is cut off without a word
                    heard = b""
                assert heard == answer


def test_buckets_fill_again_and_know_many_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(middleware, "MOST_ADDRESSES", 3)
    buckets = RateLimiter(Rate(2, 0.5))
    with clock.use_clock(ManualClock()) as manual:
        assert [buckets.take("a") for _ in range(3)] == [0, 0, 2]
        manual.advance(2)
        assert buckets.take("a") == 0
        assert buckets.take("a") == 2
        for other in "bcd":
            assert buckets.take(other) == 0
        assert buckets.take("a") == 0  # forgotten, since others came


# --- the organiser -----------------------------------------------------------------------------------


def test_only_the_organiser_acts(served: ServerThread) -> None:
    wanted = {"action": "hold"}
    where = "/api/cups/vazia/curtain"
    assert served.post(where, json=wanted).status_code == 401
    wrong = served.post(where, json=wanted, headers={"Authorization": "Bearer something else"})
    assert wrong.status_code == 403
    assert served.get(where).status_code == 401
    assert served.change("vazia", action="hold").json()["shown"] == 0
    assert served.change("vazia", action="open").json()["shown"] is None
    assert served.change("vazia", action="reveal").status_code == 409
    assert served.change("vazia", action="burn").status_code == 422


def test_a_browser_logs_in_once_and_only_its_own_forms_act(served: ServerThread) -> None:
    import httpx

    with httpx.Client(base_url=served.address, timeout=PATIENCE, follow_redirects=False) as browser:
        refused = browser.post("/organiser/login", data={"token": "wrong"})
        assert refused.status_code == 403
        link = browser.get("/organiser", params={"token": TOKEN})
        assert link.status_code == 303
        assert link.headers["location"] == "/organiser"
        cookie = link.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert "/organiser/logout" in browser.get("/organiser").text
        elsewhere = {"Origin": "http://evil.example"}
        hold = "/cups/vazia/organiser/hold"
        assert browser.post(hold, headers=elsewhere).status_code == 403
        assert browser.post(hold, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
        assert browser.post(hold, headers={"Origin": served.address}).status_code == 303
        assert browser.post("/cups/vazia/organiser/open").status_code == 303
        browser.post("/organiser/logout")
        browser.cookies.clear()
        assert browser.post(hold).status_code == 401


def test_tokens_cannot_be_tried_for_long_and_the_organiser_is_not_locked_out(tmp_path: Path) -> None:
    path = written_cup(tmp_path, "copa", ["greedy", "random"])
    with serving(path) as served:
        tried = [served.post("/organiser/login", data={"token": f"wrong {n}"}).status_code for n in range(14)]
        assert tried[:8] == [403] * 8
        assert tried[-1] == 429
        assert served.get("/organiser", headers={"Cookie": "organiser=wrong"}).status_code == 429
        assert served.change("copa", action="hold").json()["shown"] == 0


# --- the command -------------------------------------------------------------------------------------


def test_the_command_says_where_it_is_and_ends_at_once(tmp_path: Path) -> None:
    path = written_cup(tmp_path, "copa", ["greedy", "random"])
    command = [sys.executable, "-m", "botequim", "serve", str(path), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        assert "http://127.0.0.1:" in first
        assert "organiser?token=" in process.stdout.readline()
        process.stdout.readline()
        address = first.split()[-1].rstrip("/")
        page = Page(address)
        page.listen("copa", until=lambda page: "podium" in page.parts)
        with socket.create_connection(("127.0.0.1", int(address.rsplit(":", 1)[1]))) as looking_on:
            looking_on.sendall(b"GET /cups/copa/events HTTP/1.1\r\nHost: x\r\n\r\n")
            assert looking_on.recv(1000)
            process.terminate()
            assert process.wait(PATIENCE) is not None
            while looking_on.recv(100_000):
                pass  # what was sent before is read to its end
    again = subprocess.run(
        [*command, "--token", "short"], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert again.returncode == 2
    assert "guessed" in again.stderr


def test_a_port_in_use_is_said_in_words(tmp_path: Path) -> None:
    path = written_cup(tmp_path, "copa", ["greedy", "random"])
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        command = [sys.executable, "-m", "botequim", "serve", str(path), "--port", port]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert ended.returncode == 2
    assert "in use" in ended.stderr


# --- files that are not as they should be ------------------------------------------------------------


def test_a_cup_whose_files_are_broken_or_gone_comes_back_by_itself(tmp_path: Path) -> None:
    path = written_cup(tmp_path, "copa", ["greedy", "random"])
    home = CupPaths.of(path)
    with serving(path) as served:

        def trouble() -> str | None:
            found: str | None = served.json("/api/cups/copa")["trouble"]
            return found

        def games() -> int:
            return int(served.json("/api/cups/copa/pace")["games"])

        assert games() == 0
        store, _ = play_cup(read(path), results_file(path))
        store.close()
        until(lambda: games() == 2, "until what was played is seen")
        with closing(sqlite3.connect(results_file(path))) as writing:
            writing.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        whole = results_file(path).read_bytes()
        for name in home.folder.glob("cup.sqlite*"):
            name.unlink()
        until(lambda: games() == 0, "until it is seen that it is gone")
        results_file(path).write_bytes(b"nothing of ours" * 1000)
        said = until(trouble, "until it is said that it is broken")
        assert str(tmp_path) not in str(said)
        assert served.get("/cups/copa").status_code == 200
        results_file(path).unlink()
        results_file(path).write_bytes(whole)
        until(lambda: games() == 2 and trouble() is None, "until it is back")
