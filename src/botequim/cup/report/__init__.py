"""What a cup's organiser hands out, in every language: one folder to publish, and one that is nobody else's.

=====================================  ============================================================
`public/`                              everything in it may be uploaded, to any static host
`public/index.html`, `report.md`       standings, cross tables, brackets, faults, links to the games,
                                       in the language spoken now; `index.pt-BR.html` and so on in
                                       each language
`public/report.json`                   everything, for programs (`data`)
`public/standings.csv`, `series.csv`,  for spreadsheets (`tables`)
`games.csv`
`public/records/STAGE/SERIES/...`      every game: `0001.jsonl`
`public/replays/STAGE/SERIES/...`      pages that play games back: `0001.html` (`replays`)
`public/bundle.zip`                    of a finished cup: all that `botequim verify` needs
`private/grades.csv`                   by student number, where entrants have any
`private/grades.LANGUAGE.html`, `.md`  with a formula in the cup file: the grade of each entrant, and how it
                                       was computed
`private/people/LANGUAGE/...`          if there is a file of people: the same for each of them
`private/feedback.LANGUAGE.mbox`       the same as messages, if there is a sender
`private/worksheet.csv`                the worksheet of a learning platform with the grades, if one is given
`private/feedback/LANGUAGE/...`        for the authors of each entrant: results, time, faults with
                                       evidence: `ENTRANT.html`, `ENTRANT.md`
=====================================  ============================================================

What lies in `private/` is not for everybody: an entrant's log, and who has which grade. It is never inside of
the public folder.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from botequim import i18n
from botequim.cup.bundle import write_bundle
from botequim.cup.config import Cup
from botequim.cup.people import read_people
from botequim.cup.report import data, documents, tables
from botequim.cup.report.content import Content
from botequim.cup.report.markdown import markdown
from botequim.cup.report.page import page
from botequim.cup.report.private import Handout, tag, with_languages, write_private
from botequim.cup.report.replays import MOST_REPLAYS, write_replays
from botequim.cup.report.tables import CsvStyle
from botequim.cup.stages import CupState
from botequim.storage.files import record_name, write_text
from botequim.storage.protocol import CupStore

PUBLIC: Final = "public"
PRIVATE: Final = "private"


def write_report(
    cup: Cup,
    progress: CupState,
    store: CupStore,
    folder: Path,
    *,
    records: bool = True,
    replays: int = MOST_REPLAYS,
    bundle: bool = False,
    handout: Handout | None = None,
    on_record: Callable[[int], None] = lambda count: None,
    on_replay: Callable[[int], None] = lambda count: None,
) -> Content:
    """Write everything into `folder / "public"` and `folder / "private"`, and return its content.

    This can be done at any time, even during the cup. Without `records`, neither records nor links to them
    are written. At most `replays` games have a page that replays them. The `bundle` is that of a finished
    cup. `handout` says how grades and feedback are handed out. `on_record` and `on_replay` are called with
    the number of files so far.
    """
    public = folder / PUBLIC
    handout = handout or Handout()
    digest = write_bundle(cup, progress, store, public / documents.BUNDLE) if bundle else ""
    content = Content.of(cup, progress, store, records=records, bundle=digest)
    content = replace(content, people=read_people(cup.path))

    def keep(stage: str, key: str, number: int, lines: Sequence[str]) -> None:
        if records:
            write_text(public / record_name(stage, key, number), "\n".join(lines) + "\n")

    for count in content.through_records(store, keep):
        on_record(count)
    write_replays(content, public, replays, on_replay)
    _write_public(content, public, handout.csv)
    write_private(content, folder / PRIVATE, public, handout)
    return content


def _write_public(content: Content, public: Path, csv: CsvStyle) -> None:
    spoken = i18n.language()
    for language in i18n.LANGUAGES:
        with i18n.use_language(language):
            document = documents.report(content)
            html = page(with_languages(document, lambda tag: f"index.{tag}.html"))
            text = markdown(with_languages(document, lambda tag: f"report.{tag}.md"))
        endings = [f".{tag(language)}", *([""] if language == spoken else [])]
        for ending in endings:
            write_text(public / f"index{ending}.html", html)
            write_text(public / f"report{ending}.md", text)
    write_text(public / "report.json", data.report_json(content))
    for name, rows in (
        ("standings", tables.standings(content)),
        ("series", tables.series(content)),
        ("games", tables.games(content)),
    ):
        write_text(public / f"{name}.csv", tables.csv_lines(rows, csv))
