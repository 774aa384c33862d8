"""Botequim hosts, runs, shows and wins bot competitions for table games.

The names of `__all__` are the public API: what authors of games, players, wires and formats use. Each is
imported when it is used for the first time, so that a command loads only what it needs.
"""

from botequim import _deprecated
from botequim.version import VERSION

_deprecated.install()

__version__ = VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from botequim.core.errors import (
        BotequimError,
        Fault,
        FaultKind,
        InputError,
        MoveSyntaxError,
        PlayerFault,
        RecordError,
    )
    from botequim.core.game import CHANCE, CHANCE_TURN, NOBODY, Event, Game, Outcome, Remark, View, check_say
    from botequim.core.limits import Limits
    from botequim.core.messages import Message, msg
    from botequim.core.options import ChoiceOption, IntOption, Options, resolve_options
    from botequim.core.player import LocalPlayer, Player, Reply, Strategy
    from botequim.core.plugin import GamePlugin
    from botequim.core.rng import Rng
    from botequim.core.turn import PlayedMove, Step
    from botequim.core.wire import Codec, GameContext, Question, TransportKind, Wire
    from botequim.cup.format import Format, RoundsFormat, StoredRoundsFormat
    from botequim.engine.referee import play
    from botequim.narration.narrator import Narrator, Transcript
    from botequim.records.reader import RawRecord, read_records
    from botequim.records.record import Record
    from botequim.records.replay import Replay
    from botequim.records.verify import verify_record
    from botequim.render.drawing import RenderOptions, render_svg
    from botequim.render.layout import Shape
    from botequim.render.renderer import Renderer
    from botequim.render.scene import Scene, scene_at
    from botequim.render.svg import Box, Part
    from botequim.render.theme import Theme
    from botequim.terminal.ui import TerminalUI
    from botequim.testing.clock import ManualClock
    from botequim.testing.contract import check_game
    from botequim.testing.formats import check_format

__all__ = [
    "CHANCE",
    "CHANCE_TURN",
    "NOBODY",
    "BotequimError",
    "Box",
    "ChoiceOption",
    "Codec",
    "Event",
    "Fault",
    "FaultKind",
    "Format",
    "Game",
    "GameContext",
    "GamePlugin",
    "InputError",
    "IntOption",
    "Limits",
    "LocalPlayer",
    "ManualClock",
    "Message",
    "MoveSyntaxError",
    "Narrator",
    "Options",
    "Outcome",
    "Part",
    "PlayedMove",
    "Player",
    "PlayerFault",
    "Question",
    "RawRecord",
    "Record",
    "RecordError",
    "Remark",
    "RenderOptions",
    "Renderer",
    "Replay",
    "Reply",
    "Rng",
    "RoundsFormat",
    "Scene",
    "Shape",
    "Step",
    "StoredRoundsFormat",
    "Strategy",
    "TerminalUI",
    "Theme",
    "Transcript",
    "TransportKind",
    "View",
    "Wire",
    "check_format",
    "check_game",
    "check_say",
    "msg",
    "play",
    "read_records",
    "render_svg",
    "resolve_options",
    "scene_at",
    "verify_record",
]

_MODULES = {
    "core.errors": [
        "BotequimError",
        "Fault",
        "FaultKind",
        "InputError",
        "MoveSyntaxError",
        "PlayerFault",
        "RecordError",
    ],
    "core.game": [
        "CHANCE",
        "CHANCE_TURN",
        "NOBODY",
        "Event",
        "Game",
        "Outcome",
        "Remark",
        "View",
        "check_say",
    ],
    "core.limits": ["Limits"],
    "core.messages": ["Message", "msg"],
    "core.options": ["ChoiceOption", "IntOption", "Options", "resolve_options"],
    "core.player": ["LocalPlayer", "Player", "Reply", "Strategy"],
    "core.plugin": ["GamePlugin"],
    "core.rng": ["Rng"],
    "core.turn": ["PlayedMove", "Step"],
    "core.wire": ["Codec", "GameContext", "Question", "TransportKind", "Wire"],
    "cup.format": ["Format", "RoundsFormat", "StoredRoundsFormat"],
    "engine.referee": ["play"],
    "narration.narrator": ["Narrator", "Transcript"],
    "records.reader": ["RawRecord", "read_records"],
    "records.record": ["Record"],
    "records.replay": ["Replay"],
    "records.verify": ["verify_record"],
    "render.drawing": ["RenderOptions", "render_svg"],
    "render.layout": ["Shape"],
    "render.renderer": ["Renderer"],
    "render.scene": ["Scene", "scene_at"],
    "render.svg": ["Box", "Part"],
    "render.theme": ["Theme"],
    "terminal.ui": ["TerminalUI"],
    "testing.clock": ["ManualClock"],
    "testing.contract": ["check_game"],
    "testing.formats": ["check_format"],
}
"""By module: the names that it contains."""


if not TYPE_CHECKING:

    def __getattr__(name):
        for module, names in _MODULES.items():
            if name in names:
                value = globals()[name] = _deprecated.value_of(f"{module}:{name}")
                return value
        raise AttributeError(f"module 'botequim' has no attribute {name!r}")

    def __dir__():
        return [*globals(), *__all__]
