"""The sheet of an entrant: its results, and every fault with its evidence.

It contains nothing of the logs of others.
"""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from botequim.cup.config import Entry, Withdrawal
from botequim.cup.report.blocks import (
    Block,
    Board,
    Cell,
    Code,
    Document,
    FoldedBlock,
    Grid,
    Heading,
    Link,
    Text,
)
from botequim.cup.report.change_section import change_section
from botequim.cup.report.content import Content, StageContent
from botequim.cup.report.documents import game_links, interval, wins
from botequim.cup.report.fault_texts import evidence_name, evidence_text, fault_name
from botequim.cup.report.grades import Grade, grade_text, how_text
from botequim.cup.stage_names import stage_title
from botequim.i18n import _, _n, number, percent, translate
from botequim.ratings.texts import rating_text
from botequim.render.scene import scene_at
from botequim.storage.files import record_name
from botequim.storage.values import StoredFault

MOST_FAULTS: Final = 30
MOST_ALIKE: Final = 5
"""The most faults with the same reason."""
MOST_SERIES: Final = 500


PUBLIC: Final = "../../../public/"
"""The path from the folder of the sheets of a language to the public folder."""


def sheet(content: Content, entry: Entry, folder: Path, grades: Mapping[str, Grade]) -> Document:
    """Return the sheet for the authors of an entrant; `folder` is the public one."""
    title = f"{content.cup.title(entry.name)} · {content.cup.name}"
    return Document(title, list(_sheet(content, entry, folder, grades)), PUBLIC)


def absence_sheet(content: Content, absence: Withdrawal, grades: Mapping[str, Grade]) -> Document:
    """Return the sheet for the authors of an entrant that did not start."""
    entry = absence.entry
    blocks: list[Block] = [
        Heading(1, content.cup.title(entry.name)),
        Text(" · ".join([content.cup.name, content.cup.game, *entry.authors])),
        Text(_("It did not start: {why}", why=absence.why), strong=True),
        *_grade(content, grades.get(entry.name)),
    ]
    if absence.log:
        blocks.append(Code(absence.log, _("its log")))
    return Document(f"{content.cup.title(entry.name)} · {content.cup.name}", blocks, PUBLIC)


def _grade(content: Content, grade: Grade | None) -> Iterator[Block]:
    if grade is None:
        return
    text = _("Grade of this entrant: {grade}", grade=grade_text(grade))
    yield Text(text if content.over else _("{place}, so far", place=text), strong=True)
    if how_text(grade):
        yield Text(_("Computed from {figures}", figures=how_text(grade)))


def _sheet(content: Content, entry: Entry, folder: Path, grades: Mapping[str, Grade]) -> Iterator[Block]:
    yield Heading(1, content.cup.title(entry.name))
    yield Text(" · ".join([content.cup.name, content.cup.game, *entry.authors]))
    row = next((row for row in content.overall if row.entrant == entry.name), None)
    if row is not None:
        last = len(content.overall)
        place = _("Place {place} of {count}", place=row.place, count=last)
        yield Text(place if content.over else _("{place}, so far", place=place), strong=True)
    yield from _grade(content, grades.get(entry.name))
    rating = content.ratings.by_entrant().get(entry.name)
    if rating is not None:
        yield Text(_("Rating: {rating}", rating=rating_text(rating)))
    for stage in content.stages:
        if any(entry.name in result.entrants for result in stage.results.values()):
            yield from _stage(content, stage, entry.name)
    yield from change_section(one for one in content.changes if one.concerns(entry.name))
    yield Heading(2, _("Time"))
    yield from _times(content, entry.name)
    yield Heading(2, _("Faults"))
    yield from _faults(content, entry, folder)


def _stage(content: Content, stage: StageContent, name: str) -> Iterator[Block]:
    yield Heading(2, stage_title(stage.plan.name))
    if stage.standings is not None:
        row = stage.standings.row(name)
        place = _("place {place}", place=row.place)
        yield Text(f"{place}: {translate(row.why)}" if row.why else place)
    rows = []
    for (one, other), score in stage.duels.items():
        if one == name:
            counts = (score.games, score.won, score.drawn, score.lost)
            rate = Cell(percent(score.rate), shade=score.rate)
            who = Cell(content.cup.title(other), name=True)
            rows.append([who, *(Cell(str(n)) for n in counts), rate, Cell(interval(score))])
    yield Grid(
        (
            _("against"),
            *(">" + heading for heading in (_("games"), _("won"), _("drawn"), _("lost"), _("win rate"))),
            _("95 % interval"),
        ),
        rows,
    )
    if any(name in result.entrants for result in stage.play_offs):
        yield Text(_("Play-offs are not counted here."))
    if content.records:
        results = [result for result in stage.results.values() if name in result.entrants][:MOST_SERIES]
        games = [
            [
                Cell(" – ".join(map(content.cup.title, result.entrants))),
                Cell(" – ".join(wins(result.totals()[one].share) for one in result.entrants)),
                Cell(links=game_links(stage.plan.name, result)),
            ]
            for result in results
        ]
        yield FoldedBlock(_("Records"), [Grid((_("entrants"), _("wins"), _("records")), games)])


