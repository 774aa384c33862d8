"""highcard: an example of a game in a package of its own, with every part that a game can have."""

from botequim import GamePlugin

PLUGIN = GamePlugin(
    name="highcard",
    rules="highcard.rules:GAME",
    players={"first": "highcard.players:First", "champion": "highcard.players:Champion"},
    wires={"highcard": "highcard.wire:WIRE"},
    narration="highcard.narration:HighCardNarrator",
    picture="highcard.picture:HighCardRenderer",
    terminal="highcard.terminal:HighCardTerminalUI",
    controls="highcard.controls:HighCardControls",
    arena_view="highcard.arena_view:arena_view",
    diagnosis="highcard.checks:CHECKS",
    cup_templates={"highcard": "highcard.template:TEMPLATE"},
    texts="highcard:texts",
    submission="highcard.submission:files",
    examples={"match": ("highcard champion random --games 100",)},
)
