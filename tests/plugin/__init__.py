"""What a third party would write."""

from botequim.core.plugin import GamePlugin

PLUGIN = GamePlugin(
    name="highcard",
    rules="highcard.rules:GAME",
    players={"first": "tests.plugin.players:First"},
    narration="tests.plugin.players:HighCardNarrator",
    picture="tests.plugin.players:HighCardRenderer",
)
