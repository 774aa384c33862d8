"""Old names of modules, classes and functions. They keep working for one release.

When you move a module or rename a public name, add one line to a table here. Nothing else is needed: an
import of the old name finds the new object and gives a `DeprecationWarning` that names its new place. All
names are relative to `botequim`.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # every command imports this module first, so it imports next to nothing
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from importlib.abc import Loader
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any, Final
else:
    Loader = object

MODULES: Final[dict[str, str]] = {
    "art": "render.art",
    "art.*": "render.art.*",
    "art.look": "render.art.options",
    "asking": "records.requery",
    "checking": "botcheck",
    "checking.*": "botcheck.*",
    "checking.mistakes": "botcheck.diagnosis",
    "checking.sittings": "botcheck.trials",
    "checking.watching": "botcheck.recorders",
    "checking.mistakes.*": "botcheck.diagnosis.*",
    "checking.mistakes.cubos": "games.cubos.diagnosis",
    "checking.mistakes.havana": "games.havana.diagnosis",
    "checking.mistakes.rps": "games.rps.diagnosis",
    "checking.mistakes.uno": "games.uno.diagnosis",
    "containers": "sandbox.containers",
    "containers.*": "sandbox.containers.*",
    "containers.containers": "sandbox.containers.sandbox",
    "containers.guard": "sandbox.containers.reaper",
    "contests": "votes",
    "contests.*": "votes.*",
    "contests.keeping": "votes.contests",
    "core.reading": "records.reader",
    "core.record": "records.record",
    "course": "games.havana.host",
    "course.*": "games.havana.host.*",
    "cup.absence": "cup.withdrawals",
    "cup.checking": "cup.entrant_check",
    "cup.curtain": "storage.visibility",
    "cup.database": "storage.sqlite.database",
    "cup.estimating": "cup.estimates",
    "cup.file": "cup.config",
    "cup.home": "cup.paths",
    "cup.integrity": "storage.sqlite.integrity",
    "cup.live.broadcast": "cup.live.writer",
    "cup.live.form": "storage.sqlite.live",
    "cup.live.post": "cup.live.ipc",
    "cup.live.reading": "cup.live.reader",
    "cup.live.telling": "cup.live.publisher",
    "cup.output": "storage.files",
    "cup.proof": "cup.audit",
    "cup.reading": "cup.config_parser",
    "cup.reading_table": "cup.toml_table",
    "cup.store": "storage.sqlite.cup",
    "cup.writing": "cup.config_writer",
    "dialects": "bots.codecs",
    "dialects.answers": "bots.codecs.answers",
    "dialects.arena": "bots.codecs.arena",
    "dialects.arena_views": "bots.codecs.arena_views",
    "dialects.cubos": "games.cubos.wire",
    "dialects.havana": "games.havana.wire",
    "dialects.rps": "games.rps.wire",
    "dialects.uno": "games.uno.wire",
    "doctor": "botcheck.doctor",
    "entrants": "bots",
    "entrants.*": "bots.*",
    "entrants.copies": "bots.snapshot",
    "entrants.housing": "bots.routing",
    "entrants.recognise": "bots.resolve",
    "export": "submissions",
    "export.bundle": "submissions.bundle",
    "export.cubos": "games.cubos.submission.files",
    "export.cubos_compile": "games.cubos.submission.compile",
    "export.cubos_server": "games.cubos.submission.server",
    "export.havana": "games.havana.submission.files",
    "export.havana_main": "games.havana.submission.main",
    "export.rps": "games.rps.submission.files",
    "export.rps_art": "games.rps.submission.art",
    "export.rps_main": "games.rps.submission.main",
    "export.sources": "submissions.sources",
    "export.uno": "games.uno.submission.files",
    "export.uno_main": "games.uno.submission.main",
    "faults": "match.faults",
    "games.boneyard": "games.fives.boneyard",
    "games.havana_moves": "games.havana.moves",
    "games.havana_state": "games.havana.state",
    "games.sides": "games.havana.sides",
    "games.spinner": "games.fives.spinner",
    "games.tiles": "games.dominoes.tiles",
    "games.uno_moves": "games.uno.moves",
    "games.uno_state": "games.uno.state",
    "picture": "render",
    "picture.cards": "games.cards.picture",
    "picture.cubos": "games.cubos.picture",
    "picture.drawing": "render.drawing",
    "picture.fives": "games.fives.picture",
    "picture.havana": "games.havana.picture",
    "picture.layout": "render.layout",
    "picture.line": "games.dominoes.layout",
    "picture.painter": "render.renderer",
    "picture.portraits": "render.portraits",
    "picture.raster": "render.raster",
    "picture.replay": "render.replay_page",
    "picture.rps": "games.rps.picture",
    "picture.scene": "render.scene",
    "picture.seats": "render.seats",
    "picture.sheet": "render.art_sheet",
    "picture.svg": "render.svg",
    "picture.symbols": "render.symbols",
    "picture.theme": "render.theme",
    "picture.tiles": "games.dominoes.picture",
    "picture.uno": "games.uno.picture",
    "players.champions.champion": "search.champion",
    "players.champions.cubos": "games.cubos.champion",
    "players.champions.fives": "games.fives.champion",
    "players.champions.fives_seen": "games.fives.observation",
    "players.champions.havana": "games.havana.champion",
    "players.champions.rps": "games.rps.champion",
    "players.champions.uno": "games.uno.champion",
    "players.cubos": "games.cubos.players",
    "players.fives": "games.fives.players",
    "players.havana": "games.havana.players",
    "players.random": "engine.random_player",
    "players.rps": "games.rps.players",
    "players.rps_classics": "games.rps.classics",
    "players.tiles": "games.dominoes.players",
    "players.uno": "games.uno.players",
    "referee": "engine.referee",
    "remote": "bots.remote",
    "sandbox.bare": "sandbox.none",
    "sandbox.chain": "sandbox.argv",
    "sandbox.door": "sandbox.netns",
    "sandbox.trials": "sandbox.selftest",
    "sandbox.view": "sandbox.mounts",
    "sandbox.watch": "sandbox.procfs",
    "search.cubos": "games.cubos.search.solver",
    "search.cubos_lessons": "games.cubos.search.training",
    "search.cubos_manner": "games.cubos.search.settings",
    "search.cubos_mind": "games.cubos.search.decision",
    "search.cubos_numbers": "games.cubos.search.numbers",
    "search.cubos_past": "games.cubos.search.history",
    "search.cubos_playout": "games.cubos.search.playout",
    "search.cubos_policy": "games.cubos.search.policy",
    "search.cubos_practice": "games.cubos.search.self_play",
    "search.fives": "games.fives.search.board",
    "search.fives_round": "games.fives.search.round",
    "search.fives_standing": "games.fives.search.standing",
    "search.havana": "games.havana.search.position",
    "search.havana_lessons": "games.havana.search.training",
    "search.havana_playouts": "games.havana.search.playouts",
    "search.havana_policy": "games.havana.search.policy",
    "search.rps": "games.rps.search.value",
    "search.rps_forecast": "games.rps.search.forecast",
    "search.rps_mind": "games.rps.search.decision",
    "search.uno": "games.uno.search.table",
    "search.uno_contest": "games.uno.search.style_match",
    "search.uno_hands": "games.uno.search.hands",
    "search.uno_search": "games.uno.search.search",
    "search.uno_seen": "games.uno.search.observation",
    "search.uno_styles": "games.uno.search.styles",
    "series": "engine.series",
    "show": "narration",
    "show.cubos": "games.cubos.narration",
    "show.fives": "games.fives.narration",
    "show.havana": "games.havana.narration",
    "show.rps": "games.rps.narration",
    "show.telling": "narration.narrator",
    "show.tiles": "games.dominoes.narration",
    "show.uno": "games.uno.narration",
    "show.wrapping": "narration.wrapping",
    "sprt": "match.sprt",
    "statistics": "match.statistics",
    "terminal.cubos": "games.cubos.terminal",
    "terminal.films": "terminal.recorded_games",
    "terminal.face": "terminal.ui",
    "terminal.fives": "games.fives.terminal",
    "terminal.havana": "games.havana.terminal",
    "terminal.kept": "terminal.savegame",
    "terminal.line": "games.dominoes.terminal",
    "terminal.projecting": "terminal.playback",
    "terminal.rps": "games.rps.terminal",
    "terminal.sitting": "terminal.session",
    "terminal.typing_in": "terminal.keyboard",
    "terminal.uno": "games.uno.terminal",
    "thinking": "engine.subprocess_player",
    "transports": "bots.transports",
    "transports.*": "bots.transports.*",
    "transports.instance": "bots.transports.process",
    "verify": "records.verify",
    "web.api.contests": "web.api.votes",
    "web.asked": "web.deps",
    "web.contests": "web.votes",
    "web.contests.*": "web.votes.*",
    "web.door": "web.server",
    "web.door.*": "web.server.*",
    "web.door.safety": "web.server.middleware",
    "web.figures": "web.filters",
    "web.live.counting": "web.live.snapshots",
    "web.live.house": "web.live.served",
    "web.looks": "web.qr",
    "web.making": "web.jobs",
    "web.making.*": "web.jobs.*",
    "web.making.workshop": "web.jobs.worker",
    "web.sheet": "web.code_sheets",
    "web.talk": "web.templating",
    "workers": "engine.executors",
}
"""Moved modules: old name, new name. `old.*` stands for every module of a package that has no line."""

DISSOLVED: Final = frozenset(("players", "players.champions"))
"""Packages that no longer exist, and whose modules are in different places now."""

PACKAGES: Final[dict[str, str]] = {
    "games.cards": "games.cards.cards",
    "games.cubos": "games.cubos.rules",
    "games.fives": "games.fives.rules",
    "games.havana": "games.havana.rules",
    "games.rps": "games.rps.rules",
    "games.uno": "games.uno.rules",
    "match": "match.runner",
}
"""Modules that became packages: the package, and the module that contains what the old module contained."""

NAMES: Final[dict[str, str]] = {
    "botcheck.diagnosis.case:Diagnosis": "botcheck.game_checks:Diagnosis",
    "botcheck.diagnosis.answers:said": "botcheck.diagnosis.answers:json_answer",
    "botcheck.experiments:Findings": "botcheck.experiments:ExperimentResults",
    "botcheck.output:Remarkable": "botcheck.output:OutputWarnings",
    "botcheck.positions:Kind": "botcheck.positions:PositionKind",
    "botcheck.recorders:Listening": "botcheck.recorders:RecordingCodec",
    "botcheck.recorders:Watching": "botcheck.recorders:RecordingSandbox",
    "botcheck.resources:used": "botcheck.resources:usage_finding",
    "botcheck.table:Answered": "botcheck.table:BotTurn",
    "botcheck.table:Bench": "botcheck.table:CheckBench",
    "botcheck.table:Played": "botcheck.table:TrialGame",
    "botcheck.table:Spared": "botcheck.table:StoppablePlayer",
    "botcheck.trials:Plan": "botcheck.trials:TrialPlan",
    "botcheck.trials:Sitting": "botcheck.trials:Trial",
    "botcheck.trials:plan": "botcheck.trials:default_plan",
    "bots.codecs.answers:malformed": "bots.codecs.answers:malformed_answer",
    "bots.codecs.answers:quoted": "bots.codecs.answers:short_json",
    "bots.codecs.arena_views:seen_as_json": "bots.codecs.arena_views:view_as_json",
    "bots.resolve:recognise": "bots.resolve:resolve",
    "bots.routing:Both": "bots.routing:RoutingSandbox",
    "bots.routing:housed": "bots.routing:sandbox_for",
    "bots.seat:described": "bots.seat:record_header_fields",
    "bots.seat:seat": "bots.seat:remote_player",
    "bots.seat:transport": "bots.seat:make_transport",
    "bots.transports.process:Instance": "bots.transports.process:BotProcess",
    "bots.transports.process:Tail": "bots.transports.process:LogTail",
    "bots.transports.process:accused": "bots.transports.process:make_fault",
    "bots.trees:copy_tree": "bots.tree_files:copy_tree",
    "bots.trees:remove_tree": "bots.tree_files:remove_tree",
    "core.clock:installed": "core.clock:use_clock",
    "core.errors:NotAMove": "core.errors:MoveSyntaxError",
    "core.limits:Enforced": "core.limits:EnforcedLimit",
    "core.messages:harmless": "core.sanitize:printable",
    "core.messages:listed": "core.messages:comma_list",
    "core.options:Choice": "core.options:ChoiceOption",
    "core.options:Whole": "core.options:IntOption",
    "core.options:settle": "core.options:resolve_options",
    "core.player:InMemory": "core.player:LocalPlayer",
    "core.turn:Made": "core.turn:PlayedMove",
    "core.wire:Carrier": "core.wire:TransportKind",
    "core.wire:Dialect": "core.wire:Codec",
    "core.wire:OutOfStep": "core.wire:Desynchronised",
    "core.wire:Seating": "core.wire:GameContext",
    "core.wire:dropped": "core.wire:ignored_lines_warning",
    "cup.config:Absence": "cup.config:Withdrawal",
    "cup.config_writer:joined": "cup.config_writer:file_text",
    "cup.config_writer:quoted": "cup.config_writer:toml_string",
    "cup.entrant_check:checked": "cup.entrant_check:check_entrants",
    "cup.format:named": "cup.format:find_format",
    "cup.importing:Imported": "cup.importing:ImportResult",
    "cup.importing:imported": "cup.importing:import_entrants",
    "cup.live.reader:Live": "cup.live.reader:LiveGames",
    "cup.pairing:Result": "core.results:SeriesResult",
    "cup.pairing:Sitting": "engine.jobs:GameSetup",
    "cup.pairing:Terms": "cup.pairing:SeriesRules",
    "cup.pairing:Total": "core.results:Total",
    "cup.paths:Home": "cup.paths:CupPaths",
    "cup.paths:pinned": "cup.paths:pin_entrant",
    "cup.ranking:ranked": "cup.ranking:ranked_groups",
    "cup.runner:Told": "cup.runner:RunStatus",
    "cup.stages:Progress": "cup.stages:CupState",
    "cup.templates:named": "cup.templates:find_template",
    "cup.templates:written": "cup.templates:cup_file_text",
    "cup.withdrawals:held": "cup.withdrawals:without_withdrawn",
    "engine.series:Chair": "engine.series:SeatAssignment",
    "engine.series:chairs": "engine.series:seat_assignments",
    "engine.subprocess_player:Thinking": "engine.subprocess_player:SubprocessPlayer",
    "games.cubos.narration:CubosTeller": "games.cubos.narration:CubosNarrator",
    "games.cubos.picture:LinePainter": "games.dominoes.picture:LineRenderer",
    "games.cubos.picture:CubosPainter": "games.cubos.picture:CubosRenderer",
    "games.cubos.terminal:CubosFace": "games.cubos.terminal:CubosTerminalUI",
    "games.dominoes.layout:Laid": "games.dominoes.layout:PlacedTile",
    "games.dominoes.narration:drawn_hands": "games.dominoes.narration:hands_as_text",
    "games.dominoes.narration:drawn_line": "games.dominoes.narration:line_as_text",
    "games.dominoes.terminal:LineFace": "games.dominoes.terminal:LineTerminalUI",
    "games.fives.boneyard:Drawn": "games.fives.boneyard:DrawnTile",
    "games.havana.moves:answered": "games.havana.moves:move_from_answer",
    "games.havana.players:Seated": "games.havana.players:CoursePlayerAdapter",
    "games.rps.champion:Announced": "games.rps.champion:MixedAdvice",
    "games.rps.classics:Past": "games.rps.classics:History",
    "games.rps.rules:Decided": "games.rps.rules:DecidingStep",
    "games.uno.moves:Lost": "games.uno.moves:LostTurn",
    "games.uno.search.observation:Seen": "games.uno.search.observation:Observation",
    "i18n:complete": "i18n:catalogues_exist",
    "i18n:known": "i18n:supported_language",
    "i18n:say": "i18n:translate",
    "i18n:say_error": "i18n:error_text",
    "i18n:speaking": "i18n:use_language",
    "i18n:use": "i18n:set_language",
    "interrupts:AskedToEnd": "interrupts:TerminationRequested",
    "interrupts:Blocked": "interrupts:BlockedSignals",
    "interrupts:Heeding": "interrupts:SignalHandling",
    "interrupts:end_at_once": "interrupts:exit_on_sigint",
    "interrupts:raise_from_now_on": "interrupts:raise_on_sigint",
    "match.runner:Match": "match.spec:MatchSpec",
    "match.runner:Played": "match.standings:GameSummary",
    "match.runner:Table": "match.standings:MatchStandings",
    "narration.narrator:Story": "narration.narrator:Transcript",
    "narration.narrator:Teller": "narration.narrator:Narrator",
    "narration.narrator:last_words": "narration.narrator:ending_sentences",
    "narration.narrator:teller_of": "narration.narrator:narrator_for",
    "narration.narrator:told": "narration.narrator:narrate_turn",
    "narration.wrapping:wrapped": "narration.wrapping:wrap_line",
    "records.reader:Found": "records.reader:RawRecord",
    "records.reader:Line": "records.reader:RawLine",
    "records.reader:parse_begun": "records.reader:parse_unfinished",
    "records.record:chained": "records.record:chain_lines",
    "records.record:without_log": "records.record:redact_log",
    "records.requery:Asked": "records.requery:QueryResult",
    "records.requery:Moment": "records.requery:DecisionPoint",
    "records.verify:Departure": "records.verify:Mismatch",
    "records.verify:table": "records.verify:resolve_header",
    "records.verify:verify": "records.verify:verify_record",
    "registry:face": "registry:terminal",
    "registry:teller": "registry:narration",
    "render.art.converting:Converted": "render.art.converting:ConvertedImage",
    "render.art.options:Look": "render.art.options:GifOptions",
    "render.drawing:Look": "render.drawing:RenderOptions",
    "render.drawing:picture": "render.drawing:render_svg",
    "render.drawing:spoken": "render.drawing:description",
    "render.renderer:Painter": "render.renderer:Renderer",
    "render.renderer:painter_of": "render.renderer:renderer_for",
    "render.scene:Sight": "render.scene:Perspective",
    "render.scene:tamed": "core.sanitize:picture_text",
    "render.svg:fitted": "render.svg:fit_text",
    "render.svg:measured": "render.svg:text_width",
    "render.svg:moved": "render.svg:group_at",
    "render.svg:wrapped": "render.svg:wrap_text",
    "render.symbols:CARD_HEIGHT": "games.cards.symbols:CARD_HEIGHT",
    "render.symbols:CARD_WIDTH": "games.cards.symbols:CARD_WIDTH",
    "render.symbols:TILE": "games.dominoes.symbols:TILE",
    "render.symbols:used": "render.symbols:used_symbols",
    "render:Look": "render.drawing:RenderOptions",
    "render:OPEN": "render.scene:OPEN",
    "render:Painter": "render.renderer:Renderer",
    "render:Place": "render.scene:Place",
    "render:Scene": "render.scene:Scene",
    "render:Shape": "render.layout:Shape",
    "render:Sight": "render.scene:Perspective",
    "render:Theme": "render.theme:Theme",
    "render:parts": "render.drawing:parts",
    "render:picture": "render.drawing:render_svg",
    "render:scene_of": "render.scene:scene_of",
    "sandbox.containers.probe:Found": "sandbox.containers.probe:ProbeResult",
    "sandbox.containers.reaper:Guard": "sandbox.containers.reaper:Reaper",
    "sandbox.netns:Door": "sandbox.netns:NetnsConnector",
    "sandbox.none:Bare": "sandbox.none:NoSandbox",
    "sandbox.none:BareProcess": "sandbox.none:UnsandboxedProcess",
    "sandbox.probe:Found": "sandbox.probe:ProbeResult",
    "sandbox.probe:best": "sandbox.probe:best_sandbox",
    "sandbox.probe:find": "sandbox.probe:probe_bubblewrap",
    "sandbox.probe:found": "sandbox.probe:probe_result",
    "sandbox.probe:isolated": "sandbox.probe:isolating_sandbox",
    "sandbox.probe:require": "sandbox.probe:require_limits",
    "storage.files:whole_file": "storage.files:atomic_write",
    "storage.sqlite.cup:FaultNote": "storage.values:StoredFault",
    "storage.sqlite.cup:Finished": "storage.values:FinishedSeries",
    "storage.sqlite.cup:GameNote": "storage.values:StoredGame",
    "storage.sqlite.cup:Store": "storage.sqlite.cup:SqliteCupStore",
    "storage.sqlite.cup:Stored": "storage.values:StoredSeries",
    "storage.sqlite.database:in_words": "storage.sqlite.database:database_error",
    "storage.visibility:Curtain": "storage.visibility:Visibility",
    "storage.visibility:Showing": "storage.values:StagedGame",
    "submissions.bundle:bundled": "submissions.bundle:bundle_program",
    "terminal.drawing:indexed": "terminal.drawing:indexed_rows",
    "terminal.drawing:joined": "terminal.drawing:side_by_side",
    "terminal.drawing:laid": "terminal.drawing:tile_text",
    "terminal.drawing:numbered": "terminal.drawing:numbered_rows",
    "terminal.drawing:suited": "terminal.drawing:suit_style",
    "terminal.keyboard:Typing": "terminal.keyboard:Keyboard",
    "terminal.savegame:Kept": "terminal.savegame:SaveFile",
    "terminal.savegame:Sitting": "terminal.savegame:SavedMatch",
    "terminal.ui:Face": "terminal.ui:TerminalUI",
    "terminal.ui:Misunderstood": "terminal.ui:CommandError",
    "terminal.ui:face_of": "terminal.ui:ui_for",
    "terminal.ui:index": "terminal.ui:command_index",
    "terminal.ui:labelled": "terminal.ui:label_text",
    "terminal.ui:no_more": "terminal.ui:reject_extra_words",
    "terminal.ui:unknown": "terminal.ui:unknown_command",
    "votes.codes:drawn": "votes.codes:new_code",
    "votes.codes:shown": "votes.codes:format_code",
    "votes.codes:typed": "votes.codes:parse_code",
    "votes.contests:NoMark": "votes.contests:NoCookie",
}
"""Renamed or moved classes, functions and constants: old `module:name`, new `module:name`.

