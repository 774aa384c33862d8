"""What people get: a grade by the number of their platform, a file of their own, and a message."""

from __future__ import annotations

import csv
import mailbox
import re
import stat
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from botequim.cli import main
from botequim.core.errors import InputError
from botequim.cup.config_parser import read
from botequim.cup.people import Person, write_people
from botequim.cup.report.graded_people import GradedPerson, worksheet_with_grades
from botequim.cup.report.grades import Grade
from botequim.cup.report.mail import Letter, is_address, mailbox_text, sender_address
from botequim.cup.report.private import Handout
from tests.support.cup_reports import Page, rows
from tests.support.played_cups import play_cup

CUP = """\
name = "Rinha de São João"
game = "rps"
seed = "7"

[grades]
formula = "10 - place / 4"

[[stages]]
name = "league"
format = "round_robin"
games = 1

[[entrants]]
name = "Patos"
bot = "greedy"

[[entrants]]
name = "Galos"
bot = "random"

[[entrants]]
name = "Greedy"
bot = "greedy"
"""
PEOPLE = (
    Person("Ana Silva", "ana@example.org", "123", "4711", "Grupo 1", "Patos"),
    Person("Bia Souza", "bia@example.org", "456", "4712", "Grupo 1", "Patos"),
    Person("Caio Lima", "caio@example.org\nBcc: all@example.org", "789", "4713", "", "Galos"),
    Person("Ana Silva", "ana@example.org", "123", "4711", "Grupo 1", "Galos"),
    Person("Davi Reis", "davi@example.org", "000", "4714", "", ""),
    Person("Eva <script>", "eva@example.org", "111", "", "", "Gatos"),
)
WORKSHEET = (
    "Identificador;Nome completo;Endereço de email;Nota;Nota máxima;Comentários\r\n"
    'Participante 4711;Ana Silva;ana@example.org;;10;"duas\nlinhas"\r\n'
    "Participante 4712;Bia Souza;outra@example.org;3;10;\r\n"
    "Participante 9999;Caio Lima;CAIO2@example.org;5;10;=1+1\r\n"
)


