"""The organiser's page for changes of a cup that has begun.

A form leads to a page that says what the change will do; only the button there asks for the change. If
nobody plays the cup, it is applied at once. A change that brings a bot waits until `botequim cup run` or
`botequim cup change` prepares the bot in its sandbox, because a server has none.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Final

from fastapi import APIRouter, Form, Request
from pydantic import BaseModel, Field
from starlette.responses import RedirectResponse, Response

from botequim.core.errors import InputError
from botequim.core.messages import Message, msg
from botequim.cup.change_preview import Preview, preview
from botequim.cup.change_requests import (
    ChangeRequest,
    apply_requests,
    needs_bot,
    request_change,
    requests,
)
from botequim.cup.changes import (
    LONGEST_TEXT,
    Change,
    Departure,
    Disqualification,
    LateEntrant,
    NewFiles,
    Replay,
    Revocation,
)
from botequim.cup.explanations import ExplainedChange, description_in_state, explained_log
from botequim.cup.rounds import stored_state
from botequim.cup.withdrawals import without_withdrawn
from botequim.i18n import _, translate
from botequim.storage.protocol import CupStore
from botequim.storage.visibility import Visibility
from botequim.web.deps import find_cup
from botequim.web.live.served import ServedCup
from botequim.web.pages.organiser import for_organisers, require_organiser
from botequim.web.templating import page

router = APIRouter(prefix="/cups/{cup}/organiser/changes", include_in_schema=False)

MOST_SERIES: Final = 500
"""The most series that are suggested."""
BOT_WAITS: Final = msg("it waits until `botequim cup run` or `botequim cup change` prepares the bot")

Word = Annotated[str, Field(max_length=300)]


class ChangeForm(BaseModel):
    """What a browser sends for any kind of change."""

    kind: Word = ""
    entrant: Word = ""
    bot: Word = ""
    wire: Word = ""
    annulled: bool = False
    stage: Word = ""
    series: Word = ""
    entry: Annotated[int, Field(ge=0, le=10**6)] = 0
    who: Word = ""
    why: Annotated[str, Field(max_length=LONGEST_TEXT)] = ""

    def change(self) -> Change:
        """Return the change, or raise InputError if something is missing."""
        name = self.entrant.strip()
        match self.kind:
            case LateEntrant.kind if name and self.bot.strip():
                return LateEntrant(name, self.bot.strip(), self.wire.strip())
            case Disqualification.kind if name:
                return Disqualification(name, self.annulled)
            case Departure.kind if name:
                return Departure(name, self.annulled)
            case NewFiles.kind if name and self.stage:
                return NewFiles(name, self.stage, self.bot.strip())
            case Replay.kind if self.stage and self.series.strip():
                return Replay(self.stage, self.series.strip())
            case Revocation.kind if self.entry:
                return Revocation(self.entry)
        raise InputError(msg("something is missing: fill in the whole form"))

    def hidden_fields(self, change: Change) -> dict[str, object]:
        """Return the form as hidden fields; a series is named by its key."""
        series = change.key if isinstance(change, Replay) else self.series
        values: dict[str, object] = {
            "kind": self.kind,
            "entrant": self.entrant,
            "bot": self.bot,
            "wire": self.wire,
            "stage": self.stage,
            "series": series,
            "entry": self.entry or "",
            "who": self.who,
            "why": self.why,
            "annulled": "true" if self.annulled else "",
        }
        return {name: value for name, value in values.items() if value}


Sent = Annotated[ChangeForm, Form()]


@dataclass(frozen=True, slots=True)
class Desk:
    """What the organiser sees of the changes of a cup."""

    log: tuple[ExplainedChange, ...] = ()
    asked: tuple[tuple[ChangeRequest, Message], ...] = ()
    """The requests with their descriptions, the newest first."""
    has_begun: bool = False
    entrants: tuple[str, ...] = ()
    stages: tuple[str, ...] = ()
    series: tuple[str, ...] = ()
    """The keys of public series, to choose from."""


async def read_desk(served_cup: ServedCup) -> Desk:
    """Return the log and the requests of a cup, and what can be chosen in its forms."""
    if not await served_cup.has_results():
        return Desk()
    asked = await asyncio.to_thread(requests, served_cup.storage)

    def read(store: CupStore) -> Desk:
        everything = Visibility.of(store, served_cup.storage, unrevealed=True)
        cup = without_withdrawn(served_cup.original, store)
        state = stored_state(cup, store, everything.results())
        public = Visibility(everything.played, served_cup.storage.shown_games()).public
        keys = [translate(cup.series_text(one.stage, one.key)) for one in reversed(public)]
        return Desk(
            explained_log(cup, state),
            tuple((one, description_in_state(cup, state, one.change)) for one in reversed(asked)),
            bool(everything.played),
            tuple(entry.name for entry in cup.entrants if not entry.null),
            tuple(plan.name for plan in cup.plans if not plan.beside),
            tuple(dict.fromkeys(keys))[:MOST_SERIES],
        )

    return await served_cup.read_results(read)


@router.get("")
@for_organisers
async def changes_desk(request: Request, cup: str) -> Response:
    return await _desk_page(request, find_cup(request, cup))


async def _desk_page(
    request: Request, served_cup: ServedCup, said: Message | None = None, status: int = 200
) -> Response:
    desk = await read_desk(served_cup)
    answer = page(
        request,
        "changes_desk.html",
        status,
        public=served_cup.public,
        desk=desk,
        said=said,
        longest=LONGEST_TEXT,
        bot_waits=BOT_WAITS,
        needs_bot=needs_bot,
    )
    answer.headers["Cache-Control"] = "no-store"
    return answer


@router.post("/preview")
async def preview_form(request: Request, cup: str, sent: Sent) -> Response:
    """Say what a change will do, and ask."""
    served_cup = find_cup(request, cup)
    await require_organiser(request, served_cup)
    try:
        seen = await preview_change(served_cup, sent.change())
    except InputError as error:
        return await _desk_page(request, served_cup, error.message, 422)
    address = f"{served_cup.public.address}/organiser/changes"
    answer = page(
        request,
        "confirm.html",
        public=served_cup.public,
        sentences=partial(_sentences, seen, sent.why),
        folded=seen.effects if seen.hides else (),
        button=msg("change the cup"),
        action=address,
        fields=sent.hidden_fields(seen.change),
        back=address,
    )
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _sentences(seen: Preview, why: str) -> list[str]:
    lines = [f"{translate(seen.description)}."]
    lines += [translate(one) for one in (() if seen.hides else seen.effects)]
    if needs_bot(seen.change):
        lines.append(_("It waits until `botequim cup run` or `botequim cup change` prepares the bot."))
    lines.append(_("Reason: {why}", why=why.strip()))
    lines.append(_("The change and its reason will be public. It stays in the log even if it is revoked."))
    return lines


@router.post("")
async def change_form(request: Request, cup: str, sent: Sent) -> Response:
    """Ask for a change."""
    served_cup = find_cup(request, cup)
    await require_organiser(request, served_cup)
    try:
        who = sent.who.strip() or _("organiser's page")
        await ask_for_change(served_cup, sent.change(), who=who, why=sent.why)
    except InputError as error:
        return await _desk_page(request, served_cup, error.message, 409)
    return RedirectResponse(f"{served_cup.public.address}/organiser/changes", 303)


# --- for the pages and the API ------------------------------------------------------------------------


async def preview_change(served_cup: ServedCup, change: Change) -> Preview:
    """Return what a change would do. Raise InputError if it is not possible now."""
    if not await served_cup.has_results():
        raise InputError(msg("this cup has not begun: change its file instead"))
    seen = await asyncio.to_thread(preview, served_cup.original, served_cup.storage, change)
    if seen.problem is not None:
        raise InputError(seen.problem)
    return seen


async def ask_for_change(served_cup: ServedCup, change: Change, *, who: str, why: str) -> ChangeRequest:
    """Store a request, apply it if nobody plays the cup and it brings no bot, and return it.

    Raise InputError if the change is not possible now.
    """
    seen = await preview_change(served_cup, change)

    def ask() -> ChangeRequest:
        storage = served_cup.storage
        number = request_change(storage, seen.change, who=who, why=why)
        if not needs_bot(seen.change):
            apply_requests(served_cup.original, storage, None, isolated=False)
        return next(one for one in requests(storage) if one.number == number)

    return await asyncio.to_thread(ask)
