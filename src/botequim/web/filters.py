"""Functions for templates: figures, names and drawings for people.

Texts of bots and users go through `page_text` here or in a template, and are escaped by Jinja.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, Final

from markupsafe import Markup

from botequim import registry
from botequim.core.messages import Message
from botequim.core.sanitize import page_lines, page_text, printable
from botequim.cup.report.content import StageContent
from botequim.cup.report.documents import figure, rating_bars, wins
from botequim.cup.report.fault_texts import evidence_name, evidence_text, fault_name
from botequim.cup.report.picture import bracket_svg
from botequim.cup.report.round_table import first_round, round_rows, rounds_legend
from botequim.cup.stage_names import stage_title
from botequim.cup.stages import StagePlan
from botequim.i18n import number, translate
from botequim.match.statistics import Score
from botequim.ratings import Ratings
from botequim.ratings.texts import interval_text, margin_text, rating_text, scale_text
from botequim.render.renderer import renderer_for
from botequim.render.seats import ROUND
from botequim.render.symbols import definitions
from botequim.storage.visibility import PublicSeries
from botequim.web.live.public import PublicFault, PublicSnapshot
from botequim.web.qr import is_local

SHADES: Final = 10
WIDEST_CROSS: Final = 60
"""The most entrants in a cross table; the page says if some are left out."""
MOST_REASONS: Final = 3
"""The most reasons of an entrant's faults in a list."""
MOST_LINKS: Final = 10
"""The most games of a series with a link in a list."""


def sentence_text(message: Message | str) -> str:
    """Return a sentence in the reader's language, safe to show."""
    return page_text(translate(message))


def schema_text(text: str) -> str:
    """Return a sentence of the API's schema in the reader's language."""
    return translate(Message(text))


def stage_text(name: str) -> str:
    """Return the name of a stage to show, safe to show."""
    return page_text(stage_title(name))


def initial(name: str) -> str:
    """Return the letter that replaces a missing portrait."""
    return next((sign for sign in printable(name) if sign.isalnum()), "?").upper()[:1]


def seconds(micros: int) -> str:
    """Return a time in a suitable unit."""
    if micros < 1000:
        return f"{micros} µs"
    if micros < 1_000_000:
        return number(f"{micros / 1000:.1f}") + " ms"
    return number(f"{micros / 1e6:,.2f}") + " s"


# --- series and their scores ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Side:
    """The score of an entrant in a series."""

    name: str
    wins: str
    ahead: bool


def sides(series: PublicSeries) -> list[Side]:
    """Return the scores of a series, as far as it is public."""
    totals = series.result.totals()
    best = max((total.share for total in totals.values()), default=Fraction())
    alone = sum(total.share == best for total in totals.values()) == 1
    return [
        Side(name, wins(total.share), alone and total.share == best and series.whole)
        for name, total in totals.items()
    ]


def links(count: int) -> list[int]:
    """Return the games of a series with a link in a list: the first ones and the last."""
    return list(range(1, count + 1)) if count <= MOST_LINKS else [*range(1, MOST_LINKS), count]


# --- tables and trees -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Meeting:
    """A cell of a cross table."""

    shade: int
    """A shade from 0 (bad) to `SHADES` (good)."""
    rate: str
    range: str
    """The confidence interval of the rate."""
    games: int


@dataclass(frozen=True, slots=True)
class CrossRow:
    """The cells of one entrant."""

    number: int
    name: str
    meetings: Sequence[Meeting | None]


def cross_rows(stage: StageContent) -> list[CrossRow]:
    """Return the cross table, in the order of the standings."""
    names = stage.standings.names[:WIDEST_CROSS] if stage.standings is not None else ()
    return [
        CrossRow(at, name, [_meeting(stage.duels.get((name, other))) for other in names])
        for at, name in enumerate(names, start=1)
    ]


def _meeting(score: Score | None) -> Meeting | None:
    if score is None or not score.games:
        return None
    interval = score.interval()
    between = f"{100 * interval[0]:.0f}–{100 * interval[1]:.0f}%" if interval is not None else ""
    return Meeting(round(SHADES * score.rate), f"{100 * score.rate:.0f}", between, score.games)


def bracket(public: PublicSnapshot, stage: StageContent, rounds: int | None = None) -> Markup:
    """Return the knock-out bracket, or its last `rounds`."""
    return Markup(
        "" if stage.bracket is None else bracket_svg(stage.bracket, public.cup.titles, rounds)
    )  # the drawing escapes its texts