The old module is named as it is called today. Add a line to `MODULES` too if it has moved."""

ROOT: Final = "botequim."


def new_module(old: str) -> str | None:
    """Return the new name of a moved module, or None if no module of that name has moved."""
    if old in MODULES:
        return MODULES[old]
    parent, _, last = old.rpartition(".")
    while parent:
        if f"{parent}.*" in MODULES:
            return MODULES[f"{parent}.*"].removesuffix("*") + last
        parent, _, middle = parent.rpartition(".")
        last = f"{middle}.{last}"
    return None


def install() -> None:
    """Make old names importable. `botequim/__init__.py` calls this once."""
    sys.meta_path.insert(0, _Finder())


def _warn(old: str, new: str) -> None:
    text = f"botequim.{old} is deprecated; use botequim.{new}".replace(":", ".")
    import warnings

    # the frames of importlib are not counted: this is the line that has the import statement
    warnings.warn(text, DeprecationWarning, stacklevel=3)


class _Finder:
    """Finds old modules by their new names, and adds old names to the modules that have some."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        name = fullname.removeprefix(ROOT)
        if name == fullname:
            return None
        new = new_module(name)
        if new is not None or name in DISSOLVED:
            from importlib.machinery import ModuleSpec

            if new is None:
                return ModuleSpec(fullname, None, is_package=True)
            return ModuleSpec(fullname, _OldModule(name, new)) if _exists(new) else None
        others = [finder for finder in sys.meta_path if finder is not self]
        spec = next(filter(None, (finder.find_spec(fullname, path, target) for finder in others)), None)
        # a compiled module imports others of its library by itself, without asking any finder
        is_compiled = spec is not None and not str(spec.origin).endswith(".py")
        if spec is not None and spec.loader is not None and (name in _OLD_NAMES or is_compiled):
            spec.loader = _WithOldNames(spec.loader)
        return spec


