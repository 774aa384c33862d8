"""Find the templates of messages that can be stored, by reading the source.

A record, a cup's store, its live games and its bundle keep messages as English templates. They are:

- the reason of a fault: whatever a function that mentions `FaultKind` or `PlayerFault` says, why a text is
  no move, and why the rules of a game refuse a move or a remark;
- warnings beside a move;
- why an entrant could not be prepared: everything that is said where bots are prepared and run;
- the labels of series, and the reasons of places in standings.

The search follows names only, so it finds somewhat more than is stored, and that does no harm.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests import ROOT

SOURCE: Final = ROOT / "src" / "botequim"

FAULTS: Final = {"FaultKind", "PlayerFault", "warnings"}
NO_MOVES: Final = {"NotAMove", "MoveSyntaxError"}
"""The error for a text that is no move of a game: its old name, and its new one."""
REFUSALS: Final = {"check", "check_remark"}
"""Methods of a game; what they return is the reason of a fault or of a warning."""
STANDINGS: Final = {"Pairing", "Row", "Rule", "Standings", "Decided", "MatchState"}
SPEAKING: Final = ("Message", "PlayerFault", "NoReturn")
"""What is returned by a function that says something for those who call it."""

BOTS: Final = ("entrants", "bots", "containers", "sandbox", "transports", "registry")
PREPARE: Final = "prepare"
"""Packages that prepare and run bots, and the function that modules outside of them import for it: an error
there is the reason why an entrant is absent."""
TEXTS: Final = {"Column", "Whole", "Choice", "IntOption", "ChoiceOption"}
"""Headings of tables and descriptions of options, which are never stored."""
READERS: Final = (
    "art", "audit", "botcheck", "checking", "checks", "cli", "controls", "diagnosis", "doctor", "keyboard",
    "live", "match", "narration", "picture", "proof", "reader", "reading", "render", "report", "show", "sprt",
    "stage_audit", "tables", "terminal", "testing", "verify", "web",
)  # fmt: skip
"""Packages and modules that only read faults, or that run for a person at a terminal or in a browser."""


@dataclass
class Part:
    """A function, or a constant of a module."""

    name: str
    templates: set[str] = field(default_factory=set)
    mentions: set[str] = field(default_factory=set)
    returns: str = ""
    in_bots: bool = False
    constant: bool = False

    def is_source(self, makers: set[str]) -> bool:
        """Whether what it says is stored; `makers` are names of what makes a fault or a row of standings."""
        if self.constant:
            return self.in_bots
        return (
            self.in_bots
            or bool(self.mentions & makers)
            or (self.name in REFUSALS and "Message" in self.returns)
        )

    @property
    def is_speaking(self) -> bool:
        return self.constant or any(word in self.returns for word in SPEAKING)


def stored_templates() -> set[str]:
    """Return every template in the source that can be stored."""
    parts = [part for path in sorted(SOURCE.rglob("*.py")) for part in _parts(path)]
    by_name: dict[str, list[Part]] = {}
    for part in parts:
        by_name.setdefault(part.name, []).append(part)
    makers = FAULTS | NO_MOVES | STANDINGS | {part.name for part in parts if "PlayerFault" in part.returns}
    found = [part for part in parts if part.is_source(makers)]
    seen = {id(part) for part in found}
    for part in found:  # it grows meanwhile
        for name in part.mentions:
            for said in by_name.get(name, ()):
                if said.is_speaking and id(said) not in seen:
                    seen.add(id(said))
                    found.append(said)
    return set().union(*(part.templates for part in found))


def _parts(path: Path) -> Iterator[Part]:
    names = path.relative_to(SOURCE).with_suffix("").parts
    if any(name in READERS for name in names):
        return
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imported = {name.name for node in tree.body if isinstance(node, ast.ImportFrom) for name in node.names}
    in_bots = any(name in BOTS for name in names) or PREPARE in imported
    for node in tree.body:
        yield from _parts_of(node, in_bots)


def _parts_of(node: ast.stmt, in_bots: bool) -> Iterator[Part]:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            returns = "" if node.returns is None else ast.unparse(node.returns)
            yield _part(node.name, node, returns=returns, in_bots=in_bots)
        case ast.ClassDef():
            for inner in node.body:
                yield from _parts_of(inner, in_bots)
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            yield _part(name, node, in_bots=in_bots, constant=True)
        case _:
            pass


def _part(name: str, node: ast.AST, **keys: object) -> Part:
    part = Part(name)
    for key, value in keys.items():
        setattr(part, key, value)
    for inner in _walk(node):
        match inner:
            case ast.Call(func=ast.Name(id="msg"), args=[ast.Constant(value=str(template)), *_]):
                part.templates.add(template)
            case ast.Name(id=mention) | ast.Attribute(attr=mention):
                part.mentions.add(mention)
            case _:
                pass
    return part


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """Yield every node below, but not what is in a heading or in the description of an option."""
    yield node
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in TEXTS):
        for inner in ast.iter_child_nodes(node):
            yield from _walk(inner)
