"""Ratings of a cup: which games count, and that every place which shows standings shows them."""

from __future__ import annotations

import json
import random
import re
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from botequim.core.results import GameResult, SeriesResult
from botequim.cup.config import Cup
from botequim.cup.config_parser import read
from botequim.cup.ratings import cup_ratings
from botequim.cup.report import write_report
from botequim.i18n import use_language
from botequim.ratings import ANCHOR, Rating
from botequim.ratings.texts import scale_text
from botequim.storage.files import safe_name
from botequim.storage.sqlite.cup import SqliteCupStore
from botequim.storage.values import FinishedSeries
from tests.support.cup_commands import Captured, cup, run, standings
from tests.support.cup_reports import rows
from tests.support.played_cups import play_cup

BOTS = {"Ana": "random", "Bia": "greedy", "Caio": "random", "Davi": "random"}
STAGES = """
[[stages]]
name = "league"
format = "round_robin"
games = 4
sides = "every"
playoff = "none"
[[stages]]
name = "final"
format = "knockout"
from = "league"
top = 2
games = 3
"""


@pytest.fixture
def copa(tmp_path: Path) -> Path:
    return cup(tmp_path / "copa.toml", BOTS, stages=STAGES)


def result(one: str, other: str, *places: tuple[int, int], key: str = "") -> SeriesResult:
    games = tuple(GameResult(pair, "end") for pair in places)
    return SeriesResult(key or f"{one} | {other}", (one, other), games)


def ratings_after(cup: Cup, *league: SeriesResult, **stages: list[SeriesResult]) -> dict[str, Rating]:
    results = {name: {one.key: one for one in series} for name, series in stages.items()}
    found = cup_ratings(cup, {"league": {one.key: one for one in league}, **results})
    return dict(found.by_entrant())


WON, LOST = (1, 2), (2, 1)


# --- what counts ---------------------------------------------------------------------------------------


def test_whoever_plays_as_greedy_is_the_anchor(copa: Path) -> None:
    found = ratings_after(read(copa), result("Ana", "Bia", WON, WON, LOST), result("Ana", "Caio", WON))
    assert found["Bia"].rating == ANCHOR
    assert found["Ana"].rating > found["Bia"].rating > found["Caio"].rating
    assert "Davi" not in found, "has not played"


def test_without_greedy_the_mean_is_the_anchor(tmp_path: Path) -> None:
    path = cup(tmp_path / "copa.toml", dict.fromkeys(BOTS, "random"), stages=STAGES)
    found = ratings_after(read(path), result("Ana", "Bia", WON, WON, LOST), result("Ana", "Caio", WON))
    assert sum(row.rating for row in found.values()) / len(found) == pytest.approx(ANCHOR)


def test_a_program_that_is_called_greedy_is_no_anchor(tmp_path: Path) -> None:
    path = cup(tmp_path / "copa.toml", {"greedy": "random", "Bia": "random"})
    found = ratings_after(read(path), result("greedy", "Bia", WON, WON))
    assert found["greedy"].rating != ANCHOR


def test_all_stages_count_together(copa: Path) -> None:
    before = ratings_after(read(copa), result("Ana", "Bia", WON, LOST))
    after = ratings_after(
        read(copa), result("Ana", "Bia", WON, LOST), final=[result("Ana", "Bia", WON, key="2.1")]
    )
    assert after["Ana"].rating > before["Ana"].rating
    assert after["Ana"].games == 3


def test_the_games_of_the_null_entrant_do_not_count(copa: Path) -> None:
    copa.write_text(copa.read_text().replace('seed = "7"', 'seed = "7"\nnull = "Ana"'))
    league = result("Ana", "Bia", WON, LOST)
    twin = result("Ana (null)", "Bia", WON, WON, WON)
    assert ratings_after(read(copa), league, null=[twin]) == ratings_after(read(copa), league)


def test_the_order_of_series_does_not_matter(copa: Path, tmp_path: Path) -> None:
    store, progress = play_cup(read(copa), tmp_path / "store.db")
    store.close()
    found = cup_ratings(read(copa), progress.results)
    assert len(found.rows) == len(BOTS)
    for seed in range(3):
        results = {}
        for stage, series in progress.results.items():
            keys = random.Random(seed).sample(sorted(series), len(series))
            results[stage] = {key: series[key] for key in keys}
        assert cup_ratings(read(copa), results) == found


def test_a_second_result_of_a_series_does_not_count(copa: Path, tmp_path: Path) -> None:
    """A late attempt at a series that was played again is refused, so its games are in no rating."""
    store, progress = play_cup(read(copa), tmp_path / "store.db")
    with store:
        first = store.series()[0]
        late = replace(first.result, games=tuple(GameResult((2, 1), "end") for _ in first.result.games))
        assert not store.add_series(FinishedSeries(first.stage, late, (), (), 0.0))
        assert cup_ratings(read(copa), store.results()) == cup_ratings(read(copa), progress.results)


