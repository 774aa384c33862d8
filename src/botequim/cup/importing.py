"""Makes cup files from a table of participants, a folder of bots or a folder of archives.

Each function returns the entrants, and what it left out and why.
`botequim.cup.templates.cup_file_text` writes a cup file for them. Nothing is downloaded: an entrant with a
repository gets a folder `bots/...`, to clone it into.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from botequim.core.errors import InputError, os_reason
from botequim.core.messages import Message, msg
from botequim.cup.config import Entry
from botequim.cup.config_parser import LONGEST_NAME
from botequim.cup.csv_tables import comparable

ARCHIVES: Final = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2")
BOTS: Final = "bots"
PROGRAMS: Final = (".py", ".js", ".mjs", ".sh", ".c")
IDLE: Final = ("__pycache__", "__MACOSX", "node_modules")
OURS: Final = (".cup", ".submissions")
"""The endings of folders beside a cup file that are no bots."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something that did not become an entrant."""

    what: str
    why: Message
    where: str = ""
    """File and line, if it comes from a file with lines: `PARTICIPANTS.md:12`."""


@dataclass(frozen=True, slots=True)
class ImportResult:
    """The entrants that were found, and what was left out."""

    entrants: tuple[Entry, ...]
    left_out: tuple[LeftOut, ...]


def import_entrants(path: Path, *, cup: Path, most_authors: int | None = None) -> ImportResult:
    """Read a table in a Markdown file, a folder of archives or a folder of bots.

    `cup` is the file that will be written: paths are relative to its folder. Entrants with more than
    `most_authors` are left out, because that file would be refused.
    """
    try:
        if path.is_dir():
            result = from_folder(path)
        else:
            result = from_participants(path.read_text(encoding="utf-8-sig"), path.name)
    except OSError as error:
        raise InputError(msg("{path} cannot be read: {why}", path=str(path), why=os_reason(error))) from error
    except UnicodeDecodeError as error:
        raise InputError(msg("{path} is not a text in UTF-8", path=str(path))) from error
    if most_authors is not None:
        result = _with_few_authors(result, most_authors)
    if not result.entrants:
        raise InputError(
            msg("{path} contains no entrants: {why}", path=str(path), why=_reasons(result.left_out))
        )
    if not path.is_dir():
        return result
    return replace(result, entrants=tuple(_with_relative_path(entry, cup) for entry in result.entrants))


def _with_few_authors(result: ImportResult, most: int) -> ImportResult:
    too_many = [
        LeftOut(
            entry.name,
            msg(
                "there are {found} authors ({names}), but at most {most} are allowed: see --most-authors",
                found=len(entry.authors),
                names=", ".join(entry.authors),
                most=most,
            ),
        )
        for entry in result.entrants
        if len(entry.authors) > most
    ]
    entrants = tuple(entry for entry in result.entrants if len(entry.authors) <= most)
    return ImportResult(entrants, (*result.left_out, *too_many))


def _reasons(left_out: Sequence[LeftOut]) -> Message | str:
    if not left_out:
        return msg("it is empty, or has no table with a column of names and one of repositories")
    return "; ".join(f"{one.what}: {one.why}" for one in left_out[:3])


def _with_relative_path(entry: Entry, cup: Path) -> Entry:
    """Return the entrant with its path relative to the cup file, if possible."""
    bot, folder = Path(entry.bot).resolve(), cup.resolve().parent
    if not bot.is_relative_to(folder):
        return replace(entry, bot=str(bot))
    inside = bot.relative_to(folder).as_posix()
    # a name without a folder could be taken for a built-in player
    return replace(entry, bot=inside if "/" in inside else f"./{inside}")


# --- PARTICIPANTS.md -------------------------------------------------------------------------------

_LINK: Final = re.compile(r"!?\[([^\]]*)\]\(\s*<?([^)\s>]*)>?[^)]*\)")
_AUTO: Final = re.compile(r"<(https?://[^>]+|[^>@\s]+@[^>\s]+)>")
_URL: Final = re.compile(r"(?:https?://|git@|ssh://)[^\s|)>\]\"']+")
_MAIL: Final = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_BETWEEN_PEOPLE: Final = re.compile(r"<br\s*/?>|[,;/&+]|\s+(?:e|and|y)\s+", re.IGNORECASE)
_COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    "repository": ("repo", "url", "link", "git", "codigo", "source"),
    "authors": (
        "author", "autor", "pessoa", "people", "team", "equipe", "integrante", "member", "membro", "quem",
        "participante", "participant",
    ),
    "name": ("bot", "name", "nome", "project", "projeto"),
}  # fmt: skip
"""Words in headings, without accents. The first kind with a matching word is used."""


