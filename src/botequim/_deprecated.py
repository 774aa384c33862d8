"""Old names of modules, classes and functions. They keep working for one release.

When you move a module or rename a public name, add it to a table here. Nothing else is needed: an
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


def _table(text: str) -> dict[str, str]:
    """Return new names by old names. A line `old.{} -> new.{}: a=b c` says that old.a is new.b now, and old.c
    is new.c; without an arrow the place is the same."""
    found = {}
    for row in text.replace("\n    ", " ").split("\n"):
        patterns, _, names = row.partition(": ")
        old, _, new = patterns.partition(" -> ")
        for name in names.split():
            before, _, after = name.partition("=")
            found[old.replace("{}", before)] = (new or old).replace("{}", after or before)
    return found


MODULES: Final[dict[str, str]] = _table("""\
art.{} -> render.art.{}: * look=options
checking.mistakes.{} -> botcheck.diagnosis.{}: *
checking.mistakes.{} -> games.{}.diagnosis: cubos havana rps uno
checking.{} -> botcheck.{}: * mistakes=diagnosis sittings=trials watching=recorders
containers.{} -> sandbox.containers.{}: * containers=sandbox guard=reaper
contests.{} -> votes.{}: * keeping=contests
core.{} -> records.{}: reading=reader record
course.{} -> games.havana.host.{}: *
cup.live.{}: broadcast=writer reading=reader telling=publisher
cup.live.{} -> engine.{}: post=message_channel ipc=message_channel
cup.live.{} -> storage.sqlite.{}: form=live
cup.{}: absence=withdrawals checking=entrant_check estimating=estimates file=config home=paths proof=audit
    reading=config_parser reading_table=toml_table writing=config_writer
cup.{} -> storage.sqlite.{}: database integrity store=cup
cup.{} -> storage.{}: curtain=visibility output=files
dialects.{} -> bots.codecs.{}: answers arena arena_views
dialects.{} -> games.{}.wire: cubos havana rps uno
entrants.{} -> bots.{}: * copies=snapshot housing=routing recognise=resolve
export.{} -> games.cubos.submission.{}: cubos_compile=compile cubos_server=server
export.{} -> games.rps.submission.{}: rps_art=art
export.{} -> games.{}.submission.files: cubos havana rps uno
export.{} -> submissions.{}: bundle sources
export.{}_main -> games.{}.submission.main: havana rps uno
games.{} -> games.dominoes.{}: tiles
games.{} -> games.fives.{}: boneyard spinner
games.{} -> games.havana.{}: sides
games.{}_moves -> games.{}.moves: havana uno
games.{}_state -> games.{}.state: havana uno
picture.{} -> games.cards.{}: cards=picture
picture.{} -> games.dominoes.{}: line=layout tiles=picture
picture.{} -> games.{}.picture: cubos fives havana rps uno
picture.{} -> render.{}: drawing layout painter=renderer portraits raster replay=replay_page scene seats
    sheet=art_sheet svg symbols theme
players.champions.{} -> games.fives.{}: fives_seen=observation
players.champions.{} -> games.{}.champion: cubos fives havana rps uno
players.champions.{} -> search.{}: champion
players.{} -> engine.{}: random=random_player
players.{} -> games.dominoes.{}: tiles=players
players.{} -> games.rps.{}: rps_classics=classics
players.{} -> games.{}.players: cubos fives havana rps uno
sandbox.{}: bare=none chain=argv door=netns trials=selftest view=mounts watch=procfs
search.cubos_{} -> games.cubos.search.{}: manner=settings numbers past=history playout practice=self_play
search.fives_{} -> games.fives.search.{}: round standing
search.havana_{} -> games.havana.search.{}: playouts
search.rps_{} -> games.rps.search.{}: forecast
search.uno_{} -> games.uno.search.{}: contest=style_match hands search seen=observation styles
search.{} -> games.cubos.search.{}: cubos=solver
search.{} -> games.fives.search.{}: fives=board
search.{} -> games.havana.search.{}: havana=position
search.{} -> games.rps.search.{}: rps=value
search.{} -> games.uno.search.{}: uno=table
search.{}_lessons -> games.{}.search.training: cubos havana
search.{}_mind -> games.{}.search.decision: cubos rps
search.{}_policy -> games.{}.search.policy: cubos havana
show.{} -> games.dominoes.{}: tiles=narration
show.{} -> games.{}.narration: cubos fives havana rps uno
show.{} -> narration.{}: telling=narrator wrapping
terminal.{} -> games.dominoes.{}: line=terminal
terminal.{} -> games.{}.terminal: cubos fives havana rps uno
terminal.{}: films=recorded_games face=ui kept=savegame projecting=playback sitting=session
    typing_in=keyboard
