"""One table of a cup file. Errors about its values name the line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NoReturn

from botequim.core.errors import InputError
from botequim.core.messages import Message, msg, plain
from botequim.core.options import ChoiceOption, Option, Value
from botequim.core.suggestions import similar_name
from botequim.cup.toml_lines import Lines, Path

LONGEST_TEXT: Final = 2000


class Table:
    """The keys and values of a table, and their lines."""

    def __init__(self, content: dict[str, Any], path: Path, lines: Lines, file: str) -> None:
        self._content: Final = content
        self._path: Final = path
        self._lines: Final = lines
        self._file: Final = file

    def __contains__(self, key: str) -> bool:
        return key in self._content

    def __iter__(self) -> Iterator[str]:
        return iter(self._content)

    def line(self, key: str) -> int:
        return self._lines.of(*self._path, key)

    def refuse(self, key: str, what: Message) -> NoReturn:
        where = f"{self._file}:{self.line(key)}"
        raise InputError(msg("{where}: {what}", where=plain(where), what=what))

    def require_known(self, keys: Sequence[str]) -> None:
        for key in self._content:
            if key not in keys:
                self.refuse(key, _unknown_key(key, keys))

    # --- values

    def text(self, key: str, *, required: bool = False) -> str:
        """Return the text, or "" if the key is missing."""
        if key not in self._content:
            if required:
                self._missing(key)
            return ""
        value = self._content[key]
        if not isinstance(value, str):
            self._wrong(key, msg("a text in quotes"))
        if not value.strip() or len(value) > LONGEST_TEXT:
            self.refuse(
                key,
                msg('"{key}" is empty or too long: write 1 to {most} characters', key=key, most=LONGEST_TEXT),
            )
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """Return the list of texts, or () if the key is missing."""
        value = self._content.get(key, [])
        if not isinstance(value, list) or not all(isinstance(one, str) and one.strip() for one in value):
            self._wrong(key, msg('a list of texts: ["one", "two"]'))
        return tuple(value)

    def whole(self, key: str, *, low: int, high: int) -> int | None:
        """Return the integer, or None if the key is missing."""
        if key not in self._content:
            return None
        value = self._content[key]
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            self._wrong(key, msg("a whole number from {low} to {high}", low=low, high=high))
        return value

    def seconds(self, key: str) -> float:
        value = self._content[key]
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1_000_000:
            self._wrong(key, msg("a number of seconds above 0"))
        return float(value)

    def choice(self, key: str, choices: Sequence[str], *, required: bool = False) -> str:
        value = self.text(key, required=required)
        if value not in choices:
            self.refuse(key, _unknown_value(key, value, choices))
        return value

    def option(self, option: Option) -> Value:
        value = self._content[option.name]
        if (
            isinstance(value, bool)
            and isinstance(option, ChoiceOption)
            and set(option.known) == {"yes", "no"}
        ):
            value = "yes" if value else "no"
        kind = str if isinstance(option, ChoiceOption) else int
        result = option.accept(value) if isinstance(value, kind) else None
        if result is None:
            self.refuse(
                option.name,
                msg(
                    '"{key}" cannot be {value}; allowed: {allowed} ({help})',
                    key=option.name,
                    value=_short_text(value),
                    allowed=option.allowed_values,
                    help=option.help,
                ),
            )
        return result

    # --- tables

    def table(self, key: str) -> Table:
        value = self._content[key]
        if not isinstance(value, dict):
            self._wrong(key, msg("a table: [{key}]", key=key))
        return Table(value, (*self._path, key), self._lines, self._file)

    def tables(self, key: str) -> list[Table]:
        """Return the tables of an array. Raise InputError if there are none."""
        if key not in self._content:
            self.refuse(key, msg("there are no {key}; add a table [[{key}]] for each", key=key))
        value = self._content[key]
        if not isinstance(value, list) or not value or not all(isinstance(one, dict) for one in value):
            self._wrong(key, msg("tables: [[{key}]]", key=key))
        return [Table(one, (*self._path, key, at), self._lines, self._file) for at, one in enumerate(value)]

    # --- errors

    def _missing(self, key: str) -> NoReturn:
        if not self._path:
            self.refuse(key, msg('the key "{key}" is missing', key=key))
        place = plain(self._path[0])
        self.refuse(key, msg('the key "{key}" is missing in this table of {place}', key=key, place=place))

    def _wrong(self, key: str, requirement: Message) -> NoReturn:
        value = _short_text(self._content[key])
        self.refuse(
            key, msg('"{key}" must be {wanted}, not {value}', key=key, wanted=requirement, value=value)
        )


def _unknown_key(name: str, keys: Sequence[str]) -> Message:
    near, text_of_keys = _near(name, keys)
    if near:
        text = msg(
            'unknown key "{name}"; did you mean "{near}"? Known: {known}',
            name=name,
            near=near,
            known=text_of_keys,
        )
    else:
        text = msg('unknown key "{name}"; known: {known}', name=name, known=text_of_keys)
    return text


def _unknown_value(key: str, name: str, choices: Sequence[str]) -> Message:
    near, text_of_choices = _near(name, choices)
    values = {"key": key, "name": name, "known": text_of_choices}
    if near:
        text = msg('unknown {key} "{name}"; did you mean "{near}"? Known: {known}', near=near, **values)
    else:
        text = msg('unknown {key} "{name}"; known: {known}', **values)
    return text


def _near(name: str, names: Sequence[str]) -> tuple[str, str]:
    """Return the known name that is most similar, and a list of all known names."""
    return similar_name(name, names) or "", ", ".join(names) or "-"


def _short_text(value: object) -> str:
    """Return a value approximately as it is written in the file."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value[:40]}"'
    return repr(value)[:60]
