"""A table while people are at it: plays its games, one after another, and informs everybody who watches.

Everything that is needed to continue after a restart is in the files of the table (`folder`).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Final

from botequim.core import clock
from botequim.core.errors import BotequimError, InputError, MoveSyntaxError
from botequim.core.game import Remark, View
from botequim.core.messages import Message, msg
from botequim.core.player import Player, Reply
from botequim.core.rng import private
from botequim.core.turn import Step
from botequim.engine.series import Series
from botequim.records.reader import RawRecord
from botequim.records.resumed_player import ResumedPlayer
from botequim.tables.folder import TableFiles
from botequim.tables.last_game import last_game, seats_of_record, seats_that_count, without_remarks
from botequim.tables.offered_bots import NO_BOTS, OfferedBots
from botequim.tables.person import OutdatedMove, PersonPlayer
from botequim.tables.series import table_series
from botequim.tables.spec import Phase, SeatKind, TableSpec
from botequim.tables.thinking import Thinking
from botequim.tables.viewer import Moment, Viewer
from botequim.terminal.advice import strongest

PAUSE_SECONDS: Final = 20.0
"""How long the table waits before the next game of a match if nobody starts it."""
_log: Final = logging.getLogger(__name__)


class Table:
    """One table, from the first person to the last game."""

    def __init__(
        self,
        spec: TableSpec,
        files: TableFiles,
        thinking: Thinking,
        bots: OfferedBots = NO_BOTS,
        on_change: Callable[[TableSpec], None] = lambda spec: None,
        spec_of: Callable[[str], TableSpec | None] = lambda name: None,
    ) -> None:
        """`on_change` is called when the description of the table changes; `spec_of` returns that of another
        table."""
        self.spec = spec
        self.files: Final = files
        self.game: Final = spec.rules
        self.thinking: Final = thinking
        self.viewers: Final[set[Viewer]] = set()
        self.used_at = clock.now()
        """The moment at which somebody last did something."""
        self.problem: Message | None = None
        """Why the game cannot go on, if that is so."""
        self.redactions = 0
        """How often something was removed from the games; pictures made before are outdated."""
        self._bots: Final = bots
        self._on_change: Final = on_change
        self._spec_of: Final = spec_of
        self._past: RawRecord | None = None
        self._steps: list[Step] = []
        self._moment = self._first_moment()
        self._task: asyncio.Task[None] | None = None
        self._start: Final = asyncio.Event()
        self._is_resuming = False
        """Whether the turns of a stored game are being replayed; until then nothing is shown."""
        self.people: Final = {at: self._person(at) for at in spec.people}
        if spec.phase is Phase.OVER:
            self._steps, self._moment = last_game(spec, files) or ([], self._moment)

    # --- what is known -----------------------------------------------------------------------------

    @property
    def moment(self) -> Moment:
        """The current position."""
        return self._moment

    @property
    def steps(self) -> Sequence[Step]:
        """The turns of the current game so far."""
        return self._steps

    def seat_of(self, secret: str) -> int | None:
        """Return the seat with this secret."""
        seats = self.spec.seats
        return next((at for at in self.spec.people if secret and seats[at].secret == secret), None)

    def next_secret(self, seat: int) -> str:
        """Return the secret of the same person at the table at which the others play again; "" if there is
        none."""
        following = self._spec_of(self.spec.successor)
        if following is None:
            return ""
        return following.seats[(seat + self.spec.rotation) % len(following.seats)].secret

    @property
    def is_active(self) -> bool:
        """Whether a person is connected."""
        return bool(self.viewers)

    # --- persons -----------------------------------------------------------------------------------

    def take_seat(self, at: int, name: str) -> str:
        """Give a free seat to a person, and return its secret. Raise InputError if it is not free."""
        if self.spec.phase is not Phase.WAITING or not self.spec.seats[at].is_free:
            raise InputError(msg("this seat is taken"))
        self._change(self.spec.with_person(at, name))
        self.begin_if_full()
        return self.spec.seats[at].secret

    def begin_if_full(self) -> None:
        """Begin the first game if no seat is free."""
        if self.spec.phase is Phase.WAITING and not self.spec.free_seats:
            self._change(replace(self.spec, phase=Phase.PLAYING))
            self.run()

    def start(self, seat: int) -> None:
        """Begin the next game of a match; the creator of a waiting table begins with champions on free
        seats."""
        self.used_at = clock.now()
        if self.spec.phase is Phase.WAITING:
            if seat != self.spec.creator:
                raise InputError(msg("only the person who opened the table can start it"))
            spec = self.spec
            for at in spec.free_seats:
                player = strongest(spec.game)
                stand_in = replace(
                    spec.seats[at],
                    kind=SeatKind.PLAYER,
                    player=player,
                    name=spec.free_name(player),
                    secret="",
                    invitation="",
                    is_listed=False,
                )
                spec = spec.with_seat(at, stand_in)
            self._change(spec)
            self.begin_if_full()
        self._start.set()

    def connect(self, viewer: Viewer) -> None:
        """Show the table to a viewer. A game that could not go on is tried again."""
        if self.problem is not None and self._task is not None and self._task.done():
            self.problem = self._task = None
            self.run()
        self.viewers.add(viewer)
        if viewer.seat is not None:
            self.people[viewer.seat].connect()
        self._wake_people()
        self.refresh()

    def disconnect(self, viewer: Viewer) -> None:
        if viewer not in self.viewers:
            return
        self.viewers.discard(viewer)
        self.used_at = clock.now()
        if viewer.seat is not None:
            self.people[viewer.seat].disconnect()
        self._wake_people()
        self.refresh()

    def leave(self, seat: int) -> None:
        """Let a stand-in play for a person while others wait; before the first game, free the seat. After the
        last game there is nothing to leave."""
        if self.spec.phase is Phase.WAITING:
            self._leave_waiting_table(seat)
        if self.spec.phase is not Phase.PLAYING:
            return
        self._change(self.spec.with_seat(seat, replace(self.spec.seats[seat], has_left=True)))
        self.people[seat].leave()
        self._wake_people()
        self.refresh()

    def _leave_waiting_table(self, seat: int) -> None:
        """Free a seat. If the creator leaves, the next person may start; one who is alone keeps the seat."""
        spec = self.spec
        others = [at for at in spec.people if at != seat and not spec.seats[at].is_free]
        if seat == spec.creator and others:
            spec = replace(spec, creator=others[0])
        if seat != spec.creator:
            self._change(spec.with_free_seat(seat))

    def come_back(self, seat: int) -> None:
        self._change(self.spec.with_seat(seat, replace(self.spec.seats[seat], has_left=False)))
        self.people[seat].come_back()
        self._wake_people()
        self.refresh()

    def move(self, seat: int, game: int, turn: int, text: str, say: str) -> None:
        """Make the move of a person. Raise InputError with the reason if it is refused."""
        self.used_at = clock.now()
        person = self.people[seat]
        if (question := person.question) is None or (question.game, question.turn) != (game, turn):
            raise OutdatedMove
        try:
            move = self.game.read(text)
        except MoveSyntaxError as error:
            raise InputError(error.message) from error
        why = self.game.check(self._moment.state, seat, move)
        if why is not None:
            raise InputError(msg("this is not possible now: {why}", why=why))
        remarks = [Remark("say", say)] if say else []
        for remark in remarks:
            if (reason := self.game.check_remark(remark)) is not None:
                raise InputError(reason)
        person.answer(game, turn, Reply(move, remarks))

    async def advice(self, seat: int) -> tuple[View, Any]:
        """Return the position of a person who is to move, and what the strongest built-in player would
        do."""
        person = self.people[seat]
        question = person.question
        if not self.spec.has_hints:
            raise InputError(msg("hints are not allowed at this table"))
        if question is None:
            raise InputError(msg("it is not your turn"))
        self._count(seat, advised_moves=1)
        seed = private(self.spec.seed, "advice", seat)
        return question.view, await self.thinking.advise(
            self.spec.game, strongest(self.spec.game), seed, question.view, self.spec.address
        )

    # --- the games ---------------------------------------------------------------------------------

    def run(self) -> None:
        """Play the remaining games of the match in a task of their own."""
        if self._task is None and self.spec.phase is Phase.PLAYING:
            self._is_resuming = self.files.has_current_game
            self._task = asyncio.create_task(self._run(), name=f"table {self.spec.id}")

    async def stop(self) -> None:
        """Stop playing. The table can be continued from its files."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _run(self) -> None:
        try:
            self._past = self.files.current_game(self.spec.game_seed(self.spec.number))
            async with table_series(self.spec, self.people, self._bots, self._think) as series:
                while self.spec.phase is Phase.PLAYING:
                    await self._play_one(series)
                    if self.spec.phase is Phase.PLAYING:
                        await self._pause()
        except BotequimError as error:
            self._fail(error.message)
        except Exception:
            _log.exception("table %s", self.spec.id)
            self._fail(msg("the server made an error at this table; the game is saved"))

    def _fail(self, why: Message) -> None:
        self.problem = why
        self._is_resuming = False
        self.refresh()

    async def _pause(self) -> None:
        """Wait until somebody starts the next game, or for a while."""
        self._start.clear()
        with suppress(TimeoutError):
            async with clock.timeout(PAUSE_SECONDS):
                await self._start.wait()

    async def _play_one(self, series: Series) -> None:
        past, self._past = self._past, None
        seed = self.spec.game_seed(self.spec.number)
        self._steps = []
        self._moment = self._first_moment()
        self._is_resuming = past is not None and bool(past.turns)
        if past is None:
            self._change(self.spec.without_counts())
        if not self._is_resuming:
            past = None
            self.files.begin(self.game, self.spec, seed, seats_of_record(self.spec, series.seats))
        played = 0 if past is None else len(past.turns)
        record = await series.play(
            seed,
            self.spec.resolved_options,
            rotation=self.spec.number,
            emit=partial(self._emit, played),
            seated=partial(self._resumed, past),
        )
        # the referee does not know what was removed from the game meanwhile
        turns = [step.turn for step in self._steps]
        record = replace(record, seats=seats_of_record(self.spec, record.seats), turns=turns)
        self.files.write_record(self.spec.number + 1, tuple(record.public().lines()))
        counts_for = seats_that_count(self.spec, record.seats)
        self._moment = replace(
            self._moment, outcome=record.outcome, counts_for=counts_for, seats=record.seats
        )
        self._change(self.spec.after(record.outcome))
        self.files.remove_current_game()

    def _emit(self, played: int, step: Step) -> None:
        self._steps.append(step)
        self._moment = Moment(self.spec.number + 1, step.after, self._moment.seats, step)
        if step.number <= played:
            self._is_resuming = step.number < played
            self.refresh()
            return
        self.files.add(self.game, step.number, step.turn)
        self._count_bots(step)
        for viewer in self.viewers:
            viewer.show(self._moment)

    def _count_bots(self, step: Step) -> None:
        """Count the time of the organiser's bots, which answer only for the person who opened the table."""
        seats = self.spec.seats
        micros = sum(one.micros or 0 for one in step.turn if seats[one.by].kind is SeatKind.BOT)
        self.thinking.count(self.spec.address, micros / 1e6)

    def _resumed(self, past: RawRecord | None, seat: int, player: Player) -> Player:
        return player if past is None else ResumedPlayer(player, self.game, past, seat)

    async def _think(self, seat: int, player: str, view: View) -> Reply:
        seed = private(self.spec.seed, "player", self.spec.number, seat)
        return await self.thinking.choose(self.spec.game, player, seed, view, self.spec.address)

    def _person(self, at: int) -> PersonPlayer:
        return PersonPlayer(
            move_seconds=self.spec.move_seconds,
            position=lambda: (self.spec.number + 1, len(self._steps)),
            others_wait=lambda: any(other.is_here for seat, other in self.people.items() if seat != at),
            stand_in=partial(self._stand_in, at),
            has_left=self.spec.seats[at].has_left,
            on_change=self.refresh,
        )

    async def _stand_in(self, seat: int, view: View) -> Reply:
        """Return the move of a champion for a person."""
        self._count(seat, stand_in_moves=1)
        return await self._think(seat, strongest(self.spec.game), view)

    def _count(self, at: int, *, stand_in_moves: int = 0, advised_moves: int = 0) -> None:
        """Store that a person was helped, because the record says so."""
        seat = self.spec.seats[at]
        helped = replace(
            seat,
            stand_in_moves=seat.stand_in_moves + stand_in_moves,
            advised_moves=seat.advised_moves + advised_moves,
        )
        self._change(self.spec.with_seat(at, helped))

    # --- what viewers are shown --------------------------------------------------------------------

    def _first_moment(self) -> Moment:
        state = self.game.start(self.spec.resolved_options)
        seats = [{"name": seat.name or "…"} for seat in self.spec.seats]
        return Moment(self.spec.number + 1, state, seats)

    def refresh(self) -> None:
        """Send the current position again, because something else about the table changed."""
        if self._is_resuming:
            return
        for viewer in self.viewers:
            viewer.refresh(self._moment)

    def _wake_people(self) -> None:
        for person in self.people.values():
            person.wake()

    def _change(self, spec: TableSpec) -> None:
        before, self.spec = self.spec, spec
        self._close_freed_seats(before)
        self.files.write(spec)
        self._on_change(spec)
        if not self._steps:
            self._moment = self._first_moment()
        self.refresh()

    def _close_freed_seats(self, before: TableSpec) -> None:
        """Disconnect the browsers of people who do not have their seat any more: what is sent to the seat is
        for somebody else."""
        for at in before.people:
            if self.spec.seats[at].secret == before.seats[at].secret:
                continue
            for viewer in [viewer for viewer in self.viewers if viewer.seat == at]:
                self.viewers.discard(viewer)
                viewer.close()
            del self.people[at]
            if self.spec.seats[at].kind is SeatKind.PERSON:
                self.people[at] = self._person(at)

    def redact(self, seat: int, name: str) -> None:
        """Replace the name of a seat, and remove what it has said, also from the records of its games."""
        self.files.redact(self.spec.number, seat, name)
        self.redactions += 1
        self._steps = [without_remarks(step, seat) for step in self._steps]
        seats = [{**one, "name": name} if at == seat else one for at, one in enumerate(self._moment.seats)]
        step = self._steps[-1] if self._steps else None
        self._moment = replace(self._moment, seats=seats, step=step)
        self._change(self.spec.with_seat(seat, replace(self.spec.seats[seat], name=name)))

    def change(self, spec: TableSpec) -> None:
        """Store another description of the table, with the same seats."""
        self._change(spec)
