"""A contest: its title, who may vote, and which ballots are valid."""

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
"""Entrants, the best first; one entrant for a single choice."""


class Voters(StrEnum):
    """Who may vote."""

    CODES = "codes"
    """People with a code; each code counts once."""
    OPEN = "open"
    """Everybody, once per browser. This is only for fun, because one person may use several browsers."""


class Choice(StrEnum):
    """What a ballot contains."""

    SINGLE = "single"
    """One entrant."""
    RANKED = "ranked"
    """One or more, in order."""


class Phase(StrEnum):
    """The phase of a contest. It never goes back to an earlier one, so nobody can vote after seeing a
    result."""

    PREPARING = "preparing"
    OPEN = "open"
    CLOSED = "closed"


class Spoilt(InputError):
    """A ballot that cannot be counted. The voter may cast another one."""


@dataclass(frozen=True, slots=True)
class Contest:
    """A vote of the public on some entrants of a cup."""

    id: int
    """From 1; the id of a deleted contest is not used again."""
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
            raise InputError(msg("an entrant appears twice in the contest"))
        if not 2 <= len(self.entrants) <= MOST_ENTRANTS:
            raise InputError(
                msg(
                    "a contest needs 2 to {most} entrants, not {count}",
                    most=MOST_ENTRANTS,
                    count=len(self.entrants),
                )
            )

    def ballot(self, choices: Sequence[str]) -> Ballot:
        """Return the ballot, or raise Spoilt."""
        if not choices:
            raise Spoilt(msg("no entrant was chosen"))
        if any(name not in self.entrants for name in choices):
            raise Spoilt(msg("an entrant was chosen that is not in this contest"))
        if len(set(choices)) != len(choices):
            raise Spoilt(msg("an entrant was chosen twice"))
        if self.choice is Choice.SINGLE and len(choices) > 1:
            raise Spoilt(msg("several entrants were chosen; choose one"))
        return tuple(choices)
