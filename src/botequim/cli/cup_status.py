"""`botequim cup status`, and the tables that are shown while a cup is played."""

from __future__ import annotations

import argparse
import json
from typing import Any

from rich.table import Table as RichTable

from botequim.cli.doing.console import name_column, table_console
from botequim.core.messages import harmless
from botequim.cup.absence import held
from botequim.cup.curtain import Curtain
from botequim.cup.file import Cup
from botequim.cup.format import Number, Standings
from botequim.cup.home import Home
from botequim.cup.reading import read
from botequim.cup.stages import Progress
from botequim.cup.store import Store
from botequim.i18n import _, _n, say

DIGITS = 6
"""Of a figure that is no whole number."""


def drawn(cup: Cup, stage: str, standings: Standings) -> RichTable:
    """A stage's table."""
    table = RichTable(title=f"{harmless(cup.name)}: {stage}", title_justify="left")
    table.add_column("#", justify="right", no_wrap=True)
    table.add_column(_("player"), **name_column([cup.title(name) for name in standings.names]))
    for column in standings.columns:
        table.add_column(say(column.heading), justify="right", overflow="fold")
    table.add_column("", overflow="fold")
    for row in standings.rows:
        figures = [_figure(row.figures.get(column.name, 0)) for column in standings.columns]
        table.add_row(str(row.place), cup.title(row.entrant), *figures, say(row.why) if row.why else "")
    return table


def _figure(value: Any) -> str:
    return str(value) if isinstance(value, int) or value == int(value) else f"{float(value):.2f}"


def print_standings(cup: Cup, progress: Progress) -> None:
    console = table_console()
    for plan in cup.plans:
        standings = progress.standings(plan.name)
        if standings is not None and progress.results.get(plan.name):
            console.print(drawn(cup, plan.name, standings))
    if progress.over:
        for row in progress.overall():
            if row.place > 3:
                break
            print(_("{place}. {name}", place=row.place, name=cup.title(row.entrant)))


def run_status(arguments: argparse.Namespace) -> int:
    """What is known now, also while it is played."""
    cup = read(arguments.file)
    with Store.open(Home.of(cup.path).store, check=True) as store:
        cup = held(cup, store)
        curtain = Curtain.of(store, Home.of(cup.path).show, unrevealed=arguments.unrevealed)
        progress = cup.progress(store.get("seed") or "", curtain.results())
        if arguments.json:
            told = as_json(cup, progress) | {"held": curtain.held}
            print(json.dumps(told, ensure_ascii=False, indent=2))
            return 0
        print_standings(cup, progress)
        for plan in cup.plans:
            finished, seconds = curtain.seconds(plan.name)
            state = _("over") if progress.done(plan.name) else _("not over")
            line = _(
                "{stage}: {n} series in {seconds} s of play",
                stage=plan.name,
                n=finished,
                seconds=f"{seconds:.0f}",
            )
            print(f"{line}, {state}")
        for absence in cup.absent:
            name = cup.title(absence.entry.name)
            print(_("{name} did not start: {why}", name=name, why=absence.why))
        print(_("digest of the seed: {digest}", digest=store.get("commitment") or "–"))
        faults = curtain.faults(store.faults())
        if curtain.held:
            print(_n("held back: {n} game is public", "held back: {n} games are public", curtain.visible))
    if faults:
        print(_n("{n} fault", "{n} faults", len(faults)))
    return 0


def as_json(cup: Cup, progress: Progress) -> dict[str, Any]:
    """How a cup stands, for programs."""
    return {
        "name": cup.name,
        "game": cup.game,
        "over": progress.over,
        "titles": {entry.name: cup.title(entry.name) for entry in cup.entrants},
        "absent": {absence.entry.name: say(absence.why) for absence in cup.absent},
        "stages": [
            {
                "name": plan.name,
                "done": progress.done(plan.name),
                "series": len(progress.results.get(plan.name, {})),
                "standings": [
                    {"place": row.place, "entrant": row.entrant}
                    | {name: _exact(value) for name, value in row.figures.items()}
                    for row in standings.rows
                ]
                if (standings := progress.standings(plan.name)) is not None
                else None,
            }
            for plan in cup.plans
        ],
    }


def _exact(value: Number) -> int | float:
    """A whole number as one; of a fraction a few digits."""
    return int(value) if value == int(value) else round(float(value), DIGITS)
