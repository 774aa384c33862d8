"""Repairs the results of a cup, if its storage can do that."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress

from botequim.core.errors import InputError
from botequim.core.messages import msg
from botequim.cup.changes import FACT as CHANGES
from botequim.cup.changes import NewFiles, entries, read_log
from botequim.cup.config import Cup
from botequim.cup.paths import CupPaths
from botequim.cup.rounds import FACT as ROUNDS
from botequim.cup.rounds import read_rounds, stored_state
from botequim.cup.stages import commitment
from botequim.cup.withdrawals import FACT as WITHDRAWN
from botequim.cup.withdrawals import read_withdrawals, without_withdrawn
from botequim.storage.protocol import CupStore, RepairableStorage
from botequim.storage.values import Repair


def repair_cup(cup: Cup, given_seed: str | None = None) -> Repair:
    """Repair the results of a cup.

    Damaged facts are restored from the cup file. Raise InputError if the seed cannot be read and is not
    given. Entrants whose pins are damaged are pinned again when the cup goes on.
    """
    paths = CupPaths.of_cup(cup)
    storage = paths.storage
    if not isinstance(storage, RepairableStorage):
        raise InputError(
            msg(
                "the results of {path} are in a store that Botequim cannot repair: restore a copy with the "
                "tools of its database",
                path=str(cup.path),
            )
        )

    def restore_facts(readable: Mapping[str, str]) -> Mapping[str, str]:
        digests = {cup.commitment, readable.get("commitment")} - {None}
        seed = given_seed or cup.seed or readable.get("seed", "")
        if not seed or (digests and commitment(seed) not in digests):
            raise InputError(
                msg(
                    "the seed of the cup can no longer be read from {path}; give the seed that "
                    "the cup began with (--seed S), or restore a copy of the file",
                    path=str(paths.folder),
                )
            )
        facts = {"seed": seed, "digest": cup.digest(), "commitment": commitment(seed), "name": cup.name}
        facts["file"] = cup.path.read_text(encoding="utf-8")
        with suppress(ValueError, AttributeError, InputError):
            read_withdrawals(cup, json.loads(readable.get(WITHDRAWN, "{}")))
            facts[WITHDRAWN] = readable.get(WITHDRAWN, "{}")
        if ROUNDS in readable:
            facts[ROUNDS] = _require_rounds(readable[ROUNDS], str(paths.folder))
        if CHANGES in readable:
            facts[CHANGES] = _require_log(readable[CHANGES], str(paths.folder))
        return facts

    names = ("seed", "commitment", WITHDRAWN, ROUNDS, CHANGES)
    return storage.repair_results(names, restore_facts, lambda store: _require_history(cup, store))


def _require_history(cup: Cup, store: CupStore) -> None:
    """Raise InputError if a series is missing that the log of changes counts, or that would not be played
    again.

    Each entry of the log says how many series were stored before it. A series that is played again comes
    after it, so the log would be wrong. New files do not depend on what was stored before them.
    """
    log = entries(store)
    if not log:
        return
    numbers = {one.number for one in store.series()}
    counted = [(sum(one.after.values()), one.number) for one in log if not isinstance(one.change, NewFiles)]
    played = without_withdrawn(cup, store)
    state = stored_state(played, store, store.results())
    for count, number in counted:
        if not numbers.issuperset(range(1, count + 1)):
            raise _history_error(number)
    for plan in state.plans:
        stage = state.stage(plan.name)
        if state.is_closed(plan.name) and stage is not None and state.form(plan.name).pairings(stage):
            raise _history_error(log[-1].number)


def _history_error(number: int) -> InputError:
    return InputError(
        msg(
            "a series is damaged that change {number} of the cup depends on. If it were played again, the "
            "log of changes would contradict the results. Nothing was changed; restore a backup "
            "(botequim cup restore)",
            number=number,
        )
    )


def _require_log(text: str, path: str) -> str:
    """Raise InputError if the stored log of changes is not valid, because it cannot be written again."""
    try:
        read_log(json.loads(text))
    except (ValueError, InputError) as error:
        raise InputError(
            msg(
                "the log of changes cannot be read from {path} any more: restore a copy of the file",
                path=path,
            )
        ) from error
    return text


def _require_rounds(text: str, path: str) -> str:
    """Raise InputError if the stored rounds are not valid, because the series of the cup follow from them."""
    try:
        read_rounds(json.loads(text))
    except (ValueError, InputError) as error:
        raise InputError(
            msg(
                "the rounds of the cup cannot be read from {path} any more: restore a copy of the file",
                path=path,
            )
        ) from error
    return text
