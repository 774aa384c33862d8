"""Formulas of cup files: exact arithmetic, and nothing that could do harm."""

from __future__ import annotations

from fractions import Fraction

import pytest

from botequim.cup.formula import Formula, FormulaError, Vocabulary, number_text, round_half_up

KNOWN = Vocabulary(
    ("place", "games"), {"beat": [("Greedy",), ("Ana",)], "figure": [("league", "points"), ("league", "won")]}
)
FIGURES = {
    ("place", ()): Fraction(2),
    ("games", ()): Fraction(7),
    ("beat", ("Greedy",)): Fraction(1),
    ("beat", ("Ana",)): Fraction(0),
    ("figure", ("league", "points")): Fraction(7, 2),
    ("figure", ("league", "won")): Fraction(3),
}


def value(text: str) -> Fraction:
    return Formula.parse(text, KNOWN).evaluate(lambda name, words: FIGURES[name, words]).value


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("0.1 + 0.2", Fraction(3, 10)),
        ("1 / 3 * 3", Fraction(1)),
        ("2 ** 3 ** 2 - 2 ** -2", Fraction(512) - Fraction(1, 4)),
        ("7 // 2 + 7 % 4", Fraction(6)),
        ("-place + +games", Fraction(5)),
        ("2 if place == 1 else 1.5 if place == 2 else 0", Fraction(3, 2)),
        ("(1 <= place < 3) + (place < 1 < 1 / 0)", Fraction(1)),
        ("not (place and 0 or games)", Fraction(0)),
        ("place != 2 or beat('Greedy')", Fraction(1)),
        ('beat("Ana") + figure("league", "points")', Fraction(7, 2)),
        ("min(place, 1, games) + max(3, place) + abs(-1)", Fraction(5)),
        ("floor(-1.5) + ceil(1.2)", Fraction(0)),
        ("round(2.5) + round(-2.5) + round(0.125, 2)", Fraction(13, 100)),
        ("\n  place\n  + 1 ", Fraction(3)),
    ],
)
def test_values_are_exact(text: str, wanted: Fraction) -> None:
    assert value(text) == wanted


@pytest.mark.parametrize(
    ("text", "column", "said"),
    [
        ("plase", 1, 'unknown name "plase"; known: place, games'),
        ("1 + plase", 5, "did you mean place?"),
        ("  1 + plase", 7, "did you mean place?"),
        ("beat('São Paulo') + x", 6, 'unknown name "São Paulo"; known: Ana, Greedy'),
        ("beat('Ana') + 'é' + 1", 15, "write a number"),
        ("figure('league', 'point')", 18, "did you mean points?"),
        ("figure('league')", 1, 'write the arguments of figure in quotes: figure("league", "points")'),
        ("beat(place)", 1, "in quotes"),
        ("place(1)", 1, "place has no arguments"),
        ("min", 1, "min needs arguments"),
        ("abs(1, 2)", 1, "abs cannot have 2 arguments"),
        ("place +", 7, "not a formula"),
        ("1) + (2", 2, "not a formula"),
        ("place.real", 1, "this cannot be part of a formula"),
        ("place.__class__.__bases__", 1, "this cannot be part of a formula"),
        ("__import__('os').system('true')", 1, "this cannot be part of a formula"),
        ("__import__('os')", 1, 'unknown name "__import__"'),
        ("(lambda: 1)()", 1, "this cannot be part of a formula"),
        ("[place for place in (1, 2)]", 1, "this cannot be part of a formula"),
        ("f'{place}'", 1, "this cannot be part of a formula"),
        ("min(*(1, 2))", 5, "this cannot be part of a formula"),
        ("max(1, key=abs)", 1, "this cannot be part of a formula"),
        ("place @ 2 + (place << 3)", 1, "this cannot be part of a formula"),
        ("True", 1, "write a number"),
        ("1j", 1, "write a number"),
        ("1e400", 1, "write a number"),
        ("9" * 1900, 1, "write a number"),
        ("(" * 300 + "1" + ")" * 300, 200, "not a formula"),
        ("-" * 1900 + "1", 62, "nested too deeply"),
        (" + ".join(["1"] * 300), 1, "nested too deeply"),
        (
            "max(" + ", ".join(["max(1, 2, 3, 4, 5, 6, 7, 8, 9)"] * 20) + ")" + "+ min(1, 2)" * 59,
            1,
            "too long",
        ),
    ],
)
def test_a_wrong_formula_is_refused_with_the_column(text: str, column: int, said: str) -> None:
    with pytest.raises(FormulaError) as caught:
        Formula.parse(text, KNOWN)
    assert said in str(caught.value)
    assert caught.value.column == column or said in ("too long", "not a formula")  # the parser says where


@pytest.mark.parametrize("text", ["\x00", "\ud800", "#", "x\\\ny"])
def test_unusual_characters_are_refused(text: str) -> None:
    with pytest.raises(FormulaError):
        Formula.parse(text, KNOWN)


@pytest.mark.parametrize(
    ("text", "column", "said"),
    [
        ("1 + games / (place - 2)", 14, "division by zero"),
        ("games % (place - 2)", 10, "division by zero"),
        ("0 ** -1", 6, "division by zero"),
        ("10 ** 10 ** 9", 7, "an exponent is a whole number from -16 to 16"),
        ("2 ** 0.5", 6, "an exponent is a whole number"),
        ("999999999999 ** 16", 1, "too large"),
        ("9999999 ** 9 * 9999999 ** 9", 1, "too large"),
        ("round(place, 99)", 14, "a number of digits"),
    ],
)
def test_a_formula_without_a_value_says_where(text: str, column: int, said: str) -> None:
    with pytest.raises(FormulaError, match=said) as caught:
        value(text)
    assert caught.value.column == column


def test_an_evaluation_names_only_the_figures_that_it_used() -> None:
    formula = Formula.parse('1 if place == 2 else beat("Ana") / 0', KNOWN)
    found = formula.evaluate(lambda name, words: FIGURES[name, words])
    assert found.used == (("place", Fraction(2)),)
    both = Formula.parse('place + beat("Greedy") + place', KNOWN)
    used = both.evaluate(lambda name, words: FIGURES[name, words]).used
    assert used == (("place", Fraction(2)), ('beat("Greedy")', Fraction(1)))


def test_numbers_are_rounded_and_written_exactly() -> None:
    assert [round_half_up(Fraction(n, 8), 2) for n in (1, -1, 3)] == [
        Fraction(13, 100),
        Fraction(-13, 100),
        Fraction(38, 100),
    ]
    texts = [number_text(Fraction(*pair)) for pair in ((3, 1), (5, 4), (-1, 2), (7, 3))]
    assert texts == ["3", "1.25", "-0.5", "7/3"]
