"""The private folder of a report: grades, feedback for each entrant and each person, and mail.

Files with names of people can be read by their owner only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from email.headerregistry import Address
from pathlib import Path
from typing import Final

from botequim import i18n
from botequim.core.errors import InputError
from botequim.core.messages import msg
from botequim.cup.config import Cup, Entry
from botequim.cup.people import people_path, write_private_text
from botequim.cup.report import sheets, tables
from botequim.cup.report.blocks import Block, Document, Heading, Link, Text
from botequim.cup.report.content import Content
from botequim.cup.report.graded_people import (
    GradedPerson,
    graded_people,
    people_of_students,
    worksheet_with_grades,
)
from botequim.cup.report.grades import Grade, grade_page, grade_text, grades, how_text
from botequim.cup.report.mail import Letter, is_address, mailbox_text, sender_address
from botequim.cup.report.markdown import markdown
from botequim.cup.report.page import page
from botequim.cup.report.tables import CsvStyle
from botequim.i18n import _
from botequim.render.replay_page import LANGUAGE_NAMES
from botequim.storage.files import safe_name, write_text

PEOPLE: Final = "people"
WORKSHEET: Final = "worksheet.csv"


@dataclass(frozen=True, slots=True)
class Handout:
    """How feedback and grades are handed out."""

    csv: CsvStyle = CsvStyle.COMMA
    sender: Address | None = None
    """Who the messages are from; without a sender there are none."""
    url: str = ""
    """Where the public folder will be; without it, links of feedback lead to the folder on this disk."""
    worksheet: Path | None = None
    """The worksheet of a learning platform, to be filled in."""

    @classmethod
    def of(cls, csv: str, sender: str | None, url: str | None, worksheet: Path | None) -> Handout:
        """Return the handout for these options of a command. Raise InputError for wrong ones."""
        if url is not None and not url.startswith(("https://", "http://")):
            raise InputError(msg('"{url}" is not an address of a page: it begins with https://', url=url))
        return cls(
            CsvStyle(csv),
            None if sender is None else sender_address(sender),
            "" if url is None else url.rstrip("/") + "/",
            worksheet,
        )

    def require_content(self, cup: Cup) -> None:
        """Raise InputError if the cup has nothing to hand out in this way."""
        people = people_path(cup.path)
        if self.sender is not None and not people.exists():
            raise InputError(msg("there are no addresses for messages: {path} is missing", path=str(people)))
        if self.worksheet is not None and cup.grades is None:
            raise InputError(
                msg("{path} has no formula for grades; add a table [grades]", path=str(cup.path))
            )


def names_without_address(content: Content) -> list[str]:
    """Return the names of the people with an entrant to whom no message can be written."""
    entrants = {entry.name for entry in content.entries}
    people = [one for one in content.people if one.entrant in entrants and not is_address(one.email)]
    return list(dict.fromkeys(person.name for person in people))


def write_private(content: Content, private: Path, public: Path, handout: Handout) -> None:
    found = grades(content)
    people = graded_people(content, content.people or people_of_students(content), found)
    if found or content.people or any(entry.students for entry in content.entries):
        lines = tables.csv_lines(tables.grades(content, people, found), handout.csv)
        _write_own(private / "grades.csv", "".join(lines))
    if handout.worksheet is not None:
        _write_own(private / WORKSHEET, worksheet_with_grades(handout.worksheet, people))
    _remove_people(private / PEOPLE)
    for language in i18n.LANGUAGES:
        with i18n.use_language(language):
            if found:
                _write_grades(grade_page(content, found), private)
            _write_sheets(content, found, private / "feedback" / tag(language), public)
            if content.people:
                _write_people(content, people, found, private, public, handout)


def _write_own(path: Path, text: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_private_text(path, text)


def _write_grades(document: Document, private: Path) -> None:
    here = tag(i18n.language())
    html = page(with_languages(document, lambda other: f"grades.{other}.html"))
    text = markdown(with_languages(document, lambda other: f"grades.{other}.md"))
    _write_own(private / f"grades.{here}.html", html)
    _write_own(private / f"grades.{here}.md", text)


# --- by entrant --------------------------------------------------------------------------------------


def _write_sheets(content: Content, found: Mapping[str, Grade], folder: Path, public: Path) -> None:
    for entry in content.entries:
        _write_sheet(_sheet(content, entry, found, public), folder, safe_name(entry.name))


def _write_sheet(sheet: Document, folder: Path, name: str) -> None:
    html = page(with_languages(sheet, lambda other: f"../{other}/{name}.html"))
    text = markdown(with_languages(sheet, lambda other: f"../{other}/{name}.md"))
    write_text(folder / f"{name}.html", html)
    write_text(folder / f"{name}.md", text)


def _sheet(content: Content, entry: Entry, found: Mapping[str, Grade], public: Path) -> Document:
    absence = next((one for one in content.cup.absent if one.entry.name == entry.name), None)
    if absence is not None:
        return sheets.absence_sheet(content, absence, found)
    return sheets.sheet(content, entry, public, found)


# --- by person ---------------------------------------------------------------------------------------


def person_file(person: GradedPerson) -> str:
    """Return the name of a person's files, without the ending."""
    return safe_name(f"{person.person.name} {person.person.key}")