def from_participants(text: str, file_name: str = "PARTICIPANTS.md") -> ImportResult:
    """Return the entrants in the first table that has names and repositories."""
    for line, headings, rows in _tables(text):
        columns = _columns(headings, rows)
        if columns is not None:
            return _collect(
                _participant(row, columns, f"{file_name}:{number}")
                for number, row in enumerate(rows, start=line + 2)
            )
    return ImportResult((), ())


def _tables(text: str) -> Iterator[tuple[int, list[str], list[list[str]]]]:
    """Yield each table: the line of its headings, the headings and the rows."""
    lines = [line.strip() for line in text.splitlines()]
    for at, line in enumerate(lines[:-1]):
        if "|" in line and re.fullmatch(r"\|?[\s:|-]*-[\s:|-]*\|?", lines[at + 1]) and "|" in lines[at + 1]:
            body: list[list[str]] = []
            for row in lines[at + 2 :]:
                if "|" not in row:
                    break
                body.append(_cells(row))
            yield at + 1, _cells(line), body


def _cells(row: str) -> list[str]:
    inside = row.strip()
    inside = inside.removeprefix("|")
    if inside.endswith("|") and not inside.endswith("\\|"):
        inside = inside[:-1]
    return [cell.replace("\\|", "/").strip() for cell in re.split(r"(?<!\\)\|", inside)]


