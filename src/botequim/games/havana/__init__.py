"""Everything about havana. Start with `rules`."""

from botequim.core.plugin import GamePlugin

PLUGIN = GamePlugin(
    name="havana",
    rules="botequim.games.havana.rules:GAME",
    players={
        "champion": "botequim.games.havana.champion:HavanaChampion",
        "dummy": "botequim.games.havana.players:Dummy",
        "greedy": "botequim.games.havana.players:Greedy",
    },
    wires={"havana": "botequim.games.havana.wire:WIRE"},
    narration="botequim.games.havana.narration:HavanaNarrator",
    picture="botequim.games.havana.picture:HavanaRenderer",
    terminal="botequim.games.havana.terminal:HavanaTerminalUI",
    controls="botequim.games.havana.controls:HavanaControls",
    arena_view="botequim.games.havana.arena_view:arena_view",
    texts="botequim.games.havana:texts",
    diagnosis="botequim.games.havana.checks:CHECKS",
    cup_templates={"havana": "botequim.games.havana.template:TEMPLATE"},
    submission="botequim.games.havana.submission.files:files",
    examples={
        "check": ("student_players.py --game havana --records failed/",),
    },
)