def _write_people(
    content: Content,
    people: Sequence[GradedPerson],
    found: Mapping[str, Grade],
    private: Path,
    public: Path,
    handout: Handout,
) -> None:
    here = tag(i18n.language())
    letters = []
    for person in people:
        if not person.entries:
            continue
        blocks = [*_greeting(content, person)]
        for entry in person.entries:
            blocks += _sheet(content, entry, found, public).blocks
        base = handout.url or sheets.PUBLIC
        document = Document(f"{person.person.name} · {content.cup.name}", blocks, base)
        html = page(document)
        name = person_file(person)
        _write_own(private / PEOPLE / here / f"{name}.html", html)
        _write_own(private / PEOPLE / here / f"{name}.md", markdown(document))
        if is_address(person.person.email):
            letters.append(_letter(content, person, html))
    if handout.sender is not None:
        _write_own(private / f"feedback.{here}.mbox", mailbox_text(letters, handout.sender))


def _greeting(content: Content, person: GradedPerson) -> Iterator[Block]:
    who = person.person
    yield Heading(1, who.name)
    yield Text(" · ".join(part for part in (content.cup.name, who.id, who.group) if part))
    if person.grade is not None:
        yield Text(_grade_line(content, person.grade), strong=True)


def _grade_line(content: Content, grade: Grade) -> str:
    text = _("Your grade: {grade}", grade=grade_text(grade))
    return text if content.over else _("{place}, so far", place=text)


def _letter(content: Content, person: GradedPerson, html: str) -> Letter:
    titles = ", ".join(content.cup.title(entry.name) for entry in person.entries)
    lines = [
        _("Hello {name},", name=person.person.name),
        "",
        _("Here is the feedback for {entrant} in {cup}.", entrant=titles, cup=content.cup.name),
    ]
    place = next((row.place for row in content.overall if row.entrant == person.entries[0].name), None)
    if place is not None:
        text = _("Place {place} of {count}", place=place, count=len(content.overall))
        lines.append(text if content.over else _("{place}, so far", place=text))
    if person.grade is not None:
        lines.append(_grade_line(content, person.grade))
        lines.append(_("Computed from {figures}", figures=how_text(person.grade)))
    lines += ["", _("The attached page has your results, times and faults.")]
    subject = f"{content.cup.name}: {titles}"
    return Letter(person.person.name, person.person.email, subject, "\n".join(lines) + "\n", html)


def _remove_people(folder: Path) -> None:
    """Remove the files of an earlier report: some of their people may not be in this cup any more."""
    for ending in ("html", "md"):
        for path in folder.glob(f"*/*.{ending}"):
            path.unlink()


# --- languages ---------------------------------------------------------------------------------------


def with_languages(document: Document, way: Callable[[str], str]) -> Document:
    """Return the document with links to itself in the other languages."""
    others = [other for other in i18n.LANGUAGES if other != i18n.language()]
    links = [Link(LANGUAGE_NAMES[other], way(tag(other)), tag(other)) for other in others]
    return replace(document, languages=tuple(links))


def tag(language: str) -> str:
    """Return a language tag for pages, such as `pt-BR`."""
    return language.replace("_", "-")