def _times(content: Content, name: str) -> Iterator[Block]:
    times = content.times[name]
    if times.where is None:
        yield Text(_("It was never asked for a move."))
        return
    stage, key, game, turn = times.where
    series = translate(content.cup.series_text(stage, key))
    place = f"{stage_title(stage)}, {series}, " + _("game {number}", number=game + 1)
    place += ", " + _("turn {turn}", turn=turn)
    slowest = Cell(_seconds(times.slowest), note="" if content.records else place)
    if content.records:
        said = f"{_seconds(times.slowest)} ({place})"
        slowest = Cell(links=(Link(said, record_name(stage, key, game)),))
    cells = [Cell(number(f"{times.questions:,}")), Cell(_seconds(times.micros // times.questions)), slowest]
    headings = (">" + _("questions"), ">" + _("mean"), _("slowest"), ">" + _("total"))
    yield Grid(headings, [[*cells, Cell(_seconds(times.micros))]])


def _seconds(micros: int) -> str:
    if micros < 1000:
        return f"{micros} µs"
    if micros < 1_000_000:
        return number(f"{micros / 1000:.1f}") + " ms"
    return number(f"{micros / 1e6:,.2f}") + " s"


# --- faults ------------------------------------------------------------------------------------------


def _faults(content: Content, entry: Entry, folder: Path) -> Iterator[Block]:
    results = content.progress.results
    stored = content.stored_faults(entry.name)
    faults = [fault for fault in stored if fault.key in results.get(fault.stage, {})]
    if not faults:
        yield Text(_("None."))
        return
    counted = [
        f"{fault_name(kind)}: {count}" for kind, count in content.fault_kinds[entry.name].most_common()
    ]
    yield Text(" · ".join(counted), strong=True)
    if content.records and not content.cup.is_built_in(entry):
        yield Text(
            _(
                "These commands ask the bot the same question again. Run them in the report's public folder; "
                "the last argument is the bot."
            )
        )
    shown = _select_faults(faults)
    for count, fault in enumerate(shown, start=1):
        yield from _fault(content, entry, fault, count, folder)
    rest = len(faults) - len(shown)
    if rest > 0:
        yield Text(_n("{n} more fault is not shown.", "{n} more faults are not shown.", rest))


def _select_faults(faults: Sequence[StoredFault]) -> list[StoredFault]:
    """Return some of many, so that a rare fault is not lost among many of the same kind and reason."""
    alike: Counter[tuple[str, str]] = Counter()
    shown: list[StoredFault] = []
    for fault in faults:
        reason = (fault.kind, fault.value().reason.template)
        alike[reason] += 1
        if alike[reason] <= MOST_ALIKE and len(shown) < MOST_FAULTS:
            shown.append(fault)
    return shown


def _fault(content: Content, entry: Entry, stored: StoredFault, count: int, folder: Path) -> Iterator[Block]:
    fault = stored.value()
    yield Heading(3, f"{count}. {fault_name(stored.kind)}")
    yield Text(translate(fault.reason))
    series = translate(content.cup.series_text(stored.stage, stored.key))
    place = f"{stage_title(stored.stage)}, {series}, " + _("game {number}", number=stored.game + 1)
    yield Text(_("{where}, turn {turn}, seat {seat}", where=place, turn=stored.turn, seat=stored.seat))
    game = content.replay(stored.stage, stored.key, stored.game)
    if game is not None and 1 < stored.turn <= len(game):
        yield Board(scene_at(game, stored.turn - 1, stored.seat), _("what it saw"))
    evidence = dict(fault.evidence)
    if fault.move is not None:
        evidence["refused"] = fault.move
    for key in ("question", "answer", "given", "refused", "stderr"):
        if evidence.get(key):
            yield Code(str(evidence.pop(key)), evidence_name(key))
    if evidence:
        lines = [f"{evidence_name(key)}: {evidence_text(key, value)}" for key, value in evidence.items()]
        yield Code("\n".join(lines), _("further evidence"))
    if content.records and not content.cup.is_built_in(entry):
        yield Code(ask_again(content, entry, stored, folder), _("ask again"))


def ask_again(content: Content, entry: Entry, fault: StoredFault, folder: Path) -> str:
    """Return the command that asks the bot again, to be run in the public folder of the report."""
    bot = entry.bot
    if content.cup.is_path(entry):
        bot = os.path.relpath(content.cup.path.parent / Path(bot).expanduser(), folder)
        bot = bot if bot.startswith(("/", ".")) else f"./{bot}"
    words = ["botequim", "ask", record_name(fault.stage, fault.key, fault.game)]
    words += ["--turn", str(fault.turn), "--seat", str(fault.seat)]
    return shlex.join([*words, f"{entry.wire}:{bot}" if entry.wire is not None else bot])
