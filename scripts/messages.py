"""Collects every sentence marked in the source into the catalogues: `make messages`.

New ones arrive without a translation, and a test fails until they have one. Sentences that records and
stores may hold (`locale/stored_messages.txt`) stay in the catalogues when no source says them any more.
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from botequim.web.api.documentation import api_schema, schema_texts

SOURCE = Path(__file__).resolve().parent.parent / "src" / "botequim"
STORED = SOURCE / "locale" / "stored_messages.txt"
IDLE = (b'"POT-', b'"PO-Rev', b'"Report', b'"Last-', b'"Language-T', b'"Generated')
KEYWORDS = {"_": None, "msg": None, "_n": (1, 2)}


def collect() -> Catalog:
    """All marked sentences, with where they stand."""
    catalogue = Catalog(project="botequim")
    found = extract_from_dir(str(SOURCE), [("**.py", "python"), ("**.html", "jinja2")], {}, keywords=KEYWORDS)
    for path, _line, message, _comments, _context in found:
        catalogue.add(message, locations=[(f"src/botequim/{Path(path).as_posix()}", 1)])
    for template in (*stored(), *api_texts()):
        catalogue.add(template)
    return catalogue


def api_texts() -> list[str]:
    """Return the sentences of the API's schema, which are not marked in the source."""
    return sorted({text for text in schema_texts(api_schema()) if text})


def stored() -> list[str]:
    """Return the templates of all messages that records and stores may hold."""
    return STORED.read_text(encoding="utf-8").splitlines()


def main() -> None:
    """Update every catalogue."""
    template = collect()
    for path in sorted(SOURCE.glob("locale/*/LC_MESSAGES/*.po")):
        with path.open("rb") as file:
            catalogue = read_po(file, locale=path.parent.parent.name)
        catalogue.update(template, no_fuzzy_matching=True)
        catalogue.obsolete.clear()
        path.write_bytes(written(catalogue))
        missing = sum(1 for message in catalogue if message.id and not message.string)
        print(f"{path.parent.parent.name}: {len(catalogue)} messages, {missing} without a translation")


def written(catalogue: Catalog) -> bytes:
    """A catalogue as text, without the header lines that would change at every run."""
    file = BytesIO()
    write_po(file, catalogue, width=100, include_lineno=False, sort_output=True)
    return b"".join(
        line for line in file.getvalue().lstrip().splitlines(keepends=True) if not line.startswith(IDLE)
    )


if __name__ == "__main__":
    main()
