"""A contest: what is asked, who may answer, and what an answer must be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from botequim.core.errors import InputError
from botequim.core.messages import msg

LONGEST_TITLE: Final = 100
MOST_ENTRANTS: Final = 200

Ballot: TypeAlias = tuple[str, ...]
"""Entrants, the best first; of a single choice one."""


class Voters(StrEnum):
    """Who may vote."""

    CODES = "codes"
    """Whoever has a code, once with each."""
    OPEN = "open"
    """Everybody, once with each browser: for fun, since nobody knows how many browsers somebody has."""


class Choice(StrEnum):
    """What a ballot is."""

    SINGLE = "single"
    """One entrant."""
    RANKED = "ranked"
    """One or more, in order."""


class Phase(StrEnum):
    """A contest goes from one to the next and never back: nobody votes who may have seen a count."""

    PREPARING = "preparing"
    OPEN = "open"
    CLOSED = "closed"


class Spoilt(InputError):
    """A ballot that cannot be counted. It uses up nothing: whoever cast it may cast another."""


@dataclass(frozen=True, slots=True)
class Contest:
    """One question to the public about some entrants of a cup."""

    id: int
    """From 1, in the cup; that of one that was deleted is not given again."""
    title: str
    voters: Voters
    choice: Choice
    entrants: tuple[str, ...]
    phase: Phase = Phase.PREPARING

    def __post_init__(self) -> None:
        if not self.title.strip():
            raise InputError(msg("a contest needs a title"))
        if len(self.title) > LONGEST_TITLE:
            raise InputError(
                msg(
                    "the title has {count} characters; at most {most}",
                    count=len(self.title),
                    most=LONGEST_TITLE,
                )
            )
        if not self.title.isprintable():
            raise InputError(msg("the title has a character that cannot be printed"))
        if len(set(self.entrants)) != len(self.entrants):
            raise InputError(msg("an entrant stands twice in the contest"))
        if not 2 <= len(self.entrants) <= MOST_ENTRANTS:
            raise InputError(
                msg(
                    "a contest is between 2 to {most} entrants; here are {count}",
                    most=MOST_ENTRANTS,
                    count=len(self.entrants),
                )
            )

    def ballot(self, chosen: Sequence[str]) -> Ballot:
        """What was chosen, if it can be counted."""
        if not chosen:
            raise Spoilt(msg("nothing was chosen"))
        if any(name not in self.entrants for name in chosen):
            raise Spoilt(msg("somebody was chosen who is not in this contest"))
        if len(set(chosen)) != len(chosen):
            raise Spoilt(msg("somebody was chosen twice"))
        if self.choice is Choice.SINGLE and len(chosen) > 1:
            raise Spoilt(msg("several were chosen; choose one"))
        return tuple(chosen)
