"""An executor that behaves as if it were on another machine."""

from __future__ import annotations

import pickle
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from botequim.core.limits import EnforcedLimit
from botequim.core.options import Options
from botequim.engine.executors import InProcess, Outcome
from botequim.engine.jobs import GameObserver, GameSetup, Observation, ObservedGame, SeriesJob
from botequim.engine.series import Series
from tests.support.pace import until


class DirectSender:
    """Carries messages to the coordinator by a call."""

    closed = False

    def __init__(self, observation: Observation, clock_offset: float = 0.0) -> None:
        self._observation = observation
        self._offset = clock_offset
        self.count = 0

    def send(self, message: bytes) -> bool:
        self._observation.receive(7, message, self._offset)
        self.count += 1
        return True

    def close(self) -> None:
        self.closed = True


class PatientObserver:
    """Lets no game end before something was sent, so that the first game is certainly published."""

    def __init__(self, observer: GameObserver, sender: DirectSender) -> None:
        self._observer = observer
        self._sender = sender

    @contextmanager
    def observe(
        self, job: SeriesJob[Any], setup: GameSetup, series: Series, options: Options
    ) -> Iterator[ObservedGame]:
        before = self._sender.count
        with self._observer.observe(job, setup, series, options) as game:
            yield game
            until(lambda: self._sender.count > before)

    def close(self) -> None:
        self._observer.close()


class Elsewhere(InProcess):
    """Plays jobs here, but everything that goes there or comes back is pickled."""

    def __init__(
        self, observation: Observation | None = None, enforces: Collection[EnforcedLimit] | None = None
    ) -> None:
        observer = None
        if observation is not None:
            sender = DirectSender(observation)
            observer = PatientObserver(pickle.loads(pickle.dumps(observation.start))(sender), sender)
        super().__init__(observer)
        self.enforces = None if enforces is None else frozenset(enforces)  # type: ignore[assignment,misc]

    def submit(self, job: SeriesJob[Any]) -> None:
        super().submit(pickle.loads(pickle.dumps(job)))

    def wait(self, timeout: float | None = None) -> Sequence[Outcome]:
        found: Sequence[Outcome] = pickle.loads(pickle.dumps(super().wait(timeout)))
        return found
