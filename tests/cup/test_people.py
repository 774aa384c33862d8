"""Tables that people edit in spreadsheets, and the private file with the people of a cup."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from botequim.core.errors import InputError
from botequim.cup.csv_tables import column_kind, csv_text, read_table
from botequim.cup.people import Person, people_by_entrant, people_path, read_people, write_people

ANA = Person("Ana Conceição", "ana@example.org", "123456", "4711", "Grupo 1", "Patos")
BIA = Person("Bia", entrant="Patos")
CAIO = Person("=HYPERLINK(1)", id="007")


def test_people_are_written_and_read_again(tmp_path: Path) -> None:
    cup = tmp_path / "rinha.toml"
    assert read_people(cup) == ()
    path = write_people(cup, [ANA, BIA, CAIO])
    assert path == people_path(cup) == tmp_path / "rinha.people.csv"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600, "it is private"
    assert read_people(cup) == (ANA, BIA, CAIO)
    assert ",'=HYPERLINK(1)," in path.read_text(encoding="utf-8"), "no formula in a spreadsheet"
    assert people_by_entrant(read_people(cup)) == {"Patos": (ANA, BIA), "": (CAIO,)}
    assert [person.key for person in (ANA, BIA, CAIO)] == ["123456", "Bia", "007"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_people_saved_by_a_spreadsheet(tmp_path: Path, encoding: str, separator: str) -> None:
    rows = [["Name", "Entrant", "ID"], ["Ana Conceição", "Patos", "123456"]]
    text = "\r\n".join(separator.join(row) for row in rows)
    people_path(tmp_path / "rinha.toml").write_bytes(text.encode(encoding))
    assert read_people(tmp_path / "rinha.toml") == (Person("Ana Conceição", id="123456", entrant="Patos"),)


def test_people_without_a_column_are_refused(tmp_path: Path) -> None:
    (tmp_path / "rinha.people.csv").write_text("name,id\nAna,1\n")
    with pytest.raises(InputError, match=r'rinha.people.csv:1: there is no column "entrant"'):
        read_people(tmp_path / "rinha.toml")


def test_rows_know_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('sep=;\nname;note\n\nAna;"two\nlines"\nBia;\n')
    table = read_table(path)
    assert [(row.line, row.cells) for row in table.rows] == [(4, ("Ana", "two lines")), (6, ("Bia", ""))]
    assert table.where(table.rows[1]) == "t.csv:6"


@pytest.mark.parametrize(
    ("content", "why"),
    [(b"", "is empty"), (b"PK\3\4\0\0\0", "is not a text"), (b'name\n"' + b"x" * 200_000, "not CSV")],
)
def test_what_is_no_table_is_refused(tmp_path: Path, content: bytes, why: str) -> None:
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(InputError, match=why):
        read_table(tmp_path / "t.csv")


def test_columns_are_found_by_words() -> None:
    known = {"id": ("ra", "id number"), "grade": ("grade",)}
    headings = ("RA", "ra1", "RA 2", "ID number", "Grade", "Number", "Range")
    kinds = [column_kind(heading, known) for heading in headings]
    assert kinds == ["id", "id", "id", "id", "grade", None, None]


def test_control_characters_do_not_reach_a_table() -> None:
    assert csv_text([["a\nb", "\x1b[0m", "x,y"]]) == 'a b,·[0m,"x,y"\n'
