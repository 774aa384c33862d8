"""The JSON API of contests and galleries."""

from __future__ import annotations

from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, HTTPException, Query, Request, Response
from pydantic import Field

from botequim.core.errors import InputError
from botequim.core.messages import msg
from botequim.votes import codes
from botequim.votes.contest import LONGEST_TITLE, MOST_ENTRANTS, Choice, Phase, Spoilt, Voters
from botequim.votes.contests import (
    MOST_CODES,
    DuplicateVote,
    NoCookie,
    NotOpen,
    TooEarly,
    UnknownCode,
)
from botequim.votes.tally import Tally
from botequim.web.api.cups import Number, Slug, bearer, set_language_headers
from botequim.web.api.models import Model, Problem
from botequim.web.deps import find_cup
from botequim.web.live.served import ServedCup
from botequim.web.pages.gallery import exhibits
from botequim.web.pages.organiser import require_organiser
from botequim.web.votes.pages import result_of
from botequim.web.votes.voting import (
    TooOften,
    all_of,
    browser_of,
    cast,
    new_browser,
    remember_browser,
    with_contests,
)

router = APIRouter(prefix="/api/cups/{cup}", tags=["contests"], dependencies=[Depends(set_language_headers)])

Name = Annotated[str, Field(max_length=10_000)]


class ContestOut(Model):
    """A contest, without anything about its votes."""

    number: int = Field(validation_alias="id")
    title: str
    voters: Voters
    choice: Choice
    phase: Phase
    entrants: list[str]


class NewContest(Model):
    """The settings of a new contest. Without entrants it is between all of the cup."""

    title: Annotated[str, Field(max_length=LONGEST_TITLE)]
    voters: Voters = Voters.CODES
    choice: Choice = Choice.SINGLE
    entrants: Annotated[list[Name], Field(max_length=MOST_ENTRANTS)] | None = None


class Turn(Model):
    """The next phase: from preparing to open, from open to closed, never back."""

    phase: Phase


class MoreCodes(Model):
    """The number of codes to make."""

    count: Annotated[int, Field(ge=1, le=MOST_CODES)]


class Codes(Model):
    """One-time codes, as they are printed."""

    codes: list[str]


class Vote(Model):
    """The choices, best first; one for a single choice. `code` is for contests with codes."""

    choices: Annotated[list[Name], Field(max_length=MOST_ENTRANTS)]
    code: Annotated[str, Field(max_length=100)] = ""


class VoteReceipt(Model):
    """The vote was counted."""

    accepted: bool = True


class StandingOut(Model):
    """A row of the result. Equal places are shared. For a ranked choice the votes are those in the last round
    in which the entrant took part."""

    place: int
    entrant: str
    votes: int


class RoundOut(Model):
    """One count of all ballots of a ranked choice."""

    votes: dict[str, int]
    silent: int
    """Ballots that rank none of the remaining entrants."""
    asked: list[dict[str, int]]
    """The votes among the entrants tied for the fewest, one for each tie-break."""
    leaving: list[str]


class ResultOut(Model):
    """The result of a count, with its reasons."""

    ballots: int
    codes: int
    """The number of codes that were made."""
    winners: list[str]
    """Several if they are tied; none without a vote."""
    standings: list[StandingOut]
    rounds: list[RoundOut]

    @classmethod
    def of(cls, tally: Tally, given_out: int) -> ResultOut:
        return cls(
            ballots=tally.ballots,
            codes=given_out,
            winners=list(tally.winners),
            standings=[StandingOut.model_validate(row) for row in tally.standings],
            rounds=[RoundOut.model_validate(one) for one in tally.rounds],
        )


class TurnoutOut(Model):
    """How many voted, for the organiser."""

    codes: int
    used: int
    ballots: int


class ExhibitOut(Model):
    """The art and the remarks of an entrant in public games."""

    entrant: str
    authors: list[str]
    says: list[str]
    art: str | None
    """The address of its GIF."""
    still: str | None
    """The address of the same art without motion."""


