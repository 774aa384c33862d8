"""Every registered format keeps the contract, and the check notices each kind of broken one."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botequim import registry
from botequim.core.errors import UnknownName
from botequim.core.messages import Message, msg
from botequim.core.options import resolve_options
from botequim.core.results import GameResult
from botequim.core.rng import Rng
from botequim.cup.format import Round, Stage, Standings, find_format
from botequim.cup.formats.round_robin import RoundRobin
from botequim.cup.formats.swiss import Swiss
from botequim.cup.pairing import Pairing, SeriesRules
from botequim.testing import ContractBroken, check_format, formats
from tests.support.cups import with_next_round


@pytest.mark.parametrize("fields", [(2, 3, 5), pytest.param((4, 8), marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", registry.format_names())
def test_every_registered_format_keeps_the_contract(name: str, fields: tuple[int, ...]) -> None:
    check_format(find_format(name), fields=fields)


class Changing(RoundRobin):
    """Each broken format differs from the real one in one thing."""

    name = "round_robin"  # type: ignore[misc]


class Repeats(Changing):
    def pairings(self, stage: Stage) -> list[Pairing]:
        waiting = list(super().pairings(stage))
        return [*waiting, *waiting[:1]]


class Endless(Changing):
    def pairings(self, stage: Stage) -> list[Pairing]:
        one = Pairing(f"more {len(stage.results)}", stage.entrants[:2], stage.terms, msg("table"))
        return [*(super().pairings(stage)), *([] if super().pairings(stage) else [one])]


class TakesBack(Changing):
    def pairings(self, stage: Stage) -> list[Pairing]:
        return list(super().pairings(stage))[: 1 if stage.results else None]


class ChangesItsMind(Changing):
    def pairings(self, stage: Stage) -> list[Pairing]:
        return [replace(one, round=len(stage.results)) for one in super().pairings(stage)]


class AgainAndAgain(Changing):
    def pairings(self, stage: Stage) -> list[Pairing]:
        return list(super().pairings(replace(stage, results={})))


class Forgets(Changing):
    def standings(self, stage: Stage) -> Standings:
        made = super().standings(stage)
        return replace(made, rows=made.rows[:-1])


class Miscounts(Changing):
    def standings(self, stage: Stage) -> Standings:
        made = super().standings(stage)
        return replace(made, rows=tuple(replace(row, place=row.place + 1) for row in made.rows))


class LastIsBest(Changing):
    """The standings follow the order in which series were finished."""

    def standings(self, stage: Stage) -> Standings:
        made = super().standings(stage)
        last = list(stage.results.values())[-1].entrants[0] if stage.results else made.names[0]
        rows = sorted(made.rows, key=lambda row: row.entrant != last)
        return replace(made, rows=tuple(replace(row, place=at) for at, row in enumerate(rows, start=1)))


class ByOrder(Changing):
    """What is played depends on what was finished first."""

    def pairings(self, stage: Stage) -> list[Pairing]:
        if not stage.results:
            return list(super().pairings(stage))
        first = next(iter(stage.results))
        extra = Pairing(f"after {first}", stage.entrants[:2], stage.terms, msg("table"))
        return [*super().pairings(stage), *stage.open([extra])]


class Restless(Changing):
    asked = 0

    def pairings(self, stage: Stage) -> list[Pairing]:
        Restless.asked += 1
        waiting = list(super().pairings(stage))
        return waiting[self.asked % 2 :] + waiting[: self.asked % 2]


class AloneAtTheTable(Changing):
    def pairings(self, stage: Stage) -> list[Pairing]:
        return [replace(one, entrants=one.entrants[:1] * 2) for one in super().pairings(stage)]


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (Repeats, "a key is used twice"),
        (Endless, "it has not ended"),
        (TakesBack, "it takes back what it offered"),
        (ChangesItsMind, "it changes what it offered"),
        (AgainAndAgain, "what is finished is offered again"),
        (Forgets, "standings must have every entrant once"),
        (Miscounts, "places count from 1"),
        (LastIsBest, "depend on the order"),
        (ByOrder, "what is played depends on the order"),
        (Restless, "two answers to the same question differ"),
        (AloneAtTheTable, "a series needs different entrants"),
    ],
)
def test_a_broken_format_is_noticed(
    broken: type[Changing], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(formats, "MOST_SERIES", 200)
    with pytest.raises(ContractBroken, match=said):
        check_format(broken(), fields=(2, 3, 4))


class Unchecked(Swiss):
    """Each of these formats differs from the real one in one thing, too."""

    name = "swiss"  # type: ignore[misc]

    def round_problem(self, stage: Stage, decided: Round) -> Message | None:
        return None


class Hasty(Swiss):
    name = "swiss"  # type: ignore[misc]

    def needs_round(self, stage: Stage) -> bool:
        return len(stage.rounds) < 2


class Unruly(Unchecked):
    def round_problem(self, stage: Stage, decided: Round) -> Message | None:
        return msg("not like this")


class Unlisted(Swiss):
    name = "swiss"  # type: ignore[misc]

    def rounds(self, stage: Stage) -> list[Round]:
        return []


class Longer(Swiss):
    name = "swiss"  # type: ignore[misc]

    def length(self, stage: Stage) -> int:
        return super().length(stage) + 1


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (Unchecked, "it accepts a round without tables"),
        (Hasty, "it needs another round"),
        (Unruly, "it decides a round that breaks its rules: not like this"),
        (Unlisted, "every pairing must be the series of a table"),
        (Longer, "series, and not"),
    ],
)
def test_a_format_that_is_wrong_about_its_rounds_is_noticed(broken: type[Swiss], said: str) -> None:
    with pytest.raises(ContractBroken, match=said):
        check_format(broken(), fields=(2, 3, 4))


def test_a_format_that_fits_no_field_is_noticed() -> None:
    with pytest.raises(ContractBroken, match="none of these fields"):
        check_format(find_format("combinations"), fields=(2,))


def test_an_unknown_format_lists_the_known_ones() -> None:
    with pytest.raises(UnknownName, match='unknown format "swis"; known: best_of, combinations, confrontos'):
        find_format("swis")


def test_a_third_partys_format_comes_in_by_the_same_door(tmp_path: Path) -> None:
    info = tmp_path / "thirdparty-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: thirdparty\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[botequim.formats]\nduel = theirs:FORMAT\n")
    (tmp_path / "theirs.py").write_text(
        "from botequim.cup.formats.round_robin import RoundRobin\n"
        "class Duel(RoundRobin):\n"
        "    name = 'duel'\n"
        "FORMAT = Duel()\n"
    )
    (tmp_path / "cup.toml").write_text(
        'name = "x"\ngame = "rps"\n[[stages]]\nname = "a"\nformat = "duel"\nwin = 2\n'
        + "".join(f'[[entrants]]\nname = "{name}"\nbot = "random"\n' for name in "AB")
    )
    program = (
        "from pathlib import Path; from botequim.cup.config_parser import read; "
        f"cup = read(Path({str(tmp_path / 'cup.toml')!r})); "
        "print(cup.plans[0].format, cup.plans[0].options['win'], len(cup.state('s').pairings('a')))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(tmp_path), "LANG": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.stdout == "duel 2 1\n", ran.stderr


@given(
    st.sampled_from(registry.format_names()),
    st.integers(2, 12),
    st.integers(0, 100),
    st.integers(1, 3),
    st.text(max_size=5),
)
@settings(max_examples=30)
def test_any_cup_ends_and_ranks_everybody(name: str, count: int, draws: int, games: int, seed: str) -> None:
    form = find_format(name)
    names = tuple(f"bot{number}" for number in range(count))
    stage = Stage(
        names, SeriesRules(games), resolve_options(name, form.options, {}), seed, cuts=(count // 2,)
    )
    if form.problem(stage) is not None:
        return
    rng = Rng(seed)
    for _ in range(2000):
        stage = with_next_round(name, stage)
        waiting = form.pairings(stage)
        if not waiting:
            break
        one = rng.choice(waiting)
        ended: list[GameResult] = []
        while not one.over(ended):
            drawn = rng.below(100) < draws
            places = [1] * len(one.entrants) if drawn else rng.shuffled(range(1, len(one.entrants) + 1))
            ended.append(GameResult(tuple(places), "made up"))
        stage = replace(stage, results={**stage.results, one.key: one.result(ended)})
    assert not form.pairings(stage)
    assert sorted(form.standings(stage).names) == sorted(names)
