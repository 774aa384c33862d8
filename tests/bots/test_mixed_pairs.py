"""Pairs of two different built-in players."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from botequim import registry
from botequim.bots.resolve import resolve
from botequim.core.errors import InputError, UnknownName
from botequim.core.rng import Rng
from botequim.cup.config_parser import parse
from botequim.games.havana.players import Dummy, Greedy
from botequim.match.runner import play_match
from botequim.match.spec import MatchSpec


def moves(tmp_path: Path, pair: str) -> list[list[str]]:
    """The moves of four games of a pair against dummies; whatever the pair is called."""
    folder = tmp_path / pair
    folder.mkdir()
    match = MatchSpec.of("havana", (pair, "dummy"), games=4, seed="7", records=folder)
    for _ in play_match(match, workers=1):
        pass
    return [
        [made["move"] for line in path.read_text().splitlines()[1:-1] for made in json.loads(line)["moves"]]
        for path in sorted(folder.glob("*.jsonl"))
    ]


def test_each_member_is_the_player_that_is_named_for_it(tmp_path: Path) -> None:
    for member, kind in enumerate((Greedy, Dummy)):
        name = registry.member_name("greedy+dummy", member)
        assert isinstance(registry.player("havana", name)(Rng("1")), kind)
    pairs = ("greedy", "dummy", "greedy+dummy", "dummy+greedy")
    played = {pair: moves(tmp_path, pair) for pair in pairs}
    assert len({str(games) for games in played.values()}) == 4
    assert moves(tmp_path, "greedy+greedy") == played["greedy"]


@pytest.mark.parametrize(
    ("game", "name", "known"),
    [
        ("havana", "greedy+dummy", True),
        ("cubos", "greedy+random", True),
        ("cubos", "champion@easy+champion@hard", True),
        ("havana", "greedy+nobody", False),
        ("havana", "greedy+", False),
        ("havana", "greedy+dummy+greedy", False),
        ("rps", "random+random", False),
    ],
)
def test_only_games_of_partners_have_mixed_pairs(game: str, name: str, known: bool, tmp_path: Path) -> None:
    assert registry.is_player(game, name) is known
    if known:
        assert resolve(name, game, workshop=tmp_path).name == name
    else:
        with pytest.raises(InputError, match=f"is neither a player of {game}"):
            resolve(name, game, workshop=tmp_path)


def test_a_level_that_a_member_does_not_have_is_refused() -> None:
    with pytest.raises(UnknownName, match='"dummy" has no levels'):
        registry.player("havana", "greedy+dummy@hard")


def test_a_cup_takes_a_mixed_pair_as_a_built_in_entrant() -> None:
    cup = parse(
        'name = "x"\ngame = "havana"\n'
        '[[entrants]]\nname = "Mixed"\nbot = "greedy+dummy"\n'
        '[[entrants]]\nname = "Greedy"\nbot = "greedy"\n'
        '[[stages]]\nname = "league"\nformat = "round_robin"\n'
    )
    assert all(cup.is_built_in(entry) for entry in cup.entrants)
