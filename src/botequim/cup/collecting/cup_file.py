"""Adds entrants to a cup file, or writes a new one. What its owner has written is left alone."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from botequim.core.errors import InputError
from botequim.core.messages import Message, msg
from botequim.cup import templates
from botequim.cup.config import Entry
from botequim.cup.config_parser import parse, read
from botequim.cup.config_writer import entrant, toml_string
from botequim.cup.csv_tables import decode_text
from botequim.cup.toml_lines import Lines
from botequim.storage.files import write_text


@dataclass(frozen=True, slots=True)
class CupFile:
    """A cup file that entrants are added to. It need not be playable yet."""

    path: Path
    text: str
    """The whole text; of a new file, that of its template."""
    game: str
    entrants: tuple[dict[str, Any], ...] = ()
    """The tables of the entrants."""
    most_authors: int | None = None

    @property
    def names(self) -> list[str]:
        return [str(one.get("name", "")) for one in self.entrants]

    def with_entrants(self, new: Sequence[Entry]) -> CupFile:
        """Return the file with more entrants at its end."""
        blocks = "".join("\n" + "\n".join(entrant(entry)) + "\n" for entry in new)
        text = self.text.rstrip("\n") + "\n" + blocks if new else self.text
        return replace(self, text=text)

    def with_repository(self, name: str, address: str) -> CupFile:
        """Return the file with another address in the line `repository` of an entrant."""
        content = tomllib.loads(self.text)
        at = [str(one.get("name", "")) for one in content["entrants"]].index(name)
        lines = self.text.split("\n")
        number = Lines(self.text).of("entrants", at, "repository") - 1
        if lines[number].lstrip().startswith("repository"):
            lines[number] = f"repository = {toml_string(address)}"
        return replace(self, text="\n".join(lines))

    def problem(self) -> Message | None:
        """Return why the cup cannot be played as it is; None if it can."""
        try:
            parse(self.text, self.path)
        except InputError as error:
            return error.message
        return None

    def write(self) -> None:
        write_text(self.path, self.text)


def open_cup_file(path: Path, template: str | None, *, name: str, most_authors: int | None) -> CupFile:
    """Read a cup file, or make the text of a new one without entrants. Nothing is written.

    `template` is a competition or a game; an existing file must be of that game.
    """
    wanted = None if template is None else find_competition(template)
    if not path.exists():
        chosen = wanted or templates.find_template(templates.template_names()[0])
        text = templates.cup_file_text(chosen, name=name, entrants=(), most_authors=most_authors)
        return CupFile(path, text, chosen.game, most_authors=most_authors or chosen.most_authors)
    text = decode_text(path.read_bytes())
    try:
        content = tomllib.loads(text)
        game = str(content["game"])
        entrants = tuple(dict(one) for one in content.get("entrants", ()))
    except (ValueError, LookupError, TypeError, RecursionError):
        read(path)  # says what is wrong, and on which line
        raise
    if wanted is not None and wanted.game != game:
        raise InputError(
            msg("{path} is a cup of {game}, not of {other}", path=str(path), game=game, other=wanted.game)
        )
    in_file = content.get("most_authors")
    return CupFile(
        path, text, game, entrants, most_authors or (in_file if isinstance(in_file, int) else None)
    )


def find_competition(name: str) -> templates.Template:
    """Return the template of that name, or the first one of the game of that name."""
    from botequim import registry

    games = registry.cup_template_names()
    if name not in games and name in games.values():
        name = next(template for template, game in games.items() if game == name)
    return templates.find_template(name)
