"""Every sentence in both languages."""

from __future__ import annotations

import asyncio
import string
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import read_mo
from babel.messages.pofile import read_po

from botequim import i18n
from botequim.bots.codecs.answers import read_object
from botequim.core.errors import PlayerFault, RecordError, UnknownName
from botequim.core.messages import msg
from botequim.i18n import _, _n, error_text, translate
from scripts.messages import SOURCE, collect
from tests.support.pace import PATIENCE

CATALOGUES = sorted(SOURCE.glob("locale/*/LC_MESSAGES/*.po"))


def load(path: Path) -> Catalog:
    with path.open("rb") as file:
        return read_po(file)


def texts(value: object) -> tuple[str, ...]:
    return tuple(value) if isinstance(value, list | tuple) else (str(value),)


def fields(text: str) -> set[str]:
    if "%(" in text or "%s" in text or "%r" in text:
        return {word for word in text.replace(":", " ").split() if word.startswith("%")}
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.parent.parent.name)
def test_no_message_is_untranslated_and_none_is_left_over(path: Path) -> None:
    catalogue = load(path)
    wanted = {message.id for message in collect() if message.id}
    there = {message.id for message in catalogue if message.id}
    assert wanted - there == set(), "run `make messages` and translate what is new"
    assert there - wanted == set(), "run `make messages`: these are no longer said"
    untranslated = [message.id for message in catalogue if message.id and not all(texts(message.string))]
    assert untranslated == []
    assert not [message.id for message in catalogue if message.fuzzy and message.id]


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.parent.parent.name)
def test_translations_fill_in_the_same_values(path: Path) -> None:
    for message in load(path):
        if not message.id:
            continue
        wanted = set().union(*(fields(text) for text in texts(message.id)))
        for text in texts(message.string):
            assert fields(text) <= wanted, message.id
            if isinstance(message.id, str):
                assert fields(text) == wanted, message.id


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.parent.parent.name)
def test_the_compiled_catalogue_is_the_written_one(path: Path) -> None:
    with path.with_suffix(".mo").open("rb") as file:
        compiled = {texts(message.id): texts(message.string) for message in read_mo(file) if message.id}
    written = {texts(message.id): texts(message.string) for message in load(path) if message.id}
    assert compiled == written, "the catalogue was changed after the package was installed: pip install -e ."


def test_every_language_but_english_has_a_catalogue() -> None:
    assert {path.parent.parent.name for path in CATALOGUES} == set(i18n.LANGUAGES) - {"en"}


def test_messages_are_said_in_the_language_in_use() -> None:
    message = msg("{who} passes.", who="1 greedy")
    i18n.set_language("pt_BR")
    assert translate(message) == "1 greedy passa."
    assert translate(
        msg("{kind} dropped: {reason}", kind="art", reason=msg("art must be a list of texts"))
    ) == ("art descartado: a arte deve ser uma lista de textos")
    i18n.set_language("en")
    assert translate(message) == str(message) == "1 greedy passes."


def test_plurals_follow_the_language() -> None:
    one = "{n} deal was played from every side. A draw counts as half a win. Intervals are computed per deal."
    many = (
        "{n} deals were played from every side. A draw counts as half a win. Intervals are computed per deal."
    )
    assert _n(one, many, 2).startswith("2 deals were")
    i18n.set_language("pt")
    assert _n(one, many, 1).startswith("1 mão distribuída foi")
    assert _n(one, many, 2).startswith("2 mãos distribuídas foram")


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "pt_BR.UTF-8"}, "pt_BR"),
        ({"LANG": "pt_PT.UTF-8"}, "pt_BR"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "pt_BR", "LC_ALL": "en_GB"}, "en"),
        ({"LANG": "en_US", "LANGUAGE": "xx:pt_BR:en"}, "pt_BR"),
        ({"LANG": "en_US", "BOTEQUIM_LANG": "pt"}, "pt_BR"),
    ],
)
def test_the_language_comes_from_the_locale(
    environment: dict[str, str], language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("BOTEQUIM_LANG", "LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    i18n.set_language()
    assert i18n.language() == language


def test_an_unknown_language_lists_the_known_ones() -> None:
    with pytest.raises(UnknownName, match='unknown language "klingon"; known: en, pt_BR'):
        i18n.set_language("klingon")


def test_a_language_belongs_to_its_thread_and_task() -> None:
    message = msg("interrupted")
    both = Barrier(2, timeout=PATIENCE)

    def in_thread(language: str) -> str:
        with i18n.use_language(language):
            both.wait()
            return translate(message)

    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(in_thread, ("en", "pt_BR"))) == ["interrupted", "interrompido"]

    async def in_task(language: str, before: asyncio.Event, after: asyncio.Event) -> str:
        with i18n.use_language(language):
            after.set()
            await before.wait()
            return translate(message)

    async def in_tasks() -> list[str]:
        one, other = asyncio.Event(), asyncio.Event()
        return list(await asyncio.gather(in_task("en", one, other), in_task("pt_BR", other, one)))

    assert asyncio.run(in_tasks()) == ["interrupted", "interrompido"]
    assert translate(message) == "interrupted"


def test_a_thread_without_a_language_of_its_own_has_that_of_the_process() -> None:
    i18n.set_language("pt_BR")
    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(_, "interrupted").result() == "interrompido"


def test_errors_say_where_in_the_readers_language() -> None:
    i18n.set_language("pt_BR")
    assert error_text(RecordError(msg("the file is empty"), path="a.jsonl", line=3)) == (
        "a.jsonl:3: o arquivo está vazio"
    )
    assert _("interrupted") == "interrompido"


def test_stored_seconds_have_the_decimal_sign_of_the_reader() -> None:
    late = msg("no answer within {seconds} s", seconds="0.25")
    unknown = msg('unknown game "{name}"; known: {known}', name="3.11", known="uno")
    i18n.set_language("pt_BR")
    assert translate(late) == "nenhuma resposta em 0,25 s"
    assert '"3.11"' in translate(unknown)
    i18n.set_language("en")
    assert translate(late) == "no answer within 0.25 s"


def test_what_python_says_of_json_is_translated_too() -> None:
    for answer in (
        b"nonsense",
        b'{"a" 1}',
        b'{"a": 1 "b": 2}',
        b"{1: 2}",
        b'{"a": "x',
        b'{"a": "\n"}',
        b"1 2",
    ):
        with pytest.raises(PlayerFault) as caught:
            read_object(answer)
        reason = caught.value.fault.reason
        i18n.set_language("pt_BR")
        told = i18n.translate(reason)
        i18n.set_language("en")
        assert str(reason.values["why"]) in str(reason)
        assert str(reason.values["why"]) not in told
