"""Portuguese texts use one word for each thing, as `docs/reference/glossary.pt-BR.md` says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from scripts.messages import SOURCE
from tests import ROOT

GLOSSARIES = [ROOT / "docs" / "reference" / name for name in ("glossary.md", "glossary.pt-BR.md")]
CATALOGUE = SOURCE / "locale" / "pt_BR" / "LC_MESSAGES" / "botequim.po"
PAGES = sorted(
    path
    for folder in (ROOT / "docs", ROOT / "examples", ROOT / "src", ROOT)
    for path in (folder.glob if folder == ROOT else folder.rglob)("*.pt-BR.*")
)
CODE = re.compile(
    r"```.*?```|`[^`\n]*`|\]\([^)]*\)|\{\w+\}"
    r"|--?[a-z][\w-]*(?: [a-z]+)?|\b[\w/]+\.\w+|^ *botequim .*?(?:#|$)",
    re.DOTALL | re.MULTILINE,
)
"""What is not a sentence: code, links, placeholders, options, names of files, commands."""
EXCEPTIONS = ("senha (token)", "número de participante")
"""Phrases in which a word of the last column means something else."""
TRANSLATIONS = {
    "boneyard": "monte",
    "bracket": "chaveamento",
    "bundle": "pacote",
    "confrontos?": "confronto",
    "contests?": "concurso",
    "digests?": "hash",
    "faults?": "falta",
    "passphrase": "frase secreta",
    "seats?": "lugar",
    "stages?": "fase",
    "standings": "classificação",
    "tokens?": "senha",
    "wire format": "protocolo",
}
"""English words, and what the translation of every message with such a word contains."""


def words() -> list[tuple[str, str, list[str]]]:
    """Return the rows of the table of words: English, Portuguese, and the words that are not used."""
    rows = [_rows(path) for path in GLOSSARIES]
    assert rows[0] == rows[1]
    return [(english, ours, re.split(", ", avoided) if avoided else []) for english, ours, avoided in rows[0]]


def _rows(path: Path) -> list[tuple[str, str, str]]:
    table = path.read_text(encoding="utf-8").split("\n|---|---|---|\n")[1]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    return [(english, ours, avoided) for english, ours, avoided in cells]


def avoided_words(text: str) -> set[str]:
    """Return the words in a text that have a better one, except in code."""
    for phrase in EXCEPTIONS:
        text = text.replace(phrase, " ")
    return {match.lower() for match in avoided_pattern().findall(CODE.sub(" ", text))}


@cache
def avoided_pattern() -> re.Pattern[str]:
    avoided = [word for _, _, others in words() for word in others]
    return re.compile(rf"\b(?:{'|'.join(avoided)})\b", re.IGNORECASE)


def messages() -> Iterator[tuple[str, str]]:
    """Yield every message with its translation; the forms of a plural are one text."""
    with CATALOGUE.open("rb") as file:
        for message in read_po(file):
            if message.id:
                yield _text(message.id), _text(message.string)


def _text(forms: object) -> str:
    return " / ".join(forms) if isinstance(forms, list | tuple) else str(forms)


def test_the_list_of_words_finds_a_word_that_is_not_ours() -> None:
    assert avoided_words("O assento do árbitro; `assento` em código não conta.") == {"assento", "árbitro"}
    assert len(words()) > 60


def test_messages_use_the_words_of_the_glossary() -> None:
    assert {english: found for english, text in messages() if (found := avoided_words(text))} == {}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_pages_use_the_words_of_the_glossary(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert avoided_words(text.split("\n## Uma palavra para cada coisa\n")[0]) == set()


def test_every_guide_and_reference_page_is_translated() -> None:
    pages = [
        path for name in ("how-to", "reference", "tutorials") for path in (ROOT / "docs" / name).glob("*.md")
    ]
    english = {path for path in pages if not path.name.endswith(".pt-BR.md")}
    assert len(english) > 20
    assert [path.name for path in sorted(english) if not path.with_suffix(".pt-BR.md").exists()] == []


@pytest.mark.parametrize(
    "path", sorted((ROOT / "examples").rglob("README.md")), ids=lambda path: str(path.relative_to(ROOT))
)
def test_examples_are_explained_in_portuguese_with_these_words(path: Path) -> None:
    _, heading, part = path.read_text(encoding="utf-8").partition("\n## Em português\n")
    assert heading
    assert avoided_words(part) == set()


@pytest.mark.parametrize("word", TRANSLATIONS)
def test_one_word_is_translated_in_one_way(word: str) -> None:
    quoted = re.compile(CODE.pattern + r'|"\w+"', CODE.flags)
    texts = [(english, text.lower()) for english, text in messages()]
    found = {english: text for english, text in texts if re.search(rf"\b{word}\b", quoted.sub(" ", english))}
    assert found
    assert [english for english, text in found.items() if TRANSLATIONS[word] not in text] == []
