"""The description of a game, and what is imported by reading it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from botequim import registry
from botequim.core.plugin import GamePlugin

OURS = ("cubos", "fives", "havana", "rps", "uno")


def test_a_plugin_needs_a_name_and_rules_only() -> None:
    plugin = GamePlugin(name="dice", rules="dice.rules:GAME")
    assert plugin.references() == {"rules": "dice.rules:GAME"}
    assert not any((plugin.narration, plugin.picture, plugin.texts, plugin.players, plugin.art))


def test_a_reference_that_names_no_attribute_is_refused() -> None:
    with pytest.raises(ValueError, match=r'players.first of the plugin dice: "dice.players" is not'):
        GamePlugin(name="dice", rules="dice.rules:GAME", players={"first": "dice.players"})


@pytest.mark.parametrize("name", OURS)
def test_every_part_of_our_games_can_be_loaded(name: str) -> None:
    plugin = registry.plugin(name)
    assert len(plugin.references()) >= 6
    for player in plugin.players:
        assert callable(registry.player(name, player))
    for wire in plugin.wires:
        assert registry.wire(name, wire).name == wire
    for part in (registry.narration, registry.picture, registry.terminal):
        assert callable(part(name))
    for reference in plugin.references().values():
        module, _, _ = reference.partition(":")
        assert module.startswith(f"botequim.games.{name}"), "a game's parts are in its own package"


NAMES = """
import sys
from botequim import registry
for plugin in registry.plugins():
    registry.player_names(plugin.name)
print(*sorted(name for name in sys.modules if name.startswith("botequim.games.")))
"""


def test_names_are_read_without_importing_any_part_of_a_game() -> None:
    done = subprocess.run([sys.executable, "-c", NAMES], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [f"botequim.games.{name}" for name in OURS]
