"""A test that stops when it can say who is better, and how often it is wrong."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest

from botequim.core.rng import Rng
from botequim.match.sprt import Sprt, Verdict

RUNS = 200


def run_test(rate: int, rng: Rng, *, gain: float, luck: int = 0, draws: int = 0) -> Sprt:
    """Deals from both sides, in thousandths: what the tiles give to one side they take from the other."""
    test = Sprt(gain=gain)
    while test.verdict is Verdict.UNDECIDED and test.deals < 20_000:
        tilt = luck if rng.below(2) else -luck
        shares = [
            Fraction(1, 2) if rng.below(1000) < draws else Fraction(int(rng.below(1000) < rate + side))
            for side in (tilt, -tilt)
        ]
        test.add_deal(shares)
    return test


def verdicts(rate: int, *, luck: int = 0, draws: int = 0) -> Counter[Verdict]:
    rng = Rng(f"{rate}/{luck}/{draws}")
    return Counter(run_test(rate, rng, gain=0.06, luck=luck, draws=draws).verdict for _ in range(RUNS))


@pytest.mark.parametrize(("luck", "draws"), [(0, 0), (300, 0), (0, 400)])
def test_equals_are_rarely_told_apart(luck: int, draws: int) -> None:
    # 5 % are promised; 200 runs scatter
    assert verdicts(500, luck=luck, draws=draws)[Verdict.EQUAL] >= 0.9 * RUNS


@pytest.mark.parametrize("luck", [0, 300])
def test_what_is_looked_for_is_rarely_missed(luck: int) -> None:
    better, worse = verdicts(560, luck=luck), verdicts(440, luck=luck)
    assert better[Verdict.BETTER] >= 0.9 * RUNS
    assert better[Verdict.WORSE] == 0
    assert worse[Verdict.WORSE] >= 0.9 * RUNS
    assert worse[Verdict.BETTER] == 0


def test_a_large_difference_is_seen_early_and_a_clean_sweep_not_at_once() -> None:
    small = sum(run_test(560, Rng(f"a{number}"), gain=0.06).games for number in range(20))
    large = sum(run_test(700, Rng(f"b{number}"), gain=0.06).games for number in range(20))
    assert large < small / 3
    sweep = Sprt()
    for _ in range(24):
        assert sweep.add_deal([1.0, 1.0]) is Verdict.UNDECIDED
    assert sweep.add_deal([1.0, 1.0]) is Verdict.BETTER


def test_a_verdict_stands() -> None:
    test = Sprt()
    while test.add_deal([1.0, 0.5]) is Verdict.UNDECIDED:
        pass
    assert test.verdict is Verdict.BETTER
    for _ in range(500):
        test.add_deal([0.0, 0.0])
    assert test.verdict is Verdict.BETTER


def test_the_verdict_is_in_words() -> None:
    test = Sprt(gain=0.03)
    assert str(test.verdict_message()) == "not decided: +0.0 % ±50.0 after 0 games"
    while test.add_deal([1.0, 0.0] if test.deals % 5 else [1.0, 1.0]) is Verdict.UNDECIDED:
        pass
    assert str(test.verdict_message()).startswith("better: +10.")
    assert str(test.verdict_message()).endswith(" games")
    long = Sprt(gain=0.03)
    for number in range(930):
        long.add_deal([1.0, 0.0] if number % 3 else [1.0, float(number % 2)])
    long.verdict = Verdict.BETTER
    assert str(long.verdict_message()) == "better: +8.3 % ±1.2, stopped after 1,860 games"
    assert str(long.verdict_message(lambda text: text.translate(str.maketrans(".,", ",.")))).endswith(
        "1.860 games"
    )
