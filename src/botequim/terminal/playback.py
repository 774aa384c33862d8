"""Shows films: on a terminal with keys to steer by, elsewhere as lines."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import nullcontext
from typing import Final

from botequim.core import clock
from botequim.i18n import _, say
from botequim.terminal.films import Film, Speed
from botequim.terminal.screen import RichScreen
from botequim.terminal.typing_in import Typing

LAST_FRAME: Final = 4
"""The end of a game is shown for as many turns."""
ARROWS: Final = {"\x1b[C": "n", "\x1b[D": "b", "\x1bOC": "n", "\x1bOD": "b"}
KEYS: Final = {" ": "p", "+": "f", "-": "s"}


async def tell(films: AsyncIterator[Film], speed: Speed) -> None:
    """For a pipe or a file: every turn in words, and the table as it lies."""
    async for film in films:
        print(say(film.title))
        for lines in ([*film.opening], *film.drawn, film.ending):
            print("\n".join(lines), flush=True)
            await clock.sleep(speed.milliseconds / 1000)
        print()


class Projector:
    """One film after another on a terminal, steered by the keys that the last line names."""

    def __init__(self, screen: RichScreen, typing: Typing, speed: Speed) -> None:
        self._screen: Final = screen
        self._typing: Final = typing
        self._speed: Final = speed
        self._paused = False
        self._at = 0
        self._deaf = False

    def waiting(self) -> None:
        """No game is finished just now."""
        self._screen.note([_("waiting for the next game …  q leaves")])

    async def show(self, films: AsyncIterator[Film]) -> None:
        """Until the last is over, or the person leaves."""
        while (film := await self._next(films)) is not None:
            if not await self._show(film):
                return

    async def _next(self, films: AsyncIterator[Film]) -> Film | None:
        """The next film, however long it takes to come; None when there is none, or the person leaves."""
        coming = asyncio.ensure_future(anext(films, None))
        try:
            while not coming.done() and not self._deaf:
                hearing = asyncio.ensure_future(self._key(None))
                await asyncio.wait((coming, hearing), return_when=asyncio.FIRST_COMPLETED)
                if not hearing.done():
                    hearing.cancel()
                elif hearing.result() == "q":
                    return None
            return await coming
        finally:
            coming.cancel()

    async def _show(self, film: Film) -> bool:
        """Whether the person stays for more."""
        self._at = 0
        last = len(film.steps)
        self._draw(film)
        due = self._speed.next_turn()
        while True:
            key = await self._key(None if self._paused else due)
            if key == "q":
                return False
            if key == "g":
                return True
            if key is None:
                if self._at == last:
                    return True
                self._at += 1
            elif not self._steer(key, last):
                continue
            self._draw(film)
            due = self._speed.next_turn()
            if self._at == last:
                due += self._speed.milliseconds / 1000 * (LAST_FRAME - 1)

    def _steer(self, key: str, last: int) -> bool:
        """Whether the key is one of ours."""
        if key == "p":
            self._paused = not self._paused
        elif key in ("n", "b"):
            self._paused = True
            self._at = min(last, self._at + 1) if key == "n" else max(0, self._at - 1)
        elif key == "f":
            self._speed.faster()
        elif key == "s":
            self._speed.slower()
        else:
            return False
        return True

    async def _key(self, due: float | None) -> str | None:
        """The key that was pressed before the next turn is due; None: it is due."""
        if self._deaf:  # nothing more can be typed: the film goes on
            await clock.sleep((due or 0.0) - clock.now())
            return None
        try:
            async with nullcontext() if due is None else clock.timeout(due - clock.now()):
                text = await self._typing.more()
        except TimeoutError:
            return None
        if not text:
            self._deaf, self._paused = True, False
            return ""
        for name, key in ARROWS.items():
            if text.startswith(name):
                self._typing.give_back(text[len(name) :])
                return key
        self._typing.give_back(text[1:])
        return KEYS.get(text[0], text[0].lower())

    def _draw(self, film: Film) -> None:
        state = film.steps[self._at - 1].after if self._at else film.start
        face = film.face
        face.to_move = film.game.to_move(state)
        view, hands = film.game.view(state, None), face.hands(state)
        told = [line for lines in film.told[: self._at] for line in lines]
        if self._at == len(film.steps):
            told += film.ending
        self._screen.scene(
            [say(film.title), *film.opening, *told],
            lambda room: face.drawing(view, hands, room),
            [self._status(film)],
        )

    def _status(self, film: Film) -> str:
        where = _("turn {turn} of {turns}", turn=self._at, turns=len(film.steps))
        speed = _("paused") if self._paused else _("{ms} ms a turn", ms=self._speed.milliseconds)
        keys = _("p pause  n step  b back  f faster  s slower  g next game  q leave")
        return f"{where} · {speed} · {keys}"
