"""A match with a person, from the first game to the last."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from botequim import registry
from botequim.bots.entrant import Entrant
from botequim.core.errors import MoveSyntaxError, RecordError
from botequim.core.game import Outcome
from botequim.core.messages import Message
from botequim.core.player import Player
from botequim.core.process import Sandbox
from botequim.core.rng import derive
from botequim.engine.referee import Step
from botequim.engine.series import SeatAssignment, Series
from botequim.i18n import _
from botequim.narration.narrator import Transcript
from botequim.records.reader import RawRecord
from botequim.records.record import Record
from botequim.terminal.advice import Adviser, strongest
from botequim.terminal.person import Person
from botequim.terminal.savegame import ResumedPlayer, SavedMatch, SaveFile, options_of
from botequim.terminal.screen import Screen
from botequim.terminal.ui import ui_for


class Session:
    """One match with a person while it is played."""

    def __init__(
        self,
        match: SavedMatch,
        entrants: Mapping[int, Entrant],
        screen: Screen,
        save_file: SaveFile,
        *,
        sandbox: Sandbox | None = None,
        hint: bool = False,
        adviser: str | None = None,
        record: Callable[[Record], None] = lambda record: None,
    ) -> None:
        """`entrants` are by seat, without the person; `record` is called with every finished game."""
        self.match = match
        self._game: Final = registry.game(match.game)
        self._options: Final = options_of(self._game, match)
        self._teams: Final = self._game.teams(self._options)
        self._screen: Final = screen
        self._save_file: Final = save_file
        self._on_record: Final = record
        self._state: Any = None
        self._past: RawRecord | None = None
        seats = [{"name": name} for name in match.names]
        self._ui: Final = ui_for(self._game, seats, match.seat)
        self._transcript: Final = Transcript(self._game, self._teams, seats, boards=False, to=match.seat)
        self._adviser: Final = Adviser(
            match.game, adviser or strongest(match.game), derive(match.seed, "advice", 0)
        )
        person = Person(screen, self._ui, self._check, self._adviser, hint=hint)
        self._series: Final = Series(
            self._game,
            self._assignments(entrants),
            games=match.best_of,
            sandbox=sandbox,
            people={match.seat: person},
        )

    def _assignments(self, entrants: Mapping[int, Entrant]) -> list[SeatAssignment]:
        member = {seat: at for team in self._teams for at, seat in enumerate(team)}
        return [
            SeatAssignment(entrants.get(seat) or Entrant(name, ""), name, member[seat])
            for seat, name in enumerate(self.match.names)
        ]

    def _check(self, move: Any) -> Message | None:
        return self._game.check(self._state, self.match.seat, move)

    async def play(self, past: RawRecord | None = None) -> SavedMatch:
        """Play the remaining games of the match; the first one continues after `past`."""
        try:
            async with self._series:
                if past is None:
                    self._begin()
                while not self.match.over:
                    record = await self._play_one(past)
                    past = None
                    self._on_record(record)
                    self.match = self.match.after(record.outcome)
                    self._begin()
                    self._end(record.outcome)
        finally:
            await self._adviser.close()
        return self.match

    @property
    def _seed(self) -> str:
        return derive(self.match.seed, "game", self.match.number)

    def _begin(self) -> None:
        """Save the start of the next game, if there is one, because a person may leave between two games."""
        if self.match.over:
            self._save_file.forget()
            return
        seats = [dict(seat) for seat in self._series.seats]
        self._save_file.begin(self.match, self._game, self._options, self._seed, seats)

    async def _play_one(self, past: RawRecord | None) -> Record:
        self._past, self._state = past, self._game.start(self._options)
        self._ui.to_move = self._game.to_move(self._state)
        self._screen.add_lines([self._heading(), *self._transcript.opening()])
        if past is not None and not past.turns:
            self._past = past = None
        try:
            return await self._series.play(
                self._seed,
                self._options,
                rotation=self.match.number,
                emit=self._emit,
                seated=self._seat_wrapper(past),
            )
        except MoveSyntaxError as error:
            raise RecordError(error.message, path=str(self._save_file.path)) from error

    def _heading(self) -> str:
        number, best_of = self.match.number + 1, self.match.best_of
        if best_of == 1:
            return _("A game of {game}, seed {seed}", game=self._game.name, seed=self.match.seed)
        return _(
            "Game {number} of {game}, best of {games}, seed {seed}",
            number=number,
            game=self._game.name,
            games=best_of,
            seed=self.match.seed,
        )

    def _seat_wrapper(self, past: RawRecord | None) -> Callable[[int, Player], Player]:
        if past is None:
            return lambda seat, player: player
        return lambda seat, player: ResumedPlayer(player, self._game, past, seat)

    def _emit(self, step: Step) -> None:
        self._state = step.after
        self._ui.to_move = self._game.to_move(step.after)
        if self._past is not None and step.number <= len(self._past.turns):
            if step.number == len(self._past.turns):
                self._screen.add_lines([_("The game continues after turn {number}.", number=step.number)])
                self._screen.add_lines(self._transcript.turn(step))
            return
        self._save_file.add(self._game, step.number, step.turn)
        self._screen.add_lines(self._transcript.turn(step))
        others = [seat for seat in self._ui.to_move if seat not in (self.match.seat, -1)]
        self._screen.wait(_("{name} thinks …", name=self._ui.names[others[0]]) if others else "")

    def _end(self, outcome: Outcome) -> None:
        lines = [*self._transcript.ending(outcome)]
        if self.match.best_of > 1:
            names = [" + ".join(self._ui.names[seat] for seat in team) for team in self._teams]
            score = ", ".join(f"{name}: {games}" for name, games in zip(names, self.match.won, strict=True))
            lines.append(_("Games won: {score}", score=score))
            if self.match.over:
                lines.append(_match_over(self.match, names))
        self._screen.add_lines(lines)


def _match_over(match: SavedMatch, names: Sequence[str]) -> str:
    best = max(match.won)
    if list(match.won).count(best) > 1:
        return _("The match is a draw.")
    return _("{name} wins the match.", name=names[list(match.won).index(best)])
