"""The labels of the stored series of a stage, such as `round 3` or `semifinal 1`."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

from botequim.core.messages import Message
from botequim.cup.changes import Leaving, split_attempt
from botequim.cup.stage_changes import attempt_label
from botequim.cup.stages import CupState


def series_labels(state: CupState, name: str) -> dict[str, Message]:
    """Return the labels of the stored series of a stage, by key. Series that no longer count have the label
    that they were played with."""
    found = _counted_labels(state, name)
    stored = state.results.get(name, {})
    if all(key in found for key in stored):
        return found
    everybody = replace(state, log=tuple(one for one in state.log if not isinstance(one.change, Leaving)))
    earlier = _counted_labels(everybody, name) if everybody.log != state.log else {}
    found |= {key: earlier[key] for key in stored if key in earlier and key not in found}
    for number, key in enumerate(stored):
        if key not in found:
            label = _label_when_played(state, name, key, number)
            found |= {} if label is None else {key: label}
    return found


def _label_when_played(state: CupState, name: str, key: str, number: int) -> Message | None:
    """Return the label that a series had when the stage had so many results; None if it was not offered."""
    names = [plan.name for plan in state.plans]
    results = {one: state.results.get(one, {}) for one in names[: names.index(name)]}
    results[name] = dict(islice(state.results[name].items(), number))
    later = [plan.name for plan in state.plans if plan.source == name]
    log = tuple(
        one
        for one in state.log
        if one.after.get(name, 0) <= number and not any(one.after.get(other) for other in later)
    )
    then = CupState(state.plans, state.seed, results, log=log).with_rounds(state.rounds)
    return next((one.label for one in then.pairings(name) if one.key == key), None)


def _counted_labels(state: CupState, name: str) -> dict[str, Message]:
    """Return the labels of the series that count, and of those that were known from the start.

    A format labels only series that are not finished, so it is called again with each result left out.
    """
    stage = state.stage(name)
    if stage is None:
        return {}
    labels = state.planned_labels(name)
    for key in stage.results:
        if key not in labels:
            before = {other: result for other, result in stage.results.items() if other != key}
            open_then = state.form(name).pairings(replace(stage, results=before))
            labels |= {one.key: one.label for one in open_then}
    found = {key: labels[key] for key in stage.results if key in labels}
    for stored in state.results.get(name, {}) if state.log else ():
        key, attempt = split_attempt(stored)
        if key in labels:
            found[stored] = attempt_label(labels[key], attempt) if attempt > 1 else labels[key]
    return found
