"""The options of games and formats. They are declared once, and their values are checked in one function."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from botequim.core.errors import OptionError
from botequim.core.messages import Message, msg, plain
from botequim.core.suggestions import with_suggestion

Value: TypeAlias = int | str
Options: TypeAlias = Mapping[str, Value]
"""Every option of a game with its value, as `resolve_options` returns it and `Game.start` takes it."""


@dataclass(frozen=True, slots=True)
class ChoiceOption:
    """An option with a few named values; the first is the default."""

    name: str
    known: tuple[str, ...]
    help: Message

    @property
    def default(self) -> Value:
        return self.known[0]

    @property
    def values(self) -> str:
        return ", ".join(self.known)

    @property
    def allowed_values(self) -> Message:
        """The allowed values, to show."""
        return plain(self.values)

    def accept(self, value: object) -> Value | None:
        return value if isinstance(value, str) and value in self.known else None


@dataclass(frozen=True, slots=True)
class IntOption:
    """An option that is a whole number within bounds."""

    name: str
    default: int
    low: int
    high: int
    help: Message

    @property
    def values(self) -> str:
        return f"{self.low}..{self.high}"

    @property
    def allowed_values(self) -> Message:
        """The allowed values, to show."""
        return msg("{low} to {high}", low=self.low, high=self.high)

    def accept(self, value: object) -> Value | None:
        if isinstance(value, str):
            if not re.fullmatch(r"-?[0-9]{1,18}", value):
                return None
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            return None
        return value if self.low <= value <= self.high else None


Option: TypeAlias = ChoiceOption | IntOption


def resolve_options(game: str, declared: Iterable[Option], given: Mapping[str, object]) -> dict[str, Value]:
    """Return all options of a game: the given values, which are checked, and defaults for the others."""
    by_name = {option.name: option for option in declared}
    for name in given:
        if name not in by_name:
            problem = msg(
                'unknown option "{name}" of {game}; known: {known}',
                name=name,
                game=game,
                known=", ".join(by_name) or "-",
            )
            raise OptionError(with_suggestion(problem, name, by_name))
    resolved: dict[str, Value] = {}
    for name, option in by_name.items():
        value = option.accept(given[name]) if name in given else option.default
        if value is None:
            raise OptionError(
                msg(
                    'option "{name}" of {game} cannot be {value}; allowed: {allowed}',
                    name=name,
                    game=game,
                    value=repr(given[name]),
                    allowed=option.allowed_values,
                )
            )
        resolved[name] = value
    return resolved
