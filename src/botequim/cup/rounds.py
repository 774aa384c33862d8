"""Stores and reads rounds that are decided once.

A `StoredRoundsFormat` decides them. The coordinator stores each round before it plays it, so a coordinator
that is started again does not decide it a second time. `CupState` gives the format only the rounds that
follow from its results, so rounds that follow from private results are private too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, NoReturn, TypeAlias

from botequim.core.errors import InputError
from botequim.core.messages import msg
from botequim.core.results import SeriesResult
from botequim.cup.changes import entries
from botequim.cup.config import Cup
from botequim.cup.format import Round, StoredRoundsFormat, find_format
from botequim.cup.stages import CupState
from botequim.storage.protocol import CupStore

FACT: Final = "rounds"

Rounds: TypeAlias = Mapping[str, Sequence[Round]]
"""The rounds of each stage that has some, by its name."""


def stored_state(cup: Cup, store: CupStore, results: Mapping[str, Mapping[str, SeriesResult]]) -> CupState:
    """Return the cup with these results, and the rounds and changes that belong to them.

    Read the results before this call, so that what belongs to all these results is stored already.
    """
    return cup.state(store.fact("seed") or "", results, stored_rounds(store), entries(store))


def stored_rounds(store: CupStore) -> Rounds:
    """Return all rounds that were decided. Not all of them need be public."""
    try:
        return read_rounds(json.loads(store.fact(FACT) or "{}"))
    except (ValueError, InputError) as error:
        raise store.damage_error(FACT) from error


def store_rounds(store: CupStore, rounds: Rounds) -> None:
    store.put_facts({FACT: json.dumps(rounds_json(rounds), ensure_ascii=False)})


def rounds_json(rounds: Rounds) -> dict[str, Any]:
    """Return the rounds as stores and bundles contain them: `{"league": [[["Ana", "Rui"], ["Eva"]]]}`."""
    return {stage: [[list(table) for table in one] for one in several] for stage, several in rounds.items()}


def read_rounds(value: Any) -> dict[str, tuple[Round, ...]]:
    """Return the rounds of a value that `rounds_json` returned. Raise InputError for any other value."""
    if not isinstance(value, dict):
        _refuse()
    return {stage: tuple(map(_round, _list(several))) for stage, several in value.items()}


def _round(value: Any) -> Round:
    tables = tuple(tuple(_list(table)) for table in _list(value))
    if not all(isinstance(name, str) for table in tables for name in table):
        _refuse()
    return tables


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        _refuse()
    return value


def _refuse() -> NoReturn:
    raise InputError(msg("rounds must be lists of tables, and tables lists of names"))


def stages_with_stored_rounds(cup: Cup) -> list[str]:
    """Return the names of the stages whose rounds are decided once and stored."""
    return [plan.name for plan in cup.plans if isinstance(find_format(plan.format), StoredRoundsFormat)]


def require_installed(cup: Cup, stages: Sequence[str] | None = None) -> None:
    """Raise an InputError if a library is missing that these stages, or all, need to decide rounds."""
    for plan in cup.plans:
        form = find_format(plan.format)
        if isinstance(form, StoredRoundsFormat) and (stages is None or plan.name in stages):
            form.require_installed()
