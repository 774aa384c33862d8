"""Finds out whether the symbolic links of a bot work in the sandbox, after its files are copied.

Links are copied as they are. Two kinds that lead out of the bot's folder work: those to programs of the
system, and those of a virtual environment to the Python that made it, which the bot can see too. All others
are reported.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from botequim.bots.environments import VIRTUAL_ENVIRONMENT, base_places, is_below
from botequim.bots.interpreters import SYSTEM
from botequim.bots.trees import Kind, open_tree, real_path, walk

MOST_LINKS: Final = 500
"""The most links that are examined, because following one can take a while."""
MOST_ENVIRONMENTS: Final = 20
OWN: Final = ("/dev", "/etc", "/proc")
"""Folders of which every sandbox has its own."""


@dataclass(frozen=True, slots=True)
class Link:
    """A link to something that the bot cannot see."""

    path: str
    target: str


@dataclass(frozen=True, slots=True)
class Links:
    """The result of examining the links of a tree."""

    interpreters: tuple[Path, ...]
    """Folders that the bot must be able to see."""
    lost: tuple[Link, ...]


def examine_links(copy: Path, source: Path, extra_paths: Iterable[Path]) -> Links:
    """Find out where the links in a copy lead.

    `source` is the folder in which the links were made. `extra_paths` is what else the bot can see.
    """
    links: list[Link] = []
    environments: list[Path] = []
    with open_tree(copy) as top:
        for entry in walk(top):
            if entry.kind is Kind.LINK and len(links) < MOST_LINKS:
                links.append(Link(entry.path, entry.target()))
            elif entry.name == VIRTUAL_ENVIRONMENT and len(environments) < MOST_ENVIRONMENTS:
                environments.append(source / entry.path.removesuffix(VIRTUAL_ENVIRONMENT))
    shown = list(extra_paths)
    for environment in environments:
        shown += [place for place in base_places(environment, source) if not is_below(place, shown)]
    visible = [source.resolve(), *map(Path, (*SYSTEM, *OWN)), *shown, *(place.resolve() for place in shown)]
    lost = [link for link in links if not _leads_to(source / link.path, visible)]
    return Links(tuple(shown), tuple(lost))


def _leads_to(link: Path, visible: Iterable[Path]) -> bool:
    try:
        return is_below(real_path(link), visible)
    except (OSError, RuntimeError, ValueError):  # it leads nowhere, or in a circle
        return False
