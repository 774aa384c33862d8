"""Everything about fives. Start with `rules`."""

from botequim.core.plugin import GamePlugin

PLUGIN = GamePlugin(
    name="fives",
    rules="botequim.games.fives.rules:GAME",
    players={
        "champion": "botequim.games.fives.champion:FivesChampion",
        "greedy": "botequim.games.fives.players:Greedy",
    },
    narration="botequim.games.fives.narration:FivesNarrator",
    picture="botequim.games.fives.picture:FivesRenderer",
    terminal="botequim.games.fives.terminal:FivesTerminalUI",
    controls="botequim.games.fives.controls:FivesControls",
    arena_view="botequim.games.fives.arena_view:arena_view",
    texts="botequim.games.fives:texts",
    diagnosis="botequim.games.fives.checks:CHECKS",
    cup_templates={"fives": "botequim.games.fives.template:TEMPLATE"},
    examples={
        "start": ("play fives",),
        "match": ("fives champion greedy --games 39 --transcript series.txt",),
        "play": ("fives", "fives --hint --best-of 1", "fives --continue", "fives --seed 7 < commands.txt"),
    },
)
