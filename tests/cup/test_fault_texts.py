"""Evidence is stored with English keys, and shown in the reader's language."""

from __future__ import annotations

import re

import pytest

from botequim.cup.report.fault_texts import evidence_name, evidence_text
from botequim.i18n import use_language
from tests import ROOT


@pytest.mark.parametrize(
    ("key", "value", "english", "portuguese"),
    [
        ("seconds", 5.003, "seconds used: 5.003", "segundos usados: 5,003"),
        ("exit", -11, "exit code: -11", "código de saída: -11"),
        ("limit", "memory", "limit: memory", "limite: memória"),
        (
            "listening",
            [80, 90],
            "ports it listens on: 80, 90",
            "portas em que ele escuta: 80, 90",
        ),
        ("error", "3.5", "error: 3.5", "erro: 3.5"),
        ("colour", ["a"], "colour: a", "colour: a"),
    ],
)
def test_evidence_is_shown_in_the_readers_language(
    key: str, value: object, english: str, portuguese: str
) -> None:
    for language, expected in (("en", english), ("pt_BR", portuguese)):
        with use_language(language):
            assert f"{evidence_name(key)}: {evidence_text(key, value)}" == expected


def test_every_piece_of_evidence_in_the_guide_has_a_name() -> None:
    guide = (ROOT / "docs" / "reference" / "security.md").read_text(encoding="utf-8")
    table = guide.split("| evidence | content |")[1].split("\n\n")[0]
    keys = [key for line in table.splitlines()[2:] for key in re.findall("`(.*?)`", line.split("|")[1])]
    assert len(keys) > 8
    with use_language("pt_BR"):
        assert [key for key in keys if evidence_name(key) == key] == []
