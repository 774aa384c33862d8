"""Plays recorded games back: on a terminal, controlled by keys; elsewhere, as lines of text."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import nullcontext
from typing import Final, TypeAlias

from botequim.core import clock
from botequim.core.messages import Message
from botequim.i18n import _, translate
from botequim.narration.narrator import Transcript
from botequim.narration.wrapping import columns
from botequim.records.replay import Replay
from botequim.terminal.keyboard import Keyboard
from botequim.terminal.screen import RichScreen
from botequim.terminal.ui import ui_for

Games: TypeAlias = AsyncIterator[tuple[Message, Replay]]
"""Games with their titles."""

LAST_FRAME: Final = 4
"""The end of a game is shown for the time of this many turns."""
ARROWS: Final = {"\x1b[C": "n", "\x1b[D": "b", "\x1bOC": "n", "\x1bOD": "b"}
KEYS: Final = {" ": "p", "+": "f", "-": "s"}


class Speed:
    """The time between two turns. A person can make playback faster and slower."""

    FASTEST: Final = 10
    SLOWEST: Final = 60_000

    def __init__(self, milliseconds: int) -> None:
        self.milliseconds = milliseconds

    def faster(self) -> None:
        self.milliseconds = max(self.FASTEST, self.milliseconds * 2 // 3)

    def slower(self) -> None:
        self.milliseconds = min(self.SLOWEST, max(self.FASTEST, self.milliseconds) * 3 // 2)

    def next_turn(self) -> float:
        """Return the time of the next turn, by `clock.now`."""
        return clock.now() + self.milliseconds / 1000


async def print_games(games: Games, speed: Speed) -> None:
    """Print every turn in words, and the table as plain text: for a pipe or a file."""
    async for title, replay in games:
        print(translate(title))
        transcript = Transcript.of(replay, width=columns())
        await _print(transcript.opening(), speed)
        for step in replay.steps():
            await _print(transcript.turn(step), speed)
        if replay.outcome is not None:
            await _print(transcript.ending(replay.outcome), speed)
        print()


async def _print(lines: Iterable[str], speed: Speed) -> None:
    print("\n".join(lines), flush=True)
    await clock.sleep(speed.milliseconds / 1000)


class Playback:
    """Shows one game after another on a terminal. The last line lists the keys that control it."""

    def __init__(self, screen: RichScreen, keyboard: Keyboard, speed: Speed) -> None:
        self._screen: Final = screen
        self._keyboard: Final = keyboard
        self._speed: Final = speed
        self._is_paused = False
        self._at = 0
        self._input_ended = False

    def waiting(self) -> None:
        """Show that no further game is finished yet."""
        self._screen.note([_("waiting for the next game …  q leaves")])

    async def show(self, games: Games) -> None:
        """Show games until the last one is over or the person leaves."""
        while (game := await self._next(games)) is not None:
            if not await self._show(*game):
                return

    async def _next(self, games: Games) -> tuple[Message, Replay] | None:
        """Wait for the next game; return None when there is none, or when the person leaves."""
        coming = asyncio.ensure_future(anext(games, None))
        try:
            while not coming.done() and not self._input_ended:
                key_press = asyncio.ensure_future(self._key(None))
                await asyncio.wait((coming, key_press), return_when=asyncio.FIRST_COMPLETED)
                if not key_press.done():
                    key_press.cancel()
                elif key_press.result() == "q":
                    return None
            return await coming
        finally:
            coming.cancel()

    async def _show(self, title: Message, replay: Replay) -> bool:
        """Show one game. Return whether to go on with the next."""
        self._at = 0
        self._title = title
        self._replay = replay
        self._ui = ui_for(replay.game, replay.seats)
        self._transcript = Transcript.of(replay, boards=False)
        self._lines: list[list[str]] = []
        last = len(replay)
        self._draw()
        due = self._speed.next_turn()
        while True:
            key = await self._key(None if self._is_paused else due)
            if key == "q":
                return False
            if key == "g":
                return True
            if key is None:
                if self._at == last:
                    return True
                self._at += 1
            elif not self._handle_key(key, last):
                continue
            self._draw()
            due = self._speed.next_turn()
            if self._at == last:
                due += self._speed.milliseconds / 1000 * (LAST_FRAME - 1)

    def _handle_key(self, key: str, last: int) -> bool:
        """Handle a key. Return whether it has a meaning."""
        if key == "p":
            self._is_paused = not self._is_paused
        elif key in ("n", "b"):
            self._is_paused = True
            self._at = min(last, self._at + 1) if key == "n" else max(0, self._at - 1)
        elif key == "f":
            self._speed.faster()
        elif key == "s":
            self._speed.slower()
        else:
            return False
        return True

    async def _key(self, due: float | None) -> str | None:
        """Return the key that was pressed before the next turn is due, or None when it is due."""
        if self._input_ended:  # there are no more keys, and playback goes on without them
            await clock.sleep((due or 0.0) - clock.now())
            return None
        try:
            async with nullcontext() if due is None else clock.timeout(due - clock.now()):
                text = await self._keyboard.more()
        except TimeoutError:
            return None
        if not text:
            self._input_ended, self._is_paused = True, False
            return ""
        for name, key in ARROWS.items():
            if text.startswith(name):
                self._keyboard.push_back(text[len(name) :])
                return key
        self._keyboard.push_back(text[1:])
        return KEYS.get(text[0], text[0].lower())

    def _draw(self) -> None:
        replay, ui = self._replay, self._ui
        while len(self._lines) < self._at:
            self._lines.append(list(self._transcript.turn(replay.step(len(self._lines) + 1))))
        lines = [line for turn in self._lines[: self._at] for line in turn]
        if self._at == len(replay) and replay.outcome is not None:
            lines += self._transcript.ending(replay.outcome)
        state = replay.state(self._at)
        ui.to_move = replay.game.to_move(state)
        view, hands = replay.view(self._at, None), ui.all_hands(state)
        self._screen.scene(
            [translate(self._title), *self._transcript.opening(), *lines],
            lambda room: ui.drawing(view, hands, room),
            [self._status()],
        )

    def _status(self) -> str:
        where = _("turn {turn} of {turns}", turn=self._at, turns=len(self._replay))
        speed = _("paused") if self._is_paused else _("{ms} ms a turn", ms=self._speed.milliseconds)
        keys = _("p pause  n step  b back  f faster  s slower  g next game  q leave")
        return f"{where} · {speed} · {keys}"
