"""Finds the games that a player lost, the worst first.

The worst are those with the most faults of the player, then those in which it has the last place, then those
with the largest difference of points to the winner.
"""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any, Final

from botequim.core.errors import InputError
from botequim.core.messages import Message, msg
from botequim.core.suggestions import with_suggestion
from botequim.records.reader import RawRecord
from botequim.records.verify import resolve_header


@dataclass(frozen=True, slots=True)
class Loss:
    """A game that was lost."""

    title: Message
    faults: int
    place: int
    difference: int
    """The difference of points to the winner."""
    offset: int
    """Where the record lies in the temporary file."""

    def badness(self) -> tuple[int, int, int]:
        return self.faults, self.place, self.difference


class LostGames:
    """The games of a player: how many it played, and those that it lost, the worst first."""

    def __init__(self, name: str, played: int, losses: Sequence[Loss], file: IO[bytes]) -> None:
        self.name: Final = name
        self.played: Final = played
        self.losses: Final = sorted(losses, key=Loss.badness, reverse=True)
        self._file: Final = file

    def games(self, most: int | None = None) -> Iterator[tuple[Message, RawRecord]]:
        """Yield the games, each with a title that says how bad it is."""
        for number, loss in enumerate(self.losses[:most], start=1):
            self._file.seek(loss.offset)
            yield self._title(number, loss), pickle.load(self._file)

    def _title(self, number: int, loss: Loss) -> Message:
        return msg(
            "game {number} of {count} that {name} lost: {title} (faults: {faults}, difference: {difference})",
            number=number,
            count=len(self.losses),
            name=self.name,
            title=loss.title,
            faults=loss.faults,
            difference=loss.difference,
        )


@contextmanager
def find_lost_games(games: Iterable[tuple[RawRecord, Message]], name: str = "") -> Iterator[LostGames]:
    """Find the games that a player lost; without a name, those of the only bot among built-in players.

    Raise InputError if several could be meant, or if nobody has the name. Records of lost games are kept in a
    temporary file, because a folder may contain more than fit into memory.
    """
    search = _Search(name)
    with tempfile.TemporaryFile(prefix="botequim-") as file:
        losses = []
        for raw, title in games:
            loss = search.loss(raw, title, file.tell())
            if loss is not None:
                losses.append(loss)
                pickle.dump(raw, file)
        yield LostGames(search.found_name(), search.played, losses, file)


class _Search:
    def __init__(self, name: str) -> None:
        self.played = 0
        self._name = name
        self._is_given: Final = bool(name)
        self._names: dict[str, None] = {}
        """Everybody who played."""
        self._bots: dict[str, None] = {}
        """Those of them that are not built-in players."""

    def loss(self, raw: RawRecord, title: Message, offset: int) -> Loss | None:
        """Count a game. Return a value if it was lost."""
        seats: Sequence[Mapping[str, Any]] = raw.header.content["seats"]
        self._names |= dict.fromkeys(str(seat["name"]) for seat in seats)
        self._bots |= dict.fromkeys(str(seat["name"]) for seat in seats if "bot" in seat)
        if not self._is_given:
            self._name = self._only_player()
        own = [at for at, seat in enumerate(seats) if self._name in (seat["name"], seat.get("pair"))]
        if not own:
            return None
        self.played += 1
        return _loss(raw, own, title, offset)

    def _only_player(self) -> str:
        names = list(self._bots or self._names)
        if len(names) > 1:
            raise InputError(
                msg("several players could be meant: {names}; write --lost NAME", names=", ".join(names))
            )
        return names[0]

    def found_name(self) -> str:
        if not self.played:
            problem = msg(
                'nobody is called "{name}" in these games; known: {known}',
                name=self._name,
                known=", ".join(self._names),
            )
            raise InputError(with_suggestion(problem, self._name, self._names))
        return self._name


def _loss(raw: RawRecord, own: Sequence[int], title: Message, offset: int) -> Loss | None:
    game, options, _ = resolve_header(raw)
    teams = game.teams(options)
    assert raw.outcome is not None
    outcome: Mapping[str, Any] = raw.outcome.content["outcome"]
    places, points = outcome["places"], outcome.get("points") or ()
    team = next(at for at, seats in enumerate(teams) if own[0] in seats)
    if len(places) != len(teams) or places[team] == 1:
        return None
    faults = sum(
        move["by"] in teams[team] and "fault" in move for turn in raw.turns for move in turn.content["moves"]
    )
    difference = 0
    if len(points) == len(raw.header.content["seats"]):
        totals = [sum(points[seat] for seat in seats) for seats in teams]
        difference = abs(totals[team] - totals[places.index(1)])
    return Loss(title, faults, places[team], difference, offset)