transports.{} -> bots.transports.{}: * instance=process
web.api.{}: contests=votes
web.contests.{} -> web.votes.{}: *
web.door.{} -> web.server.{}: * safety=middleware
web.live.{}: counting=snapshots house=served
web.making.{} -> web.jobs.{}: * workshop=worker
web.{}: asked=deps contests=votes door=server figures=filters looks=qr making=jobs sheet=code_sheets
    talk=templating
{} -> botcheck.{}: doctor
{} -> bots.{}: dialects=codecs remote transports
{} -> engine.{}: referee series thinking=subprocess_player workers=executors
{} -> games.havana.{}: course=host
{} -> match.{}: faults sprt statistics
{} -> records.{}: asking=requery verify
{} -> render.{}: art
{} -> sandbox.{}: containers
{}: checking=botcheck contests=votes entrants=bots export=submissions picture=render show=narration""")
"""Moved modules: old name, new name. `*` stands for every module of a package that has no entry."""

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

NAMES: Final[dict[str, str]] = _table("""\
botcheck.diagnosis.answers:{}: said=json_answer
botcheck.diagnosis.case:{} -> botcheck.game_checks:{}: Diagnosis
botcheck.experiments:{}: Findings=ExperimentResults
botcheck.output:{}: Remarkable=OutputWarnings
botcheck.positions:{}: Kind=PositionKind
botcheck.recorders:{}: Listening=RecordingCodec Watching=RecordingSandbox
botcheck.resources:{}: used=usage_finding
botcheck.table:{}: Answered=BotTurn Bench=CheckBench Played=TrialGame Spared=StoppablePlayer
botcheck.trials:{}: Plan=TrialPlan Sitting=Trial plan=default_plan
bots.codecs.answers:{}: malformed=malformed_answer quoted=short_json
bots.codecs.arena_views:{}: seen_as_json=view_as_json
bots.resolve:{}: recognise=resolve
bots.routing:{}: Both=RoutingSandbox housed=sandbox_for
bots.seat:{}: described=record_header_fields seat=remote_player transport=make_transport
bots.transports.process:{}: Instance=BotProcess Tail=LogTail accused=make_fault
bots.trees:{} -> bots.tree_files:{}: copy_tree remove_tree
core.clock:{}: installed=use_clock
core.errors:{}: NotAMove=MoveSyntaxError
core.limits:{}: Enforced=EnforcedLimit
core.messages:{}: listed=comma_list
core.messages:{} -> core.sanitize:{}: harmless=printable
core.options:{}: Choice=ChoiceOption Whole=IntOption settle=resolve_options
core.player:{}: InMemory=LocalPlayer
core.turn:{}: Made=PlayedMove
core.wire:{}: Carrier=TransportKind Dialect=Codec OutOfStep=Desynchronised Seating=GameContext
    dropped=ignored_lines_warning
cup.config:{}: Absence=Withdrawal
cup.config_writer:{}: joined=file_text quoted=toml_string
cup.entrant_check:{}: checked=check_entrants
cup.format:{}: named=find_format
cup.importing:{}: Imported=ImportResult imported=import_entrants
cup.live.reader:{}: Live=LiveGames
cup.pairing:{} -> core.results:{}: Result=SeriesResult Total
cup.pairing:{}: Terms=SeriesRules
cup.pairing:{} -> engine.jobs:{}: Sitting=GameSetup
cup.paths:{}: Home=CupPaths pinned=pin_entrant
cup.ranking:{}: ranked=ranked_groups
cup.runner:{}: Told=RunStatus
cup.stages:{}: Progress=CupState
cup.templates:{}: named=find_template written=cup_file_text
cup.withdrawals:{}: held=without_withdrawn
engine.series:{}: Chair=SeatAssignment chairs=seat_assignments
engine.subprocess_player:{}: Thinking=SubprocessPlayer
games.cubos.narration:{}: CubosTeller=CubosNarrator
games.cubos.picture:{}: CubosPainter=CubosRenderer
games.cubos.picture:{} -> games.dominoes.picture:{}: LinePainter=LineRenderer
games.cubos.terminal:{}: CubosFace=CubosTerminalUI
games.dominoes.layout:{}: Laid=PlacedTile
games.dominoes.narration:{}: drawn_hands=hands_as_text drawn_line=line_as_text
games.dominoes.terminal:{}: LineFace=LineTerminalUI
games.fives.boneyard:{}: Drawn=DrawnTile
games.havana.moves:{}: answered=move_from_answer
games.havana.players:{}: Seated=CoursePlayerAdapter
games.rps.champion:{}: Announced=MixedAdvice
games.rps.classics:{}: Past=History
games.rps.rules:{}: Decided=DecidingStep
games.uno.moves:{}: Lost=LostTurn
games.uno.search.observation:{}: Seen=Observation
i18n:{}: complete=catalogues_exist known=supported_language say=translate say_error=error_text
    speaking=use_language use=set_language
