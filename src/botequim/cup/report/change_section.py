"""The section of a report about changes during the cup."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from botequim.core.results import SeriesResult
from botequim.cup.changes import split_attempt
from botequim.cup.config import Cup
from botequim.cup.explanations import ExplainedChange
from botequim.cup.report.blocks import Block, Cell, Grid, Heading, Link, Text
from botequim.cup.report.content import StageContent
from botequim.i18n import _, _n, translate


def change_section(changes: Iterable[ExplainedChange], level: int = 2) -> Iterator[Block]:
    """Yield a heading and, for each change: what, who, when, why and its effect; nothing without changes."""
    blocks = [block for one in changes for block in _change(one, level + 1)]
    if not blocks:
        return
    yield Heading(level, _("Changes during the cup"))
    yield from blocks


def _change(one: ExplainedChange, level: int) -> Iterator[Block]:
    entry = one.entry
    yield Heading(level, _("{number}. {change}", number=entry.number, change=translate(one.description)))
    if one.revoked_by is not None:
        yield Text(_("Revoked by change {number}.", number=one.revoked_by), strong=True)
    yield Text(_("{time}, by {who}. Reason: {why}", time=entry.time, who=entry.who, why=entry.why))
    yield Text(
        _n("Applied after {n} series of the cup.", "Applied after {n} series of the cup.", entry.position)
    )
    for message in one.effects:
        yield Text(translate(message))


RecordLinks: TypeAlias = Callable[[str, SeriesResult], tuple[Link, ...]]
"""Returns the links to the records of a series, by its stage and its result."""


def unusual_series(cup: Cup, stage: StageContent, links: RecordLinks | None) -> Iterator[Block]:
    """Yield the series of a stage that are not played, and those that do not count, if there are any."""
    if stage.walkovers:
        yield Heading(3, _("Not played, because somebody left the cup"))
        yield _walkover_grid(cup, stage)
    if stage.void_series:
        yield Heading(3, _("Played, but counted for nobody"))
        yield _void_grid(cup, stage, links)


def _void_grid(cup: Cup, stage: StageContent, links: RecordLinks | None) -> Grid:
    """Return the series of a stage that count for nobody, with the reasons."""
    rows = []
    for result, why in stage.void_series:
        names = " – ".join(map(cup.title, result.entrants))
        attempt = split_attempt(result.key)[1]
        note = _("attempt {number}", number=attempt) if attempt > 1 else ""
        records = [] if links is None else [Cell(links=links(stage.plan.name, result))]
        rows.append([Cell(names, note=note), Cell(translate(why)), *records])
    return Grid((_("series"), _("reason"), *([] if links is None else [_("records")])), rows)


def _walkover_grid(cup: Cup, stage: StageContent) -> Grid:
    """Return the series of a stage that are not played because somebody left, with their winners."""
    rows = [
        [
            Cell(" – ".join(map(cup.title, result.entrants))),
            Cell(cup.title(winner) if (winner := result.winner()) is not None else ""),
        ]
        for result in stage.walkovers
    ]
    return Grid((_("entrants"), _("winner")), rows)