def _answers(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the descriptions of error statuses."""
    return {
        status: {"model": Problem, "description": MEANINGS[status]}
        for status in (404, 422, 429, 503, *statuses)
    }


MEANINGS: Final = {
    401: "only the organiser may do that",
    403: "this is not the organiser's token",
    404: "there is no such cup, contest or code",
    409: "not at this time, or not again",
    422: "this makes no sense",
    429: "too often; `Retry-After` says when again",
    503: "not just now; `Retry-After` says when again",
}
ORGANISER: Final = _answers(401, 403, 409, 422, 429)


# --- for everybody -----------------------------------------------------------------------------------


@router.get("/gallery", responses=_answers(503))
async def gallery(request: Request, cup: Slug) -> list[ExhibitOut]:
    """List what the entrants drew and said in public games."""
    served_cup = find_cup(request, cup)
    result = []
    for one in await exhibits(request, served_cup):
        at = f"{served_cup.public.address}/gallery/{one.number}"
        result.append(
            ExhibitOut(
                entrant=one.name,
                authors=list(one.authors),
                says=list(one.sayings),
                art=f"{at}/art.gif?v={one.art}" if one.art else None,
                still=f"{at}/still.gif?v={one.art}" if one.art else None,
            )
        )
    return result


@router.get("/contests", responses=_answers())
async def contests(request: Request, cup: Slug) -> list[ContestOut]:
    """List all contests of a cup."""
    return [ContestOut.model_validate(one) for one in await all_of(find_cup(request, cup))]


@router.get("/contests/{number}", responses=_answers())
async def contest(request: Request, response: Response, cup: Slug, number: Number) -> ContestOut:
    """Return one contest. The answer sets the cookie `voter`, which is needed for open votes."""
    one = await with_contests(find_cup(request, cup), lambda contests: contests.get(number))
    remember_browser(request, response, browser_of(request) or new_browser())
    return ContestOut.model_validate(one)


@router.post("/contests/{number}/votes", status_code=201, responses=_answers(409, 422, 429))
async def vote(request: Request, cup: Slug, number: Number, body: Vote) -> VoteReceipt:
    """Vote. A refused vote changes nothing and uses up no code."""
    try:
        await cast(request, find_cup(request, cup), number, body.choices, body.code)
    except InputError as error:
        raise _problem(error) from error
    return VoteReceipt()


@router.get("/contests/{number}/result", responses=_answers(409))
async def result(request: Request, cup: Slug, number: Number) -> ResultOut:
    """Return the result of a closed contest."""
    try:
        one = await result_of(request, find_cup(request, cup), number)
        return ResultOut.of(one.tally, one.turnout.codes)
    except InputError as error:
        raise _problem(error) from error


def _problem(error: InputError) -> HTTPException:
    if isinstance(error, TooOften):
        return HTTPException(429, error.message, {"Retry-After": str(error.seconds)})
    statuses = {UnknownCode: 404, DuplicateVote: 409, NotOpen: 409, TooEarly: 409, NoCookie: 422, Spoilt: 422}
    return HTTPException(statuses.get(type(error), 409), error.message)


# --- for the organiser -------------------------------------------------------------------------------


async def _organiser_cup(request: Request, cup: Slug) -> ServedCup:
    served_cup = find_cup(request, cup)
    await require_organiser(request, served_cup)
    return served_cup


@router.post("/contests", status_code=201, dependencies=[Depends(bearer)], responses=ORGANISER)
async def make(request: Request, cup: Slug, body: NewContest) -> ContestOut:
    """Prepare a contest. For the organiser."""
    served_cup = await _organiser_cup(request, cup)
    entrants = [entry.name for entry in served_cup.cup.entrants if not entry.null]
    names = body.entrants if body.entrants is not None else entrants
    if strangers := [name for name in names if name not in entrants]:
        raise HTTPException(422, msg("not an entrant of this cup: {name}", name=strangers[0][:100]))
    try:
        contest = await with_contests(
            served_cup,
            lambda contests: contests.add(body.title, body.voters, body.choice, names),
            make=True,
        )
    except InputError as error:
        raise HTTPException(422, error.message) from error
    return ContestOut.model_validate(contest)


@router.put("/contests/{number}/phase", dependencies=[Depends(bearer)], responses=ORGANISER)
async def turn(request: Request, cup: Slug, number: Number, body: Turn) -> ContestOut:
    """Open or close a contest. For the organiser."""
    served_cup = await _organiser_cup(request, cup)
    try:
        contest = await with_contests(served_cup, lambda contests: contests.set_phase(number, body.phase))
        return ContestOut.model_validate(contest)
    except InputError as error:
        raise _problem(error) from error


@router.post("/contests/{number}/codes", status_code=201, dependencies=[Depends(bearer)], responses=ORGANISER)
async def add_codes(request: Request, cup: Slug, number: Number, body: MoreCodes) -> Codes:
    """Make more codes. For the organiser."""
    served_cup = await _organiser_cup(request, cup)
    try:
        new_codes = await with_contests(served_cup, lambda contests: contests.add_codes(number, body.count))
    except InputError as error:
        raise _problem(error) from error
    return Codes(codes=[codes.format_code(code) for code in new_codes])


@router.get("/contests/{number}/codes", dependencies=[Depends(bearer)], responses=ORGANISER)
async def unused_codes(request: Request, cup: Slug, number: Number) -> Codes:
    """List the codes that nobody has voted with yet. For the organiser."""
    served_cup = await _organiser_cup(request, cup)
    unused = await with_contests(served_cup, lambda contests: contests.codes(number, unused=True))
    return Codes(codes=[codes.format_code(code) for code in unused])


@router.get("/contests/{number}/turnout", dependencies=[Depends(bearer)], responses=ORGANISER)
async def turnout(request: Request, cup: Slug, number: Number) -> TurnoutOut:
    """Return how many voted, but not what. For the organiser."""
    served_cup = await _organiser_cup(request, cup)
    votes = await with_contests(served_cup, lambda contests: contests.turnout(number))
    return TurnoutOut.model_validate(votes)


@router.delete("/contests/{number}", status_code=204, dependencies=[Depends(bearer)], responses=ORGANISER)
async def delete(
    request: Request, cup: Slug, number: Number, title: Annotated[str, Query(max_length=LONGEST_TITLE)]
) -> None:
    """Delete a contest with its codes and ballots. Its title confirms the request. For the organiser."""
    served_cup = await _organiser_cup(request, cup)
    try:
        await with_contests(served_cup, lambda contests: contests.delete(number, title))
    except InputError as error:
        raise _problem(error) from error
