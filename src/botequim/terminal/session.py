"""A match with a person, from the first game to the last."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
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
from botequim.i18n import _, _n, translate
from botequim.narration.narrator import Transcript
from botequim.records.reader import RawLine, RawRecord
from botequim.records.record import Json, Record, header_json, turn_json
from botequim.records.resumed_player import ResumedPlayer
from botequim.terminal.advice import Adviser, strongest
from botequim.terminal.person import NO, YES, Person, TakeBack
from botequim.terminal.savegame import SavedMatch, SaveFile, options_of
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
        self._turns: list[Json] = []
        """The turns of the game so far."""
        self._decisions: list[tuple[int, bool]] = []
        """The turns in which the person moved, and whether there was a choice."""
        self._taken_back = 0
        """How often the person took back a move of this game."""
        seats = [{"name": name} for name in match.names]
        self._ui: Final = ui_for(self._game, seats, match.seat)
        self._transcript: Final = Transcript(self._game, self._teams, seats, boards=False, to=match.seat)
        self._adviser: Final = Adviser(
            match.game, adviser or strongest(match.game), derive(match.seed, "advice", 0)
        )
        self._entrants: Final = entrants
        self._sandbox: Final = sandbox
        self._person: Final = Person(
            screen,
            self._ui,
            self._check,
            self._adviser,
            hint=hint,
            can_take_back=lambda: bool(self._decisions),
            open_hands=lambda: self._ui.all_hands(self._state),
        )
        self._series = self._new_series()

    def _new_series(self) -> Series:
        member = {seat: at for team in self._teams for at, seat in enumerate(team)}
        assignments = [
            SeatAssignment(self._entrants.get(seat) or Entrant(name, ""), name, member[seat])
            for seat, name in enumerate(self.match.names)
        ]
        people = {self.match.seat: self._person}
        return Series(self._game, assignments, games=self.match.best_of, sandbox=self._sandbox, people=people)

    def _check(self, move: Any) -> Message | None:
        return self._game.check(self._state, self.match.seat, move)

    async def play(self, past: RawRecord | None = None) -> SavedMatch:
        """Play the remaining games of the match; the first one continues after `past`."""
        try:
            if past is None:
                self._begin()
            else:
                self._taken_back = _taken_back(past, self.match.seat)
            self._announce()
            while not self.match.over:
                past = await self._play_games(past)
        finally:
            await self._adviser.close()
        return self.match

    async def _play_games(self, past: RawRecord | None) -> RawRecord | None:
        """Play until the match is over, or return the game up to a decision that the person takes back."""
        async with self._series:
            while not self.match.over:
                try:
                    record = await self._play_one(past)
                except TakeBack:
                    return self._take_back()
                past = None
                self._on_record(replace(record, seats=self._noted(record.seats)))
                taken_back, self._taken_back = self._taken_back, 0
                self.match = self.match.after(record.outcome, counts=not taken_back)
                self._begin()
                self._end(record.outcome, taken_back)
                if not self.match.over:
                    self._announce()
        return None

    def _take_back(self) -> RawRecord:
        """Save and return the game up to the last turn in which the person had a choice.

        All players begin anew with that position, as if the game had been saved there.
        """
        decisions = [turn for turn, had_choice in self._decisions if had_choice]
        last = decisions[-1] if decisions else self._decisions[-1][0]
        turns = self._turns[: last - 1]
        self._taken_back += 1
        self._series = self._new_series()
        self._begin(turns)
        self._screen.forget_lines()
        self._screen.add_lines([_("You take back your move. This game no longer counts.")])
        self._screen.wait(_("the players return to that position …"))
        header = RawLine(1, header_json(self._game, self._options, self._seed, self._series.seats), None)
        lines = [RawLine(number, turn, None) for number, turn in enumerate(turns, start=2)]
        return RawRecord(str(self._save_file.path), header, lines)

    def _noted(self, seats: Sequence[Mapping[str, Any]]) -> list[Json]:
        """Return the seats with a note at the person's if moves of this game were taken back."""
        noted = [dict(seat) for seat in seats]
        if self._taken_back:
            noted[self.match.seat]["taken_back"] = self._taken_back
        return noted

    @property
    def _seed(self) -> str:
        return derive(self.match.seed, "game", self.match.number)

    def _begin(self, turns: Sequence[Json] = ()) -> None:
        """Save the start of the next game, if there is one, because a person may leave between two games."""
        if self.match.over:
            self._save_file.forget()
            return
        seats = self._noted(self._series.seats)
        self._save_file.begin(self.match, self._game, self._options, self._seed, seats, turns)

    async def _play_one(self, past: RawRecord | None) -> Record:
        self._past, self._state = past, self._game.start(self._options)
        self._turns.clear()
        self._decisions.clear()
        self._ui.to_move = self._game.to_move(self._state)
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

    def _announce(self) -> None:
        """Show which game begins or goes on, and who plays."""
        number, best_of = self.match.number + 1, self.match.best_of
        heading = _("A game of {game}, seed {seed}", game=self._game.name, seed=self.match.seed)
        if best_of > 1:
            heading = _(
                "Game {number} of {game}, best of {games}, seed {seed}",
                number=number,
                game=self._game.name,
                games=best_of,
                seed=self.match.seed,
            )
        self._screen.add_lines([heading, *self._transcript.opening()])

    def _seat_wrapper(self, past: RawRecord | None) -> Callable[[int, Player], Player]:
        if past is None:
            return lambda seat, player: player
        return lambda seat, player: ResumedPlayer(player, self._game, past, seat)

    def _emit(self, step: Step) -> None:
        self._state = step.after
        self._turns.append(turn_json(self._game, step.number, step.turn))
        if any(played_move.by == self.match.seat for played_move in step.turn):
            had_choice = len(self._game.legal(step.before, self.match.seat)) > 1
            self._decisions.append((step.number, had_choice))
        self._ui.to_move = self._game.to_move(step.after)
        if self._past is not None and step.number <= len(self._past.turns):
            if step.number == len(self._past.turns):
                self._screen.add_lines([_("The game continues after turn {number}.", number=step.number)])
                self._screen.add_lines(self._transcript.turn(step))
            return
        self._save_file.add(self._game, step.number, step.turn)
        self._screen.add_lines(self._transcript.turn(step))
        self._screen.add_lines([f"      {translate(hand)}" for hand in self._ui.round_hands(step)])
        view = self._game.view(step.after, self.match.seat)
        hands = self._ui.visible_hands(view)
        self._screen.follow(lambda room: self._ui.drawing(view, hands, room))
        others = [seat for seat in self._ui.to_move if seat not in (self.match.seat, -1)]
        self._screen.wait(_("{name} thinks …", name=self._ui.names[others[0]]) if others else "")

    def _end(self, outcome: Outcome, taken_back: int) -> None:
        lines = [*self._transcript.ending(outcome)]
        if taken_back:
            lines.append(
                _n(
                    "You took back {n} move, so this game does not count.",
                    "You took back {n} moves, so this game does not count.",
                    taken_back,
                )
            )
        if self.match.best_of > 1:
            names = [" + ".join(self._ui.names[seat] for seat in team) for team in self._teams]
            score = ", ".join(f"{name}: {games}" for name, games in zip(names, self.match.won, strict=True))
            lines.append(_("Games won: {score}", score=score))
            if self.match.over:
                lines.append(_match_over(self.match, names))
        self._screen.add_lines(lines)


async def wants_rematch(screen: Screen) -> bool:
    """Ask the person, after a match, whether to play another one."""
    while True:
        answer = await screen.line(_("Play again, with sides swapped? (y/n)") + " ")
        if answer is None or answer.strip().lower() in NO:
            return False
        if answer.strip().lower() in YES:
            screen.forget_lines()
            return True


def _taken_back(past: RawRecord, seat: int) -> int:
    """Return how many moves of a saved game the person took back."""
    count = past.header.content["seats"][seat].get("taken_back", 0)
    return count if isinstance(count, int) else 1


def _match_over(match: SavedMatch, names: Sequence[str]) -> str:
    best = max(match.won)
    if list(match.won).count(best) > 1:
        return _("The match is a draw.")
    return _("{name} wins the match.", name=names[list(match.won).index(best)])
