"""All tables of a server: opens them, finds them by their addresses, continues them, and limits their number.

A table that nobody uses is not kept in memory; it is read from its files when somebody comes back.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from botequim.core import clock
from botequim.core.errors import BotequimError, InputError
from botequim.core.messages import msg
from botequim.tables.folder import TablesFolder
from botequim.tables.offered_bots import NO_BOTS, OfferedBots
from botequim.tables.spec import Phase, SeatKind, SeatSpec, TableSpec, new_id, new_secret
from botequim.tables.table import Table
from botequim.tables.thinking import Thinking, ThinkingBusy
from botequim.terminal.advice import strongest

MOST_TABLES: Final = 300
"""The most tables that are not over."""
MOST_OF_AN_ADDRESS: Final = 60
"""The most of them that were opened from one address, which a whole class may share."""
MOST_FINISHED: Final = 5_000
"""The most finished tables whose files are kept."""
IDLE_SECONDS: Final = 600.0
"""The time after which a table without viewers is removed from memory."""
KEPT_SECONDS: Final = 30 * 86_400.0
"""The time after which the files of a table that nobody has used are removed."""
WAITING_SECONDS: Final = 86_400.0
"""The same for a table whose game has not begun."""
SWEEP_SECONDS: Final = 300.0
_log: Final = logging.getLogger(__name__)


class Tables:
    """The tables of one server."""

    def __init__(self, folder: TablesFolder, thinking: Thinking, bots: OfferedBots = NO_BOTS) -> None:
        self.bots: Final = bots
        self.thinking: Final = thinking
        self._folder: Final = folder
        self._tables: Final[dict[str, Table]] = {}
        """The tables in memory, by id."""
        self._specs: Final[dict[str, TableSpec]] = {}
        """All tables, by id."""
        self._secrets: Final[dict[str, str]] = {}
        """The id of the table of each secret and each invitation."""
        self._sweeping: asyncio.Task[None] | None = None

    @property
    def organiser(self) -> str:
        """The digest of the token of whoever may remove tables and names; "" if there is none yet."""
        return self._folder.organiser

    @organiser.setter
    def organiser(self, digest: str) -> None:
        self._folder.organiser = digest

    # --- lifetime ----------------------------------------------------------------------------------

    def open(self) -> None:
        """Read the stored tables, and remove those that nobody has used for long."""
        for files in self._folder.tables():
            try:
                self._index(files.read())
            except BotequimError as error:
                _log.warning("%s", error)
        self._remove_old()
        self._sweeping = asyncio.create_task(self._sweep_again_and_again())

    async def close(self) -> None:
        """Stop all games. They can be continued from their files."""
        if self._sweeping is not None:
            self._sweeping.cancel()
        for table in list(self._tables.values()):
            await table.stop()
        self._tables.clear()
        self.thinking.close()
        self._folder.close()

    def close_streams(self) -> None:
        """Disconnect all viewers."""
        for table in self._tables.values():
            for viewer in table.viewers:
                viewer.close()

    # --- finding -----------------------------------------------------------------------------------

    def table(self, name: str) -> Table | None:
        """Return the table with this public name."""
        table = self._tables.get(name)
        if table is None and (spec := self._specs.get(name)) is not None:
            table = self._tables[name] = self._table(spec)
            table.run()
        if table is not None:
            table.used_at = clock.now()
        return table

    def seat(self, secret: str) -> tuple[Table, int] | None:
        """Return the table and the seat of a person's own address."""
        table = self.table(self._secrets.get(secret, ""))
        seat = None if table is None else table.seat_of(secret)
        return None if table is None or seat is None else (table, seat)

    def invitation(self, text: str) -> tuple[Table, int] | None:
        """Return the table and the free seat of an invitation."""
        table = self.table(self._secrets.get(text, ""))
        if table is None or not text:
            return None
        seats = table.spec.seats
        return next(((table, at) for at, seat in enumerate(seats) if seat.invitation == text), None)

    def open_tables(self) -> Sequence[TableSpec]:
        """Return the tables with a seat for everybody, and those that everybody may watch, newest first.

        Tables at which nobody is now are left out.
        """
        specs = [table.spec for table in self._tables.values() if table.is_active]
        return sorted(filter(_is_listed, specs), key=lambda one: -one.opened_at)

    def all(self) -> Sequence[TableSpec]:
        """Return all tables, for the organiser, newest first."""
        return sorted(self._specs.values(), key=lambda one: -one.opened_at)

    # --- changes -----------------------------------------------------------------------------------

    def add(self, spec: TableSpec) -> Table:
        """Open a table. Raise TooManyTables if there are too many already, ThinkingBusy if the address has
        used up its share of the processors and asks for bots."""
        asks_for_bots = any(seat.kind is SeatKind.BOT for seat in spec.seats)
        if asks_for_bots and self.thinking.is_used_up(spec.address):
            raise ThinkingBusy
        if self._count(spec.address) >= MOST_OF_AN_ADDRESS:
            self._remove_abandoned(spec.address)
            if self._count(spec.address) >= MOST_OF_AN_ADDRESS:
                raise TooManyTables
        if self._count() >= MOST_TABLES:
            self._remove_abandoned()
            if self._count() >= MOST_TABLES:
                raise TooManyTables
        self._folder.of(spec.id).create(spec)
        self._index(spec)
        table = self._tables[spec.id] = self._table(spec)
        table.begin_if_full()
        return table

    def _count(self, address: str | None = None) -> int:
        """Return the number of tables that are not over, of an address or of all."""
        specs = self._specs.values()
        return sum(one.phase is not Phase.OVER and address in (None, one.address) for one in specs)

    def _remove_abandoned(self, address: str | None = None) -> None:
        """Remove the oldest table that nobody is at, of an address or of all."""
        idle = [
            one
            for one in self._specs.values()
            if one.phase is not Phase.OVER
            and address in (None, one.address)
            and (one.id not in self._tables or not self._tables[one.id].is_active)
            and one.opened_at < _date() - IDLE_SECONDS
        ]
        if idle:
            self.remove(min(idle, key=lambda one: one.opened_at).id)

    def _remove_old(self) -> None:
        """Remove the tables that nobody has used for long, and the oldest finished ones if there are too
        many."""
        now = _date()
        ended = []
        for name in [one for one in self._specs if one not in self._tables]:
            spec = self._specs[name]
            changed_at = self._folder.of(name).changed_at()
            if now - changed_at > (WAITING_SECONDS if spec.phase is Phase.WAITING else KEPT_SECONDS):
                self.remove(name)
            elif spec.phase is Phase.OVER:
                ended.append((changed_at, name))
        for _, name in sorted(ended)[: max(0, len(ended) - MOST_FINISHED)]:
            self.remove(name)

    def remove(self, name: str) -> None:
        """Remove a table with its files."""
        table = self._tables.pop(name, None)
        if table is not None:
            for viewer in table.viewers:
                viewer.close()
            task = asyncio.create_task(table.stop())
            task.add_done_callback(lambda _: self._folder.of(name).remove())
        else:
            self._folder.of(name).remove()
        spec = self._specs.pop(name, None)
        if spec is not None:
            self._forget_secrets(spec)

    def play_again(self, table: Table, seat: int, *, same_deal: bool) -> str:
        """Return the person's address at the next table of the same people, which is opened if necessary.

        With `same_deal`, the first deal of the table is played again, and everybody sits on the next seat.
        """
        spec = table.spec
        if secret := table.next_secret(seat):
            return secret
        step = spec.rotation
        if same_deal and not step:
            raise InputError(msg("the sides of this game cannot be swapped"))
        count = len(spec.seats)
        seats = tuple(_seat_again(spec.seats[(at - step) % count]) for at in range(count))
        following = replace(
            spec,
            id=new_id(),
            seats=seats,
            seed=new_secret(),
            creator=(seat + step) % count,
            phase=Phase.WAITING,
            number=0,
            won=(),
            successor="",
            repeats=spec.id if same_deal else "",
            deal_seed=spec.game_seed(0) if same_deal else "",
            best_of=1 if same_deal else spec.best_of,
            opened_at=_date(),
        )
        self.add(following)
        table.change(replace(spec, successor=following.id))
        return seats[(seat + step) % count].secret

    def challenge(self, table: Table, seat: int) -> str:
        """Return an invitation to play the first deal of a table again on the same seat.

        Until somebody accepts it, it stays the same.
        """
        spec = table.spec
        for other in self._specs.values():
            if other.repeats == spec.id and other.creator == seat and other.seats[seat].is_free:
                return other.seats[seat].invitation
        seats = []
        for at, one in enumerate(spec.seats):
            if at == seat:
                one = SeatSpec(SeatKind.PERSON, secret=new_secret(), invitation=new_secret())
            elif one.kind is SeatKind.PERSON:
                player = strongest(spec.game)
                one = SeatSpec(SeatKind.PLAYER, name=spec.free_name(player), player=player)
            seats.append(one)
        challenge = replace(
            spec,
            id=new_id(),
            seats=tuple(seats),
            seed=new_secret(),
            creator=seat,
            phase=Phase.WAITING,
            number=0,
            won=(),
            successor="",
            repeats=spec.id,
            deal_seed=spec.game_seed(0),
            best_of=1,
            is_listed=False,
            has_hints=True,
            opened_at=_date(),
        )
        self.add(challenge)
        return seats[seat].invitation

    def _table(self, spec: TableSpec) -> Table:
        files = self._folder.of(spec.id)
        return Table(spec, files, self.thinking, self.bots, self._index, self._specs.get)

    def _index(self, spec: TableSpec) -> None:
        """Remember a table and its secrets, instead of those that it had before."""
        if (before := self._specs.get(spec.id)) is not None:
            self._forget_secrets(before)
        self._specs[spec.id] = spec
        for seat in spec.seats:
            self._secrets.update({secret: spec.id for secret in (seat.secret, seat.invitation) if secret})

    def _forget_secrets(self, spec: TableSpec) -> None:
        for seat in spec.seats:
            self._secrets.pop(seat.secret, None)
            self._secrets.pop(seat.invitation, None)

    # --- memory ------------------------------------------------------------------------------------

    async def _sweep_again_and_again(self) -> None:
        while True:
            await clock.sleep(SWEEP_SECONDS)
            await self.sweep()

    async def sweep(self) -> None:
        """Remove tables from memory that nobody has used for a while, and files that are too old."""
        self._remove_old()
        now = clock.now()
        for name, table in list(self._tables.items()):
            if not table.is_active and now - table.used_at > IDLE_SECONDS:
                del self._tables[name]
                await table.stop()


class TooManyTables(BotequimError):
    """No more tables can be opened now."""

    def __init__(self) -> None:
        super().__init__(msg("there are too many tables now; finish or leave one first, or try again later"))


def _date() -> float:
    """Return the current date as Unix time."""
    return clock.date(clock.now())


def _is_listed(spec: TableSpec) -> bool:
    if spec.phase is Phase.WAITING:
        return any(spec.seats[at].is_listed for at in spec.free_seats)
    return spec.is_listed and spec.phase is Phase.PLAYING


def _seat_again(seat: SeatSpec) -> SeatSpec:
    """Return the same seat for another match, with new secrets."""
    if seat.kind is not SeatKind.PERSON:
        return seat
    return replace(seat, secret=new_secret(), has_left=False, is_listed=False)
