"""In a worker: the game that is played there, told to the coordinator while it goes on.

Play itself does nothing for it but to write its turns into a list that it writes anyway. A thread looks at
that list now and then, and posts what is new.

Thousands of games may go by in a second, and telling all of them would cost more than to play them. A game is
told when it is seen at two looks, or when none was told for a while; from then on all of it is.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from botequim.core import clock
from botequim.core.game import AnyGame
from botequim.core.options import Options
from botequim.core.reading import LONGEST_LINE
from botequim.core.record import Json, header_json, turn_json, without_log
from botequim.core.turn import Made, Step
from botequim.cup.live.post import Sender

LOOK_SECONDS: Final = 0.04
MOST_SHARE: Final = 0.02
"""Of a worker's time; who needs more looks less often."""
SAMPLE_SECONDS: Final = 1.0
"""When no game was told for so long, one that may be over in a moment is."""
MOST_TURNS: Final = 200
"""In one message."""
FAREWELL_SECONDS: Final = 0.5
"""How long a worker that ends waits until its last turns are posted."""


class Telling:
    """What a worker tells. One game is played at a time."""

    def __init__(self, into: socket.socket) -> None:
        self._sender: Final = Sender(into)
        self._now: _Game | None = None
        self._told: _Game | None = None
        self._sent = 0
        self._before: _Game | None = None
        self._last = 0.0
        self._serial = 0
        self._closing: Final = threading.Event()
        self._thread: Final = threading.Thread(target=self._look_on, name="telling", daemon=True)

    def begin(self) -> Telling:
        self._thread.start()
        return self

    def close(self) -> None:
        """Post what is left, if there is somebody to read it."""
        self._closing.set()
        self._thread.join(FAREWELL_SECONDS)

    @contextmanager
    def game(
        self,
        stage: str,
        key: str,
        number: int,
        game: AnyGame,
        options: Options,
        seats: Sequence[Mapping[str, Any]],
    ) -> Iterator[_Game]:
        """While a game is played. If that fails, the game never was."""
        self._serial += 1
        now = self._now = _Game(self._serial, stage, key, number, game, options, seats)
        try:
            yield now
        except BaseException:
            now.finish("gone")
            raise
        else:
            now.finish("end")
        finally:
            self._now = None

    # --- the thread --------------------------------------------------------------------------------

    def _look_on(self) -> None:
        pause = LOOK_SECONDS
        while not self._sender.gone:
            last = self._closing.wait(pause)
            began = time.thread_time()
            while self._look_with_care() and last:
                pass
            if last:
                return
            # of a game that goes by very fast, telling all at once would take more time than playing it
            pause = max(LOOK_SECONDS, min((time.thread_time() - began) / MOST_SHARE, SAMPLE_SECONDS))

    def _look_with_care(self) -> bool:
        try:
            return self._look()
        except Exception:  # of a game we know nothing about, say; it is played on without being told
            for game in (self._told, self._now):
                if game is not None:
                    game.untold = True
            return False

    def _look(self) -> bool:
        """Whether something was posted."""
        now = self._now
        parts: list[list[Any]] = []
        told, sent = self._told, self._sent
        if told is not None:
            over = "gone" if told.untold else told.over  # asked first: what is over has all its turns
            if over != "gone":
                sent = _add_turns(parts, told, sent)
            if over == "gone" or (over and sent >= len(told.turns)):
                parts.append([over, told.serial, told.ended])
                told = None
        if told is None and now is not None and not now.over and self._is_worth_it(now):
            parts.append(["begin", now.serial, now.stage, now.key, now.number, now.header(), now.began])
            told, sent = now, _add_turns(parts, now, 0)
        self._before = now
        if not parts or not self._sender.post(json.dumps(parts, separators=(",", ":")).encode("ascii")):
            return False
        if told is not self._told:
            self._last = clock.now()
        self._told, self._sent = told, sent
        return True

    def _is_worth_it(self, game: _Game) -> bool:
        if game is self._told or game.untold:
            return False
        return game is self._before or clock.now() - self._last >= SAMPLE_SECONDS


class _Game:
    """A game as it is played."""

    def __init__(
        self,
        serial: int,
        stage: str,
        key: str,
        number: int,
        game: AnyGame,
        options: Options,
        seats: Sequence[Mapping[str, Any]],
    ) -> None:
        self.serial: Final = serial
        self.stage: Final = stage
        self.key: Final = key
        self.number: Final = number
        self.game: Final = game
        self.options: Final = options
        self.seats: Final = seats
        self.turns: Final[list[Sequence[Made]]] = []
        """For the referee to write."""
        self.times: Final[list[float]] = []
        """When each was made. Where that is not known, it was just before it was seen."""
        self.began: Final = clock.now()
        self.ended = 0.0
        self.over = ""
        self.untold = False
        """It cannot be told, or not any more."""

    @property
    def stamp(self) -> Callable[[Step], None]:
        """Keeps the time of each turn. It costs a third of a microsecond, so it is for games that are waited
        for."""
        times, now = self.times, clock.now
        return lambda step: times.append(now())

    def finish(self, how: str) -> None:
        self.ended = clock.now()
        self.over = how  # last: who sees that it is over sees all of it

    def header(self) -> Json:
        return header_json(self.game, self.options, None, self.seats)


def _add_turns(parts: list[list[Any]], game: _Game, sent: int) -> int:
    """The next turns after so many, as lines; how many are told then."""
    turns = game.turns[sent : sent + MOST_TURNS]
    if not turns:
        return sent
    now = game.ended or clock.now()
    lines: list[list[Any]] = []
    size = 0
    for number, turn in enumerate(turns, start=sent + 1):
        line = json.dumps(
            turn_json(game.game, number, [without_log(made) for made in turn]), separators=(",", ":")
        )
        size += len(line)
        if size > LONGEST_LINE:
            if not lines:
                raise ValueError("no record can hold such a turn either")
            break
        made = game.times[number - 1] if number <= len(game.times) else now
        lines.append([number, line, made])
    parts.append(["turns", game.serial, lines])
    return sent + len(lines)


TELLING: Telling | None = None
"""Of this process, if it is a worker of a cup that is told."""


def begin_telling(into: socket.socket) -> Callable[[], None]:
    """What a worker does first; what it gives is done last."""
    global TELLING
    into.set_inheritable(False)  # no bot has anything to say here
    TELLING = Telling(into).begin()
    return TELLING.close
