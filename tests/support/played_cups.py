"""Cups that were really played, in a store: what reports and bundles are made of."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

from botequim import registry
from botequim.core.options import Options
from botequim.core.process import Sandbox
from botequim.core.record import fault_json
from botequim.cup.file import Cup, Entry
from botequim.cup.pairing import GameResult, Pairing, Result
from botequim.cup.reading import read
from botequim.cup.stages import Progress, commitment, series_seed
from botequim.cup.store import FaultNote, Finished, GameNote, Store
from botequim.cup.templates import named, written
from botequim.entrants.entrant import Entrant
from botequim.series import Series, chairs


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
    """A cup file with short series, read."""
    text = written(named(template), name=name, seed=seed, commitment=commitment, entrants=entrants)
    lines = [f"games = {games}" if line == "games = 1000" else line for line in text.splitlines()]
    path = folder / "cup.toml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return read(path)


def played(
    cup: Cup,
    path: Path,
    seed: str = "7",
    *,
    bots: dict[str, Entrant] | None = None,
    sandbox: Sandbox | None = None,
) -> tuple[Store, Progress]:
    """Play all of it; bots are entrants that are not built-in players, by name."""
    store = Store.open(path, write=True)
    known = {entry.name: Entrant(entry.bot, entry.name) for entry in cup.entrants} | (bots or {})
    store.put({"seed": seed, "digest": cup.digest(), "commitment": commitment(seed)})
    store.put({"name": cup.name, "file": cup.path.read_text(encoding="utf-8")})
    for name, entrant in known.items():
        store.pin(name, {"wire": entrant.wire, "digest": entrant.digest})
    for plan in cup.plans:
        options = cup.game_options(plan)
        while waiting := cup.progress(seed, store.results()).pairings(plan.name):
            for one in waiting:
                series = _play(cup, plan.name, one, options, seed, known, sandbox)
                store.add(asyncio.run(series))
    return store, cup.progress(seed, store.results())


async def _play(
    cup: Cup,
    stage: str,
    pairing: Pairing,
    options: Options,
    seed: str,
    known: dict[str, Entrant],
    sandbox: Sandbox | None,
) -> Finished:
    game = registry.game(cup.game)
    teams = game.teams(options)
    games: list[GameResult] = []
    notes: list[GameNote] = []
    faults: list[FaultNote] = []
    while not pairing.over(games):
        sitting = pairing.sitting(len(games), series_seed(seed, stage, pairing.key))
        names = [pairing.entrants[at] for at in sitting.order]
        seated = chairs(teams, [known[name] for name in names], names)
        async with Series(game, seated, games=1, sandbox=sandbox) as series:
            record = await series.play(sitting.seed, {**options, **sitting.options}, turned=sitting.turned)
        by_team = [0] * len(teams)
        for number, turn in enumerate(record.turns, start=1):
            for made in turn:
                if made.fault is not None:
                    team = next(at for at, seats in enumerate(teams) if made.by in seats)
                    by_team[team] += 1
                    told = json.dumps(fault_json(game, made.fault))
                    kind = made.fault.kind.value
                    faults.append(FaultNote(sitting.number, number, made.by, names[team], kind, told))
        games.append(GameResult.of(record.outcome, sitting.order, by_team))
        notes.append(GameNote.of_record(record))
    return Finished(stage, Result.of(pairing, games), tuple(notes), tuple(faults), 0.1)
