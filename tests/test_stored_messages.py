"""Messages that records, stores and bundles hold as English templates are translated for ever.

`src/botequim/locale/stored_messages.txt` lists them, one on each line. A template that the source can store
must be on that list. Nothing is ever removed from it: records that were written with the template remain.
"""

from __future__ import annotations

import json
import re
import sqlite3
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from babel.messages.pofile import read_po

from scripts.messages import SOURCE, collect, stored
from tests.support.stored_messages import stored_templates

TESTS = Path(__file__).parent
CATALOGUES = sorted(SOURCE.glob("locale/*/LC_MESSAGES/*.po"))
STORES = sorted((TESTS / "fixtures").rglob("*.sqlite"))
WORDLESS = re.compile(r"(?:\{\w+\}(?:, )?)+")
"""A value or a list of values, which are the same in every language."""
REASONS_OF_PLACES = {
    "a shared place",
    "as the better seed",
    "by Buchholz",
    "by Sonneborn-Berger",
    "by a coin",
    "by a play-off",
    "by confrontos lost",
    "by further confrontos",
    "by games lost",
    "by games won",
    "by lot",
    "by places {place}",
    "by the games between them",
    "equal by every rule",
    "final",
    "lost the match for the third place",
    "lost: {match}",
    "moved up because of a disqualification",
    "moved up because of a disqualification ({why})",
    "quarter-final {number}",
    "round of {size}, match {number}",
    "semi-final {number}",
    "third place",
    "won the match for the third place",
    "{lost} ({why})",
    "{stage}: place {place}",
}
"""`standings.json` of a bundle has these in English, and is compared with what the records give."""


def test_the_list_is_sorted_and_has_no_template_twice() -> None:
    assert stored() == sorted(set(stored()))


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.parent.parent.name)
def test_every_stored_template_is_translated(path: Path) -> None:
    with path.open("rb") as file:
        catalogue = read_po(file)
    translated = {message.id for message in catalogue if message.string}
    assert [template for template in stored() if template not in translated] == []


def test_a_stored_template_stays_in_the_catalogues_when_no_source_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scripts.messages.SOURCE", tmp_path)
    monkeypatch.setattr("scripts.messages.api_texts", list)
    assert {message.id for message in collect() if message.id} == set(stored())


def test_every_template_that_can_be_stored_is_on_the_list() -> None:
    found = stored_templates()
    assert len(found) > 250, "tests/support/stored_messages.py does not know the names of the source any more"
    missing = sorted(found - set(stored()))
    assert missing == [], "add these to src/botequim/locale/stored_messages.txt"


def test_the_reasons_of_places_are_never_reworded() -> None:
    reworded = REASONS_OF_PLACES - stored_templates()
    assert reworded == set(), "bundles that earlier versions wrote would not be valid any more"


def test_every_template_in_the_files_of_earlier_versions_is_on_the_list() -> None:
    found = set().union(*(templates(value) for value in stored_values()))
    assert len(found) > 25
    missing = {template for template in found - set(stored()) if not WORDLESS.fullmatch(template)}
    assert missing == set()


def test_stores_hold_messages_of_every_kind() -> None:
    found = set().union(*(templates(value) for path in STORES for value in store_values(path)))
    assert {"no answer within {seconds} s", "exit code {code}", "round {number}"} <= found


def templates(value: Any) -> set[str]:
    """Return the templates of all messages in a JSON value."""
    match value:
        case list():
            return set().union(*(templates(part) for part in value))
        case dict():
            own = {value["text"]} if "text" in value and set(value) <= {"text", "with"} else set()
            return own.union(*(templates(part) for part in value.values()))
        case _:
            return set()


def stored_values() -> Iterator[Any]:
    """Yield every JSON value in the golden records, the bundles and the fixtures."""
    for folder in ("golden", "fixtures"):
        for path in sorted((TESTS / folder).rglob("*.jsonl")):
            yield from lines(path.read_bytes())
    for path in sorted([*(TESTS / "bundles").glob("*.zip"), *(TESTS / "fixtures").rglob("*.zip")]):
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                if name.endswith(".jsonl"):
                    yield from lines(archive.read(name))
                elif name.endswith(".json"):
                    yield json.loads(archive.read(name))
    for path in STORES:
        yield from store_values(path)


def store_values(path: Path) -> Iterator[Any]:
    """Yield every JSON value in a database, also from compressed records; most texts are none."""
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)) as store:
        names = [name for (name,) in store.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        for name in names:
            for row in store.execute(f'SELECT * FROM "{name}"').fetchall():
                for cell in row:
                    if isinstance(cell, bytes):
                        yield from lines(zlib.decompress(cell))
                    elif isinstance(cell, str) and cell[:1] in ("{", "["):
                        yield json.loads(cell)


def lines(text: bytes) -> Iterator[Any]:
    for line in text.split(b"\n"):
        if line.strip():
            yield json.loads(line)
