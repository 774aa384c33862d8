"""Entrants that cannot be made ready: a cup can be held without them, and says so ever after.

Who is absent is settled before the first game and kept in the store; the cup file stays as it is, so the same
file can be run again, and a bundle tells both who was announced and who did not start.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from botequim.core.errors import InputError
from botequim.core.messages import Message, msg
from botequim.core.record import message_from, message_json
from botequim.cup.file import Absence, Cup
from botequim.cup.format import Stage, named
from botequim.cup.integrity import Damage, DamagedStore
from botequim.cup.store import Store
from botequim.cup.titles import with_introductions

FACT: Final = "absent"
LONGEST_LOG: Final = 4000


class CannotPlay(InputError):
    """Some entrants cannot be made ready; all of them are named at once."""

    def __init__(self, cup: Cup, absent: Sequence[Absence]) -> None:
        super().__init__(
            msg(
                "these entrants cannot play: {names}. Mend them, or hold the cup without them: {command}",
                names=", ".join(absence.entry.name for absence in absent),
                command=shlex.join(["botequim", "cup", "run", str(cup.path), "--without-broken"]),
            )
        )
        self.absent: Final = absent


def held(cup: Cup, store: Store) -> Cup:
    """The cup as it is really held: without those who did not start, with what the others call themselves."""
    try:
        known = json.loads(store.get(FACT) or "{}")
    except ValueError as error:
        raise DamagedStore(store.path, Damage(facts=(FACT,))) from error
    return with_introductions(without(cup, read_absences(cup, known)), store)


def keep_absences(store: Store, absent: Sequence[Absence]) -> None:
    store.put({FACT: json.dumps(absences_json(absent), ensure_ascii=False)})


def absences_json(absent: Sequence[Absence], *, logs: bool = True) -> dict[str, Any]:
    """By name; what a build said is for its authors alone."""
    return {
        absence.entry.name: {"why": message_json(absence.why)} | ({"log": absence.log} if logs else {})
        for absence in absent
    }


def read_absences(cup: Cup, told: Mapping[str, Any]) -> list[Absence]:
    """What `absences_json` told; names that the cup does not have are an InputError."""
    try:
        return [
            Absence(cup.entry(name), message_from(value["why"]), str(value.get("log", "")))
            for name, value in told.items()
        ]
    except (StopIteration, AttributeError, LookupError, TypeError) as error:
        raise InputError(msg("those who did not start are not told as a bundle tells them")) from error


def without(cup: Cup, absent: Sequence[Absence]) -> Cup:
    """The same cup without these. One that cannot be held any more is an InputError."""
    if not absent:
        return cup
    gone = {absence.entry.name for absence in absent}
    gone |= {entry.name for entry in cup.entrants if entry.null and entry.twin_of in gone}
    plans = [
        replace(plan, entrants=tuple(name for name in plan.entrants if name not in gone))
        for plan in cup.plans
        if not (plan.beside and gone.intersection(plan.entrants[:1]))
    ]
    less = replace(
        cup,
        entrants=tuple(entry for entry in cup.entrants if entry.name not in gone),
        plans=tuple(plans),
        absent=(*cup.absent, *absent),
        announced=cup.announced or cup,
    )
    _require_held(less)
    return less


def short_stages(cup: Cup) -> dict[str, tuple[int, int]]:
    """Stages for which fewer are left than their `top` says: by name, how many there are, and should be."""
    sizes = _sizes(cup)
    tops = {plan.name: plan.top for plan in cup.plans if plan.top is not None}
    return {name: (sizes[name], top) for name, top in tops.items() if sizes[name] < top}


def _sizes(cup: Cup) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for plan in cup.plans:
        size = len(plan.entrants) if plan.source is None else sizes[plan.source]
        sizes[plan.name] = size if plan.top is None else min(plan.top, size)
    return sizes


def _require_held(cup: Cup) -> None:
    sizes = _sizes(cup)
    for plan in cup.plans:
        names = plan.entrants or tuple(f"place {number + 1}" for number in range(sizes[plan.name]))
        problem: Message | None = named(plan.format).problem(Stage(names, plan.terms, plan.options, ""))
        if problem is not None:
            raise InputError(
                msg(
                    'without those who cannot play, the stage "{stage}" cannot be held: {problem}',
                    stage=plan.name,
                    problem=problem,
                )
            )
