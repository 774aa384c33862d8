"""Requests of organisers to change a cup that has begun, and how they are applied.

An organiser, or several, may ask for a change at any time, also while the cup is being played. The request
is stored beside what is public. Only the coordinator writes the log: it looks for requests between two
series, and applies or refuses each. If nobody plays the cup, `apply_requests` does the same at once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final, TypeAlias

from botequim.bots.entrant import Entrant
from botequim.bots.resolve import needs_isolation
from botequim.core import clock
from botequim.core.errors import InputError
from botequim.core.messages import Message, msg
from botequim.core.process import Sandbox
from botequim.core.sanitize import printable
from botequim.cup.change_rules import new_entry, problem, with_entry
from botequim.cup.changes import (
    LONGEST_TEXT,
    Change,
    ChangeEntry,
    LateEntrant,
    NewFiles,
    append_entry,
    change_json,
    entries,
    log_start,
    read_change,
)
from botequim.cup.config import Cup, Entry
from botequim.cup.paths import pin_files
from botequim.cup.rounds import stored_rounds
from botequim.cup.stage_changes import pin_name
from botequim.cup.stages import CupState, commitment
from botequim.cup.withdrawals import as_seen_from, require_unchanged, with_late_entrants, without_withdrawn
from botequim.records.record import message_from, message_json
from botequim.storage.errors import CoordinatorRunning, StoreUnusable
from botequim.storage.protocol import CupStorage, CupStore
from botequim.storage.values import StoredRequest

LONGEST_NAME: Final = 200


class RequestState(StrEnum):
    """What has become of a request."""

    WAITING = "waiting"
    APPLIED = "applied"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class ChangeRequest:
    """A change that an organiser asked for."""

    number: int
    change: Change
    who: str
    why: str
    time: str
    """When it was asked for: `2026-11-18T16:20:00Z`."""
    state: RequestState = RequestState.WAITING
    refusal: Message | None = None
    entry: int | None = None
    """The number of its entry in the log, if it was applied."""


def request_change(storage: CupStorage, change: Change, *, who: str, why: str) -> int:
    """Store a request, and return its number. Raise InputError if it does not say who wants it and why."""
    who, why = public_texts(who, why)
    content = {"change": change_json(change), "who": who, "why": why, "time": _now()}
    with storage.open_requests() as opened:
        return opened.add_request(json.dumps(content), RequestState.WAITING)


def public_texts(who: str, why: str) -> tuple[str, str]:
    """Return who wants a change and why, as they are published. Raise InputError if one is missing or too
    long."""
    who, why = (printable(" ".join(text.split())) for text in (who, why))
    if not why or len(why) > LONGEST_TEXT:
        raise InputError(
            msg(
                "give a reason of at most {most} characters: it is published with the change",
                most=LONGEST_TEXT,
            )
        )
    if not who or len(who) > LONGEST_NAME:
        raise InputError(msg("say who wants the change, in at most {most} characters", most=LONGEST_NAME))
    return who, why


def requests(storage: CupStorage) -> list[ChangeRequest]:
    """Return all requests, in the order in which they came. Only organisers may see them."""
    return [_request(one) for one in storage.requests()]


def _request(stored: StoredRequest) -> ChangeRequest:
    content = json.loads(stored.content)
    answer: Mapping[str, Any] = json.loads(stored.answer or "{}")
    return ChangeRequest(
        stored.number,
        read_change(content["change"]),
        content["who"],
        content["why"],
        content["time"],
        RequestState(stored.state),
        message_from(answer["refusal"]) if "refusal" in answer else None,
        answer.get("entry"),
    )


def apply_requests(
    cup: Cup,
    storage: CupStorage,
    sandbox: Sandbox | None,
    *,
    isolated: bool,
    trusted: bool = False,
    on_work: Callable[[Entry], None] = lambda entry: None,
    tell: Callable[[Message], None] = lambda said: None,
) -> bool:
    """Apply or refuse every request that waits, and return True. `cup` is as its file has it.

    A bot that is not isolated is refused, unless the organiser says that it is `trusted`, or trusts others of
    the cup. Without a sandbox, requests that bring a bot go on waiting. Return False if another program plays
    the cup: it will do that between two series.
    """
    if not storage.has_results():
        raise InputError(msg("the cup has not begun, so its cup file may be changed instead"))
    try:
        store = storage.open_results(write=True, check=True)
    except CoordinatorRunning:
        return False
    with store:
        require_unchanged(cup, store)
        played = without_withdrawn(cup, store)
        results = store.results()
        seed = store.fact("seed") or ""
        state = CupState(played.plans, seed, results, log=entries(store)).with_rounds(stored_rounds(store))

        def prepare(entry: Entry, pin: str) -> Entrant:
            assert sandbox is not None, "requests that bring a bot wait"
            return pin_files(
                cup, entry, store, sandbox, isolated=isolated, on_work=on_work, tell=tell, pin=pin
            )

        is_allowed = isolated or trusted
        apply_waiting(
            played, state, store, storage, prepare, isolated=is_allowed, with_bots=sandbox is not None
        )
    return True


def needs_bot(change: Change) -> bool:
    """Return whether a bot must be prepared before the change is applied."""
    return isinstance(change, LateEntrant | NewFiles)


def with_bots_to_come(cup: Cup, storage: CupStorage) -> Cup:
    """Return the cup with all bots that organisers asked for, to choose a sandbox that can isolate them."""
    changes = [request.change for request in requests(storage)]
    entries = [
        Entry(change.entrant, change.bot, getattr(change, "wire", "") or None)
        for change in changes
        if isinstance(change, LateEntrant | NewFiles) and change.bot
    ]
    return replace(cup, entrants=(*cup.entrants, *entries)) if entries else cup


def _require_sandbox(cup: Cup, entry: Entry, *, isolated: bool) -> None:
    """Raise InputError if a bot must be isolated, but this program began without a sandbox because nobody
    needed one."""
    trusts = any(needs_isolation(cup.bot_reference(one), cup.game) for one in cup.entrants)
    if not isolated and not trusts and needs_isolation(cup.bot_reference(entry), cup.game):
        raise InputError(
            msg(
                "the cup is being played without isolation, because all its entrants were built-in players; "
                'stop it, and ask again for "{name}"',
                name=entry.name,
            )
        )


Prepare: TypeAlias = Callable[[Entry, str], Entrant]
"""Copies and builds the files of an entrant, and stores them under a name, or under its own if that is ""."""


def apply_waiting(
    cup: Cup,
    state: CupState,
    store: CupStore,
    storage: CupStorage,
    prepare: Prepare,
    *,
    isolated: bool,
    playing: Collection[str] = (),
    with_bots: bool = True,
    on_entry: Callable[[ChangeEntry], None] = lambda entry: None,
    on_refusal: Callable[[Change, Message], None] = lambda change, why: None,
) -> None:
    """Apply or refuse every request that waits. Only the coordinator may do that.

    `cup` is as it is played, `state` has all results and the whole log, `isolated` says whether bots run in a
    sandbox, and `playing` are the stages of which series are in progress. `on_entry` is called with each new
    entry as soon as it is stored, and `on_refusal` with each change that is refused, and why. Unless
    `with_bots`, requests that bring a bot go on waiting.
    """

    def prepare_entry(entry: Entry, pin: str) -> Entrant:
        _require_sandbox(cup, entry, isolated=isolated)
        return prepare(entry, pin)

    found = requests(storage)
    answered = {request.entry for request in found}
    for request in found:
        if request.state is not RequestState.WAITING or (needs_bot(request.change) and not with_bots):
            continue
        unanswered = [entry for entry in state.log if entry.number not in answered]
        try:
            entry = _find_entry(unanswered, request) or _apply(
                cup, state, store, request, prepare_entry, playing
            )
        except StoreUnusable:
            raise
        except InputError as error:
            why = as_seen_from(cup, error.message)
            content: dict[str, Any] = {"refusal": message_json(why)}
            _answer(storage, request, RequestState.REFUSED, content)
            on_refusal(request.change, why)
            continue
        answered.add(entry.number)
        if entry not in state.log:
            on_entry(entry)
            state = with_entry(state, entry)
            cup = with_late_entrants(cup, state.log)
        _answer(storage, request, RequestState.APPLIED, {"entry": entry.number})


def _find_entry(log: Sequence[ChangeEntry], request: ChangeRequest) -> ChangeEntry | None:
    """Return the entry of a request that was applied, if the program was stopped before it answered."""
    for entry in log:
        wanted = (request.time, request.who, request.why, request.change)
        if (entry.time, entry.who, entry.why, entry.change) == wanted:
            return entry
    return None


def _apply(
    cup: Cup,
    state: CupState,
    store: CupStore,
    request: ChangeRequest,
    prepare: Prepare,
    playing: Collection[str],
) -> ChangeEntry:
    """Write the entry of a request into the log. Raise InputError if the change is not possible."""
    change = request.change
    refusal = problem(cup, state, change, playing=playing)
    if refusal is not None:
        raise InputError(refusal)
    number = len(state.log) + 1
    pin = {}
    if isinstance(change, LateEntrant):
        pin = _pin(prepare(Entry(change.entrant, change.bot, change.wire or None), ""))
    elif isinstance(change, NewFiles):
        entry = cup.entry(change.entrant)
        pin = _pin(prepare(replace(entry, bot=change.bot or entry.bot), pin_name(entry.name, number)))
    before = state.log[-1].digest if state.log else log_start(cup.digest(), commitment(state.seed))
    made = new_entry(state, change, time=request.time, who=request.who, why=request.why, pin=pin)
    append_entry(store, state.log, made := made.with_digest(before))
    return made


def _pin(entrant: Entrant) -> dict[str, str]:
    return {"wire": entrant.wire_name or "", "files": entrant.digest or ""}


def _answer(
    storage: CupStorage, request: ChangeRequest, state: RequestState, content: Mapping[str, Any]
) -> None:
    with storage.open_requests() as opened:
        opened.answer_request(request.number, state, json.dumps(content))


def _now() -> str:
    return datetime.fromtimestamp(clock.date(clock.now()), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
