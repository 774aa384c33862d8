"""Templates of cup files: competitions without their entrants.

`GamePlugin.cup_templates` lists those of a game. A game without templates gets one with its own name: a
league, or every combination of entrants if more than two play. `botequim cup new TEMPLATE FILE` writes the
file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from botequim import registry
from botequim.core.errors import UnknownName
from botequim.core.messages import Message, msg
from botequim.core.options import resolve_options
from botequim.core.suggestions import with_suggestion
from botequim.cup.config import Entry
from botequim.cup.config_writer import file_text, toml_string

Part: TypeAlias = str | Message
"""A line of TOML, or a comment in the language of the reader."""

LIMITS: Final = msg("The limits of a bot, in seconds and megabytes.")
"""The comment above a table of limits."""

_NAMES: Final = ("Ana", "Bento", "Carla", "Davi")


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """A competition without its entrants."""

    game: str
    title: str
    """The name of the cup, unless the organiser gives another."""
    about: Message
    """The comment at the top of the file."""
    head: tuple[Part, ...] = ()
    """Keys of the cup itself, which come first in a file."""
    tables: tuple[Part, ...]
    """Options, limits and stages."""
    entrants: tuple[Entry, ...]
    """Built-in players, so that the file can be tried at once."""
    most_authors: int | None = None
    """The most authors of a bot."""


def template_names() -> list[str]:
    return list(registry.cup_template_names())


def find_template(name: str) -> Template:
    """Return the template of that name. Raise UnknownName if there is none."""
    games = registry.cup_template_names()
    if name not in games:
        problem = msg('unknown template "{name}"; known: {known}', name=name, known=", ".join(games))
        raise UnknownName(with_suggestion(problem, name, games))
    template: Template | None = registry.cup_template(games[name], name)
    return default_template(games[name]) if template is None else template


def default_template(game_name: str) -> Template:
    """Return a template for a game that has none of its own."""
    game = registry.game(game_name)
    teams = len(game.teams(resolve_options(game_name, game.options, {})))
    stage = (
        stage_lines("league", "round_robin", games=2)
        if teams == 2
        else stage_lines("league", "combinations", size=teams, games=1)
    )
    return Template(
        game=game_name,
        title=game_name,
        about=msg("A league: every entrant plays against every other."),
        tables=stage,
        entrants=built_in_entrants(*["random"] * max(4, teams)),
    )


def cup_file_text(
    template: Template,
    *,
    name: str = "",
    seed: str | None = None,
    commitment: str | None = None,
    entrants: Sequence[Entry] | None = None,
    most_authors: int | None = None,
) -> str:
    """Return the text of a cup file, with comments in the language of the reader."""
    parts: list[Part | Entry] = [
        template.about,
        "",
        f"name = {toml_string(name or template.title)}",
        f'game = "{template.game}"',
        "",
        msg(
            "All deals and draws follow from the seed. If there is no seed, a random one is "
            "chosen when the cup begins. If the file has a commitment (sha256:...) instead, you "
            "give the seed when you run the cup, and anyone can check it against the commitment."
        ),
        f"seed = {toml_string(seed)}" if seed is not None else '# seed = "..."',
        f'commitment = "{commitment}"' if commitment is not None else '# commitment = "sha256:..."',
        "",
        *_authors(most_authors or template.most_authors),
        *template.head,
        msg("Enter one entrant a second time, outside the standings, to see how much of a result is chance."),
        '# null = "..."',
        "",
        *template.tables,
        "",
        msg(
            "The entrants. `bot` is a folder, a file or an archive (relative to this file), "
            "cmd:COMMAND, http://ADDRESS, or a built-in player."
        ),
        *(template.entrants if entrants is None else entrants),
    ]
    return file_text(parts)


def _authors(most: int | None) -> list[Part]:
    return [] if most is None else [msg("The maximum number of authors of a bot."), f"most_authors = {most}"]


def stage_lines(
    name: str, form: str, *, source: str = "", top: int = 0, **keys: str | int
) -> tuple[str, ...]:
    optional: dict[str, str | int] = {"name": name, "from": source, "top": top}
    values = {key: value for key, value in optional.items() if value} | {"format": form} | keys
    return ("[[stages]]", *(f"{key} = {_value(value)}" for key, value in values.items()))


def _value(value: str | int) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return toml_string(value) if isinstance(value, str) else str(value)


def built_in_entrants(*bots: str) -> tuple[Entry, ...]:
    """Return entrants with names of people for built-in players."""
    names = (*_NAMES, *(f"Bot {number}" for number in range(len(_NAMES) + 1, len(bots) + 1)))
    return tuple(Entry(name, bot) for name, bot in zip(names, bots, strict=False))
