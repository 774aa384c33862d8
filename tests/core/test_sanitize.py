"""Texts from outside cannot control what they are shown in."""

from __future__ import annotations

import pytest

from botequim.core.sanitize import (
    LONGEST_CODE,
    LONGEST_TEXT,
    page_lines,
    page_text,
    picture_text,
    printable,
    short_name,
)


@pytest.mark.parametrize("sign", ["\x1b", "\r", "\n", "\u202e", "\u2028", "\u2029", "\x9b", "\ud800"])
def test_signs_that_control_become_dots(sign: str) -> None:
    for shown in (printable(f"a{sign}b"), page_text(f"a{sign}b"), picture_text(f"a{sign}b", 10)):
        assert shown == "a·b"


@pytest.mark.parametrize("text", ["", "Zé do Dominó", "♥ 界", "tab is a control"])
def test_ordinary_texts_stay(text: str) -> None:
    assert printable(text) == page_text(text) == page_lines(text) == picture_text(text, 40) == text


def test_what_is_too_long_is_cut() -> None:
    assert page_text("x" * 1000) == "x" * (LONGEST_TEXT - 1) + "…"
    assert picture_text("x" * 1000, 10) == "x" * 9 + "…"
    lines = page_lines("first\n" + "x\t\n" * LONGEST_CODE + "last\n")
    assert lines.startswith("first\n")
    assert lines.endswith("last")
    assert "\n[…]\n" in lines
    assert "\t" not in lines


def test_accents_cannot_pile_up_in_a_picture() -> None:
    assert picture_text("x" + "\u0301" * 5, 10) == "x\u0301\u0301"


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("Malandro Carioca", "Malandro Carioca"),
        ("João Guilherme Rodrigues", "João Guilherme…"),
        ("Zé Maximilianosssssss", "Zé Maximilianosss…"),
        ("W" * 20, "W" * 17 + "…"),
    ],
)
def test_a_name_is_shortened_after_a_word(name: str, short: str) -> None:
    assert short_name(name, 18) == short
