"""The page of the report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from botequim.core.errors import FaultKind
from botequim.core.results import SeriesResult
from botequim.cup.config import Cup, Entry
from botequim.cup.format import Column, Number, Row, Standings
from botequim.cup.pairing import SEPARATOR
from botequim.cup.report.blocks import (
    Block,
    Board,
    Cell,
    Champion,
    Document,
    FoldedBlock,
    Grid,
    Heading,
    Link,
    Picture,
    Text,
)
from botequim.cup.report.change_section import change_section, unusual_series
from botequim.cup.report.content import Content, StageContent
from botequim.cup.report.fault_texts import fault_name
from botequim.cup.report.format_names import format_name
from botequim.cup.report.machine_table import machine_section
from botequim.cup.report.round_table import rounds_grid, rounds_legend
from botequim.cup.stage_names import stage_title
from botequim.i18n import _, _n, language, number, percent, translate
from botequim.match.statistics import Score
from botequim.ratings import ANCHOR, Rating, Ratings
from botequim.ratings.texts import interval_text, margin_text, scale_text
from botequim.render.interval_bar import Scale, interval_bar
from botequim.render.scene import OPEN, scene_at
from botequim.storage.files import record_name, replay_name
from botequim.version import VERSION

MOST_SERIES: Final = 2000
"""The most series on a page; the files contain all of them."""
MOST_LINKS: Final = 12
WIDEST_CROSS: Final = 60
BUNDLE: Final = "bundle.zip"


def report(content: Content) -> Document:
    """Return the page of the whole cup."""
    return Document(content.cup.name, list(_report(content)))


def _report(content: Content) -> Iterator[Block]:
    cup = content.cup
    yield Heading(1, cup.name)
    entrants = [entry for entry in cup.entrants if not entry.null]
    parts = [
        cup.game,
        _n("{n} entrant", "{n} entrants", len(entrants)),
        _n("{n} game", "{n} games", content.games),
        _("finished") if content.over else _("not finished yet"),
    ]
    yield Text(" · ".join(parts))
    if content.champions:
        pictures = [content.portrait(cup.entry(name)) for name in content.champions]
        names = tuple(cup.title(name) for name in content.champions)
        yield Champion(names, tuple(one for one in pictures if one is not None))
    last = content.last_game()
    if last is not None and len(last):
        yield Board(scene_at(last, len(last), OPEN), _("The last game"))
    if sum(not stage.plan.beside for stage in content.stages) > 1:
        yield Heading(2, _("Overall standings"))
        yield overall_grid(content)
    for stage in content.stages:
        if not stage.plan.beside:
            yield from _stage(content, stage)
    yield from _ratings(content)
    yield from _absent(content)
    yield from change_section(content.changes)
    yield from _noise(content)
    yield Heading(2, _("Faults"))
    yield from _faults(content)
    yield from machine_section(content)
    yield Heading(2, _("Entrants"))
    yield _entrants(content)
    yield from _seed(content)


def _seed(content: Content) -> Iterator[Block]:
    yield Heading(2, _("How to check it"))
    yield Text(_("Digest of the seed, published before the cup: {commitment}", commitment=content.promise))
    if content.over:
        yield Text(_("The seed, published after the cup: {seed}", seed=content.progress.seed))
    if content.records:
        yield Text(_("records/ has every game. This command checks them all: botequim verify records"))
    if content.bundle:
        yield Grid((_("the whole cup in one file"), _("its digest")), [[_file(BUNDLE), Cell(content.bundle)]])
        yield Text(_("This command checks the whole cup: botequim verify {file}", file=BUNDLE))
    if content.replays:
        yield from _left_out(content)
    if len(content.versions) > 1:
        versions = ", ".join(version or _("an earlier version") for version in content.versions)
        yield Text(_("Several versions of Botequim played this cup: {versions}", versions=versions))
    yield Text(_("Made by Botequim {version}.", version=VERSION))


def _file(name: str) -> Cell:
    return Cell(links=(Link(name, name),))


def _left_out(content: Content) -> Iterator[Block]:
    """Say how many games have no page."""
    rest = content.games - len(content.replays)
    if rest > 0:
        yield Text(
            _n(
                "{n} game has no replay page. The first games of each series have one, later stages first; "
                "the column replay of games.csv lists them. This command writes another: "
                "botequim replay RECORD -o game.html",
                "{n} games have no replay page. The first games of each series have one, later stages first; "
                "the column replay of games.csv lists them. This command writes another: "
                "botequim replay RECORD -o game.html",
                rest,
            )
        )


# --- stages ------------------------------------------------------------------------------------------


def _stage(content: Content, stage: StageContent) -> Iterator[Block]:
    yield Heading(2, stage_title(stage.plan.name))
    if stage.standings is None:
        yield Text(_("The entrants are known when the previous stage is finished."))
        return
    state = [format_name(stage.plan.format), _n("{n} series", "{n} series", len(stage.results))]
    state += [
        _n("{n} game", "{n} games", stage.games),
        _("finished") if stage.done else _("not finished yet"),
    ]
    yield Text(" · ".join(state))
    if stage.bracket is not None:
        yield Picture(stage.bracket, content.cup.titles)
    yield standings_grid(content.cup, stage.standings, content.ratings)
    if stage.drawn:
        names = ", ".join(content.cup.title(name) for name in stage.drawn)
        yield Text(
            _(
                "These entrants were tied for the last places that advance, and lots decided: {names}",
                names=names,
            )
        )
    if not stage.results:
        yield from unusual_series(content.cup, stage, game_links if content.records else None)
        return
    if stage.rounds is not None:
        yield Heading(3, _("Rounds"))
        yield rounds_grid(content.cup, stage)
        yield Text(rounds_legend())
    elif stage.bracket is None and len(stage.standings.rows) <= WIDEST_CROSS:
        yield Heading(3, _("Head to head"))
        yield cross_grid(content.cup, stage, stage.standings)
        yield Text(
            _("Win rate of the row's entrant, with 95 % intervals.")
            if _pairs(stage)
            else _(
                "How often the row's entrant placed ahead of the column's (a tie counts half), with "
                "95 % intervals."
            )
        )
        if stage.play_offs:
            yield Text(_("Play-offs are not counted here; they are among the series below."))
    yield from unusual_series(content.cup, stage, game_links if content.records else None)
    shown = list(stage.results.values())[:MOST_SERIES]
    folded: list[Block] = [series_grid(content, stage, shown)]
    if len(shown) < len(stage.results):
        folded.append(Text(_("The others are in series.csv.")))
    yield FoldedBlock(_n("{n} series", "{n} series", len(stage.results)), folded)


def _pairs(stage: StageContent) -> bool:
    return all(len(result.entrants) == 2 for result in stage.results.values())


def overall_grid(content: Content) -> Grid:
    known = content.ratings.by_entrant()
    rows = [
        [
            Cell(str(row.place)),
            _who(content, row.entrant),
            rating_cell(known.get(row.entrant)),
            Cell(translate(row.why) if row.why else ""),
        ]
        for row in content.overall
    ]
    return Grid((">" + _("place"), _("entrant"), ">" + _("rating"), _("reason")), rows)


def _who(content: Content, name: str) -> Cell:
    return Cell(content.cup.title(name), note=", ".join(content.cup.entry(name).authors), name=True)


def standings_grid(cup: Cup, standings: Standings, ratings: Ratings) -> Grid:
    headings = [">" + _("place"), _("entrant")]
    headings += [">" + translate(column.heading) for column in standings.columns]
    headings.append(">" + _("rating"))
    known = ratings.by_entrant()
    has_reasons = any(row.why for row in standings.rows)
    rows = []
    for row in standings.rows:
        cells = [Cell(str(row.place)), Cell(cup.title(row.entrant), name=True)]
        cells += [Cell(figure(column, row)) for column in standings.columns]
        cells.append(rating_cell(known.get(row.entrant)))
        rows.append(cells + ([Cell(translate(row.why) if row.why else "")] if has_reasons else []))
    return Grid((*headings, *([_("reason")] if has_reasons else [])), rows)


def figure(column: Column, row: Row) -> str:
    value: Number = row.figures.get(column.name, 0)
    if column.name == "rate":
        return percent(float(value))
    return wins(Fraction(value))


def wins(share: Fraction) -> str:
    shown = f"{float(share):,.2f}"
    return number(shown.rstrip("0").rstrip("."))


def cross_grid(cup: Cup, stage: StageContent, standings: Standings) -> Grid:
    names = standings.names
    headings = (">", _("entrant"), *(f">{at}" for at in range(1, len(names) + 1)))
    rows = []
    for at, name in enumerate(names, start=1):
        cells = [Cell(str(at)), Cell(cup.title(name), name=True)]
        for other in names:
            score = stage.duels.get((name, other))
            cells.append(Cell("·" if other == name else "") if score is None else rate_cell(score))
        rows.append(cells)
    return Grid(headings, rows)


def rate_cell(score: Score) -> Cell:
    """Return a short text, because many of them are side by side."""
    found = score.interval()
    note = f"{100 * found[0]:.0f} – {100 * found[1]:.0f}" if found is not None else ""
    return Cell(f"{score.rate:.0%}", note=note, shade=score.rate)


def interval(score: Score) -> str:
    found = score.interval()
    return f"{percent(found[0])} – {percent(found[1])}" if found is not None else ""


def series_grid(content: Content, stage: StageContent, results: Sequence[SeriesResult]) -> Grid:
    headings = [_("series"), _("entrants"), _("wins"), ">" + _("faults")]
    labels = [_label(stage, result) for result in results]
    rows = []
    for result, label in zip(results, labels, strict=True):
        totals = result.totals()
        cells = [
            Cell(label),
            Cell(" – ".join(map(content.cup.title, result.entrants))),
            Cell(" – ".join(wins(totals[name].share) for name in result.entrants)),
            Cell(str(sum(total.faults for total in totals.values()))),
        ]
        if content.replays:
            cells.append(Cell(links=replay_links(content, stage.plan.name, result)))
        if content.records:
            cells.append(Cell(links=game_links(stage.plan.name, result)))
        rows.append(cells)
    headings += [_("replays")] if content.replays else []
    headings += [_("records")] if content.records else []
    if not any(labels):
        headings, rows = headings[1:], [cells[1:] for cells in rows]
    return Grid(tuple(headings), rows)


def _label(stage: StageContent, result: SeriesResult) -> str:
    """Return the label of a series if it says more than the names of the entrants."""
    if result.key == SEPARATOR.join(sorted(result.entrants)):
        return ""
    label = stage.labels.get(result.key)
    return result.key if label is None else translate(label)


def game_links(stage: str, result: SeriesResult) -> tuple[Link, ...]:
    """Return links to the records of its first games, and to the file that lists all."""
    games = range(min(len(result.games), MOST_LINKS))
    links = [Link(str(game + 1), record_name(stage, result.key, game)) for game in games]
    if len(result.games) > MOST_LINKS:
        links.append(Link("…", "games.csv"))  # no static host lists the files of a folder
    return tuple(links)


def replay_links(content: Content, stage: str, result: SeriesResult) -> tuple[Link, ...]:
    """Return links to the pages of its games, if there are any."""
    games = [game for game in range(len(result.games)) if (stage, result.key, game) in content.replays]
    spoken = f"lang={language().replace('_', '-')}"
    links = [
        Link(str(game + 1), replay_name(stage, result.key, game), fragment=spoken)
        for game in games[:MOST_LINKS]
    ]
    if len(games) > MOST_LINKS:
        links.append(Link("…", "games.csv"))
    return tuple(links)


# --- ratings -----------------------------------------------------------------------------------------


def _ratings(content: Content) -> Iterator[Block]:
    ratings = content.ratings
    if not ratings.rows:
        return
    yield Heading(2, _("Ratings"))
    bars = rating_bars(ratings)
    rows = [
        [
            Cell(content.cup.title(row.entrant), name=True),
            Cell(f"{row.rating:.0f}"),
            Cell(bar=bars[row.entrant]),
            Cell(interval_text(row)),
            Cell(str(row.games)),
        ]
        for row in ratings.rows
    ]
    yield Grid((_("entrant"), ">" + _("rating"), "", ">" + _("95 % interval"), ">" + _("games")), rows)
    yield Text(scale_text(ratings, content.cup.title))


def rating_cell(rating: Rating | None) -> Cell:
    return Cell() if rating is None else Cell(f"{rating.rating:.0f}", note=margin_text(rating))


def rating_bars(ratings: Ratings) -> dict[str, str]:
    """Return the rows of the chart as SVG, by entrant."""
    scale = Scale.of([edge for row in ratings.rows for edge in row.interval] + [ANCHOR])
    return {row.entrant: interval_bar(scale, row.rating, row.interval, ANCHOR) for row in ratings.rows}


# --- the rest ----------------------------------------------------------------------------------------


def _noise(content: Content) -> Iterator[Block]:
    found = content.noise()
    if found is None:
        return
    twin, copy, real = found
    yield Heading(2, _("How much is chance"))
    yield Text(
        _(
            "{name} also played under another name, outside the standings. Both are the same program, so "
            "the difference between them is chance. Other differences of that size may be chance, too.",
            name=content.cup.title(twin.twin_of),
        )
    )
    rows = [
        [Cell(content.cup.title(name), name=True), Cell(str(score.games)), rate_cell(score)]
        for name, score in ((twin.twin_of, real), (twin.name, copy))
        if score.games
    ]
    yield Grid((_("entrant"), ">" + _("games"), ">" + _("win rate")), rows)


def _absent(content: Content) -> Iterator[Block]:
    if not content.cup.absent:
        return
    yield Heading(2, _("Did not start"))
    rows = [
        [
            Cell(content.cup.title(one.entry.name), note=", ".join(one.entry.authors), name=True),
            Cell(translate(one.why)),
        ]
        for one in content.cup.absent
    ]
    yield Grid((_("entrant"), _("why")), rows)


def _faults(content: Content) -> Iterator[Block]:
    kinds = [kind.value for kind in FaultKind]
    guilty = [row for row in content.overall if content.fault_kinds[row.entrant]]
    if not guilty:
        yield Text(_("None."))
        return
    rows = []
    for row in sorted(guilty, key=lambda row: -content.fault_kinds[row.entrant].total()):
        counted = content.fault_kinds[row.entrant]
        cells = [Cell(str(counted[kind]) if counted[kind] else "·") for kind in kinds]
        rows.append([Cell(content.cup.title(row.entrant), name=True), *cells, Cell(str(counted.total()))])
    yield Grid((_("entrant"), *(">" + fault_name(kind) for kind in kinds), ">" + _("all")), rows)


def _entrant(content: Content, entry: Entry) -> Cell:
    """Return its title and its name in the cup file; in a cup of an older version, its own name."""
    title = content.cup.title(entry.name)
    note = entry.name if title != entry.name else content.pairs.get(entry.name, "")
    return Cell(title, note=note, name=True)


def _entrants(content: Content) -> Grid:
    rows = []
    for entry in content.cup.entrants:
        if entry.null:
            continue
        web = entry.repository.startswith(("https://", "http://"))
        repository = (
            Cell(links=(Link(entry.repository, entry.repository),)) if web else Cell(entry.repository)
        )
        files = content.files[entry.name]
        rows.append(
            [
                _entrant(content, entry),
                Cell(", ".join(entry.authors)),
                repository,
                Cell(files[:16]),
            ]
        )
    return Grid((_("entrant"), _("authors"), _("repository"), _("digest of its files")), rows)
