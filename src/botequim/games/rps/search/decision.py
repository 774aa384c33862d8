"""How the champion of rps chooses its mixture: safe, except for a limited risk.

It keeps an account of winning probability. The account starts with a small *stake*. Whenever a mixture
guaranteed some probability of winning, and the opponent's hand made it higher, the difference is added. A
mixture may lose no more on average, whatever the opponent shows, than the account contains; what it loses is
subtracted. So against any opponent, even one who knows each mixture before the round, it wins at least half
of its games less the stake.

The part of the account that it risks is the one that maximises the expected gain, as in a fair bet.
"""

from __future__ import annotations

from typing import Final, Protocol, final

from botequim.games.rps.search.forecast import Forecast
from botequim.games.rps.search.value import Fair, Mixture, Round, any_hand

STAKE: Final = 0.005
"""The probability of winning that may be lost to exploit an opponent: 99 of 200 games are certain."""


class Worth(Protocol):
    """The value of count differences against random hands; see `search.value.Outlook`."""

    def safe(self, rock: int, paper: int, left: int) -> float: ...


@final
class Decision:
    """One game, seen from one side."""

    def __init__(self, length: int, worth: Worth, forecast: Forecast, stake: float = STAKE) -> None:
        self.account: float = stake
        self._left: int = length
        self._ahead: int = 0
        self._rock: int = 0
        self._paper: int = 0
        self._worth: Final = worth
        self._fair: Final = Fair()
        self._forecast: Final = forecast
        self._mixture: Mixture | None = None
        self.expects: Mixture = any_hand()
        """The opponent's probabilities that the last mixture assumed."""

    def mixture(self) -> Mixture:
        """Return the probability of each hand to show now."""
        if self._mixture is None:
            self._mixture = self._make_up()
        return self._mixture

    def chances(self) -> Mixture:
        """Return by hand the probability of winning the game after showing it now, if all else is fair and as
        expected."""
        expected = Round(self._rock, self._paper).expected_gains(self.expects)
        won, lost = self._ends()
        first, second, third = [(won + lost) / 2 + (won - lost) / 2 * gain for gain in expected]
        return first, second, third

    def add_round(self, own: int, other: int, *, won: bool) -> None:
        """Add a round that is over. For forfeited rounds use `add_forfeit`."""
        gained = Round(self._rock, self._paper).gains(self.mixture())[other]
        win, loss = self._ends()
        self.account = max(0.0, self.account + gained * (win - loss) / 2)
        self._forecast.add(own, other, lost=not won)
        self._rock += int(own == 0) - int(other == 0)
        self._paper += int(own == 1) - int(other == 1)
        self.add_forfeit(1 if won else -1)

    def add_forfeit(self, step: int) -> None:
        """Add a forfeited round, which changes no count: 1 we won it, -1 the opponent did, 0 nobody."""
        self._ahead += step
        self._left -= 1
        self._mixture = None

    def _ends(self) -> tuple[float, float]:
        """Return the probability of winning the game after winning this round, and after losing it."""
        left = self._left - 1
        return self._fair.value(self._ahead + 1, left), self._fair.value(self._ahead - 1, left)

    def _make_up(self) -> Mixture:
        self.expects = self._forecast.next()
        this = Round(self._rock, self._paper)
        expected = this.expected_gains(self.expects)
        win, loss = self._ends()
        swing = (win - loss) / 2
        # the risk in rounds; when the game is decided, any risk is allowed
        funds = self.account / swing if swing > 1e-12 else 1.0
        risk = min(1.0, funds * max(0.0, *expected))
        values = self._values(expected)
        best, chosen = -1e9, any_hand()
        for corner in this.corners(risk):
            value = corner[0] * values[0] + corner[1] * values[1] + corner[2] * values[2]
            if value > best + 1e-9:
                best, chosen = value, corner
        total = chosen[0] + chosen[1] + chosen[2]
        return chosen[0] / total, chosen[1] / total, chosen[2] / total

    def _values(self, expected: Mixture) -> list[float]:
        """Return for each hand its expected gain in this round, plus the value of the counts after it."""
        later = [0.0, 0.0, 0.0]
        for own in range(3):
            for other in range(3):
                rock = self._rock + int(own == 0) - int(other == 0)
                paper = self._paper + int(own == 1) - int(other == 1)
                later[own] += self.expects[other] * self._worth.safe(rock, paper, self._left - 1)
        careless = 1.0 - max(0.0, *expected)
        return [expected[hand] + careless * later[hand] for hand in range(3)]
