"""Finished cups in a store, for reports and bundles."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path

from botequim import registry
from botequim.bots.entrant import Entrant
from botequim.core.options import Options
from botequim.core.process import Sandbox
from botequim.core.results import GameResult
from botequim.cup.config import Cup, Entry
from botequim.cup.config_parser import read
from botequim.cup.pairing import Pairing
from botequim.cup.stages import CupState, commitment, series_seed
from botequim.cup.templates import cup_file_text, find_template
from botequim.engine.machine import Machine
from botequim.engine.series import Series, seat_assignments
from botequim.records.record import fault_json
from botequim.storage.protocol import CupStore
from botequim.storage.sqlite.cup import SqliteCupStore
from botequim.storage.values import FinishedSeries, StoredFault, StoredGame


def cup_file(
    folder: Path,
    template: str,
    *,
    entrants: Sequence[Entry] | None = None,
    games: int = 2,
    name: str = "",
    seed: str | None = None,
    commitment: str | None = None,
) -> Cup:
    """Write and read a cup file with short series."""
    text = cup_file_text(
        find_template(template), name=name, seed=seed, commitment=commitment, entrants=entrants
    )
    lines = [f"games = {games}" if line == "games = 1000" else line for line in text.splitlines()]
    path = folder / "cup.toml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return read(path)


def play_cup(
    cup: Cup,
    path: Path,
    seed: str = "7",
    *,
    bots: dict[str, Entrant] | None = None,
    sandbox: Sandbox | None = None,
    machine_of: Callable[[str, str], Machine | None] = lambda stage, key: None,
) -> tuple[CupStore, CupState]:
    """Play a whole cup; `bots` are entrants that are not built-in players, by name.

    `machine_of` returns the machine that plays a series, by its stage and key.
    """
    store = SqliteCupStore.open(path, write=True)
    known = {entry.name: Entrant(entry.bot, entry.name) for entry in cup.entrants} | (bots or {})
    store.put_facts({"seed": seed, "digest": cup.digest(), "commitment": commitment(seed)})
    store.put_facts({"name": cup.name, "file": cup.path.read_text(encoding="utf-8")})
    for name, entrant in known.items():
        store.pin_entrant(name, {"wire": entrant.wire_name, "digest": entrant.digest})
    for plan in cup.plans:
        options = cup.game_options(plan)
        while waiting := cup.state(seed, store.results()).pairings(plan.name):
            for one in waiting:
                machine = machine_of(plan.name, one.key)
                series = _play(cup, plan.name, one, options, seed, known, sandbox, machine)
                store.add_series(asyncio.run(series))
    return store, cup.state(seed, store.results())


async def _play(
    cup: Cup,
    stage: str,
    pairing: Pairing,
    options: Options,
    seed: str,
    known: dict[str, Entrant],
    sandbox: Sandbox | None,
    machine: Machine | None,
) -> FinishedSeries:
    game = registry.game(cup.game)
    teams = game.teams(options)
    games: list[GameResult] = []
    notes: list[StoredGame] = []
    faults: list[StoredFault] = []
    while not pairing.over(games):
        setup = pairing.game_setup(len(games), series_seed(seed, stage, pairing.key))
        names = [pairing.entrants[at] for at in setup.order]
        seated = seat_assignments(teams, [known[name] for name in names], names)
        async with Series(game, seated, games=1, sandbox=sandbox, machine=machine) as series:
            record = await series.play(setup.seed, {**options, **setup.options}, rotation=setup.rotation)
        by_team = [0] * len(teams)
        for number, turn in enumerate(record.turns, start=1):
            for made in turn:
                if made.fault is not None:
                    team = next(at for at, seats in enumerate(teams) if made.by in seats)
                    by_team[team] += 1
                    told = json.dumps(fault_json(game, made.fault))
                    kind = made.fault.kind.value
                    where = (stage, pairing.key, setup.number, number, made.by)
                    faults.append(StoredFault(*where, names[team], kind, told))
        games.append(GameResult.of(record.outcome, setup.order, by_team))
        notes.append(StoredGame.from_lines(list(record.public().lines())))
    return FinishedSeries(stage, pairing.result(games), tuple(notes), tuple(faults), 0.1)
