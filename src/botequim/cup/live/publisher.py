"""In a worker: sends the current game to the coordinator.

The referee appends turns to a list. A thread looks at that list at intervals and sends the new turns, so the
referee has no extra work.

A worker may play thousands of games per second, and sending all of them would cost more than playing them. A
game is sent completely if two looks in a row see it, or if no game was sent for a while.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final

from botequim.core import clock
from botequim.core.game import AnyGame
from botequim.core.options import Options
from botequim.core.turn import PlayedMove, Step
from botequim.engine.jobs import GameSetup, MessageSender, SeriesJob
from botequim.engine.series import Series
from botequim.records.reader import LONGEST_LINE
from botequim.records.record import Json, header_json, redact_log, turn_json

LOOK_SECONDS: Final = 0.04
MOST_SHARE: Final = 0.02
"""The share of a worker's time that publishing may take; if it takes more, the thread looks less often."""
SAMPLE_SECONDS: Final = 1.0
"""If no game was sent for so long, the next one is sent, however short it is."""
MOST_TURNS: Final = 200
"""The most turns in a message."""
CLOSE_SECONDS: Final = 0.5
"""How long a worker that ends waits until its last turns are sent."""


class GamePublisher:
    """Publishes the games of a worker, which plays one at a time."""

    def __init__(self, sender: MessageSender) -> None:
        self._sender: Final = sender
        self._now: _Game | None = None
        self._published: _Game | None = None
        self._turns_sent = 0
        self._before: _Game | None = None
        self._last = 0.0
        self._serial = 0
        self._closing: Final = threading.Event()
        self._thread: Final = threading.Thread(target=self._publish, name="game-publisher", daemon=True)

    def start(self) -> GamePublisher:
        self._thread.start()
        return self

    def close(self) -> None:
        """Send the remaining turns, if the coordinator still reads."""
        self._closing.set()
        self._thread.join(CLOSE_SECONDS)
        self._sender.close()

    def observe(
        self, job: SeriesJob[Any], setup: GameSetup, series: Series, options: Options
    ) -> AbstractContextManager[_Game]:
        return self.game(
            job.stage, job.key, setup.number, series.game, options, series.seats, waits=series.waits
        )

    @contextmanager
    def game(
        self,
        stage: str,
        key: str,
        number: int,
        game: AnyGame,
        options: Options,
        seats: Sequence[Mapping[str, Any]],
        *,
        waits: bool = False,
    ) -> Iterator[_Game]:
        """Publish the game that is played in this context. If the context raises, the game is withdrawn."""
        self._serial += 1
        now = self._now = _Game(self._serial, stage, key, number, game, options, seats, waits=waits)
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

    def _publish(self) -> None:
        pause = LOOK_SECONDS
        while not self._sender.closed:
            last = self._closing.wait(pause)
            began = time.thread_time()
            while self._try_look() and last:
                pass
            if last:
                return
            # look less often at very fast games, which would take longer to send than to play
            pause = max(LOOK_SECONDS, min((time.thread_time() - began) / MOST_SHARE, SAMPLE_SECONDS))

    def _try_look(self) -> bool:
        try:
            return self._look()
        except Exception:  # for example in the code of a game, which goes on without being published
            for game in (self._published, self._now):
                if game is not None:
                    game.excluded = True
            return False

    def _look(self) -> bool:
        """Send what is new. Return whether anything was."""
        now = self._now
        parts: list[str] = []
        """Parts of the message as JSON, so that each turn is encoded only once."""
        published, count = self._published, self._turns_sent
        if published is not None:
            # read before the turns: if the game is over now, the turns are complete
            over = "gone" if published.excluded else published.over
            if over != "gone":
                count = _add_turns(parts, published, count)
            if over == "gone" or (over and count >= len(published.turns)):
                parts.append(_json([over, published.serial, published.ended]))
                published = None
        if published is None and now is not None and not now.over and self._should_publish(now):
            begin = ["begin", now.serial, now.stage, now.key, now.number, now.header(), now.began]
            parts.append(_json(begin))
            published, count = now, _add_turns(parts, now, 0)
        self._before = now
        if not parts or not self._sender.send(f"[{','.join(parts)}]".encode("ascii")):
            return False
        if published is not self._published:
            self._last = clock.now()
        self._published, self._turns_sent = published, count
        return True

    def _should_publish(self, game: _Game) -> bool:
        if game is self._published or game.excluded:
            return False
        return game is self._before or clock.now() - self._last >= SAMPLE_SECONDS


class _Game:
    """The game that is being played."""

    def __init__(
        self,
        serial: int,
        stage: str,
        key: str,
        number: int,
        game: AnyGame,
        options: Options,
        seats: Sequence[Mapping[str, Any]],
        *,
        waits: bool,
    ) -> None:
        self._waits: Final = waits
        self.serial: Final = serial
        self.stage: Final = stage
        self.key: Final = key
        self.number: Final = number
        self.game: Final = game
        self.options: Final = options
        self.seats: Final = seats
        self.turns: Final[list[Sequence[PlayedMove]]] = []
        """The referee appends to it."""
        self.times: Final[list[float]] = []
        """When each turn was played, if it was noted; otherwise the time of the look is used."""
        self.began: Final = clock.now()
        self.ended = 0.0
        self.over = ""
        self.excluded = False
        """Whether it cannot be published."""

    @property
    def emit(self) -> Callable[[Step], None] | None:
        """The function that notes the time of each turn, which costs a third of a microsecond. Games in which
        all players are in this process have none."""
        times, now = self.times, clock.now
        return (lambda step: times.append(now())) if self._waits else None

    def finish(self, how: str) -> None:
        self.ended = clock.now()
        self.over = how  # set last, because the other thread then expects that all turns are there

    def header(self) -> Json:
        return header_json(self.game, self.options, None, self.seats)


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def _add_turns(parts: list[str], game: _Game, count: int) -> int:
    """Add the turns after the first `count` to the parts; return the new count."""
    turns = game.turns[count : count + MOST_TURNS]
    if not turns:
        return count
    now = game.ended or clock.now()
    lines: list[str] = []
    size = 0
    for number, turn in enumerate(turns, start=count + 1):
        line = _json(turn_json(game.game, number, [redact_log(move) for move in turn]))
        size += len(line)
        if size > LONGEST_LINE:
            if not lines:
                raise ValueError("no record can hold such a turn either")
            break
        move = game.times[number - 1] if number <= len(game.times) else now
        lines.append(f"[{number},{line},{_json(move)}]")
    parts.append(f'["turns",{game.serial},[{",".join(lines)}]]')
    return count + len(lines)


def start_publisher(sender: MessageSender) -> GamePublisher:
    """Start to publish the games of this process."""
    return GamePublisher(sender).start()
