"""Stores the speeds that `cup check` measured beside the results of the cup, for the estimate of `cup
run`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict
from typing import Any, Final

from botequim.botcheck.speed import NO_TIME, Range, Speed
from botequim.core.errors import BotequimError
from botequim.core.wire import Restart
from botequim.cup.config import Cup
from botequim.cup.entrant_check import Report
from botequim.cup.estimates import stage_seconds
from botequim.cup.paths import CupPaths
from botequim.storage.files import write_text

FILE: Final = "speeds.json"
VERSION: Final = 1


def store_speeds(cup: Cup, reports: Iterable[Report]) -> None:
    """Write the speeds. If the file cannot be written, there is no estimate, but no error either."""
    entrants = {
        report.entry.name: {
            "bot": report.entry.bot,
            "lifetime": report.lifetime.value,
            **asdict(report.speed or NO_TIME),
        }
        for report in reports
        if not report.broken
    }
    text = json.dumps({"botequim_speeds": VERSION, "entrants": entrants}, indent=1)
    with suppress(BotequimError):
        write_text(CupPaths.of(cup.path).folder / FILE, text + "\n")


def expected_seconds(cup: Cup, workers: int) -> dict[str, Range]:
    """Return how long each stage takes by the last check; an empty dict if it did not check all entrants."""
    try:
        content = json.loads((CupPaths.of(cup.path).folder / FILE).read_text(encoding="utf-8"))
        values = {entry.name: content["entrants"][entry.name] for entry in cup.entrants}
        if content["botequim_speeds"] != VERSION:
            return {}
        if any(values[entry.name]["bot"] != entry.bot for entry in cup.entrants):
            return {}
        speeds = {name: _speed(value) for name, value in values.items()}
        lifetimes = {name: Restart(value["lifetime"]) for name, value in values.items()}
    except (OSError, ValueError, LookupError, TypeError):
        return {}
    return stage_seconds(cup, speeds, lifetimes, workers)


def _speed(value: dict[str, Any]) -> Speed:
    optional = {
        name: None if value[name] is None else int(value[name]) for name in ("most_late", "most_starts")
    }
    answer = Range(float(value["answer"]["low"]), float(value["answer"]["high"]))
    return Speed(float(value["start"]), answer, float(value["late"]), float(value["wait"]), **optional)
