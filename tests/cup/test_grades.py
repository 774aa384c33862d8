"""Grades by the formula of a cup file."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from botequim.core.errors import InputError
from botequim.core.messages import msg
from botequim.core.results import GameResult, SeriesResult
from botequim.cup.changes import ChangeEntry, Disqualification
from botequim.cup.config import Cup, Withdrawal
from botequim.cup.config_parser import parse, read
from botequim.cup.report import write_report
from botequim.cup.report.content import Content
from botequim.cup.report.grades import Grade, grades
from botequim.cup.report.private import Handout
from botequim.cup.report.tables import CsvStyle, csv_lines
from botequim.cup.runner import begin
from botequim.cup.stages import CupState
from botequim.cup.templates import cup_file_text, find_template
from botequim.cup.withdrawals import without
from botequim.storage.protocol import CupStore
from botequim.storage.sqlite.cup import SqliteCupStore
from botequim.storage.values import FinishedSeries, StoredGame
from tests.support.cup_reports import rows

COURSE = "2 if place == 1 else 1.5 if place == 2 else 0.5 if place == 3 else 0"
CUP = """\
name = "Rinha"
game = "rps"
seed = "7"

[grades]
formula = '{formula}'
digits = {digits}

[[stages]]
name = "league"
format = "round_robin"
games = 3

