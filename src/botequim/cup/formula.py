"""Formulas in cup files: arithmetic over named figures, with exact fractions.

A formula looks like Python, and Python's parser reads it, but nothing of it is ever executed: an evaluator
walks the tree and knows only what this module lists.

===================================  ================================================================
`2`, `1.5`                           numbers; decimals are exact
`place`                              a figure; the caller says which names exist
`beat("Greedy")`                     a figure with texts as arguments; the caller says which exist
`+ - * / // % **`                    an exponent is a whole number from -16 to 16
`== != < <= > >=`, `and or not`      1 if true, 0 if false; any number but 0 is true
`A if CONDITION else B`              only the part that applies is computed
`min max abs floor ceil round`       `round(x)` and `round(x, digits)`; halves go away from zero
===================================  ================================================================

A formula is limited in length, parts and depth, and its numbers in size, so that none keeps a machine busy.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, NoReturn, TypeAlias

from botequim.core.errors import InputError
from botequim.core.messages import Message, msg
from botequim.core.suggestions import with_suggestion

MOST_PARTS: Final = 400
DEEPEST: Final = 60
LARGEST_NUMBER: Final = 10**12
MOST_BITS: Final = 256
"""The most bits of the numerator or denominator of a result."""
LARGEST_EXPONENT: Final = 16
MOST_DIGITS: Final = 12

Figures: TypeAlias = Callable[[str, tuple[str, ...]], Fraction]
"""Returns a figure by its name and its arguments, () if it has none."""


class FormulaError(InputError):
    """A formula is wrong, or has no value for these figures. `column` counts from 1."""

    def __init__(self, what: Message, column: int) -> None:
        super().__init__(msg("column {column}: {what}", column=column, what=what))
        self.column: Final = column


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The figures that a formula may use."""

    names: Collection[str]
    calls: Mapping[str, Collection[tuple[str, ...]]] = field(default_factory=dict)
    """By name: all allowed arguments."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The value of a formula, and the figures that it was computed from."""

    value: Fraction
    used: tuple[tuple[str, Fraction], ...]
    """Each figure as the formula writes it, and its value, in the order of their first use."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula that was read and checked."""

    text: str
    _tree: ast.expr = field(compare=False, repr=False)

    @classmethod
    def parse(cls, text: str, known: Vocabulary) -> Formula:
        """Raise a FormulaError if the formula is wrong or uses anything but these figures."""
        tree = _tree(text)
        _Checker(text, known).check(tree)
        return cls(text, tree)

    def evaluate(self, figures: Figures) -> Evaluation:
        """Raise a FormulaError if there is no value: a division by zero, or a number that is too large."""
        evaluator = _Evaluator(self.text, figures)
        value = evaluator.value(self._tree)
        return Evaluation(value, tuple(evaluator.used.items()))


def round_half_up(value: Fraction, digits: int) -> Fraction:
    """Return the number with so many decimals; a half goes away from zero, as in school."""
    scale = Fraction(10) ** digits
    size = math.floor(abs(value) * scale + Fraction(1, 2)) / scale
    return size if value >= 0 else -size


def number_text(value: Fraction) -> str:
    """Return the exact number: `3`, `1.25`, or `7/3` if it has no short decimals."""
    if value.denominator == 1:
        return str(value.numerator)
    if 10**4 % value.denominator == 0:
        return f"{float(value):.4f}".rstrip("0")
    return str(value)


def _tree(text: str) -> ast.expr:
    # on one line, without spaces before it: Python gives a meaning to both
    line = "".join(" " if sign.isspace() else sign for sign in text)
    start = len(line) - len(line.lstrip())
    try:
        return ast.parse(line.strip(), mode="eval").body
    except SyntaxError as error:
        column = min(start + max(1, error.offset or 1), max(1, len(text)))
        raise FormulaError(msg("this is not a formula"), column) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise FormulaError(msg("this is not a formula"), 1) from error


def _column(text: str, node: ast.expr) -> int:
    """Return the column of a part in the text. The parser counts bytes, after the spaces at the start."""
    line = text.lstrip()
    before = line.encode("utf-8", "replace")[: node.col_offset].decode("utf-8", "ignore")
    return len(text) - len(line) + len(before) + 1


def _figure(node: ast.expr) -> tuple[str, tuple[str, ...]] | None:
    """Return the name and the arguments of a figure; None for anything else."""
    match node:
        case ast.Name(name):
            return name, ()
        case ast.Call(ast.Name(name), arguments, []) if name not in FUNCTIONS:
            texts = [one.value for one in arguments if isinstance(one, ast.Constant)]
            words = tuple(text for text in texts if isinstance(text, str))
            return (name, words) if len(words) == len(arguments) else None
    return None


