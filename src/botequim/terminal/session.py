"""A match with a person at the table, from the first deal to the last word."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from botequim import registry
from botequim.core.errors import NotAMove, RecordError
from botequim.core.game import Outcome
from botequim.core.messages import Message
from botequim.core.player import Player
from botequim.core.process import Sandbox
from botequim.core.reading import Found
from botequim.core.record import Record
from botequim.core.rng import derive
from botequim.entrants.entrant import Entrant
from botequim.i18n import _
from botequim.referee import Step
from botequim.series import Chair, Series
from botequim.show.telling import Story
from botequim.terminal.advice import Adviser, strongest
from botequim.terminal.face import face_of
from botequim.terminal.kept import Kept, Remembering, Sitting, options_of
from botequim.terminal.person import Person
from botequim.terminal.screen import Screen


class Table:
    """One sitting as it is played."""

    def __init__(
        self,
        sitting: Sitting,
        entrants: Mapping[int, Entrant],
        screen: Screen,
        kept: Kept,
        *,
        sandbox: Sandbox | None = None,
        hint: bool = False,
        adviser: str | None = None,
        record: Callable[[Record], None] = lambda record: None,
    ) -> None:
        """`entrants` are by seat, but for the person's; `record` is given every finished game."""
        self.sitting = sitting
        self._game: Final = registry.game(sitting.game)
        self._options: Final = options_of(self._game, sitting)
        self._teams: Final = self._game.teams(self._options)
        self._screen: Final = screen
        self._kept: Final = kept
        self._keep: Final = record
        self._state: Any = None
        self._past: Found | None = None
        seats = [{"name": name} for name in sitting.names]
        self._face: Final = face_of(self._game, seats, sitting.seat)
        self._story: Final = Story(self._game, self._teams, seats, boards=False, to=sitting.seat)
        self._adviser: Final = Adviser(
            sitting.game, adviser or strongest(sitting.game), derive(sitting.seed, "advice", 0)
        )
        person = Person(screen, self._face, self._check, self._adviser, hint=hint)
        self._series: Final = Series(
            self._game,
            self._chairs(entrants),
            games=sitting.best_of,
            sandbox=sandbox,
            people={sitting.seat: person},
        )

    def _chairs(self, entrants: Mapping[int, Entrant]) -> list[Chair]:
        member = {seat: at for team in self._teams for at, seat in enumerate(team)}
        return [
            Chair(entrants.get(seat) or Entrant(name, ""), name, member[seat])
            for seat, name in enumerate(self.sitting.names)
        ]

    def _check(self, move: Any) -> Message | None:
        return self._game.check(self._state, self.sitting.seat, move)

    async def play(self, past: Found | None = None) -> Sitting:
        """All games that are left to play; the first goes on after `past`."""
        try:
            async with self._series:
                if past is None:
                    self._begin()
                while not self.sitting.over:
                    record = await self._play_one(past)
                    past = None
                    self._keep(record)
                    self.sitting = self.sitting.after(record.outcome)
                    self._begin()
                    self._end(record.outcome)
        finally:
            await self._adviser.close()
        return self.sitting

    @property
    def _seed(self) -> str:
        return derive(self.sitting.seed, "game", self.sitting.number)

    def _begin(self) -> None:
        """What is kept is the next game, if there is one: at once, since whoever leaves now has ended the one
        before."""
        if self.sitting.over:
            self._kept.forget()
            return
        seats = [dict(seat) for seat in self._series.seats]
        self._kept.begin(self.sitting, self._game, self._options, self._seed, seats)

    async def _play_one(self, past: Found | None) -> Record:
        self._past, self._state = past, self._game.start(self._options)
        self._face.to_move = self._game.to_move(self._state)
        self._screen.tell([self._heading(), *self._story.opening()])
        if past is not None and not past.turns:
            self._past = past = None
        try:
            return await self._series.play(
                self._seed,
                self._options,
                turned=self.sitting.number,
                emit=self._emit,
                seated=self._seated(past),
            )
        except NotAMove as error:
            raise RecordError(error.message, path=str(self._kept.path)) from error

    def _heading(self) -> str:
        number, best_of = self.sitting.number + 1, self.sitting.best_of
        if best_of == 1:
            return _("A game of {game}, seed {seed}", game=self._game.name, seed=self.sitting.seed)
        return _(
            "Game {number} of {game}, best of {games}, seed {seed}",
            number=number,
            game=self._game.name,
            games=best_of,
            seed=self.sitting.seed,
        )

    def _seated(self, past: Found | None) -> Callable[[int, Player], Player]:
        if past is None:
            return lambda seat, player: player
        return lambda seat, player: Remembering(player, self._game, past, seat)

    def _emit(self, step: Step) -> None:
        self._state = step.after
        self._face.to_move = self._game.to_move(step.after)
        if self._past is not None and step.number <= len(self._past.turns):
            if step.number == len(self._past.turns):
                self._screen.tell([_("The game goes on after turn {number}.", number=step.number)])
                self._screen.tell(self._story.turn(step))
            return
        self._kept.add(self._game, step.number, step.turn)
        self._screen.tell(self._story.turn(step))
        others = [seat for seat in self._face.to_move if seat not in (self.sitting.seat, -1)]
        self._screen.wait(_("{name} thinks …", name=self._face.names[others[0]]) if others else "")

    def _end(self, outcome: Outcome) -> None:
        lines = [*self._story.ending(outcome)]
        if self.sitting.best_of > 1:
            names = [" + ".join(self._face.names[seat] for seat in team) for team in self._teams]
            score = ", ".join(f"{name}: {won}" for name, won in zip(names, self.sitting.won, strict=True))
            lines.append(_("Games won: {score}", score=score))
            if self.sitting.over:
                lines.append(_match_over(self.sitting, names))
        self._screen.tell(lines)


def _match_over(sitting: Sitting, names: Sequence[str]) -> str:
    best = max(sitting.won)
    if list(sitting.won).count(best) > 1:
        return _("The match is drawn.")
    return _("{name} wins the match.", name=names[list(sitting.won).index(best)])
