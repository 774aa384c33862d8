"""The JSON API of changes since a cup began: the public ones, and the organiser's requests."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, HTTPException, Request
from pydantic import Field

from botequim.core.errors import InputError
from botequim.core.messages import Message
from botequim.cup.change_requests import LONGEST_NAME, ChangeRequest, RequestState, requests
from botequim.cup.changes import LONGEST_TEXT, Change, change_json, read_change
from botequim.cup.explanations import ExplainedChange
from botequim.web.api.cups import Slug, bearer, set_language_headers
from botequim.web.api.models import Model, Problem, sentence
from botequim.web.deps import find_cup
from botequim.web.live.served import ServedCup
from botequim.web.pages.changes import ask_for_change, preview_change
from botequim.web.pages.organiser import require_organiser

router = APIRouter(prefix="/api/cups/{cup}", tags=["changes"], dependencies=[Depends(set_language_headers)])

ERRORS: dict[int | str, dict[str, Any]] = {
    404: {"model": Problem, "description": "not found, or not public"},
    422: {"model": Problem, "description": "invalid request"},
    429: {"model": Problem, "description": "too many requests; `Retry-After` says when to retry"},
    503: {"model": Problem, "description": "unavailable now; `Retry-After` says when to retry"},
}
ORGANISER: dict[int | str, dict[str, Any]] = {
    **ERRORS,
    401: {"model": Problem, "description": "no token was given"},
    403: {"model": Problem, "description": "this is not the organiser's token"},
    409: {"model": Problem, "description": "the change is not possible now"},
}
Word = Annotated[str, Field(max_length=300)]


class ChangeValue(Model):
    """A change. Which fields it has depends on its kind."""

    kind: Literal["late_entrant", "disqualification", "withdrawal", "new_files", "replay", "revocation"]
    entrant: Word | None = Field(None, description="of all kinds but `replay` and `revocation`")
    bot: Word | None = Field(None, description="of `late_entrant` and `new_files`, as in the cup file")
    wire: Word | None = Field(None, description="of `late_entrant`")
    annulled: bool | None = Field(None, description="of `disqualification` and `withdrawal`")
    stage: Word | None = Field(None, description="of `new_files` and `replay`")
    key: Word | None = Field(None, description="of `replay`: the key, the names or the number of a series")
    entry: int | None = Field(None, description="of `revocation`: the number of the earlier change")

    @classmethod
    def of(cls, change: Change) -> ChangeValue:
        return cls(**change_json(change))

    def value(self) -> Change:
        """Return the change, or raise InputError if its fields do not fit its kind."""
        return read_change(self.model_dump(exclude_none=True))


class ChangeOut(Model):
    """A public change since the cup began."""

    number: int
    time: str = Field(description="when it was applied, in UTC: `2026-11-18T16:20:00Z`")
    who: str
    why: str
    after: dict[str, int] = Field(description="by stage: how many series were stored when it was applied")
    change: ChangeValue
    description: str
    effects: list[str]
    revoked_by: int | None = Field(description="the number of the change that revokes it")
    digest: str = Field(description="the SHA-256 of the digest before it and of everything in the entry")

    @classmethod
    def of(cls, one: ExplainedChange) -> ChangeOut:
        entry = one.entry
        return cls(
            number=entry.number,
            time=entry.time,
            who=entry.who,
            why=entry.why,
            after=dict(entry.after),
            change=ChangeValue.of(entry.change),
            description=_sentence(one.description),
            effects=[_sentence(message) for message in one.effects],
            revoked_by=one.revoked_by,
            digest=entry.digest,
        )


class NewRequest(Model):
    """A change that the organiser wants, with the reason. Both are published."""

    change: ChangeValue
    why: Annotated[str, Field(max_length=LONGEST_TEXT)]
    who: Annotated[str, Field(max_length=LONGEST_NAME)] = "API"


class PreviewOut(Model):
    """What a change would do now. For the organiser: the effects may tell of hidden results."""

    description: str
    effects: list[str]


class RequestOut(Model):
    """A request of an organiser, and what has become of it."""

    number: int
    change: ChangeValue
    who: str
    why: str
    time: str
    state: RequestState
    refusal: str | None
    entry: int | None = Field(description="the number of the change, if it was applied")

    @classmethod
    def of(cls, one: ChangeRequest) -> RequestOut:
        return cls(
            number=one.number,
            change=ChangeValue.of(one.change),
            who=one.who,
            why=one.why,
            time=one.time,
            state=one.state,
            refusal=sentence(one.refusal),
            entry=one.entry,
        )


def _sentence(message: Message) -> str:
    return sentence(message) or ""


@router.get("/changes", responses=ERRORS)
async def changes(request: Request, cup: Slug) -> list[ChangeOut]:
    """List the public changes since the cup began, in their order."""
    return [ChangeOut.of(one) for one in find_cup(request, cup).public.changes]


async def _organiser_cup(request: Request, cup: str) -> ServedCup:
    served_cup = find_cup(request, cup)
    await require_organiser(request, served_cup)
    return served_cup


@router.get("/requests", dependencies=[Depends(bearer)], responses=ORGANISER)
async def request_list(request: Request, cup: Slug) -> list[RequestOut]:
    """List the requests for changes, and what has become of them. For the organiser."""
    served_cup = await _organiser_cup(request, cup)
    return [RequestOut.of(one) for one in await asyncio.to_thread(requests, served_cup.storage)]


@router.post("/requests/preview", dependencies=[Depends(bearer)], responses=ORGANISER)
async def preview(request: Request, cup: Slug, body: ChangeValue) -> PreviewOut:
    """Say what a change would do now. Nothing changes. For the organiser."""
    served_cup = await _organiser_cup(request, cup)
    try:
        seen = await preview_change(served_cup, body.value())
    except InputError as error:
        raise HTTPException(409, error.message) from error
    return PreviewOut(
        description=_sentence(seen.description), effects=[_sentence(message) for message in seen.effects]
    )


@router.post("/requests", status_code=201, dependencies=[Depends(bearer)], responses=ORGANISER)
async def ask(request: Request, cup: Slug, body: NewRequest) -> RequestOut:
    """Ask for a change. It is applied at once, or between two series if the cup is being played. A change
    that brings a bot waits until the bot is prepared. For the organiser."""
    served_cup = await _organiser_cup(request, cup)
    try:
        return RequestOut.of(
            await ask_for_change(served_cup, body.change.value(), who=body.who, why=body.why)
        )
    except InputError as error:
        raise HTTPException(409, error.message) from error