[[stages]]
name = "final"
format = "best_of"
top = 2
"""
ORDER = ("Ana", "Bia", "Greedy", "Caio", "Davi")
"""Who is earlier wins 2 of 3 games against who is later, and the last game is a tie."""
STUDENTS = {"Ana": ("1", "2"), "Bia": ("2", "3"), "Caio": ("4",), "Davi": ("5",)}


def cup_text(formula: str, digits: int = 2, *, students: bool = True) -> str:
    text = CUP.format(formula=formula, digits=digits)
    for name in ORDER:
        text += f'\n[[entrants]]\nname = "{name}"\nbot = "random"\n'
        if students and name in STUDENTS:
            text += f"students = {list(STUDENTS[name])}\n"
    return text


def played(cup: Cup) -> CupState:
    """Return the cup when it is over."""
    state = cup.state("7")
    for plan in cup.plans:
        while open_series := state.pairings(plan.name):
            results = {one.key: _result(one.key, one.entrants) for one in open_series}
            stage = {**state.results.get(plan.name, {}), **results}
            state = cup.state("7", {**state.results, plan.name: stage})
    return state


def _result(key: str, names: tuple[str, ...]) -> SeriesResult:
    first = min(names, key=ORDER.index)
    won = GameResult(tuple(1 if name == first else 2 for name in names), "won")
    fault = GameResult(won.places, "won", tuple(int(name == "Davi") for name in names))
    return SeriesResult(key, names, (won, fault, GameResult((1, 1), "tie")))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[CupStore]:
    with SqliteCupStore.open(tmp_path / "store.db", write=True) as opened:
        yield opened


def found(text: str, store: CupStore) -> dict[str, Grade]:
    cup = parse(text)
    return grades(Content.of(cup, played(cup), store))


def values(formula: str, store: CupStore, digits: int = 2) -> list[Fraction | None]:
    by_name = found(cup_text(formula, digits), store)
    return [by_name[name].value for name in ORDER]


def test_the_rule_of_the_course(store: CupStore) -> None:
    assert values(COURSE, store) == [2, Fraction(3, 2), Fraction(1, 2), 0, 0]
    template = parse(cup_file_text(find_template("havana")))
    assert template.grades is not None
    assert template.grades.formula.text == COURSE


@pytest.mark.parametrize(
    ("formula", "wanted"),
    [
        ("place * 10 + entrants", [15, 25, 35, 45, 55]),
        ("student_place * 10 + student_entrants", [14, 24, 34, 34, 44]),
        ("started", [1] * 5),
        ('beat("Greedy")', [1, 1, 0, 0, 0]),
        ('rate_against("Greedy") * 6', [5, 5, 0, 1, 1]),
        ('stages + 10 * reached("final")', [12, 12, 1, 1, 1]),
        ('place_in("final")', [1, 2, 6, 6, 6]),
        ('figure("league", "won")', [8, 6, 4, 2, 0]),
        ("games - won - drawn - lost", [0] * 5),
        ("faults", [0, 0, 0, 0, 4]),
        ("rate - wins / games", [0] * 5),
    ],
)
def test_figures(formula: str, wanted: list[int], store: CupStore) -> None:
    assert values(formula, store) == wanted


def test_who_was_disqualified_can_be_graded_by_that(store: CupStore) -> None:
    cup = parse(cup_text("10 * disqualified + started"))
    over = played(cup)
    after = {name: len(results) for name, results in over.results.items()}
    entry = ChangeEntry(1, "2026-11-18T16:20:00Z", "Rosa", "copied", after, Disqualification("Caio"))
    by_name = grades(Content.of(cup, replace(over, log=(entry,)), store))
    assert [by_name[name].value for name in ORDER] == [1, 1, 1, 11, 1]


def test_a_grade_is_exact_until_it_is_rounded(store: CupStore) -> None:
    by_name = found(cup_text("(place + 3) / 8 + place / 3", 1), store)
    assert by_name["Ana"].exact == Fraction(5, 6)
    assert by_name["Ana"].value == Fraction(8, 10)
    assert values("place / 8", store, 2)[0] == Fraction(13, 100)


def test_the_figures_of_each_grade_are_known(store: CupStore) -> None:
    by_name = found(cup_text('10 - place + beat("Greedy") * rate'), store)
    assert list(by_name) == list(ORDER), "in the order of places"
    assert [name for name, _ in by_name["Ana"].figures] == ["place", 'beat("Greedy")', "rate"]
    assert by_name["Ana"].how().startswith('place = 1, beat("Greedy") = 1, rate = ')


def test_who_has_no_value_gets_no_grade_but_a_reason(store: CupStore) -> None:
    by_name = found(cup_text("1 / (place - 2)"), store)
    assert by_name["Bia"].value is None
    assert str(by_name["Bia"].problem) == "column 6: division by zero"
    assert by_name["Ana"].value == -1


def test_who_did_not_start_is_graded_too(store: CupStore) -> None:
    cup = parse(cup_text("started * 5 + place"))
    cup = without(cup, [Withdrawal(cup.entry("Caio"), msg("it does not build"))])
    by_name = grades(Content.of(cup, played(cup), store))
    assert [by_name[name].value for name in ("Caio", "Davi")] == [5, 9]


# --- files --------------------------------------------------------------------------------------------


def report(tmp_path: Path, store: CupStore, text: str, style: CsvStyle = CsvStyle.COMMA) -> Path:
    cup = parse(text)
    write_report(
        cup, played(cup), store, tmp_path / "report", records=False, replays=0, handout=Handout(style)
    )
    return tmp_path / "report"


def test_every_student_has_the_best_grade(tmp_path: Path, store: CupStore) -> None:
    private = report(tmp_path, store, cup_text("place / 4")) / "private"
    table = {row["student"]: row for row in rows(private / "grades.csv")}
    assert {student: row["grade"] for student, row in table.items()} == {
        "1": "0.25", "2": "0.5", "3": "0.5", "4": "1", "5": "1.25",
    }  # fmt: skip
    assert (table["2"]["entrant"], table["2"]["others"]) == ("Bia", "Ana"), "the best grade, not the place"
    assert table["5"]["computed_from"] == "place = 5"


def test_without_students_there_is_a_line_for_each_entrant(tmp_path: Path, store: CupStore) -> None:
    private = report(tmp_path, store, cup_text("place", students=False)) / "private"
    table = rows(private / "grades.csv")
    assert [(row["student"], row["entrant"], row["grade"]) for row in table] == [
        ("", name, str(at)) for at, name in enumerate(ORDER, start=1)
    ]


def test_grades_are_explained_in_the_private_folder_only(tmp_path: Path, store: CupStore) -> None:
    folder = report(tmp_path, store, cup_text('7.77 + beat("Greedy") / 3'))
    page = (folder / "private" / "grades.en.md").read_text(encoding="utf-8")
    for words in ("8.1", "2431/300", "2 decimals; a half is rounded up", 'beat("Greedy") / 3'):
        assert words in page
    assert "8,1" in (folder / "private" / "grades.pt-BR.html").read_text(encoding="utf-8")
    (sheet,) = (folder / "private" / "feedback" / "en").glob("Ana*.md")
    assert "8.1" in sheet.read_text(encoding="utf-8")
    for path in (folder / "public").rglob("*"):
        if path.is_file():
            assert b"2431/300" not in path.read_bytes()
            assert "grade" not in path.name


def test_tables_with_semicolons_and_decimal_commas(tmp_path: Path, store: CupStore) -> None:
    private = report(tmp_path, store, cup_text("place / 4"), CsvStyle.SEMICOLON) / "private"
    text = (private / "grades.csv").read_bytes()
    assert text.startswith(b"\xef\xbb\xbfstudent;entrant;")
    table = list(csv.DictReader(text.decode("utf-8-sig").splitlines(), delimiter=";"))
    assert [row["grade"] for row in table] == ["0,25", "0,5", "0,5", "1", "1,25"]
    assert "".join(csv_lines([[1.5, "1.5", Fraction(-1, 2), "=x"]], CsvStyle.SEMICOLON)) == (
        "\ufeff1,5;1.5;-0,5;'=x\n"
    )


# --- the cup file --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("'place'", "'plase * 2'", 6, '"formula", column 1: unknown name "plase"'),
        ("'place'", "'1 + beat(\"Gredy\")'", 6, '"formula", column 10: unknown name "Gredy"; known: Ana'),
        ("'place'", "'reached(\"finals\")'", 6, "did you mean final?"),
        ("'place'", '\'figure("league", "pts")\'', 6, 'unknown name "pts"; known: '),
        ("'place'", "5", 6, '"formula" must be a text in quotes'),
        ("formula = 'place'\n", "", 5, 'the key "formula" is missing in this table of grades'),
        ("digits = 2", "digits = 9", 7, '"digits" must be a whole number from 0 to 4'),
        ("digits = 2", "digit = 2", 7, 'unknown key "digit"; did you mean "digits"?'),
    ],
)
def test_a_wrong_table_names_file_line_key_and_column(old: str, new: str, line: int, said: str) -> None:
    text = cup_text("place")
    assert old in text
    with pytest.raises(InputError) as caught:
        parse(text.replace(old, new), Path("cup.toml"))
    assert str(caught.value).startswith(f"cup.toml:{line}: ")
    assert said in str(caught.value)


def test_the_formula_may_change_after_the_cup_began(tmp_path: Path, store: CupStore) -> None:
    path = tmp_path / "cup.toml"
    path.write_text(cup_text("place"), encoding="utf-8")
    cup = read(path)
    assert begin(cup, store, None) == "7"
    first = cup.state("7").pairings("league")[0]
    series = SeriesResult(first.key, first.entrants, (GameResult((1, 2), "won"),))
    game = StoredGame.from_lines(['{"digest": "x"}'])
    store.add_series(FinishedSeries("league", series, (game,), (), 0.1))
    path.write_text(cup_text("entrants - place"), encoding="utf-8")
    assert begin(read(path), store, None) == "7"
    path.write_text(cup_text("place").replace("games = 3", "games = 5"), encoding="utf-8")
    with pytest.raises(InputError, match="has changed since the cup began"):
        begin(read(path), store, None)


def test_cups_without_a_formula_have_the_same_files_as_before(tmp_path: Path, store: CupStore) -> None:
    text = cup_text("place")
    before = text.replace(text[text.index("[grades]") : text.index("[[stages]]")], "")
    private = report(tmp_path, store, before) / "private"
    assert {path.name for path in private.iterdir()} == {"grades.csv", "feedback"}
    assert "grade" not in rows(private / "grades.csv")[0]