class _OldModule(Loader):
    """Loads a moved module: the module itself, not a copy."""

    def __init__(self, old: str, new: str) -> None:
        self._old: Final = old
        self._new: Final = new

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        _warn(self._old, self._new)
        # the import statement returns what is found here after the module was executed
        sys.modules[ROOT + self._old] = _module(self._new)


class _WithOldNames(Loader):
    """Loads a module with another loader, then gives every module that has old names a `__getattr__`."""

    def __init__(self, loader: Loader) -> None:
        self._loader: Final = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None
        module.__loader__ = module.__spec__.loader = self._loader
        _add_lookups()
        self._loader.exec_module(module)
        _add_lookups()


def _add_lookups() -> None:
    for name in _OLD_NAMES:
        module = sys.modules.get(ROOT + name)
        if module is not None and "__getattr__" not in vars(module):
            module.__getattr__ = _lookup(name)  # type: ignore[method-assign]


def _lookup(module: str) -> Callable[[str], Any]:
    """Return the `__getattr__` of a module that has old names."""

    def lookup(name: str) -> Any:
        new = NAMES.get(f"{module}:{name}") or _new_place(module, name)
        if new is None:
            raise AttributeError(f"module {ROOT + module!r} has no attribute {name!r}")
        _warn(f"{module}:{name}", new)
        return value_of(new)

    return lookup


def _new_place(module: str, name: str) -> str | None:
    """Return where a name of a module that became a package is now; None for one that it never had."""
    if module not in PACKAGES or name.startswith("_") or _exists(f"{module}.{name}"):
        return None
    return f"{PACKAGES[module]}:{name}" if hasattr(_module(PACKAGES[module]), name) else None


def value_of(place: str) -> Any:
    """Return the object that `module:name` names."""
    module, _, name = place.partition(":")
    return getattr(_module(module), name)


def _module(name: str) -> ModuleType:
    from importlib import import_module

    return import_module(ROOT + name)


def _exists(name: str) -> bool:
    from importlib.util import find_spec

    return find_spec(ROOT + name) is not None


_OLD_NAMES: Final = {name.partition(":")[0] for name in NAMES} | PACKAGES.keys()
"""Modules that have old names."""
