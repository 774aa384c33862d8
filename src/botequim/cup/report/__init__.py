"""What is published of a cup, in the language spoken now.

====================================  =============================================================
`index.html`, `report.md`             standings, cross tables, brackets, faults, links to the records
`report.json`                         everything, for programs (`data`)
`standings.csv`, `series.csv`,        for spreadsheets (`tables`)
`games.csv`
`records/STAGE/SERIES/0001.jsonl`     every game
`private/grades.csv`                  by student number, where entrants have any
`private/feedback/ENTRANT.md, .html`  for the authors of each: results, time, faults with evidence
====================================  =============================================================

What lies in `private/` is not for everybody: an entrant's log, and who has which grade.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from botequim.cup.file import Cup
from botequim.cup.output import record_name, safe_name, write_whole
from botequim.cup.report import data, documents, sheets, tables
from botequim.cup.report.blocks import Document
from botequim.cup.report.content import Content
from botequim.cup.report.markdown import markdown
from botequim.cup.report.page import page
from botequim.cup.stages import Progress
from botequim.cup.store import Store


def write_report(
    cup: Cup,
    progress: Progress,
    store: Store,
    folder: Path,
    *,
    records: bool = True,
    on_record: Callable[[int], None] = lambda count: None,
) -> list[Path]:
    """Write everything; the files that were written, the page first, without the records.

    It may be done at any time, also while the cup is being played. Without `records` no files of those are
    made, and nothing leads to them; `on_record` is told how many were gone through.
    """
    content = Content.of(cup, progress, store, records=records)

    def keep(stage: str, key: str, number: int, lines: Sequence[str]) -> None:
        if records:
            write_whole(folder / record_name(stage, key, number), "\n".join(lines) + "\n")

    for count in content.through_records(store, keep):
        on_record(count)
    written = _write(documents.report(content), folder / "index.html", folder / "report.md")
    written.append(write_whole(folder / "report.json", data.report_json(content)))
    for name, rows in (
        ("standings", tables.standings(content)),
        ("series", tables.series(content)),
        ("games", tables.games(content)),
    ):
        written.append(write_whole(folder / f"{name}.csv", tables.written(rows)))
    return written + _write_private(content, folder)


def _write_private(content: Content, folder: Path) -> list[Path]:
    private = folder / "private"
    written = []
    announced = content.cup.announced or content.cup
    if any(entry.students for entry in announced.entrants):
        written.append(write_whole(private / "grades.csv", tables.written(tables.grades(content))))
    for entry in content.cup.entrants:
        if not entry.null:
            path = private / "feedback" / safe_name(entry.name)
            written += _write_sheet(sheets.sheet(content, entry, folder), path)
    for absence in content.cup.absent:
        path = private / "feedback" / safe_name(absence.entry.name)
        written += _write_sheet(sheets.absence_sheet(content, absence), path)
    return written


def _write_sheet(sheet: Document, path: Path) -> list[Path]:
    return _write(sheet, path.with_name(f"{path.name}.html"), path.with_name(f"{path.name}.md"))


def _write(document: Document, html: Path, text: Path) -> list[Path]:
    return [write_whole(html, page(document)), write_whole(text, markdown(document))]
