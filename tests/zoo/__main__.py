"""`python -m tests.zoo` writes the table of the zoo into the documents; a test holds that it is there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.zoo.animal import WIRES, Animal, End
from tests.zoo.channels import CHANNELS, WAYS
from tests.zoo.refused import REFUSED
from tests.zoo.table import ANIMALS

DOCS = Path(__file__).parent.parent.parent / "docs" / "reference"
PLACE = re.compile(r"(<!-- zoo -->\n).*?(<!-- /zoo -->\n)", re.DOTALL)
CHANNELS_PLACE = re.compile(r"(<!-- channels -->\n).*?(<!-- /channels -->\n)", re.DOTALL)
REFUSED_PLACE = re.compile(r"(<!-- refused -->\n).*?(<!-- /refused -->\n)", re.DOTALL)


@dataclass(frozen=True)
class Words:
    """Of one language."""

    head: tuple[str, ...]
    plays_on: str
    the_same: str
    not_tried: str
    channels: tuple[str, ...]
    """The head of the table of channels."""
    is_open: str
    is_closed: str


WORDS = {
    "security.md": Words(
        ("the bot ...", "lines (uno)", "HTTP (cubos)", "one process per round (rps)", "a class (havana)",
         "without isolation"),
        "plays on", "the same", "not tried: harmful, or refused",
        ("channel", "bubblewrap as root", "bubblewrap as an ordinary user", "podman"), "**open**", "closed",
    ),
    "security.pt-BR.md": Words(
        ("o bot ...", "linhas (uno)", "HTTP (cubos)", "um processo por rodada (rps)", "uma classe (havana)",
         "sem isolamento"),
        "continua jogando", "o mesmo", "não é testado: causaria danos, ou é recusado",
        ("canal", "bubblewrap como root", "bubblewrap como usuário comum", "podman"), "**aberto**", "fechado",
    ),
}  # fmt: skip


def table(name: str) -> str:
    """In the language of a document."""
    words = WORDS[name]
    rows = [words.head, ["---"] * len(words.head)]
    rows += [_row(animal, words, portuguese="pt-BR" in name) for animal in ANIMALS.values()]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _row(animal: Animal, words: Words, *, portuguese: bool) -> list[str]:
    usual = animal.ends("bubblewrap")
    cells = [_cell(usual, wire, words) for wire in WIRES]
    bare = {wire: end for wire, end in animal.ends("none").items() if end.kind != usual[wire].kind}
    if animal.isolated:
        without = words.not_tried
    else:
        told = [f"{wire}: {_cell(bare, wire, words)}" for wire in bare]
        without = ", ".join(told) or words.the_same
    return [animal.em_portugues if portuguese else animal.name, *cells, without]


def _cell(ends: Mapping[str, End], wire: str, words: Words) -> str:
    if wire not in ends:
        return ""
    kind = ends[wire].kind
    return words.plays_on if kind is None else kind.value.upper()


def refused(name: str) -> str:
    """Return the list of entrants that are refused, in the language of a document."""
    return "".join(f"- {one.em_portugues if 'pt-BR' in name else one.name}\n" for one in REFUSED)


def channels(name: str) -> str:
    """Return the table of channels between two instances, in the language of a document."""
    words = WORDS[name]
    rows = [list(words.channels), ["---"] * len(words.channels)]
    for one in CHANNELS:
        cells = [words.is_open if way in one.open_in else words.is_closed for way in WAYS]
        rows.append([one.em_portugues if "pt-BR" in name else one.name, *cells])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def written(name: str) -> str:
    """The document as it must be."""
    text = (DOCS / name).read_text(encoding="utf-8")
    text = PLACE.sub(lambda found: found[1] + table(name) + found[2], text)
    text = CHANNELS_PLACE.sub(lambda found: found[1] + channels(name) + found[2], text)
    return REFUSED_PLACE.sub(lambda found: found[1] + refused(name) + found[2], text)


if __name__ == "__main__":
    for document in WORDS:
        (DOCS / document).write_text(written(document), encoding="utf-8")
