"""Requests of organisers to change a cup that has begun, and how they are applied.

An organiser, or several, may ask for a change at any time, also while the cup is being played. The request
is stored beside what is public. Only the coordinator writes the log: it looks for requests between two
series, and applies or refuses each. If nobody plays the cup, `apply_requests` does the same at once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final

from botequim.core.errors import InputError
from botequim.core.messages import Message, msg
from botequim.core.process import Sandbox
from botequim.cup.changes import (
    LONGEST_TEXT,
    Change,
    change_json,
    read_change,
)
from botequim.cup.config import Cup, Entry
from botequim.records.record import message_from
from botequim.storage.protocol import CupStorage
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
    who, why = who.strip(), why.strip()
    if not why or len(why) > LONGEST_TEXT:
        raise InputError(
            msg(
                "give a reason of at most {most} characters: it is published with the change",
                most=LONGEST_TEXT,
            )
        )
    if not who or len(who) > LONGEST_NAME:
        raise InputError(msg("say who wants the change, in at most {most} characters", most=LONGEST_NAME))
    content = {"change": change_json(change), "who": who, "why": why, "time": _now()}
    with storage.open_requests() as opened:
        return opened.add_request(json.dumps(content), RequestState.WAITING)


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


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def apply_requests(
    cup: Cup,
    storage: CupStorage,
    sandbox: Sandbox,
    *,
    isolated: bool,
    on_work: Callable[[Entry], None] = lambda entry: None,
    tell: Callable[[Message], None] = lambda said: None,
) -> bool:
    """Apply or refuse every request that waits, and return True.

    Return False if another program plays the cup: it will do that between two series.
    """
    raise NotImplementedError