# --- what a formula may contain --------------------------------------------------------------------

_Operation: TypeAlias = Callable[[Fraction, Fraction], Fraction]

OPERATORS: Final[Mapping[type[ast.operator], _Operation]] = {
    ast.Add: lambda one, other: one + other,
    ast.Sub: lambda one, other: one - other,
    ast.Mult: lambda one, other: one * other,
    ast.Div: lambda one, other: one / other,
    ast.FloorDiv: lambda one, other: Fraction(one // other),
    ast.Mod: lambda one, other: one % other,
    ast.Pow: lambda one, other: Fraction(one ** int(other)),
}
COMPARISONS: Final[Mapping[type[ast.cmpop], Callable[[Fraction, Fraction], bool]]] = {
    ast.Eq: lambda one, other: one == other,
    ast.NotEq: lambda one, other: one != other,
    ast.Lt: lambda one, other: one < other,
    ast.LtE: lambda one, other: one <= other,
    ast.Gt: lambda one, other: one > other,
    ast.GtE: lambda one, other: one >= other,
}
FUNCTIONS: Final[Mapping[str, tuple[int, int, Callable[..., Fraction]]]] = {
    "min": (1, 20, min),
    "max": (1, 20, max),
    "abs": (1, 1, abs),
    "floor": (1, 1, lambda value: Fraction(math.floor(value))),
    "ceil": (1, 1, lambda value: Fraction(math.ceil(value))),
    "round": (1, 2, lambda value, digits=Fraction(): round_half_up(value, int(digits))),
}
"""By name: the fewest and the most arguments, and the function."""


class _Checker:
    """Refuses everything that the evaluator does not know."""

    def __init__(self, text: str, known: Vocabulary) -> None:
        self._text: Final = text
        self._known: Final = known
        self._parts = 0

    def check(self, node: ast.expr, depth: int = 0) -> None:
        self._parts += 1
        if self._parts > MOST_PARTS or depth > DEEPEST:
            self._refuse(node, msg("the formula is too long or nested too deeply"))
        for part in self._operands(node):
            self.check(part, depth + 1)

    def _operands(self, node: ast.expr) -> Sequence[ast.expr]:
        """Return the parts to check next."""
        match node:
            case ast.BinOp(left, operator, right) if type(operator) in OPERATORS:
                return left, right
            case ast.UnaryOp(ast.USub() | ast.UAdd() | ast.Not(), operand):
                return (operand,)
            case ast.BoolOp(_, values):
                return values
            case ast.Compare(left, operators, others) if all(type(one) in COMPARISONS for one in operators):
                return left, *others
            case ast.IfExp(condition, one, other):
                return one, condition, other
            case ast.Constant(value):
                self._check_number(node, value)
                return ()
            case ast.Name(name):
                self._check_name(node, name)
                return ()
            case ast.Call(ast.Name(name), arguments, []):
                return self._call(node, name, arguments)
        raise self._syntax_error(node)

    def _syntax_error(self, node: ast.expr) -> FormulaError:
        known = ", ".join([*FUNCTIONS, *self._known.calls])
        problem = msg(
            "this cannot be part of a formula; allowed are numbers, + - * / // % **, comparisons, and, "
            "or, not, if ... else, and the functions {known}",
            known=known,
        )
        return FormulaError(problem, _column(self._text, node))

    def _check_number(self, node: ast.expr, value: object) -> None:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not abs(value) <= LARGEST_NUMBER:  # type: ignore[arg-type]
            self._refuse(node, msg("write a number up to {most} here", most=LARGEST_NUMBER))

    def _check_name(self, node: ast.expr, name: str) -> None:
        if name in self._known.names:
            return
        if name in FUNCTIONS or name in self._known.calls:
            self._refuse(node, msg("{name} needs arguments: {name}(...)", name=name))
        known = [*self._known.names, *self._known.calls, *FUNCTIONS]
        problem = msg('unknown name "{name}"; known: {known}', name=name, known=", ".join(known))
        self._refuse(node, with_suggestion(problem, name, known))

    def _call(self, node: ast.expr, name: str, arguments: Sequence[ast.expr]) -> Sequence[ast.expr]:
        if name in FUNCTIONS:
            fewest, most, _ = FUNCTIONS[name]
            if not fewest <= len(arguments) <= most:
                self._refuse(
                    node, msg("{name} cannot have {count} arguments", name=name, count=len(arguments))
                )
            return arguments
        if name in self._known.names:
            self._refuse(node, msg("{name} has no arguments; write {name} alone", name=name))
        if name not in self._known.calls:
            self._check_name(node, name)
        self._check_arguments(node, name, arguments)
        return ()

    def _check_arguments(self, node: ast.expr, name: str, arguments: Sequence[ast.expr]) -> None:
        allowed = self._known.calls[name]
        figure = _figure(node)
        words = () if figure is None else figure[1]
        if words in allowed:
            return
        count = len(next(iter(allowed), ("",)))
        if len(words) != count:
            example = ", ".join(f'"{word}"' for word in next(iter(allowed), ("...",)))
            self._refuse(
                node,
                msg("write the arguments of {name} in quotes: {name}({example})", name=name, example=example),
            )
        for at, word in enumerate(words):
            there = sorted({one[at] for one in allowed if one[:at] == words[:at]})
            if word not in there:
                problem = msg('unknown name "{name}"; known: {known}', name=word, known=", ".join(there))
                self._refuse(arguments[at], with_suggestion(problem, word, there))

    def _refuse(self, node: ast.expr, what: Message) -> NoReturn:
        raise FormulaError(what, _column(self._text, node))


# --- its value -------------------------------------------------------------------------------------


class _Evaluator:
    """Computes a formula that was checked."""

    def __init__(self, text: str, figures: Figures) -> None:
        self._text: Final = text
        self._figures: Final = figures
        self.used: Final[dict[str, Fraction]] = {}

    def value(self, node: ast.expr) -> Fraction:
        value = Fraction(self._value(node))
        if max(abs(value.numerator), value.denominator).bit_length() > MOST_BITS:
            raise self._error(node, msg("the number is too large"))
        return value

    def _value(self, node: ast.expr) -> Fraction | int:
        match node:
            case ast.Constant(value):
                return Fraction(str(value))  # the decimals as they are written
            case ast.BinOp(left, operator, right):
                return self._operation(type(operator), left, right)
            case ast.UnaryOp(operator, operand):
                number = self.value(operand)
                signs = {ast.USub: -number, ast.UAdd: number, ast.Not: Fraction(not number)}
                return signs[type(operator)]
            case ast.BoolOp(ast.And(), values):
                return int(all(self.value(one) for one in values))
            case ast.BoolOp(_, values):
                return int(any(self.value(one) for one in values))
            case ast.Compare(left, operators, others):
                return self._comparison(left, operators, others)
            case ast.IfExp(condition, one, other):
                return self.value(one if self.value(condition) else other)
            case ast.Call(ast.Name(name), arguments) if name in FUNCTIONS:
                return self._function(name, arguments)
        figure = _figure(node)
        assert figure is not None
        return self._use(*figure)

    def _operation(self, operator: type[ast.operator], left: ast.expr, right: ast.expr) -> Fraction:
        one, other = self.value(left), self.value(right)
        if operator is ast.Pow and (other.denominator != 1 or abs(other) > LARGEST_EXPONENT):
            problem = msg(
                "an exponent is a whole number from {low} to {high}",
                low=-LARGEST_EXPONENT,
                high=LARGEST_EXPONENT,
            )
            raise self._error(right, problem)
        try:
            return OPERATORS[operator](one, other)
        except ZeroDivisionError as error:
            raise self._error(right, msg("division by zero")) from error

    def _comparison(self, left: ast.expr, operators: Sequence[ast.cmpop], others: Sequence[ast.expr]) -> int:
        one = self.value(left)
        for operator, node in zip(operators, others, strict=True):
            other = self.value(node)
            if not COMPARISONS[type(operator)](one, other):
                return 0
            one = other
        return 1

    def _function(self, name: str, arguments: Sequence[ast.expr]) -> Fraction:
        values = [self.value(one) for one in arguments]
        if name == "round" and len(values) == 2 and values[1] not in range(MOST_DIGITS + 1):
            raise self._error(arguments[1], msg("a number of digits from 0 to {most}", most=MOST_DIGITS))
        return FUNCTIONS[name][2](*values)

    def _use(self, name: str, arguments: tuple[str, ...]) -> Fraction:
        words = ", ".join(f'"{word}"' for word in arguments)
        text = f"{name}({words})" if arguments else name
        return self.used.setdefault(text, Fraction(self._figures(name, arguments)))

    def _error(self, node: ast.expr, what: Message) -> FormulaError:
        return FormulaError(what, _column(self._text, node))
