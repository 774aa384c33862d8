"""What a change of a cup that has begun does, in words."""

from __future__ import annotations

from collections.abc import Iterator

from botequim.core.messages import Message, comma_list, msg
from botequim.cup.change_rules import with_change
from botequim.cup.changes import Change, Leaving
from botequim.cup.config import Cup
from botequim.cup.stage_names import stage_name
from botequim.cup.stages import CupState, StagePlan


def effect(cup: Cup, state: CupState, change: Change) -> list[Message]:
    """Return what a possible change does to this state: who joins or leaves a stage, the series that are
    added, change or fall away, and who gets another place."""
    after = with_change(state, change)
    found = []
    for plan in state.plans:
        parts = [
            *_entrants_effect(cup, state, after, plan, change),
            *_series_effect(state, after, plan.name),
        ]
        moves = _moves(cup, state, after, plan.name)
        if moves:
            parts.append(msg("places: {moves}", moves=", ".join(moves)))
        if parts:
            found.append(msg("{stage}: {what}", stage=stage_name(plan.name), what=comma_list(parts)))
    return found


def _entrants_effect(
    cup: Cup, before: CupState, after: CupState, plan: StagePlan, change: Change
) -> Iterator[Message]:
    """Yield who takes part in a stage because of a change, and who no longer does."""
    old, new = before.entrants(plan.name), after.entrants(plan.name)
    if old is not None and new is not None:
        left = [name for name in old if name not in new]
        joined = [name for name in new if name not in old]
    else:
        left = [change.entrant] if old is None and isinstance(change, Leaving) else []
        joined = []
    if left:
        yield msg("does not take part: {names}", names=", ".join(map(cup.title, left)))
    if joined:
        yield msg("takes part now: {names}", names=", ".join(map(cup.title, joined)))


def _series_effect(before: CupState, after: CupState, stage: str) -> Iterator[Message]:
    """Yield how many series of a stage are added, change or fall away."""
    old, new = ({one.key: set(one.entrants) for one in each.pairings(stage)} for each in (before, after))
    added, gone = new.keys() - old.keys(), old.keys() - new.keys()
    changed = [key for key in new if key in old and new[key] != old[key]]
    won = len(after.walkovers(stage)) - len(before.walkovers(stage))
    void_before, void_after = before.void_series(stage), after.void_series(stage)
    lost = len(void_after.keys() - void_before.keys())
    again = len(void_before.keys() - void_after.keys())
    apart = len(after.groundless_series(stage) - before.groundless_series(stage))
    if added:
        yield msg("series to be played in addition: {count}", count=len(added))
    if changed:
        yield msg("series that other entrants play: {count}", count=len(changed))
    if gone and after.entrants(stage) is None:
        yield msg("series that wait for an earlier stage: {count}", count=len(gone))
    elif gone:
        yield msg("series that are not played: {count}", count=len(gone))
    if won > 0:
        yield msg("series won without play: {count}", count=won)
    if lost:
        yield msg("finished series that no longer count: {count}", count=lost)
    if apart:
        yield msg("of these, series that were to break a tie that has changed: {count}", count=apart)
    if again:
        yield msg("finished series that count again: {count}", count=again)


def _moves(cup: Cup, before: CupState, after: CupState, stage: str) -> list[str]:
    """Return who gets another place in a stage that has begun: `Ana 3 → 2`."""
    tables = [each.standings(stage) if before.results.get(stage) else None for each in (before, after)]
    old, new = ({row.entrant: row.place for row in table.rows} if table else {} for table in tables)
    return [
        f"{cup.title(name)} {old[name]} → {new[name]}"
        for name in new
        if name in old and old[name] != new[name]
    ]
