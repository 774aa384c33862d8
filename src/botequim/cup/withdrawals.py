"""Entrants whose bots cannot be prepared. The cup can be played without them, and its results name them.

Withdrawals are decided before the first game and stored. The cup file does not change, so it can be run
again. A bundle contains both the announced entrants and the withdrawn ones.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from botequim.core.errors import InputError
from botequim.core.messages import Message, msg
from botequim.core.results import SeriesResult
from botequim.cup.changes import ChangeEntry, LateEntrant, entries, entries_up_to
from botequim.cup.config import Cup, Entry, Withdrawal
from botequim.cup.format import Stage, find_format
from botequim.cup.stage_names import stage_name
from botequim.cup.titles import with_introductions
from botequim.records.record import message_from, message_json
from botequim.storage.protocol import CupStore

FACT: Final = "absent"
LONGEST_LOG: Final = 4000


class CannotPlay(InputError):
    """The bots of some entrants cannot be prepared; the message names all of them."""

    def __init__(self, cup: Cup, absent: Sequence[Withdrawal]) -> None:
        super().__init__(
            msg(
                "these entrants cannot play: {names}. Fix them, or run the cup without them: {command}",
                names=", ".join(absence.entry.name for absence in absent),
                command=shlex.join(["botequim", "cup", "run", str(cup.path), "--without-broken"]),
            )
        )
        self.absent: Final = absent


def without_withdrawn(
    cup: Cup, store: CupStore, results: Mapping[str, Mapping[str, SeriesResult]] | None = None
) -> Cup:
    """Return the cup as it is played: without withdrawn entrants, with late ones, and with the titles.

    With `results`, only with the late entrants that belong to them: those of public results are public.
    """
    try:
        content = json.loads(store.fact(FACT) or "{}")
    except ValueError as error:
        raise store.damage_error(FACT) from error
    played = without(cup, read_withdrawals(cup, content))
    log = entries(store)
    late = with_late_entrants(played, log if results is None else entries_up_to(log, results))
    return with_introductions(late, store)


def with_late_entrants(cup: Cup, log: Sequence[ChangeEntry]) -> Cup:
    """Return the cup with all entrants that the log of changes adds. Its stages stay as the file has them."""
    known = {entry.name for entry in cup.entrants}
    late = [
        Entry(entry.change.entrant, entry.change.bot, entry.change.wire or None)
        for entry in log
        if isinstance(entry.change, LateEntrant) and entry.change.entrant not in known
    ]
    if not late:
        return cup
    nulls = tuple(entry for entry in cup.entrants if entry.null)
    others = tuple(entry for entry in cup.entrants if not entry.null)
    return replace(cup, entrants=(*others, *late, *nulls), announced=cup.announced or cup)


def store_withdrawals(store: CupStore, absent: Sequence[Withdrawal]) -> None:
    store.put_facts({FACT: json.dumps(withdrawals_json(absent), ensure_ascii=False)})


def withdrawals_json(absent: Sequence[Withdrawal], *, logs: bool = True) -> dict[str, Any]:
    """Return the withdrawals by name; with `logs`, also the output of builds, which is only for the
    authors."""
    return {
        absence.entry.name: {"why": message_json(absence.why)} | ({"log": absence.log} if logs else {})
        for absence in absent
    }


def read_withdrawals(cup: Cup, content: Mapping[str, Any]) -> list[Withdrawal]:
    """Return the withdrawals that `withdrawals_json` wrote. Raise InputError if the cup has no such
    entrant."""
    try:
        return [
            Withdrawal(cup.entry(name), message_from(value["why"]), str(value.get("log", "")))
            for name, value in content.items()
        ]
    except (StopIteration, AttributeError, LookupError, TypeError) as error:
        raise InputError(msg('"absent" in bundle.json must be an object')) from error


def without(cup: Cup, absent: Sequence[Withdrawal]) -> Cup:
    """Return the cup without these entrants. Raise InputError if it cannot be played any more."""
    if not absent:
        return cup
    names = {absence.entry.name for absence in absent}
    names |= {entry.name for entry in cup.entrants if entry.null and entry.twin_of in names}
    plans = [
        replace(plan, entrants=tuple(name for name in plan.entrants if name not in names))
        for plan in cup.plans
        if not (plan.beside and names.intersection(plan.entrants[:1]))
    ]
    less = replace(
        cup,
        entrants=tuple(entry for entry in cup.entrants if entry.name not in names),
        plans=tuple(plans),
        absent=(*cup.absent, *absent),
        announced=cup.announced or cup,
    )
    _require_playable(less)
    return less


def short_stages(cup: Cup) -> dict[str, tuple[int, int]]:
    """Return the stages with fewer entrants than their `top`: by name, the number and the `top`."""
    sizes = _sizes(cup)
    tops = {plan.name: plan.top for plan in cup.plans if plan.top is not None}
    return {name: (sizes[name], top) for name, top in tops.items() if sizes[name] < top}


def _sizes(cup: Cup) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for plan in cup.plans:
        size = len(plan.entrants) if plan.source is None else sizes[plan.source]
        sizes[plan.name] = size if plan.top is None else min(plan.top, size)
    return sizes


def _require_playable(cup: Cup) -> None:
    sizes = _sizes(cup)
    for plan in cup.plans:
        names = plan.entrants or tuple(f"place {number + 1}" for number in range(sizes[plan.name]))
        problem: Message | None = find_format(plan.format).problem(Stage(names, plan.terms, plan.options, ""))
        if problem is not None:
            raise InputError(
                msg(
                    'without the entrants that cannot play, the stage "{stage}" is not possible: {problem}',
                    stage=stage_name(plan.name),
                    problem=problem,
                )
            )


def require_unchanged(cup: Cup, store: CupStore) -> None:
    """Raise InputError if the cup file has changed since the cup began."""
    if store.fact("seed") is not None and store.fact("digest") != cup.digest():
        raise InputError(
            msg(
                "{path} has changed since the cup began, so it no longer matches the stored "
                "results; restore the file, or start a new cup with another file name",
                path=str(cup.path),
            )
        )


def as_seen_from(cup: Cup, message: Message) -> Message:
    """Return the message without the path of the cup's folder, because it will be published."""
    here = f"{cup.path.parent}/"
    if here == "./":
        return message
    return Message(
        message.template,
        {
            name: as_seen_from(cup, value) if isinstance(value, Message) else str(value).replace(here, "")
            for name, value in message.values.items()
        },
    )
