"""`botequim cup change`: change a cup that has begun."""

from __future__ import annotations

import argparse
import getpass
import json
import os
import shlex
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from botequim.cli.bots import CupSandbox, cup_sandbox, say_step
from botequim.cli.confirming import confirm
from botequim.cli.cup_run import say_preparing
from botequim.cli.stores import file_words, read_cup
from botequim.core.errors import InputError
from botequim.core.sanitize import printable
from botequim.cup.change_preview import Preview, discreet_description, discreet_refusal, preview
from botequim.cup.change_requests import (
    ChangeRequest,
    RequestState,
    apply_requests,
    needs_bot,
    public_texts,
    request_change,
    requests,
)
from botequim.cup.changes import (
    Change,
    Departure,
    Disqualification,
    LateEntrant,
    NewFiles,
    Replay,
    Revocation,
    change_json,
    effective,
)
from botequim.cup.config import Cup, Entry
from botequim.cup.paths import CupPaths
from botequim.cup.rounds import stored_state
from botequim.cup.stages import CupState
from botequim.cup.withdrawals import without_withdrawn
from botequim.i18n import _, translate
from botequim.storage.protocol import CupStorage
from botequim.storage.visibility import Visibility


def run_change(arguments: argparse.Namespace) -> int:
    """Say what a change will do, ask, and apply it, or leave it to the coordinator that plays the cup."""
    cup = read_cup(arguments.file, arguments.store, from_store=False)
    who, why = public_texts(arguments.who or _login_name(), arguments.why)
    storage = CupPaths.of_cup(cup).storage
    seen = preview(cup, storage, _change(cup, arguments), unrevealed=arguments.unrevealed)
    if seen.problem is not None:
        raise InputError(seen.problem)
    is_trusted = getattr(arguments, "trust", False)
    place = _sandbox(cup, seen.change, requests(storage), trusted=is_trusted)
    if not confirm(_sentences(cup, seen, unrevealed=arguments.unrevealed), yes=arguments.yes):
        return 1
    number = request_change(storage, seen.change, who=who, why=why)
    is_applied = apply_requests(
        cup,
        storage,
        None if place is None else place.sandbox,
        isolated=place is not None and place.isolated,
        trusted=is_trusted,
        on_work=say_preparing,
        tell=say_step,
    )
    request = next(one for one in requests(storage) if one.number == number)
    if request.refusal is not None:
        is_discreet = seen.hides and not arguments.unrevealed
        raise InputError(discreet_refusal(request.refusal) if is_discreet else request.refusal)
    if arguments.json:
        print(json.dumps(request_json(request), ensure_ascii=False, indent=2))
    elif is_applied:
        print(_("Change {number} is applied.", number=request.entry))
        _say_next(cup, storage)
    else:
        print(
            _("The cup is being played: the change is applied between two series. To see what became of it:")
        )
        print(f"  botequim cup change {file_words(cup)} list")
    return 0


def _say_next(cup: Cup, storage: CupStorage) -> None:
    """Print the command that plays what is left, if anything is."""
    cup, state, _public = _state(cup, storage)
    rest = [plan.name for plan in cup.plans if not state.is_finished(plan.name)]
    if rest:
        command = f"botequim cup run {file_words(cup)} --stage {shlex.quote(rest[0])}"
        print(_("Next: {command}", command=command))


def _login_name() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container may have no name for its user
        return "organiser"


def _change(cup: Cup, arguments: argparse.Namespace) -> Change:
    match arguments.change:
        case "add":
            return LateEntrant(arguments.name, _bot_text(cup, arguments.bot), arguments.wire)
        case "disqualify":
            return Disqualification(arguments.name, arguments.annul)
        case "withdraw":
            return Departure(arguments.name, arguments.annul)
        case "fix":
            return NewFiles(arguments.name, arguments.stage, _bot_text(cup, arguments.bot))
        case "replay":
            return Replay(arguments.stage, arguments.series)
        case _:
            return Revocation(arguments.entry)


def _bot_text(cup: Cup, bot: str) -> str:
    """Return a bot as the cup file would name it: a path that exists here is made relative to the file."""
    home = cup.path.resolve().parent
    if not bot or not cup.is_path(Entry("", bot)) or home == Path.cwd():
        return bot
    path = Path(bot).expanduser()
    return os.path.relpath(path.resolve(), home) if path.exists() else bot