def _columns(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> dict[str, int] | None:
    """Return the index of each kind of column, by its heading, or else by its contents."""
    columns: dict[str, int] = {}
    for at, heading in enumerate(headings):
        text = comparable(heading)
        kind = next((kind for kind, words in _COLUMNS.items() if any(word in text for word in words)), None)
        if kind is not None:
            columns.setdefault(kind, at)
    if "repository" not in columns:
        urls = [at for at in range(len(headings)) if any(_URL.search(cell) for cell in _column(rows, at))]
        if not urls:
            return None
        columns = {kind: at for kind, at in columns.items() if at != urls[-1]} | {"repository": urls[-1]}
    if "name" not in columns and "authors" not in columns:
        others = [at for at in range(len(headings)) if at != columns["repository"]]
        if not others:
            return None
        columns["name"] = others[0]
    return columns


def _column(rows: Sequence[Sequence[str]], at: int) -> list[str]:
    return [row[at] for row in rows if at < len(row)]


def _participant(row: Sequence[str], columns: dict[str, int], where: str) -> Entry | LeftOut | None:
    cells = {kind: row[at] if at < len(row) else "" for kind, at in columns.items()}
    if not any(re.search(r"\w", cell) for cell in row):
        return None
    authors = names_in(cells.get("authors", cells.get("name", "")))
    name = _words(cells["name"]) if "name" in cells else " & ".join(authors)
    repository = address_in(cells["repository"])
    if not name:
        return LeftOut(" | ".join(row), msg("it has no name"), where)
    if not repository:
        return LeftOut(name, msg("its repository is missing"), where)
    return Entry(name, f"{BOTS}/{slug(name)}", authors=authors, repository=repository)


def address_in(cell: str) -> str:
    """Return the address of a repository in a cell; "" if there is none."""
    links = [target for _, target in _LINK.findall(cell)]
    urls = [url for text in (*links, cell) for url in _URL.findall(text)]
    return str(urls[0]).rstrip(".,;`") if urls else ""


def _words(cell: str) -> str:
    """Return the visible text of a cell."""
    text = _AUTO.sub("", _LINK.sub(r"\1", cell))
    text = _MAIL.sub("", _URL.sub("", text))
    text = re.sub(r"<[^>]+>", " ", text)
    text = re.sub(r"[*_`~]{1,3}(\S.*?)[*_`~]{1,3}", r"\1", text)
    return " ".join(re.sub(r"\(\s*\)|[|]", " ", text).split()).strip(" -–—,;")


def names_in(cell: str) -> tuple[str, ...]:
    """Return the names of several people in one cell."""
    text = _AUTO.sub("", _LINK.sub(r"\1", cell))
    parts = [_words(part) for part in _BETWEEN_PEOPLE.split(_MAIL.sub("", text))]
    return tuple(dict.fromkeys(part for part in parts if part))


# --- folders ---------------------------------------------------------------------------------------


def from_folder(folder: Path) -> ImportResult:
    """Return an entrant for each archive if some are named by student numbers, else for each bot."""
    inside = sorted(
        one for one in folder.iterdir() if not one.name.startswith(".") and one.suffix not in OURS
    )
    archives = any(_student_numbers(one) for one in inside if _is_archive(one))
    return from_archives(inside) if archives else from_bots(inside)


def from_bots(inside: Sequence[Path]) -> ImportResult:
    """Return an entrant for each sub-folder, archive or program."""
    return _collect(_bot(path) for path in inside)


def _bot(path: Path) -> Entry | LeftOut | None:
    if path.name in IDLE or path.name.startswith("."):
        return None
    if path.is_dir():
        if not any(path.iterdir()):
            return LeftOut(path.name, msg("the folder is empty"))
        return Entry(path.name, str(path))
    if _is_archive(path) or path.suffix in PROGRAMS or path.stat().st_mode & 0o100:
        return Entry(_stem(path), str(path), students=_student_numbers(path))
    return LeftOut(path.name, msg("neither a folder, nor an archive, nor a program"))


def from_archives(inside: Sequence[Path]) -> ImportResult:
    """Return an entrant for each archive or program named by the student numbers of its authors:
    `123456_654321.zip`."""
    return _collect(map(_archive, inside), same=_shared_numbers)


def _archive(path: Path) -> Entry | LeftOut | None:
    numbers = _student_numbers(path)
    if path.is_dir() or not (_is_archive(path) or (numbers and path.suffix in PROGRAMS)):
        if path.name in IDLE:
            return None
        return LeftOut(path.name, msg("not an archive ({known})", known=", ".join(ARCHIVES)))
    if not numbers:
        return LeftOut(
            path.name, msg("its name does not consist of student numbers, like 123456_654321.zip; rename it")
        )
    return Entry("_".join(numbers), str(path), students=numbers)


def _student_numbers(path: Path) -> tuple[str, ...]:
    # a second upload of the same file is often called "123456_654321 (1).zip"
    stem = re.sub(r"\s*\(\d+\)$", "", _stem(path))
    match = re.fullmatch(r"(?:ra)?(\d{4,12})(?:[ _.,+-]+(?:ra)?(\d{4,12}))*", stem, re.IGNORECASE)
    return tuple(re.findall(r"\d{4,12}", stem)) if match else ()


def _is_archive(path: Path) -> bool:
    return path.name.lower().endswith(ARCHIVES) and path.is_file()


def _stem(path: Path) -> str:
    for ending in sorted(ARCHIVES, key=len, reverse=True):
        if path.name.lower().endswith(ending):
            return path.name[: -len(ending)]
    return path.stem


# --- unique entrants -------------------------------------------------------------------------------


def _shared_numbers(one: Entry, other: Entry) -> Message | None:
    both = sorted(set(one.students) & set(other.students))
    if not both:
        return None
    return msg("{number} is already in {name}", number=", ".join(both), name=Path(other.bot).name)


def _same_repository(one: Entry, other: Entry) -> Message | None:
    if not one.repository or one.repository != other.repository:
        return None
    return msg("{name} already has this repository", name=other.name)


def _collect(
    candidates: Iterator[Entry | LeftOut | None],
    same: Callable[[Entry, Entry], Message | None] = _same_repository,
) -> ImportResult:
    """Give the entrants distinct names and folders, and leave out duplicates."""
    entrants: list[Entry] = []
    left_out: list[LeftOut] = []
    for one in candidates:
        if isinstance(one, LeftOut):
            left_out.append(one)
        elif one is not None:
            why = next((why for other in entrants if (why := same(one, other)) is not None), None)
            if why is not None:
                left_out.append(LeftOut(Path(one.bot).name if one.students else one.name, why))
            else:
                entrants.append(_with_unique_name(one, entrants))
    return ImportResult(tuple(entrants), tuple(left_out))


def _with_unique_name(entry: Entry, others: Sequence[Entry]) -> Entry:
    folders = {other.bot for other in others}
    name = unique_name(entry.name, {other.name for other in others})
    bot, number = entry.bot, 1
    while bot in folders:
        number += 1
        bot = f"{entry.bot}-{number}"
    return replace(entry, name=name, bot=bot)


def unique_name(wanted: str, others: Collection[str]) -> str:
    """Return a name that a cup file may have, and that is not one of the others.

    A long name loses words in its middle: what distinguishes people is often their last name.
    """
    composed = unicodedata.normalize("NFC", wanted)
    clean = "".join(sign for sign in composed.replace("|", "/") if sign.isprintable())
    taken = {other.casefold() for other in others}
    name = base = _short_name(" ".join(clean.split()) or "bot", LONGEST_NAME)
    number = 1
    while name.casefold() in taken:
        number += 1
        name = f"{_short_name(base, LONGEST_NAME - 4)} {number}"
    return name


def _short_name(name: str, most: int) -> str:
    if len(name) <= most:
        return name
    last = name.split()[-1][: most // 2]
    return f"{name[: most - len(last) - 3].strip()} … {last}"


def slug(name: str) -> str:
    """Return a name for a folder."""
    return re.sub(r"[^a-z0-9]+", "-", comparable(name)).strip("-")[:LONGEST_NAME] or "bot"
