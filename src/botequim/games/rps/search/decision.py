"""How the champion of rps makes up its mind: safe, but for what it may lose.

It keeps an account of winning chances. In it are a small *stake* that it declares before the game, and all
that the other has given away since: whenever a mixture was sure of some chance to win and the hand that the
other showed made it more, the difference is paid in. A mixture may lose no more on average, whatever comes,
than is in the account; what it then loses is paid out. So against anybody, even one who is told each mixture
before the round, it wins at least half of its games less the stake.

How much of the account it puts at risk is as in any fair bet: as much as it expects to gain.
"""

from __future__ import annotations

from typing import Final, Protocol, final

from botequim.search.rps import Fair, Mixture, Round, any_hand
from botequim.search.rps_forecast import Forecast

STAKE: Final = 0.005
"""The chance to win that may be lost to learn more: 99 games in 200 are sure."""


class Worth(Protocol):
    """What differences are worth against hands shown at random; see `botequim.search.rps.Outlook`."""

    def safe(self, rock: int, paper: int, left: int) -> float: ...


@final
class Mind:
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
        """Of the other, as of the last mixture."""

    def mixture(self) -> Mixture:
        """How likely it shows each hand now."""
        if self._mixture is None:
            self._mixture = self._make_up()
        return self._mixture

    def chances(self) -> Mixture:
        """By hand: how likely it is to win the game after showing it now, if all else is fair and as
        expected.
        """
        expected = Round(self._rock, self._paper).expected(self.expects)
        won, lost = self._ends()
        first, second, third = [(won + lost) / 2 + (won - lost) / 2 * gain for gain in expected]
        return first, second, third

    def saw(self, own: int, other: int, *, won: bool) -> None:
        """A round is over. Forfeited ones are `gave`."""
        gained = Round(self._rock, self._paper).gains(self.mixture())[other]
        win, loss = self._ends()
        self.account = max(0.0, self.account + gained * (win - loss) / 2)
        self._forecast.add(own, other, lost=not won)
        self._rock += int(own == 0) - int(other == 0)
        self._paper += int(own == 1) - int(other == 1)
        self.gave(1 if won else -1)

    def gave(self, step: int) -> None:
        """A round went to one side (1 oneself, -1 the other, 0 nobody), and into no count."""
        self._ahead += step
        self._left -= 1
        self._mixture = None

    def _ends(self) -> tuple[float, float]:
        """The chance to win the game once this round is won, and once it is lost."""
        left = self._left - 1
        return self._fair.value(self._ahead + 1, left), self._fair.value(self._ahead - 1, left)

    def _make_up(self) -> Mixture:
        self.expects = self._forecast.next()
        this = Round(self._rock, self._paper)
        expected = this.expected(self.expects)
        win, loss = self._ends()
        swing = (win - loss) / 2
        # rounds' worth of winning chance that can be lost; when the game is decided anything can
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
        """By hand: what it wins now, and what it leaves for later against a player without a plan."""
        later = [0.0, 0.0, 0.0]
        for own in range(3):
            for other in range(3):
                rock = self._rock + int(own == 0) - int(other == 0)
                paper = self._paper + int(own == 1) - int(other == 1)
                later[own] += self.expects[other] * self._worth.safe(rock, paper, self._left - 1)
        careless = 1.0 - max(0.0, *expected)
        return [expected[hand] + careless * later[hand] for hand in range(3)]