interrupts:{}: AskedToEnd=TerminationRequested Blocked=BlockedSignals Heeding=SignalHandling
    end_at_once=exit_on_sigint raise_from_now_on=raise_on_sigint
match.runner:{} -> match.spec:{}: Match=MatchSpec
match.runner:{} -> match.standings:{}: Played=GameSummary Table=MatchStandings
narration.narrator:{}: Story=Transcript Teller=Narrator last_words=ending_sentences teller_of=narrator_for
    told=narrate_turn
narration.wrapping:{}: wrapped=wrap_line
records.reader:{}: Found=RawRecord Line=RawLine parse_begun=parse_unfinished
records.record:{}: chained=chain_lines without_log=redact_log
records.requery:{}: Asked=QueryResult Moment=DecisionPoint
records.verify:{}: Departure=Mismatch table=resolve_header verify=verify_record
registry:{}: face=terminal teller=narration
render.art.converting:{}: Converted=ConvertedImage
render.art.options:{}: Look=GifOptions
render.drawing:{}: Look=RenderOptions picture=render_svg spoken=description
render.renderer:{}: Painter=Renderer painter_of=renderer_for
render.scene:{} -> core.sanitize:{}: tamed=picture_text
render.scene:{}: Sight=Perspective
render.svg:{}: fitted=fit_text measured=text_width moved=group_at wrapped=wrap_text
render.symbols:{} -> games.cards.symbols:{}: CARD_HEIGHT CARD_WIDTH
render.symbols:{} -> games.dominoes.symbols:{}: TILE
render.symbols:{}: used=used_symbols
render:{} -> render.drawing:{}: Look=RenderOptions parts picture=render_svg
render:{} -> render.layout:{}: Shape
render:{} -> render.renderer:{}: Painter=Renderer
render:{} -> render.scene:{}: OPEN Place Scene Sight=Perspective scene_of
render:{} -> render.theme:{}: Theme
sandbox.containers.probe:{}: Found=ProbeResult
sandbox.containers.reaper:{}: Guard=Reaper
sandbox.netns:{}: Door=NetnsConnector
sandbox.none:{}: Bare=NoSandbox BareProcess=UnsandboxedProcess
sandbox.probe:{}: Found=ProbeResult best=best_sandbox find=probe_bubblewrap found=probe_result
    isolated=isolating_sandbox require=require_limits
storage.files:{}: whole_file=atomic_write
storage.sqlite.cup:{}: Store=SqliteCupStore
storage.sqlite.cup:{} -> storage.values:{}: FaultNote=StoredFault Finished=FinishedSeries
    GameNote=StoredGame Stored=StoredSeries
storage.sqlite.database:{}: in_words=database_error
storage.visibility:{} -> storage.values:{}: Showing=StagedGame
storage.visibility:{}: Curtain=Visibility
submissions.bundle:{}: bundled=bundle_program
terminal.drawing:{}: indexed=indexed_rows joined=side_by_side laid=tile_text numbered=numbered_rows
    suited=suit_style
terminal.keyboard:{}: Typing=Keyboard
terminal.savegame:{}: Kept=SaveFile Sitting=SavedMatch
terminal.ui:{}: Face=TerminalUI Misunderstood=CommandError face_of=ui_for index=command_index
    labelled=label_text no_more=reject_extra_words unknown=unknown_command
votes.codes:{}: drawn=new_code shown=format_code typed=parse_code
votes.contests:{}: NoMark=NoCookie""")
"""Renamed or moved classes, functions and constants: old `module:name`, new `module:name`.

The old module is named as it is called today. Add it to `MODULES` too if it has moved."""

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
