"""The results of `botequim match`: as a table and sentences, and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from botequim.cli.match_faults import faults_json
from botequim.core.wire import Restart
from botequim.i18n import _, _n, number, percent, translate
from botequim.match.spec import MatchSpec
from botequim.match.standings import MatchStandings
from botequim.match.statistics import Score

if TYPE_CHECKING:
    from rich.table import Table as RichTable

    from botequim.match.sprt import Sprt
    from botequim.ratings import Ratings


def standings_table(
    match: MatchSpec, titles: Mapping[str, str], scores: Mapping[str, Score], ratings: Ratings | None = None
) -> RichTable:
    """Return the results, best first. Titles and scores are by label."""
    from rich.table import Table as RichTable

    from botequim.cli.console import name_column

    options = ", ".join(f"{name}={value}" for name, value in match.options.items())
    result = RichTable(title=f"{match.game} ({options})", title_justify="left")
    result.add_column(_("player"), **name_column(list(titles.values())))
    for heading in (_("games"), _("won"), _("drawn"), _("lost")):
        result.add_column(heading, justify="right", no_wrap=True)
    for heading in (_("win rate"), _("95 % interval"), _("faults")):
        result.add_column(heading, justify="right", overflow="fold")
    if ratings is not None:
        result.add_column(_("rating"), justify="right", overflow="fold")
    rating_texts = {} if ratings is None else _rating_texts(ratings)
    for label in best_first(scores):
        score = scores[label]
        interval = score.interval()
        result.add_row(
            titles[label],
            str(score.games),
            str(score.won),
            str(score.drawn),
            str(score.lost),
            percent(score.rate) if score.games else "–",
            f"{percent(interval[0])} – {percent(interval[1])}" if interval else "–",
            str(score.faults),
            *([rating_texts[label]] if label in rating_texts else []),
        )
    return result


def best_first(scores: Mapping[str, Score]) -> list[str]:
    """Return the labels by win rate; those that have not played are last."""
    return sorted(scores, key=lambda label: -scores[label].rate if scores[label].games else 1.0)


def _rating_texts(ratings: Ratings) -> dict[str, str]:
    from botequim.ratings.texts import rating_text

    return {name: rating_text(rating) for name, rating in ratings.by_entrant().items()}


def print_table(table: MatchStandings, seconds: float) -> None:
    from botequim.cli.console import print_wrapped, table_console

    match, ratings = table.match, table.ratings()
    titles = dict(zip(match.labels, table.titles, strict=True))
    scores = dict(zip(match.labels, table.scores, strict=True))
    table_console().print(standings_table(match, titles, scores, ratings))
    if table.deals:
        print_wrapped(
            _n(
                "{n} deal was played from every side. A draw counts as half a win. Intervals are "
                "computed per deal.",
                "{n} deals were played from every side. A draw counts as half a win. Intervals are "
                "computed per deal.",
                table.deals,
            )
        )
    print_notes([table], ratings, titles)
    print(pace(match.seed, table.games, seconds))


def print_notes(tables: Sequence[MatchStandings], ratings: Ratings | None, titles: Mapping[str, str]) -> None:
    """Print what ratings mean, and how long the instances of bots lived."""
    from botequim.cli.console import print_wrapped

    if ratings is not None:
        from botequim.ratings.texts import scale_text

        print_wrapped(scale_text(ratings, titles.__getitem__))
    if any(Restart.SERIES in table.match.lifetimes for table in tables):
        print_wrapped(
            _n(
                "Each process of a bot played {n} game and was then restarted.",
                "Each process of a bot played up to {n} games in a row and was then restarted.",
                max(table.in_a_row for table in tables),
            )
        )


def pace(seed: str, games: int, seconds: float) -> str:
    """Return the seed, and the speed in a readable unit."""
    if games >= seconds:
        rate = f"{games / seconds:.0f}" if seconds else "-"
        return _("Seed {seed}; {rate} games a second.", seed=seed, rate=rate)
    each = number(f"{seconds / games:.1f}")
    return _("Seed {seed}; {each} seconds a game.", seed=seed, each=each)


def verdict(match: MatchSpec, test: Sprt) -> str:
    """Return the verdict about the first of two entrants."""
    first, second = match.labels
    return _(
        "{first} against {second}: {verdict}",
        first=first,
        second=second,
        verdict=test.verdict_message(number),
    )


def as_json(
    table: MatchStandings, seconds: float, test: Sprt | None = None, records: Path | None = None
) -> dict[str, Any]:
    """Return the result for programs."""
    result = _table_json(table, seconds) | {"faults": faults_json([table], records)}
    if test is None:
        return result
    return result | {
        "sprt": {
            "verdict": test.verdict.value,
            "gain": test.gain,
            "difference": round(test.difference, 6),
            "margin": round(test.margin, 6),
            "games": test.games,
            "deals": test.deals,
            "said": translate(test.verdict_message(number)),
        }
    }


def _table_json(table: MatchStandings, seconds: float) -> dict[str, Any]:
    match, ratings = table.match, table.ratings()
    return {
        "game": match.game,
        "options": dict(match.options),
        "seed": match.seed,
        "games": table.games,
        "deals": table.deals,
        "turns": table.turns,
        **({"in_a_row": table.in_a_row} if Restart.SERIES in match.lifetimes else {}),
        "seconds": round(seconds, 3),
        "entrants": [
            entrant_json(label, title, score)
            for label, title, score in zip(match.labels, table.titles, table.scores, strict=True)
        ],
        **({"ratings": ratings.as_json()} if ratings is not None else {}),
    }


def entrant_json(label: str, title: str, score: Score) -> dict[str, Any]:
    return {"name": label, "title": title} | score.as_json() | {"faults": score.faults}
