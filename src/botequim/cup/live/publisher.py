"""In a worker: sends the game that is being played to the coordinator.

The referee only appends turns to a list, which it does anyway. A thread looks at that list at intervals, and
sends what is new.

A worker may play thousands of games per second; to send all of them would cost more than to play them. A game
is sent if two looks in a row see it, or if no game was sent for a while; from then on all of it is sent.
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
"""The share of a worker's time that publishing may take; if it takes more, it looks less often."""
SAMPLE_SECONDS: Final = 1.0
"""If no game was sent for so long, the next one is, even if it will end in a moment."""
MOST_TURNS: Final = 200
"""How many turns a message has at most."""
CLOSE_SECONDS: Final = 0.5
"""How long a worker that ends waits until its last turns are sent."""


class GamePublisher:
    """Publishes the games of a worker, which plays one at a time."""

    def __init__(self, sender: MessageSender) -> None:
        self._sender: Final = sender
        self._now: _Game | None = None
        self._published: _Game | None = None
        self._sent = 0
        self._before: _Game | None = None
        self._last = 0.0
        self._serial = 0
        self._closing: Final = threading.Event()
        self._thread: Final = threading.Thread(target=self._publish, name="game-publisher", daemon=True)

    def start(self) -> GamePublisher:
        self._thread.start()
        return self

    def close(self) -> None:
        """Send what is left, if the coordinator still reads."""
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
        """Publish a game while it is played within; if that raises, the game is withdrawn."""
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
            # sending every turn of a very fast game would take longer than playing it
            pause = max(LOOK_SECONDS, min((time.thread_time() - began) / MOST_SHARE, SAMPLE_SECONDS))

    def _try_look(self) -> bool:
        try:
            return self._look()
        except Exception:  # such as an error of a game: it is played on without being published
            for game in (self._published, self._now):
                if game is not None:
                    game.excluded = True
            return False

    def _look(self) -> bool:
        """Send what is new; return whether there was anything."""
        now = self._now
        parts: list[str] = []
        """JSON texts: a turn is encoded once, and put into the message as it is."""
        published, sent = self._published, self._sent
        if published is not None:
            # read before the turns: a finished game has all of them
            over = "gone" if published.excluded else published.over
            if over != "gone":
                sent = _add_turns(parts, published, sent)
            if over == "gone" or (over and sent >= len(published.turns)):
                parts.append(_json([over, published.serial, published.ended]))
                published = None
        if published is None and now is not None and not now.over and self._should_publish(now):
            begin = ["begin", now.serial, now.stage, now.key, now.number, now.header(), now.began]
            parts.append(_json(begin))
            published, sent = now, _add_turns(parts, now, 0)
        self._before = now
        if not parts or not self._sender.send(f"[{','.join(parts)}]".encode("ascii")):
            return False
        if published is not self._published:
            self._last = clock.now()
        self._published, self._sent = published, sent
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
        """When each turn was made; if that is not known, the time of the look is used."""
        self.began: Final = clock.now()
        self.ended = 0.0
        self.over = ""
        self.excluded = False
        """Whether it cannot be published."""

    @property
    def emit(self) -> Callable[[Step], None] | None:
        """Notes the time of each turn, in games that wait for somebody outside of this process: it costs a
        third of a microsecond."""
        times, now = self.times, clock.now
        return (lambda step: times.append(now())) if self._waits else None

    def finish(self, how: str) -> None:
        self.ended = clock.now()
        self.over = how  # last: a reader that sees the end must see all turns

    def header(self) -> Json:
        return header_json(self.game, self.options, None, self.seats)


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def _add_turns(parts: list[str], game: _Game, sent: int) -> int:
    """Add the next turns after so many; return how many are sent then."""
    turns = game.turns[sent : sent + MOST_TURNS]
    if not turns:
        return sent
    now = game.ended or clock.now()
    lines: list[str] = []
    size = 0
    for number, turn in enumerate(turns, start=sent + 1):
        line = _json(turn_json(game.game, number, [redact_log(made) for made in turn]))
        size += len(line)
        if size > LONGEST_LINE:
            if not lines:
                raise ValueError("no record can hold such a turn either")
            break
        made = game.times[number - 1] if number <= len(game.times) else now
        lines.append(f"[{number},{line},{_json(made)}]")
    parts.append(f'["turns",{game.serial},[{",".join(lines)}]]')
    return sent + len(lines)


def start_publisher(sender: MessageSender) -> GamePublisher:
    """Start to publish the games of this process."""
    return GamePublisher(sender).start()