@pytest.fixture(scope="module")
def cup_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cup that is over, with people."""
    folder = tmp_path_factory.mktemp("handout")
    path = folder / "rinha.toml"
    path.write_text(CUP, encoding="utf-8")
    write_people(path, PEOPLE)
    (folder / "rinha.cup").mkdir()
    store, _ = play_cup(read(path), folder / "rinha.cup" / "cup.sqlite")
    store.close()
    return path


@pytest.fixture(scope="module")
def private(cup_path: Path) -> Path:
    (cup_path.parent / "sheet.csv").write_text(WORKSHEET, encoding="utf-8", newline="")
    words = ["--mail-from", "Profª Rosa <rosa@example.org>", "--url", "https://example.org/rinha"]
    words += ["--worksheet", str(cup_path.parent / "sheet.csv"), "--csv", "semicolon", "--replays", "0"]
    assert main(["cup", "report", str(cup_path), *words]) == 0
    return cup_path.parent / "rinha.cup" / "report" / "private"


def places(cup_path: Path) -> dict[str, int]:
    table = rows(cup_path.parent / "rinha.cup" / "report" / "public" / "standings.csv", delimiter=";")
    return {row["entrant"]: int(row["place"]) for row in table}


def grade(place: int) -> str:
    return f"{10 - place / 4:g}".replace(".", ",")


def test_grades_have_the_numbers_of_the_platform(cup_path: Path, private: Path) -> None:
    table = {row["id"]: row for row in rows(private / "grades.csv", delimiter=";")}
    assert list(table) == ["123", "456", "789", "000", "111"], "in the order of the file, each person once"
    bia = table["456"]
    assert [bia[name] for name in ("student", "person", "email", "participant", "group", "entrant")] == [
        "456", "Bia Souza", "bia@example.org", "4712", "Grupo 1", "Patos",
    ]  # fmt: skip
    place = places(cup_path)
    assert bia["grade"] == grade(place["Patos"])
    page = (private / "grades.en.md").read_text(encoding="utf-8")
    assert "Ana Silva, Bia Souza" in page
    assert table["123"]["grade"] == grade(min(place["Patos"], place["Galos"])), "the best of two"
    assert {table["000"]["grade"], table["000"]["entrant"]} == {""}
    assert table["000"]["computed_from"] == table["111"]["computed_from"] == "no entrant"


def test_the_worksheet_of_a_platform_is_filled_in(cup_path: Path, private: Path) -> None:
    with (private / "worksheet.csv").open(encoding="utf-8", newline="") as file:
        head, ana, bia, other = csv.reader(file, delimiter=";")
    before = list(csv.reader(WORKSHEET.splitlines(keepends=True), delimiter=";"))
    place = places(cup_path)
    assert head == before[0]
    assert ana[3] == grade(min(place["Patos"], place["Galos"]))
    assert bia[3] == grade(place["Patos"]), "by the number, although the address differs"
    assert other == before[3], "nothing else changes"
    assert (ana[:3], ana[4:]) == (before[1][:3], ["10", "duas\nlinhas"])


@pytest.mark.parametrize(
    ("separator", "most", "wanted"),
    [
        (",", "10.00", "9.75"),
        (",", '"10,00"', "9,75"),
        (";", "10", "9,75"),
        (",", "10", "9.75"),
        (";", "10.0", "9.75"),
    ],
)
def test_grades_have_the_decimal_sign_of_the_worksheet(
    separator: str, most: str, wanted: str, tmp_path: Path
) -> None:
    path = tmp_path / "sheet.csv"
    lines = [["ID number", "Grade", "Maximum grade"], ["123", "", most]]
    path.write_text("\n".join(separator.join(line) for line in lines), encoding="utf-8")
    found = Grade("Patos", 1, Fraction(39, 4), Fraction(39, 4))
    text = worksheet_with_grades(path, [GradedPerson(Person("Ana", id="123"), (), found)]).decode()
    (_, row) = csv.reader(text.splitlines(), delimiter=separator)
    assert row[1] == wanted


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "cp1252", "latin-1"])
def test_a_worksheet_keeps_its_encoding(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    head = "\ufeff" if encoding == "utf-16-be" else ""
    name = "Conceição\x81" if encoding == "latin-1" else "Conceição"  # no character of Windows-1252
    text = f"{head}Número de identificação;Nome;Nota\r\n123;{name};{{}}\r\n"
    path.write_bytes(text.format("").encode(encoding))
    found = Grade("Patos", 1, Fraction(39, 4), Fraction(39, 4))
    written = worksheet_with_grades(path, [GradedPerson(Person("Ana", id="123"), (), found)])
    assert written == text.format("9,75").encode(encoding)


def test_each_person_of_a_group_has_a_file_in_each_language(private: Path) -> None:
    names = {path.name.rpartition("-")[0] for path in (private / "people" / "pt-BR").iterdir()}
    assert names == {"Ana-Silva-123", "Bia-Souza-456", "Caio-Lima-789"}
    for language in ("en", "pt-BR"):
        (path,) = (private / "people" / language).glob("Bia*.html")
        page = Page(path)
        assert "Bia Souza" in page.text
        assert "Ana Silva" not in page.text
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    (both,) = (private / "people" / "en").glob("Ana*.md")
    text = both.read_text(encoding="utf-8")
    assert "# Patos" in text
    assert "# Galos" in text
    assert "https://example.org/rinha/records/" in text


def test_nothing_of_people_is_public(cup_path: Path, private: Path) -> None:
    public = private.parent / "public"
    content = [path.read_bytes() for path in public.rglob("*") if path.is_file() and path.suffix != ".zip"]
    number = rb"(?<![\w.])4711(?![\w.])"  # digests and times may contain the digits
    for secret in (b"Silva", rb"example\.org", number, b"Grupo"):
        assert not any(re.search(secret, one) for one in content)
    for name in ("grades.csv", "worksheet.csv", "feedback.en.mbox", "grades.en.html"):
        assert stat.S_IMODE((private / name).stat().st_mode) == 0o600


def messages(path: Path) -> list[EmailMessage]:
    def parse(file: Any) -> Any:
        return BytesParser(policy=policy.default).parse(file)

    box = mailbox.mbox(path, factory=parse, create=False)
    try:
        return list(box)  # type: ignore[arg-type]
    finally:
        box.close()


def test_messages_are_addressed_and_complete(private: Path) -> None:
    ana, bia = messages(private / "feedback.pt-BR.mbox")
    assert (ana["From"], ana["To"]) == ("Profª Rosa <rosa@example.org>", "Ana Silva <ana@example.org>")
    assert str(bia["Subject"]) == "Rinha de São João: Patos"
    assert bia["Date"]
    assert bia["Message-ID"].endswith("@example.org>")
    body = bia.get_body(("plain",))
    assert body is not None
    assert "Bia Souza" in body.get_content()
    (page,) = bia.iter_attachments()
    assert page.get_content_type() == "text/html"
    assert "Bia Souza" in page.get_content()
    assert len(messages(private / "feedback.en.mbox")) == 2
    assert b"Bcc" not in (private / "feedback.en.mbox").read_bytes()


def test_a_second_report_forgets_people_who_are_gone(cup_path: Path, private: Path, tmp_path: Path) -> None:
    folder = tmp_path / "again"
    for people, count in ((PEOPLE, 6), (PEOPLE[:1], 2)):
        write_people(cup_path, people)
        try:
            assert main(["cup", "report", str(cup_path), "--to", str(folder), "--replays", "0"]) == 0
        finally:
            write_people(cup_path, PEOPLE)
        assert len(list((folder / "private" / "people" / "en").iterdir())) == count
    assert not list((folder / "private").glob("*.mbox")), "without a sender there are no messages"


# --- hostile names and addresses ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "a@b\nBcc: c@d.org", "a@b.org, c@d.org", "<a@b.org>", "a b@c.org", "@b.org", "a@", "a@b@c", "", "a",
        "ana@exämple.org", "a@b.org\r", "a" * 65 + "@b.org", "a@" + "b." * 150 + "org",
    ],
)  # fmt: skip
def test_no_text_but_one_address_is_an_address(text: str) -> None:
    assert not is_address(text)
    with pytest.raises(InputError):
        Handout.of("comma", text if text != "<a@b.org>" else "x", None, None)


@pytest.mark.parametrize(
    "name", ["Ana\r\nBcc: all@example.org", 'A" <x@y.org>', "\ud800", "=?utf-8?q?x?=", "", "z" * 500]
)
def test_a_name_cannot_add_headers_or_recipients(name: str, tmp_path: Path) -> None:
    letter = Letter(name, "ana@example.org", name, "From here on\nhello\n", "<p>é</p>")
    path = tmp_path / "box"
    path.write_text(mailbox_text([letter, letter], sender_address("rosa@example.org")), encoding="ascii")
    found = messages(path)
    assert len(found) == 2
    for message in found:
        assert set(message.keys()) == {
            "From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted", "MIME-Version", "Content-Type",
        }  # fmt: skip
        (address,) = message["To"].addresses
        assert address.addr_spec == "ana@example.org"
        assert message.get_body(("plain",)).get_content() == "From here on\nhello\n"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--mail-from", "rosa"], "is not a sender of e-mail"),
        (["--url", "example.org"], "is not an address of a page"),
        (["--worksheet", "none.csv"], "none.csv cannot be read"),
        (["--worksheet", "{cup}"], "is not a worksheet for grades"),
    ],
)
def test_wrong_options_are_refused(
    words: list[str], said: str, cup_path: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = [word.format(cup=cup_path) for word in words]
    assert main(["cup", "report", str(cup_path), "--to", str(tmp_path), "--replays", "0", *words]) == 2
    assert said in capsys.readouterr().err


def test_messages_need_addresses_and_worksheets_grades(
    cup_path: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    other = tmp_path / "other.toml"
    other.write_text(CUP.replace('[grades]\nformula = "10 - place / 4"\n', ""), encoding="utf-8")
    assert main(["cup", "report", str(other), "--mail-from", "rosa@example.org"]) == 2
    assert "other.people.csv is missing" in capsys.readouterr().err
    assert main(["cup", "report", str(other), "--worksheet", "x.csv"]) == 2
    assert "has no formula for grades" in capsys.readouterr().err


def test_a_sender_may_have_a_name() -> None:
    for text in ("Rosa Sá <rosa@example.org>", '"Rosa Sá" <rosa@example.org>'):
        sender = sender_address(text)
        assert (sender.display_name, sender.addr_spec) == ("Rosa Sá", "rosa@example.org")
