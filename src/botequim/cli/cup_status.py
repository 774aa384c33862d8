"""`botequim cup status`, and the standings that are printed during a cup."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import Any

from rich.table import Table as RichTable

from botequim.cli.console import name_column, print_wrapped, table_console
from botequim.cli.stores import read_cup
from botequim.core.sanitize import printable
from botequim.cup.config import Cup
from botequim.cup.explanations import explained_log
from botequim.cup.format import Standings
from botequim.cup.paths import CupPaths
from botequim.cup.ratings import cup_ratings
from botequim.cup.report.documents import figure, wins
from botequim.cup.rounds import stored_state
from botequim.cup.series_labels import series_labels
from botequim.cup.stage_names import stage_name, stage_title
from botequim.cup.stages import CupState
from botequim.cup.withdrawals import without_withdrawn
from botequim.i18n import _, _n, translate
from botequim.ratings import Ratings
from botequim.ratings.texts import rating_text, scale_text
from botequim.storage.visibility import Visibility


def standings_table(cup: Cup, stage: str, standings: Standings, ratings: Ratings | None = None) -> RichTable:
    estimates = ratings.by_entrant() if ratings is not None else {}
    table = RichTable(title=f"{printable(cup.name)}: {stage_title(stage)}", title_justify="left")
    table.add_column("#", justify="right", no_wrap=True)
    table.add_column(_("player"), **name_column([cup.title(name) for name in standings.names]))
    for column in standings.columns:
        table.add_column(translate(column.heading), justify="right", overflow="fold")
    if estimates:
        table.add_column(_("rating"), justify="right", overflow="fold")
    table.add_column("", overflow="fold")
    for row in standings.rows:
        figures = [figure(column, row) for column in standings.columns]
        if estimates:
            estimate = estimates.get(row.entrant)
            figures.append(rating_text(estimate) if estimate is not None else "")
        table.add_row(str(row.place), cup.title(row.entrant), *figures, translate(row.why) if row.why else "")
    return table


def print_standings(cup: Cup, progress: CupState) -> None:
    console = table_console()
    ratings = _ratings(cup, progress)
    for plan in cup.plans:
        standings = progress.standings(plan.name)
        if standings is not None and progress.results.get(plan.name):
            console.print(standings_table(cup, plan.name, standings, None if plan.beside else ratings))
    if ratings.rows:
        print_wrapped(scale_text(ratings, cup.title))
    if progress.over:
        for row in progress.overall():
            if row.place > 3:
                break
            print(_("{place}. {name}", place=row.place, name=cup.title(row.entrant)))


def _ratings(cup: Cup, progress: CupState) -> Ratings:
    return cup_ratings(cup, {plan.name: progress.valid_results(plan.name) for plan in cup.plans})


def run_status(arguments: argparse.Namespace) -> int:
    """Print the state of a cup, which may be running."""
    cup = read_cup(arguments.file, arguments.store)
    with CupPaths.of_cup(cup).storage.open_results(check=True) as store:
        visibility = Visibility.of(store, CupPaths.of_cup(cup).storage, unrevealed=arguments.unrevealed)
        results = visibility.results()
        cup = without_withdrawn(cup, store, results)
        progress = stored_state(cup, store, results)
        if arguments.json:
            result = as_json(cup, progress) | {"held": visibility.held} | changes_json(cup, progress)
            print(json.dumps(result, ensure_ascii=False, indent=2))
            return 0
        print_standings(cup, progress)
        for plan in cup.plans:
            games, seconds = visibility.seconds(plan.name)
            state = _("over") if progress.is_finished(plan.name) else _("not over")
            line = _(
                "{stage}: played {n} series in {seconds} s",
                stage=stage_name(plan.name),
                n=games,
                seconds=f"{seconds:.0f}",
            )
            print(f"{line}, {state}")
        print_changes(cup, progress)
        if arguments.series:
            _print_series(cup, visibility, progress)
        for absence in cup.absent:
            name = cup.title(absence.entry.name)
            print(_("{name} did not start: {why}", name=name, why=absence.why))
        print(_("digest of the seed: {digest}", digest=store.fact("commitment") or "–"))
        faults = visibility.faults(store.faults())
        if visibility.held:
            print(
                _n(
                    "private: {n} game is revealed",
                    "private: {n} games are revealed",
                    visibility.visible,
                )
            )
    if faults:
        print(_n("{n} fault", "{n} faults", len(faults)))
    return 0


def print_changes(cup: Cup, progress: CupState) -> None:
    """Print what was changed since the cup began, with the reasons."""
    for line in change_lines(cup, progress):
        print_wrapped(line)


def change_lines(cup: Cup, progress: CupState) -> Iterator[str]:
    """Yield a line for each change since the cup began, with its reason."""
    for one in explained_log(cup, progress):
        entry = one.entry
        text = _(
            "Change {number}: {change}. Reason: {why}",
            number=entry.number,
            change=translate(one.description),
            why=entry.why,
        )
        revoked = _("Revoked by change {number}.", number=one.revoked_by) if one.revoked_by else ""
        yield printable(f"{text} {revoked}".rstrip())


def _print_series(cup: Cup, visibility: Visibility, progress: CupState) -> None:
    """Print every public series with its number and its score."""
    labels = {plan.name: series_labels(progress, plan.name) for plan in cup.plans}
    reasons = {plan.name: progress.void_series(plan.name) for plan in cup.plans}
    for one in visibility.public:
        if not one.whole:
            continue
        totals = one.result.totals()
        score = " – ".join(f"{cup.title(name)} {wins(totals[name].share)}" for name in one.result.entrants)
        text = translate(labels[one.stage].get(one.key) or cup.series_text(one.stage, one.key))
        why = reasons[one.stage].get(one.key)
        apart = "" if why is None else " " + _("(does not count: {why})", why=translate(why))
        print(printable(f"{one.number:>4}  {stage_title(one.stage)}: {text}: {score}{apart}"))


def changes_json(cup: Cup, progress: CupState) -> dict[str, Any]:
    """Return the changes for programs; nothing if there are none."""
    changes = [
        {**one.entry.as_json(), "description": translate(one.description), "revoked_by": one.revoked_by}
        for one in explained_log(cup, progress)
    ]
    return {"changes": changes} if changes else {}


def as_json(cup: Cup, progress: CupState) -> dict[str, Any]:
    return {
        "name": cup.name,
        "game": cup.game,
        "over": progress.over,
        "titles": {entry.name: cup.title(entry.name) for entry in cup.entrants},
        "absent": {absence.entry.name: translate(absence.why) for absence in cup.absent},
        "ratings": _ratings(cup, progress).as_json(),
        "stages": [
            {
                "name": plan.name,
                "done": progress.is_finished(plan.name),
                "series": len(progress.results.get(plan.name, {})),
                "standings": [row.as_json(translate) for row in standings.rows]
                if (standings := progress.standings(plan.name)) is not None
                else None,
            }
            for plan in cup.plans
        ],
    }
