"""A fault and its evidence."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from botequim.botcheck.experiments import ExperimentResults
from botequim.core.errors import Fault
from botequim.core.game import AnyGame
from botequim.core.limits import Limits
from botequim.core.wire import Wire


@dataclass(frozen=True, slots=True)
class Case:
    """One fault. If there is no view, the bot did not start."""

    game: AnyGame
    wire: Wire
    limits: Limits
    fault: Fault
    view: Any = None
    codec_input: Sequence[bytes] = ()
    """The part of its answer that the codec received."""
    games_before: int = 0
    """The number of games that the same instance has played before."""
    experiments: ExperimentResults = field(default_factory=ExperimentResults)
    files: Collection[str] = ()
    """The names in the bot's folder."""
    environment: str = ""
    """The virtual environment that it runs in, as a path in its folder; "" if there is none."""
    log_file: str = ""
    """The file inside its container to which its log goes, if it does not go to standard error."""
    in_image: bool = False
    """Whether it runs in a container."""

    @property
    def raw(self) -> str:
        """The received part of the answer."""
        if self.codec_input:
            return b"\n".join(self.codec_input).decode("utf-8", "backslashreplace")
        return str(self.fault.evidence.get("answer", ""))

    @property
    def log(self) -> str:
        return str(self.fault.evidence.get("stderr", ""))

    @property
    def fresh_is_legal(self) -> bool:
        """Whether a fresh instance answers the same question correctly and in time."""
        fresh = self.experiments.fresh
        return fresh is not None and fresh.fault is None and (fresh.micros or 0) <= self.limits.move * 1e6
