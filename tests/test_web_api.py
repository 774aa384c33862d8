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

from botequim.cup.home import Home
from botequim.cup.reading import read
from tests.pace import PATIENCE
from tests.played_cups import played
from tests.serving import TOKEN, Served, serving, written_cup

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
QUICKLY = settings(
    max_examples=6,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)

load_all_checks()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    path = written_cup(tmp_path_factory.mktemp("api"), "copa", ["greedy", "random", "rock"], STAGES)
    store, _ = played(read(path), Home.of(path).store)
    store.close()
    with serving(path) as running:
        yield running


@pytest.fixture(scope="module")
def schema(served: Served) -> Any:
    return schemathesis.openapi.from_url(f"{served.address}/api/openapi.json")


def operations(schema: Any) -> list[Any]:
    found = [one.ok() for one in schema.get_all_operations()]
    assert len(found) > 15
    return found


def test_no_question_breaks_it(served: Served, schema: Any) -> None:
    """Whatever is asked: also what makes no sense."""
    for operation in operations(schema):
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):

            @QUICKLY
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


def test_answers_are_as_described(served: Served, schema: Any) -> None:
    """Asked about what is there."""
    numbers = st.integers(1, 4)
    names = st.sampled_from(["greedy", "random", "rock", "nobody"])
    for operation in operations(schema):

        @QUICKLY
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


def test_all_that_was_played_is_found(served: Served) -> None:
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


def test_a_position_is_told_in_both_languages_and_by_sight(served: Served) -> None:
    where = "/api/cups/copa/games/1/1/positions/1"
    found = served.json(where)
    assert set(found["told"]) == {"en", "pt_BR"}
    assert found["move"] == 1
    assert served.json(f"{where}?hands=hidden")["seats"][0]["hand"] is None
    assert served.get(f"{where}?hands=9").status_code == 422
    assert served.get(f"{where}?hands=all").status_code == 422
