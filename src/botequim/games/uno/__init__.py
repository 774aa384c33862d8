"""Everything about uno. Start with `rules`."""

from botequim.core.plugin import GamePlugin

PLUGIN = GamePlugin(
    name="uno",
    rules="botequim.games.uno.rules:GAME",
    players={
        "champion": "botequim.games.uno.champion:UnoChampion",
        "greedy": "botequim.games.uno.players:Greedy",
        "heuristic": "botequim.games.uno.players:Heuristic",
        "random": "botequim.games.uno.players:Random",
    },
    wires={"uno": "botequim.games.uno.wire:WIRE"},
    narration="botequim.games.uno.narration:UnoNarrator",
    picture="botequim.games.uno.picture:UnoRenderer",
    terminal="botequim.games.uno.terminal:UnoTerminalUI",
    controls="botequim.games.uno.controls:UnoControls",
    arena_view="botequim.games.uno.arena_view:arena_view",
    texts="botequim.games.uno:texts",
    diagnosis="botequim.games.uno.checks:CHECKS",
    cup_templates={
        "uno": "botequim.games.uno.template:TEMPLATE",
        "uno-check": "botequim.games.uno.template:CHECK",
    },
    submission="botequim.games.uno.submission.files:files",
    examples={
        "start": ("check ./my-bot --game uno",),
        "match": ("uno ./my-bot greedy --games 50",),
        "play": ("uno --against champion --against greedy",),
        "check": ("cmd:'python3 bot.py' --game uno --quick",),
        "games": ("uno --rules",),
        "cup new": ("uno uno.toml --seed 7",),
    },
)
