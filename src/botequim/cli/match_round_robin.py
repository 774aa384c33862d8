"""The results of `botequim match` with more players than a table has: standings and a cross table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from botequim.cli.match_faults import faults_json
from botequim.cli.match_results import best_first, entrant_json, pace, print_notes, standings_table
from botequim.core.wire import Restart
from botequim.i18n import _, percent
from botequim.match.round_robin import RoundRobinStandings
from botequim.match.statistics import Score

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.table import Table as RichTable

CELL_WIDTH = 10
"""The columns that a cell of the cross table needs."""


def print_round_robin(standings: RoundRobinStandings, seed: str, seconds: float) -> None:
    """Print the standings, the cross table, and what their numbers mean."""
    from botequim.cli.console import print_wrapped, table_console

    console = table_console()
    first, ratings = standings.tables[0].match, standings.ratings()
    titles, scores = standings.titles(), standings.scores()
    console.print(standings_table(first, titles, scores, ratings))
    console.print(cross_table(standings, titles, scores, console.width))
    size = len(first.entrants)
    print_wrapped(
        _(
            "{tables} pairings of {size} players, {games} games in all. Each cell is the win rate of the "
            "player of the row against the player of the column, with its 95 % interval. A draw counts "
            "as half a win. Intervals are computed per deal.",
            tables=len(standings.tables),
            size=size,
            games=standings.games,
        )
    )
    if size > 2:
        print_wrapped(_("Against each other, the player who is ahead at a table counts as the winner."))
    print_notes(standings.tables, ratings, titles)
    print(pace(seed, standings.games, seconds))


def cross_table(
    standings: RoundRobinStandings, titles: Mapping[str, str], scores: Mapping[str, Score], width: int
) -> RichTable:
    """Return who did how well against whom, best first. The intervals are left out if there is no room."""
    from rich.table import Table as RichTable

    from botequim.cli.console import name_column

    order, duels = best_first(scores), standings.duels()
    texts = [f"{number} {titles[label]}" for number, label in enumerate(order, start=1)]
    has_room = len(order) * CELL_WIDTH <= width - width // 3
    result = RichTable(title=_("Win rates against each other"), title_justify="left", show_lines=has_room)
    result.add_column(_("player"), **name_column(texts))
    for number in range(1, len(order) + 1):
        result.add_column(str(number), justify="right")
    for text, label in zip(texts, order, strict=True):
        cells = [_cell(duels.get((label, other)), intervals=has_room) for other in order]
        result.add_row(text, *cells)
    return result


def _cell(score: Score | None, *, intervals: bool) -> str:
    if score is None or not score.games:
        return "·"
    interval = score.interval()
    if not intervals or interval is None:
        return percent(score.rate)
    low, high = (f"{100 * edge:.0f}" for edge in interval)
    return f"{percent(score.rate)}\n{low} – {high}"


def round_robin_json(
    standings: RoundRobinStandings, seed: str, seconds: float, records: Path | None
) -> dict[str, Any]:
    """Return the result for programs."""
    first, ratings = standings.tables[0].match, standings.ratings()
    titles = standings.titles()
    lifetimes = {one for table in standings.tables for one in table.match.lifetimes}
    return {
        "game": first.game,
        "options": dict(first.options),
        "seed": seed,
        "games": standings.games,
        "deals": sum(table.deals for table in standings.tables),
        "turns": sum(table.turns for table in standings.tables),
        **(
            {"in_a_row": max(table.in_a_row for table in standings.tables)}
            if Restart.SERIES in lifetimes
            else {}
        ),
        "seconds": round(seconds, 3),
        "entrants": [
            entrant_json(label, titles[label], score) for label, score in standings.scores().items()
        ],
        **({"ratings": ratings.as_json()} if ratings is not None else {}),
        "pairings": [
            {
                "entrants": list(table.match.labels),
                "seed": table.match.seed,
                "first_game": table.match.first_game + 1,
                "games": table.games,
            }
            for table in standings.tables
        ],
        "cross": [
            {"name": one, "against": other} | score.as_json()
            for (one, other), score in standings.duels().items()
        ],
        "faults": faults_json(standings.tables, records),
    }