def test_mirrored_deals_are_one_unit(copa: Path, tmp_path: Path) -> None:
    """With `sides = "every"`, one win each per deal says that both are equal, and says it for certain."""
    pairs = [WON, LOST] * 20
    mirrored = ratings_after(read(copa), result("Ana", "Bia", *pairs))
    single = cup(tmp_path / "other.toml", BOTS, stages=STAGES.replace('"every"', '"drawn"'))
    drawn = ratings_after(read(single), result("Ana", "Bia", *pairs))
    assert mirrored["Ana"].rating == drawn["Ana"].rating
    assert mirrored["Ana"].margin < 0.5 * drawn["Ana"].margin


# --- where they are shown ------------------------------------------------------------------------------


def test_several_anchors_are_named_together(tmp_path: Path) -> None:
    bots = {"Ana": "greedy", "Bia": "greedy", "Caio": "greedy", "Davi": "random"}
    copa = read(cup(tmp_path / "copa.toml", bots, stages=STAGES))
    league = [result("Ana", "Davi", (1, 2)), result("Bia", "Caio", (1, 2)), result("Caio", "Davi", (2, 1))]
    ratings = cup_ratings(copa, {"league": {one.key: one for one in league}})
    english = "The average of Ana, Bia and Caio (the built-in player greedy) is set to 1500. "
    assert scale_text(ratings).startswith(english)
    with use_language("pt_BR"):
        said = scale_text(ratings)
    assert said.startswith("A média de Ana, Bia e Caio (o jogador da casa greedy) fica fixada em 1500. ")
    assert said.endswith("o mais largo de dois: um calculado por mão distribuída e outro por série.")


def test_status_shows_ratings_and_what_they_mean(copa: Path, capsys: Captured) -> None:
    run(capsys, "run", str(copa), "--quiet")
    _, out, _ = run(capsys, "status", str(copa))
    assert len(re.findall(r"\d{3,4} ± \d+", out)) >= 3 + 1, "in both tables"
    assert "Bia (the built-in player greedy) has 1500 points." in " ".join(out.split())
    found = standings(copa, capsys)["ratings"]
    assert found["anchors"] == ["Bia"]
    assert {row["entrant"] for row in found["entrants"]} == set(BOTS)
    for row in found["entrants"]:
        low, high = row["interval"]
        assert low <= row["rating"] <= high


def test_status_before_the_first_game_has_no_ratings(copa: Path, capsys: Captured) -> None:
    SqliteCupStore.open(copa.with_suffix(".cup") / "cup.sqlite", write=True).close()
    assert standings(copa, capsys)["ratings"]["entrants"] == []


def test_ratings_come_from_public_games_alone(copa: Path, capsys: Captured) -> None:
    run(capsys, "run", str(copa), "--quiet", "--hold")
    run(capsys, "reveal", str(copa), "game")
    assert standings(copa, capsys)["ratings"]["entrants"] == [], "the series is not complete"
    run(capsys, "reveal", str(copa), "series")
    found = standings(copa, capsys)["ratings"]["entrants"]
    assert [row["games"] for row in found] == [4, 4]
    code, out, _ = run(capsys, "status", str(copa), "--json", "--unrevealed")
    assert code == 0
    assert len(json.loads(out)["ratings"]["entrants"]) == len(BOTS)


def report(copa: Path, folder: Path) -> tuple[Path, Any]:
    store, progress = play_cup(read(copa), folder / "store.db")
    with store:
        content = write_report(
            read(copa), progress, store, folder / "report", records=False, replays=0, bundle=True
        )
    return folder / "report" / "public", content.ratings


def test_the_report_shows_ratings_in_every_format(copa: Path, tmp_path: Path) -> None:
    public, ratings = report(copa, tmp_path)
    assert json.loads((public / "report.json").read_text())["ratings"] == ratings.as_json()
    known = ratings.by_entrant()
    table = rows(public / "standings.csv")
    assert {row["stage"] for row in table} == {"league", "final"}
    for row in table:
        assert float(row["rating"]) == round(known[row["entrant"]].rating, 1)
        assert float(row["rating_low"]) <= float(row["rating"]) <= float(row["rating_high"])
    for name, words in (("index.html", "Ratings"), ("index.pt-BR.html", "Ratings")):
        page = (public / name).read_text(encoding="utf-8")
        assert words in page
        assert page.count('<svg class="interval"') == len(BOTS), "a chart with a row for each"
    sheet = public.parent / "private" / "feedback" / "en" / f"{safe_name('Ana')}.md"
    assert f"Rating: {known['Ana'].rating:.0f} ± " in sheet.read_text(encoding="utf-8")
    text = (public / "report.md").read_text(encoding="utf-8")
    for row in ratings.rows:
        low, high = (f"{edge:.0f}" for edge in row.interval)
        interval = f"{low} – {high}" if low != high else ""
        assert f"| {row.entrant} | {row.rating:.0f} | {interval} | {row.games} |" in text


def test_bundles_stay_as_they_were(copa: Path, tmp_path: Path) -> None:
    public, _ = report(copa, tmp_path)
    with zipfile.ZipFile(public / "bundle.zip") as bundle:
        assert not [name for name in bundle.namelist() if "rating" in name]
        assert b"rating" not in bundle.read("standings.json")
