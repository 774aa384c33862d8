"""Small changes to Python source that a good test suite notices; `scripts/mutate.py` tries them."""

from __future__ import annotations

import ast
import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

OTHER_COMPARISON: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
OTHER_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
}


@dataclass(frozen=True, kw_only=True)
class Mutation:
    """One change of one expression or statement, identified by what it changes, not by where it stands."""

    file: str
    """The path from the root of the checkout."""
    function: str
    kind: str
    before: str
    after: str
    occurrence: int
    """Which of the equal changes in this function, from 0."""
    line: int
    """Where the changed expression begins."""
    statement: int
    """Where its statement begins."""
    span: tuple[int, int]
    """The bytes of the file that `after` replaces."""

    @property
    def key(self) -> str:
        """A short name that is the same in each version of the source that has the same code there."""
        parts = (self.file, self.function, self.kind, self.before, self.after, str(self.occurrence))
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]

    def apply(self, source: bytes) -> bytes:
        """Return the changed source."""
        start, end = self.span
        return source[:start] + self.after.encode() + source[end:]


def mutations_in(root: Path, file: str) -> list[Mutation]:
    """Return each mutation of the bodies of a file's functions."""
    source = (root / file).read_bytes()
    starts = [0]
    for text in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(text))
    count: Counter[str] = Counter()
    found: list[Mutation] = []
    for function, statement, node in _nodes(ast.parse(source), "", None):
        for kind, target, after in _changes(node):
            assert target.end_lineno is not None
            assert target.end_col_offset is not None
            begin = starts[target.lineno - 1] + target.col_offset
            end = starts[target.end_lineno - 1] + target.end_col_offset
            mutation = Mutation(
                file=file,
                function=function,
                kind=kind,
                before=source[begin:end].decode(),
                after=after,
                occurrence=0,
                line=target.lineno,
                statement=statement.lineno,
                span=(begin, end),
            )
            found.append(replace(mutation, occurrence=count[mutation.key]))
            count[mutation.key] += 1
    return found


def _nodes(
    node: ast.AST, function: str, statement: ast.stmt | None
) -> Iterator[tuple[str, ast.stmt, ast.AST]]:
    """Yield each node of a function's body with the function's name and its innermost statement."""
    for field, value in ast.iter_fields(node):
        if field in {"annotation", "returns", "decorator_list", "args", "type_params"} and not isinstance(
            node, ast.Call
        ):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or isinstance(child, ast.JoinedStr):
                continue  # before Python 3.12 the parts of an f-string have no positions
            name, inner = function, statement
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                name = f"{function}.{child.name}".removeprefix(".")
            is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            if isinstance(child, ast.stmt) and (statement is not None or is_function):
                inner = child
            if inner is not None:
                yield name, inner, child
            yield from _nodes(child, name, inner)


def _changes(node: ast.AST) -> Iterator[tuple[str, ast.expr | ast.stmt, str]]:
    """Yield what kinds of change a node allows: what is replaced, and by what."""
    match node:
        case ast.Compare(left=left, ops=[operator], comparators=[right]):
            yield "comparison", node, _text(ast.Compare(left, [OTHER_COMPARISON[type(operator)]()], [right]))
        case ast.BoolOp(op=connective, values=values):
            other = ast.Or() if isinstance(connective, ast.And) else ast.And()
            yield "and or", node, _text(ast.BoolOp(other, values))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield "not", node, _text(operand)
        case ast.BinOp(left=left, op=arithmetic, right=right) if type(arithmetic) in OTHER_ARITHMETIC:
            yield "arithmetic", node, _text(ast.BinOp(left, OTHER_ARITHMETIC[type(arithmetic)](), right))
        case ast.Constant(value=bool() as truth):
            yield "constant", node, str(not truth)
        case ast.Constant(value=int() | float() as number):
            yield "constant", node, f"({number + 1})"
            if number > 0:
                yield "constant", node, f"({number - 1})"
        case ast.Call(func=ast.Name(id="min" | "max" as name)):
            yield "min max", node.func, "max" if name == "min" else "min"
        case ast.Slice(upper=ast.expr() as bound) | ast.Slice(lower=ast.expr() as bound) if not isinstance(
            bound, ast.Constant
        ):
            yield "slice", bound, f"{_text(bound)} + 1"
        case ast.Return(value=ast.expr() as result) if not (
            isinstance(result, ast.Constant) and result.value is None
        ):
            yield "return", node, "return None"
        case ast.Expr(value=ast.Call() | ast.Await(value=ast.Call())):
            yield "call removed", node, "pass"
        case _:
            pass
    if isinstance(node, ast.If | ast.IfExp):
        yield "condition", node.test, f"(not {_text(node.test)})"


def _text(node: ast.expr) -> str:
    return f"({ast.unparse(node)})"
