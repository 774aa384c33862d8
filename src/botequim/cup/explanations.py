"""The log of changes for people: what each change was, and what it did."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from dataclasses import dataclass

from botequim.core.messages import Message, msg
from botequim.cup.change_effects import effect
from botequim.cup.change_rules import description
from botequim.cup.changes import Change, ChangeEntry, Replay, Revocation, effective
from botequim.cup.config import Cup
from botequim.cup.pairing import SEPARATOR, parse_round_key
from botequim.cup.series_labels import series_labels
from botequim.cup.stage_names import stage_name
from botequim.cup.stages import CupState


@dataclass(frozen=True, slots=True)
class ExplainedChange:
    """An entry of the log, in words."""

    entry: ChangeEntry
    description: Message
    effects: tuple[Message, ...]
    """What it did when it was applied."""
    revoked_by: int | None = None
    """The number of the entry that revokes it."""

    def concerns(self, entrant: str) -> bool:
        """Return whether the change is about this entrant, or about a series that it played."""
        change = self.entry.change
        if isinstance(change, Replay):
            in_round = parse_round_key(change.key)
            names = change.key.split(SEPARATOR) if in_round is None else in_round[1]
            return entrant in names
        return not isinstance(change, Revocation) and change.entrant == entrant


def description_in_state(cup: Cup, state: CupState, change: Change) -> Message:
    """Return what a change is. A series that was played is named by its entrants and its label, and a
    revocation says what is revoked."""
    if isinstance(change, Revocation):
        return revocation_text(state, change, lambda one: description_in_state(cup, state, one))
    result = state.results.get(change.stage, {}).get(change.key) if isinstance(change, Replay) else None
    if result is None or not isinstance(change, Replay):
        return description(cup, change)
    return msg(
        '{names} ({label}) of the stage "{stage}" is played again',
        names=" – ".join(map(cup.title, result.entrants)),
        label=series_labels(state, change.stage).get(change.key) or cup.series_text(change.stage, change.key),
        stage=stage_name(change.stage),
    )


def revocation_text(state: CupState, change: Revocation, text: Callable[[Change], Message]) -> Message:
    """Return what a revocation is; `text` describes the change that is revoked."""
    revoked = [entry.change for entry in state.log if entry.number == change.entry]
    if not revoked:
        return msg("change {number} is revoked", number=change.entry)
    return msg("change {number} is revoked: {change}", number=change.entry, change=text(revoked[0]))


def explained_log(
    cup: Cup, state: CupState, effects: MutableMapping[str, tuple[Message, ...]] | None = None
) -> tuple[ExplainedChange, ...]:
    """Return the entries that belong to a state, in words. `effects` keeps what is known, by digest."""
    known = {} if effects is None else effects
    in_force = {entry.number for entry in effective(state.log)}
    revocations = {
        entry.change.entry: entry.number for entry in state.log if isinstance(entry.change, Revocation)
    }
    explained = []
    for entry in state.log:
        if entry.digest not in known:
            known[entry.digest] = tuple(effect(cup, state.before(entry), entry.change))
        is_revoked = entry.number not in in_force and entry.number in revocations
        explained.append(
            ExplainedChange(
                entry,
                description_in_state(cup, state, entry.change),
                known[entry.digest],
                revocations[entry.number] if is_revoked else None,
            )
        )
    return tuple(explained)