def rounds_of(stage: StageContent) -> int:
    """Return the number of rounds of the bracket."""
    return 0 if stage.bracket is None else stage.bracket.tree.size.bit_length() - 1


def cut_after(public: PublicSnapshot, stage: StageContent) -> int:
    """Return how many entrants of a stage advance; 0 if it is the last stage, or all advance."""
    tops = [one.plan.top for one in public.stages if one.plan.source == stage.plan.name]
    return max((top for top in tops if top is not None), default=0)


def later_stages(public: PublicSnapshot) -> list[StagePlan]:
    """Return the stages after the current one; all stages before the first game, and none at the end."""
    plans = [plan for plan in public.cup.plans if not plan.beside]
    names = [plan.name for plan in plans]
    if public.over:
        return []
    if public.pace.stage not in names:
        return plans if len(plans) > 1 else []
    return plans[names.index(public.pace.stage) + 1 :]


def against_all(stage: StageContent, name: str) -> list[tuple[str, Score]]:
    """Return the scores of one entrant against each other, in the order of the standings."""
    names = stage.standings.names if stage.standings is not None else ()
    scores = [(other, stage.duels.get((name, other))) for other in names if other != name]
    return [(other, score) for other, score in scores if score is not None and score.games]


def rating_chart(ratings: Ratings) -> dict[str, Markup]:
    """Return the rows of the chart of ratings, by entrant."""
    return {name: Markup(bar) for name, bar in rating_bars(ratings).items()}


def evidence_title(key: str) -> str:
    """Return the name of a piece of evidence, safe to show."""
    return page_text(evidence_name(key))


# --- faults -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FaultReason:
    """The faults of an entrant that have the same reason."""

    latest: PublicFault
    count: int


@dataclass(frozen=True, slots=True)
class FaultGroup:
    """The faults of one entrant."""

    entrant: str
    count: int
    reasons: Sequence[FaultReason]
    """The most frequent reasons first, at most `MOST_REASONS`."""


def fault_groups(faults: Sequence[PublicFault]) -> list[FaultGroup]:
    """Return the faults by entrant; who has the most comes first."""
    by_entrant: dict[str, dict[tuple[str, str], list[PublicFault]]] = {}
    for fault in faults:
        reasons = by_entrant.setdefault(fault.entrant, {})
        reasons.setdefault((fault.kind, fault.why.template), []).append(fault)
    groups = []
    for name, reasons in by_entrant.items():
        alike = sorted(reasons.values(), key=len, reverse=True)
        shown = [FaultReason(some[-1], len(some)) for some in alike[:MOST_REASONS]]
        groups.append(FaultGroup(name, sum(map(len, alike)), shown))
    return sorted(groups, key=lambda group: group.count, reverse=True)


# --- symbols of boards -------------------------------------------------------------------------------


@cache
def symbols(game: str) -> Markup:
    """Return the definitions of all symbols that the boards of a game use, for one page."""
    symbols = renderer_for(registry.game(game)).symbols
    # the mask of portraits is here too, because the board of a page that defines it may be hidden
    inside = definitions(symbols, symbols.names) + ROUND
    return Markup(f'<svg class="bq symbols" width="0" height="0" aria-hidden="true">{inside}</svg>')


WORDS: Final[Mapping[str, Callable[..., Any]]] = {
    "against_all": against_all,
    "bracket": bracket,
    "cross_rows": cross_rows,
    "first_round": first_round,
    "round_rows": round_rows,
    "rounds_legend": rounds_legend,
    "cut_after": cut_after,
    "evidence_text": evidence_text,
    "evidence_title": evidence_title,
    "fault_groups": fault_groups,
    "fault_name": fault_name,
    "figure": figure,
    "initial": initial,
    "is_local": is_local,
    "later_stages": later_stages,
    "links": links,
    "interval_text": interval_text,
    "margin_text": margin_text,
    "rating_bars": rating_chart,
    "rating_text": rating_text,
    "rounds_of": rounds_of,
    "scale_text": scale_text,
    "schema_text": schema_text,
    "seconds": seconds,
    "sides": sides,
    "symbols": symbols,
    "page_text": page_text,
    "page_lines": page_lines,
    "sentence_text": sentence_text,
    "stage_text": stage_text,
    "wins": wins,
}
"""The functions by their names in templates."""
