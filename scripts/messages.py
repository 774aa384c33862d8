"""Collects every sentence marked in the source into the catalogues: `make messages`.

New ones arrive without a translation, and a test fails until they have one.
"""

from __future__ import annotations

from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

SOURCE = Path(__file__).resolve().parent.parent / "src" / "botequim"
KEYWORDS = {"_": None, "msg": None, "_n": (1, 2)}


def collect() -> Catalog:
    """All marked sentences, with where they stand."""
    catalogue = Catalog(project="botequim")
    found = extract_from_dir(str(SOURCE), [("**.py", "python")], {}, keywords=KEYWORDS)
    for path, _line, message, _comments, _context in found:
        catalogue.add(message, locations=[(f"src/botequim/{Path(path).as_posix()}", 1)])
    return catalogue


def main() -> None:
    """Update every catalogue."""
    template = collect()
    for path in sorted(SOURCE.glob("locale/*/LC_MESSAGES/*.po")):
        with path.open("rb") as file:
            catalogue = read_po(file, locale=path.parent.parent.name)
        catalogue.update(template, no_fuzzy_matching=True)
        catalogue.obsolete.clear()
        with path.open("wb") as file:
            write_po(file, catalogue, width=100, omit_header=False, include_lineno=False, sort_output=True)
        missing = sum(1 for message in catalogue if message.id and not message.string)
        print(f"{path.parent.parent.name}: {len(catalogue)} messages, {missing} without a translation")


if __name__ == "__main__":
    main()