def _sandbox(cup: Cup, change: Change, asked: Iterable[ChangeRequest], *, trusted: bool) -> CupSandbox | None:
    """Return the sandbox in which the bots of a change, and of the requests that wait, are prepared.

    None if the change needs no bot: then requests of others that need one go on waiting.
    """
    if not needs_bot(change):
        return None
    waiting = [one.change for one in asked if one.state is RequestState.WAITING]
    entries = [_entry(cup, one) for one in (change, *waiting) if isinstance(one, LateEntrant | NewFiles)]
    return cup_sandbox(replace(cup, entrants=tuple(entries)), trusted=trusted)


def _entry(cup: Cup, change: LateEntrant | NewFiles) -> Entry:
    wire = change.wire if isinstance(change, LateEntrant) else ""
    known = {entry.name: entry for entry in cup.entrants}
    if not change.bot and change.entrant in known:
        return known[change.entrant]
    return Entry(change.entrant, change.bot, wire or None)


def _sentences(cup: Cup, seen: Preview, *, unrevealed: bool) -> list[str]:
    lines = [f"{cup.name}: {translate(seen.description)}."]
    if seen.hides and not unrevealed:
        lines.append(_("Results are hidden, so the effect is not shown here; --unrevealed shows it."))
    else:
        lines += [translate(one) for one in seen.effects]
    lines.append(_("The change and its reason will be public. It stays in the log even if it is revoked."))
    return lines


# --- the list ----------------------------------------------------------------------------------------


def run_list(arguments: argparse.Namespace) -> int:
    """Print the log of changes, and the requests that wait or were refused."""
    cup = read_cup(arguments.file, arguments.store)
    storage = CupPaths.of_cup(cup).storage
    cup, state, public = _state(cup, storage, unrevealed=arguments.unrevealed)
    log = state.log
    asked = requests(storage)
    if arguments.json:
        result = {"changes": [one.as_json() for one in log], "requests": [request_json(one) for one in asked]}
        print(json.dumps(result, ensure_ascii=False, indent=2))
        return 0
    in_force = {one.number for one in effective(log)}
    for entry in log:
        what = translate(discreet_description(cup, state, public, entry.change))
        line = f"{entry.number:>3}  {entry.time}  {what}"
        is_revoked = entry.number not in in_force and not isinstance(entry.change, Revocation)
        print(printable(line), *([_("(revoked)")] if is_revoked else []))
        print("     " + printable(_("{who}: {why}", who=entry.who, why=entry.why)))
    waiting = [one for one in asked if one.state is not RequestState.APPLIED]
    for request in waiting:
        print(_request_line(cup, state, public, request))
    if not log and not waiting:
        print(_("This cup was not changed."))
    return 0


def _state(cup: Cup, storage: CupStorage, *, unrevealed: bool = False) -> tuple[Cup, CupState, Visibility]:
    """Return the cup as it is played, everything that is stored, and what of it is public."""
    if not storage.has_results():
        return cup, CupState(cup.plans, ""), Visibility(())
    with storage.open_results(check=True) as store:
        public = Visibility.of(store, storage, unrevealed=unrevealed)
        played = without_withdrawn(cup, store)
        return played, stored_state(played, store, store.results()), public


def _request_line(cup: Cup, state: CupState, public: Visibility, request: ChangeRequest) -> str:
    what = translate(discreet_description(cup, state, public, request.change))
    if request.refusal is not None and public.hides:
        why = translate(discreet_refusal(request.refusal))
        return printable(_("refused: {change}: {reason}", change=what, reason=why))
    if request.refusal is None:
        return printable(_("waiting: {change} ({who}: {why})", change=what, who=request.who, why=request.why))
    return printable(_("refused: {change}: {reason}", change=what, reason=translate(request.refusal)))


def request_json(request: ChangeRequest) -> dict[str, Any]:
    return {
        "number": request.number,
        "change": change_json(request.change),
        "who": request.who,
        "why": request.why,
        "time": request.time,
        "state": request.state.value,
        "refusal": None if request.refusal is None else translate(request.refusal),
        "entry": request.entry,
    }
