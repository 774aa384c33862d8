"""Trains a network of cubos: each step makes good choices more likely and bad ones less likely."""

from __future__ import annotations

from math import exp, log, sqrt
from typing import Final, final

from botequim.core.compiling import i64, vec
from botequim.games.cubos.search.history import History
from botequim.games.cubos.search.policy import (
    NUMBERS_OF_A_NETWORK,
    OUT_SUM,
    SUMS,
    UNITS,
    WIDTH,
    MoveModel,
    Network,
)

_FADES: Final = 0.9
_FADES_SLOWLY: Final = 0.99
_SMALL: Final = 1e-7


@final
class Trainer:
    """Collects the gradient of the weights from choices, and updates the weights with Adam."""

    def __init__(self, network: Network) -> None:
        self.network: Network = network
        self.seen: i64 = 0
        """Choices since the last step."""
        self._slopes: vec[float] = vec[float]([0.0] * (SUMS * WIDTH))
        """By sum: the gradient of the log-likelihood of the choices."""
        self._mean: vec[float] = vec[float]([0.0] * NUMBERS_OF_A_NETWORK)
        self._spread: vec[float] = vec[float]([0.0] * NUMBERS_OF_A_NETWORK)
        self._steps: i64 = 0
        self._rows: vec[i64] = vec[i64]([0] * 64)
        self._chances: vec[float] = vec[float]([0.0] * 16)

    def learn_from(self, past: History, model: MoveModel, turn: i64, hand: i64, worth: float = 1.0) -> float:
        """Add the gradient of one choice, made in a turn with a hand; return minus its log-likelihood.

        A choice with a negative worth becomes less likely.
        """
        left: i64 = past.covered[turn]
        right: i64 = past.kept[turn]
        count: i64 = model.list_moves(hand, left, right)
        if count <= 1:
            return 0.0
        model.prepare(turn)
        model.score(turn, hand, left, right, count)
        total: float = 0.0
        at: i64 = 0
        while at < count:
            self._chances[at] = exp(model.scores[at])
            total += self._chances[at]
            at += 1
        loss: float = 0.0
        at = 0
        while at < count:
            chance: float = self._chances[at] / total
            if model.moves[at] == past.tile[turn] * 2:
                loss = -log(chance)
                chance -= 1.0
            model.note_move(turn, model.moves[at], left, right)
            self._blame(model, chance * worth)
            at += 1
        self.seen += 1
        return loss

    def _blame(self, model: MoveModel, error: float) -> None:
        """Add the gradient of a move whose probability was too high by `error`."""
        rows, sums, slopes = self._rows, self.network.sums, self._slopes
        parts: i64 = 0
        for part in model.faced:
            rows[parts] = part * WIDTH
            parts += 1
        for part in model.held:
            rows[parts] = part * WIDTH
            parts += 1
        for part in model.picked:
            rows[parts] = part * WIDTH
            parts += 1
        unit: i64 = 0
        while unit < WIDTH:
            found: float = 0.0
            at: i64 = 0
            while at < parts:
                found += sums[rows[at] + unit]
                at += 1
            if unit == UNITS or found > 0.0:
                slope: float = error * sums[OUT_SUM * WIDTH + unit]
                if unit < UNITS:
                    slopes[OUT_SUM * WIDTH + unit] += error * found
                at = 0
                while at < parts:
                    slopes[rows[at] + unit] += slope
                    at += 1
            unit += 1

    def step(self, rate: float) -> None:
        """Update the weights with what was collected since the last step."""
        network, mean, spread = self.network, self._mean, self._spread
        slopes: vec[float] = vec[float]([0.0] * NUMBERS_OF_A_NETWORK)
        share: float = 1.0 / float(self.seen)
        part: i64 = 0
        at: i64 = 0
        while part < len(network.parts):
            made: i64 = network.parts[part] * WIDTH
            of: i64 = network.parts[part + 1] * WIDTH
            at = 0
            while at < WIDTH:
                slopes[of + at] += self._slopes[made + at] * share
                at += 1
            part += 2
        self._steps += 1
        young: float = 1.0 - _FADES ** float(self._steps)
        slowly: float = 1.0 - _FADES_SLOWLY ** float(self._steps)
        at = 0
        while at < NUMBERS_OF_A_NETWORK:
            mean[at] = _FADES * mean[at] + (1.0 - _FADES) * slopes[at]
            spread[at] = _FADES_SLOWLY * spread[at] + (1.0 - _FADES_SLOWLY) * slopes[at] * slopes[at]
            network.numbers[at] -= rate * (mean[at] / young) / (sqrt(spread[at] / slowly) + _SMALL)
            at += 1
        network.update_sums()
        at = 0
        while at < SUMS * WIDTH:
            self._slopes[at] = 0.0
            at += 1
        self.seen = 0
