"""`GamePlugin`: all parts of a game in one object.

A package registers a game with one entry point in the group `botequim.games`::

    [project.entry-points."botequim.games"]
    highcard = "highcard:PLUGIN"

    # highcard/__init__.py
    from botequim.core.plugin import GamePlugin

    PLUGIN = GamePlugin(name="highcard", rules="highcard.rules:GAME")

Only the name and the rules are required. Every other part has a default that works for any game. A part is
given as text, `"module:attribute"`, and is imported when it is used for the first time; so the module that
contains `PLUGIN` should import nothing else. `botequim.registry` has a function for each part.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields

_REFERENCE = re.compile(r"[\w.]+:[\w./-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class GamePlugin:
    """The parts of one game, by reference. If a part is None, the default for any game is used."""

    name: str
    """Its name on the command line, in cup files and records. Entry point and rules have the same name."""
    rules: str
    """An object with the methods of `botequim.core.game.Game`."""

    players: Mapping[str, str] = field(default_factory=dict)
    """Built-in players by name. Each is called with an `Rng` and returns a `botequim.core.player.Strategy`. A
    class with levels has a class method `at(level)`, which returns another callable."""
    wires: Mapping[str, str] = field(default_factory=dict)
    """The game's own wires by name, the preferred one first: each a `botequim.core.wire.Wire`."""
    narration: str | None = None
    """A subclass of `botequim.narration.narrator.Narrator`: moves and boards in words."""
    picture: str | None = None
    """A subclass of `botequim.render.renderer.Renderer`: how the game is drawn."""
    terminal: str | None = None
    """A subclass of `botequim.terminal.ui.TerminalUI`: commands and drawings for a person at the terminal."""
    controls: str | None = None
    """A subclass of `botequim.tables.controls.TableControls`: what a person can do in the browser."""
    arena_view: str | None = None
    """A function from a view to a dict of JSON values: the `view` of the questions of the arena wires."""
    diagnosis: str | None = None
    """A `botequim.botcheck.game_checks.GameChecks`: positions and opponents that a bot must meet in a check,
    and the usual mistakes of authors."""
    cup_templates: Mapping[str, str] = field(default_factory=dict)
    """Templates of cup files by the name for `cup new`: each a `botequim.cup.templates.Template`."""
    submission: str | None = None
    """A function that returns the files of the champion, by path, as a submission that runs without Botequim.
    Its keyword arguments are the options of the game that it supports."""
    texts: str | None = None
    """`"package:folder"`: Markdown files for people, `rules.md`, `enter.md` and the same in other languages
    (`rules.pt-BR.md`), the positions that they show, `positions.toml`, and the rules in a few lines for the
    help at the terminal, `short.txt` and `short.pt-BR.txt`."""
    art: bool = False
    """Whether players show art beside their moves, so that galleries and GIFs can be made of it."""
    examples: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Lines for the examples in help texts, by command: `{"match": ("highcard random greedy --games 100",)}`.
    `botequim match` is put before them. The lines of `start` are commands with their names; `botequim`
    without arguments shows one of each command."""

    def __post_init__(self) -> None:
        for name, reference in self.references().items():
            if not _REFERENCE.fullmatch(reference):
                raise ValueError(f'{name} of the plugin {self.name}: "{reference}" is not "module:attribute"')

    def references(self) -> dict[str, str]:
        """Return every reference of the plugin by the field's name, and within a mapping by `field.name`."""
        references: dict[str, str] = {}
        for name in (one.name for one in fields(self) if one.name not in ("name", "art", "examples")):
            value = getattr(self, name)
            if isinstance(value, str):
                references[name] = value
            elif value is not None:
                references |= {f"{name}.{key}": reference for key, reference in value.items()}
        return references
