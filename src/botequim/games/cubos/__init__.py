"""Everything about cubos. Start with `rules`."""

from botequim.core.plugin import GamePlugin

PLUGIN = GamePlugin(
    name="cubos",
    rules="botequim.games.cubos.rules:GAME",
    players={
        "champion": "botequim.games.cubos.champion:CubosChampion",
        "greedy": "botequim.games.cubos.players:Greedy",
        "pimc": "botequim.games.cubos.champion:Pimc",
        "pimc-js": "botequim.games.cubos.champion:PimcOfASecond",
    },
    wires={"cubos": "botequim.games.cubos.wire:WIRE"},
    narration="botequim.games.cubos.narration:CubosNarrator",
    picture="botequim.games.cubos.picture:CubosRenderer",
    terminal="botequim.games.cubos.terminal:CubosTerminalUI",
    controls="botequim.games.cubos.controls:CubosControls",
    arena_view="botequim.games.cubos.arena_view:arena_view",
    texts="botequim.games.cubos:texts",
    diagnosis="botequim.games.cubos.checks:CHECKS",
    cup_templates={"cubos": "botequim.games.cubos.template:TEMPLATE"},
    submission="botequim.games.cubos.submission.files:files",
    examples={
        "start": ("match cubos random greedy", "cup new cubos cup.toml"),
        "match": (
            "cubos random greedy",
            "cubos random greedy --games 2000 --seed 7",
            "cubos greedy random --games 100 --json",
            "cubos ./new-bot ./old-bot --sprt",
            "cubos cmd:'node index.mjs' http://127.0.0.1:8000/",
        ),
        "play": ("cubos --seat 3 --against champion@easy",),
        "check": ("./my-bot --game cubos",),
        "export": ("cubos my-champion/", "cubos my-champion/ --option blocked=points"),
        "watch": ("games/cubos-000001.jsonl",),
        "cup new": ("cubos rinha.toml",),
    },
)
