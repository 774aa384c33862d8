"""Reads a report, and lists the entrants of its cup."""

from __future__ import annotations

import csv
from html.parser import HTMLParser
from pathlib import Path

from botequim.cup.config import Entry

NAMES = ("Ana", "Bento & Cia", "Carla", "Davi", "Eva", "Fábio", "Gabi", "Hugo")


def entrants(count: int) -> list[Entry]:
    return [
        Entry(name, "greedy" if at % 2 else "random", authors=(f"Author {at}",), students=(f"10{at}",))
        for at, name in enumerate(NAMES[:count])
    ]


def rows(path: Path, delimiter: str = ",") -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


class Page(HTMLParser):
    """What a browser would see: tags with their attributes, and the text."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"{tag} is closed where it is not open"

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data

    def names(self) -> set[str]:
        return {tag for tag, _ in self.tags}

    def links(self) -> list[str]:
        """Return the targets of all links, without the language that replays are asked for (`#lang=en`)."""
        return [(attributes["href"] or "").partition("#")[0] for tag, attributes in self.tags if tag == "a"]
