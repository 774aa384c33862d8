"""The API says what it is, and is what it says: questions of every kind, made up from its own description."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import load_all_checks, not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from botequim.cup.config_parser import read
from botequim.web.api.documentation import schema_texts
from scripts.messages import api_texts
from tests.support.cup_files import results_file
from tests.support.pace import PATIENCE
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
CONFORMS = [
    not_a_server_error,
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
]
FEW = settings(
    max_examples=3,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
EXAMPLES = pytest.mark.parametrize(
    "examples",
    [FEW, pytest.param(settings(FEW, max_examples=20), marks=pytest.mark.slow)],
    ids=["few", "many"],
)
"""How many questions are made up for each operation."""

load_all_checks()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerThread]:
    path = written_cup(tmp_path_factory.mktemp("api"), "copa", ["greedy", "random", "rock"], STAGES)
    store, _ = play_cup(read(path), results_file(path))
    store.close()
    with serving(path) as running:
        yield running


@pytest.fixture(scope="module")
def schema(served: ServerThread) -> Any:
    return schemathesis.openapi.from_url(f"{served.address}/api/openapi.json")


def operations(schema: Any) -> list[Any]:
    found = [one.ok() for one in schema.get_all_operations()]
    assert len(found) > 15
    return found


@EXAMPLES
def test_no_question_breaks_it(served: ServerThread, schema: Any, examples: settings) -> None:
    """Whatever is asked: also what makes no sense."""
    for operation in operations(schema):
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):

            @examples
            @given(case=operation.as_strategy(generation_mode=mode))
            def ask(case: Any) -> None:
                answer = case.call(timeout=PATIENCE)
                assert answer.status_code < 500, (case.method, case.path, answer.status_code)

            try:
                ask()
            except schemathesis.core.errors.InvalidSchema:
                raise
            except Exception as error:
                if type(error).__name__ in ("Unsatisfiable", "SkipTest", "Skipped"):
                    continue  # there is no way to ask this one wrongly
                raise


@EXAMPLES
def test_answers_are_as_described(served: ServerThread, schema: Any, examples: settings) -> None:
    """Asked about what is there."""
    numbers = st.integers(1, 4)
    names = st.sampled_from(["greedy", "random", "rock", "nobody"])
    for operation in operations(schema):

        @examples
        @given(case=operation.as_strategy(), series=numbers, game=numbers, name=names, token=st.booleans())
        def ask(case: Any, series: int, game: int, name: str, token: bool) -> None:
            known = {"cup": "copa", "series": series, "game": min(game, 2), "move": game, "name": name}
            for parameter in list(case.path_parameters or {}):
                if parameter in known:
                    case.path_parameters[parameter] = known[parameter]
            if token:
                case.headers = {**(case.headers or {}), "Authorization": f"Bearer {TOKEN}"}
            else:
                case.headers = {k: v for k, v in (case.headers or {}).items() if k.lower() != "authorization"}
            answer = case.call(timeout=PATIENCE)
            case.validate_response(answer, checks=CONFORMS)

        ask()


def test_all_that_was_played_is_found(served: ServerThread) -> None:
    games, offset = [], 0
    while offset is not None:
        found = served.json(f"/api/cups/copa/games?limit=3&offset={offset}")
        games += found["items"]
        offset = found["next"]
    assert len(games) == served.json("/api/cups/copa/pace")["games"]
    assert len({(game["series"], game["game"]) for game in games}) == len(games)
    series = served.json("/api/cups/copa/series")["items"]
    assert sum(one["games"] for one in series) == len(games)
    for game in games:
        assert served.get(game["page"]).status_code == 200
        assert (
            served.get(game["record"]).text
            == served.get(f"/api/cups/copa/games/{game['series']}/{game['game']}/record").text
        )
    (tree,) = served.json("/api/cups/copa/bracket")
    (final,) = tree["matches"]
    champion = served.json("/api/cups/copa")["podium"][0]["names"]
    assert [final["winner"]] == champion
    assert served.json("/api/cups/copa/standings")["overall"][0]["entrant"] == champion[0]


def test_ratings_are_those_of_all_public_games(served: ServerThread) -> None:
    found = served.json("/api/cups/copa/ratings")
    names = {one["name"] for one in served.json("/api/cups/copa/entrants")}
    assert {row["entrant"] for row in found["entrants"]} == names
    assert sum(row["games"] for row in found["entrants"]) == 2 * served.json("/api/cups/copa/pace")["games"]
    rated = [row["rating"] for row in found["entrants"]]
    assert rated == sorted(rated, reverse=True)
    assert all(low <= row["rating"] <= high for row in found["entrants"] for low, high in [row["interval"]])
    assert found["anchors"] == ["greedy"]
    (anchor,) = (row for row in found["entrants"] if row["entrant"] == "greedy")
    assert anchor["rating"] == found["anchor"] == 1500


def test_a_position_is_told_in_both_languages_and_by_sight(served: ServerThread) -> None:
    where = "/api/cups/copa/games/1/1/positions/1"
    found = served.json(where)
    assert set(found["told"]) == {"en", "pt_BR"}
    assert found["move"] == 1
    assert served.json(f"{where}?hands=hidden")["seats"][0]["hand"] is None
    assert served.get(f"{where}?hands=9").status_code == 404
    assert served.get(f"{where}?hands=all").status_code == 422


# --- languages ----------------------------------------------------------------------------------------

PORTUGUESE = {"Accept-Language": "pt-BR,pt;q=0.9,en;q=0.5"}


def answer_with_headers(served: ServerThread, path: str, **how: Any) -> tuple[str, str, Any]:
    """An answer with its language and what it may depend on."""
    answer = served.get(path, **how)
    return answer.headers["content-language"], answer.headers["vary"], answer.json()


def test_sentences_are_in_the_readers_language_and_all_else_is_the_same(served: ServerThread) -> None:
    for what in ("", "/standings", "/faults", "/games", "/series", "/entrants/greedy"):
        path = f"/api/cups/copa{what}"
        english, portuguese = (
            answer_with_headers(served, path),
            answer_with_headers(served, path, headers=PORTUGUESE),
        )
        assert (english[0], portuguese[0]) == ("en", "pt-BR")
        assert "Accept-Language" in english[1]
        assert unspoken(english[2]) == unspoken(portuguese[2])
        assert answer_with_headers(served, path + "?lang=pt_BR") == portuguese, "the address does as well"
        assert answer_with_headers(served, path + "?lang=en", headers=PORTUGUESE) == english, (
            "and is heard first"
        )
    for language, points in ("en", "points"), ("pt", "pontos"):
        table = served.json(f"/api/cups/copa/standings?lang={language}")["stages"][0]
        assert points in [column["heading"] for column in table["columns"]]


def unspoken(value: Any) -> Any:
    """Without the sentences."""
    if isinstance(value, dict):
        words = ("why", "label", "heading", "trouble", "absent")
        return {key: key in words or unspoken(inside) for key, inside in value.items()}
    return [unspoken(inside) for inside in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    ("path", "status", "english", "portuguese"),
    [
        ("/api/cups/none", 404, "not found", "não encontrado"),
        (
            "/api/cups/copa/games?limit=0",
            422,
            "query.limit: must be at least 1",
            "query.limit: deve ser no mínimo 1",
        ),
        ("/api/cups/copa/games?limit=x", 422, "must be an integer", "deve ser um número inteiro"),
        ("/api/cups/copa/games/1/1/positions/1?hands=all", 422, "must match", "deve corresponder a"),
        ("/api/cups/copa/games/1/1/positions/1?hands=9", 404, "no such seat", "não há esse lugar"),
        ("/api/cups/copa/curtain", 401, "only the organiser", "só o organizador"),
        ("/api/cups?" + "a" * 3000, 414, "too long", "longo demais"),
    ],
)
def test_problems_are_told_in_the_readers_language(
    served: ServerThread, path: str, status: int, english: str, portuguese: str
) -> None:
    for language, words in ({}, english), (PORTUGUESE, portuguese):
        answer = served.get(path, headers=language)
        assert (answer.status_code, list(answer.json())) == (status, ["detail"])
        assert words in answer.json()["detail"]
        assert answer.headers["content-language"] == ("pt-BR" if language else "en")


def test_the_description_says_how_a_language_is_chosen(served: ServerThread) -> None:
    schema = served.json("/api/openapi.json")
    assert "Accept-Language" in schema["info"]["description"]
    for path, calls in schema["paths"].items():
        for method, call in calls.items():
            names = [one["name"].lower() for one in call["parameters"]]
            assert {"lang", "accept-language"} <= set(names), (method, path)


def test_its_page_is_in_the_readers_language_and_its_schema_in_english(served: ServerThread) -> None:
    schema = served.json("/api/openapi.json")
    assert {text for text in schema_texts(schema) if text} <= set(api_texts())
    pages = [served.get("/api", headers={"Accept-Language": name}).text for name in ("en", "pt-BR")]
    assert ["List the entrants." in page for page in pages] == [True, False]
    assert ["Lista os inscritos." in page for page in pages] == [False, True]
