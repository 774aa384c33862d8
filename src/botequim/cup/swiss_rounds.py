"""The rules of a round of a Swiss stage.

A round is a perfect matching of the entrants, and of the bye if their number is odd. The best one has, in
this order:

1. the fewest repetitions: two who have met already, or an entrant that has had a bye already;
2. the bye for an entrant with as few points as possible;
3. the fewest pairs after which somebody has had one of the two seats three times more often than the other;
4. the smallest sum of the squares of the differences in points;
5. the fewest pairs of entrants that both had the same seat more often;
6. the smallest sum of the random numbers that all pairs get from the seed of the stage.

The first seat of a pair goes to the entrant that has had it less often, compared to the second seat; if both
are equal, a lot decides. The rules become one integer cost for each pair, and the best round has the smallest
sum of costs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

from botequim.core.messages import Message, msg
from botequim.cup.format import Round, Stage
from botequim.cup.matching import cheapest_matching, largest_matching_size
from botequim.cup.pairing import Pairing

WIN: Final = 2
"""Points are counted in halves: a tie is worth 1, and a bye as much as a win."""
LOTS: Final = 1 << 32
MOST_BALANCE: Final = 2


@dataclass(frozen=True)
class History:
    """The rounds of a stage so far, by entrant."""

    points: Counter[str] = field(default_factory=Counter)
    """Counted in halves."""
    meetings: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    """The opponents in finished series, each with the points that were won, in halves."""
    byes: Counter[str] = field(default_factory=Counter)
    balance: Counter[str] = field(default_factory=Counter)
    """How often an entrant had the first seat, minus how often the second."""
    met: set[frozenset[str]] = field(default_factory=set)

    @classmethod
    def of(cls, stage: Stage) -> History:
        history = cls(meetings={name: [] for name in stage.entrants})
        for number, tables in enumerate(stage.rounds, start=1):
            for table in tables:
                if len(table) == 1:
                    history.byes[table[0]] += 1
                    history.points[table[0]] += WIN
                else:
                    history._add(stage, stage.round_series(number, table))
        return history

    def _add(self, stage: Stage, pairing: Pairing) -> None:
        one, other = pairing.entrants
        self.met.add(frozenset(pairing.entrants))
        self.balance[one] += 1
        self.balance[other] -= 1
        result = stage.results.get(pairing.key)
        if result is not None:
            winner = result.winner()
            for name, opponent in ((one, other), (other, one)):
                points = 1 if winner is None else WIN if winner == name else 0
                self.points[name] += points
                self.meetings[name].append((opponent, points))


class RoundRules:
    """The rules for the next round of a stage. Entrants are numbers here; of an even count, the last is the
    bye."""

    def __init__(self, stage: Stage) -> None:
        self.stage: Final = stage
        self.names: Final = stage.staying
        self.count: Final = len(self.names) + len(self.names) % 2
        self._history: Final = History.of(stage)
        self._number: Final = len(stage.rounds) + 1
        self._points: Final = [self._history.points[name] for name in self.names]
        self._balance: Final = [self._history.balance[name] for name in self.names]
        rng = stage.rng("round", self._number)
        self._lots: Final = [[rng.below(LOTS) for _ in range(other)] for other in range(self.count)]
        self._units: Final = self._make_units()

    def _make_units(self) -> tuple[int, int, int, int, int]:
        """Return the weights of all rules but the last. Each exceeds the largest sum of the rules after
        it."""
        pairs, before = self.count // 2, self._number - 1
        seats = pairs * LOTS
        points = seats * (pairs * before + 1)
        balance = points * (pairs * (WIN * before) ** 2 + 1)
        bye = balance * (pairs + 1)
        return bye * (WIN * before + 1), bye, balance, points, seats

    def cost(self, one: int, other: int) -> int:
        """Return the cost of this pair."""
        one, other = sorted((one, other))
        repetition, bye, balance, points, seats = self._units
        cost = self._lots[other][one] + repetition * self.repeats(one, other)
        if other == len(self.names):
            return cost + bye * (self._points[one] - min(self._points))
        cost += points * (self._points[one] - self._points[other]) ** 2
        same = self._balance[one] * self._balance[other] > 0
        common = min(abs(self._balance[one]), abs(self._balance[other])) if same else 0
        return cost + seats * common + balance * (common >= MOST_BALANCE)

    def repeats(self, one: int, other: int) -> bool:
        """Return whether these have met already, or one has had a bye already."""
        one, other = sorted((one, other))
        if other == len(self.names):
            return self._history.byes[self.names[one]] > 0
        return frozenset((self.names[one], self.names[other])) in self._history.met

    def table(self, one: int, other: int) -> tuple[str, ...]:
        """Return the table of two who meet, in the order of their seats."""
        one, other = sorted((one, other))
        if other == len(self.names):
            return (self.names[one],)
        pair = self.names[one], self.names[other]
        first, second = self._balance[one], self._balance[other]
        if first == second:
            swap = self.stage.rng("seats", self._number, *sorted(pair)).below(2) == 1
        else:
            swap = first > second
        return pair[::-1] if swap else pair

    # --- deciding ----------------------------------------------------------------------------------

    def decide(self) -> Round:
        """Return the best round. Tables with more points come first, the bye last."""
        pairs = cheapest_matching(self.count, self.cost)

        def order(pair: tuple[int, int]) -> tuple[bool, int, int]:
            there = [self._points[at] for at in pair if at < len(self.names)]
            return len(there) == 1, -max(there), -sum(there)

        return tuple(self.table(*pair) for pair in sorted(pairs, key=order))

    # --- checking ----------------------------------------------------------------------------------

    def problem(self, decided: Round) -> Message | None:
        """Return the rule that a round breaks, as far as it can be found without the best round; else None.

        A round is accepted if no exchange between two tables improves it, even if it is not the best one.
        """
        numbers = {name: at for at, name in enumerate(self.names)}
        present = [numbers[name] for table in decided for name in table if name in numbers]
        if sorted(present) != list(range(len(self.names))) or sum(map(len, decided)) != len(present):
            return msg("every entrant must be at one table")
        if sorted(map(len, decided)) != [1] * (len(self.names) % 2) + [2] * (len(self.names) // 2):
            return msg("two entrants must be at each table, and one entrant of an odd number has a bye")
        pairs = [
            (numbers[table[0]], numbers[table[-1]] if len(table) == 2 else len(self.names))
            for table in decided
        ]
        return self._repetition(pairs) or self._wrong_seats(decided, pairs) or self._better_exchange(pairs)

    def _repetition(self, pairs: Sequence[tuple[int, int]]) -> Message | None:
        repetitions = [self.table(*pair) for pair in pairs if self.repeats(*pair)]
        if not repetitions:
            return None
        everybody = range(self.count)
        fresh = [[at for at in everybody if at != one and not self.repeats(one, at)] for one in everybody]
        if len(repetitions) <= self.count // 2 - largest_matching_size(fresh):
            return None
        tables = ", ".join(map(table_text, repetitions))
        return msg("rematches or second byes that can be avoided: {tables}", tables=tables)

    def _wrong_seats(self, tables: Round, pairs: Sequence[tuple[int, int]]) -> Message | None:
        for table, pair in zip(tables, pairs, strict=True):
            if table != self.table(*pair):
                return msg("{table}: the seats do not follow from the rounds before", table=table_text(table))
        return None

    def _better_exchange(self, pairs: Sequence[tuple[int, int]]) -> Message | None:
        for first, second in combinations(pairs, 2):
            cost = self.cost(*first) + self.cost(*second)
            for others in (second, second[::-1]):
                exchange = list(zip(first, others, strict=True))
                if sum(self.cost(*pair) for pair in exchange) < cost:
                    return msg(
                        "{tables}: by the rules of pairing, these entrants should meet each other "
                        "differently: {better}",
                        tables=", ".join(table_text(self.table(*pair)) for pair in (first, second)),
                        better=", ".join(table_text(self.table(*pair)) for pair in exchange),
                    )
        return None


def table_text(table: Sequence[str]) -> str:
    """Return a table for people: `Ana – Rui`, or `Eva –` for a bye."""
    return " – ".join(table) if len(table) > 1 else f"{table[0]} –"
