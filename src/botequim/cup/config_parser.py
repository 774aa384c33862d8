"""Reads cup files, which `botequim.cup.config` describes."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, NoReturn

from botequim import registry
from botequim.core.errors import BotequimError, InputError, os_reason
from botequim.core.file_kinds import not_a_cup_file
from botequim.core.game import AnyGame
from botequim.core.limits import MB
from botequim.core.messages import Message, msg, plain
from botequim.core.options import ChoiceOption, Value, resolve_options
from botequim.core.wire import Restart
from botequim.cup.config import NULL_STAGE, NULL_SUFFIX, PLAYERS, Cup, Entry
from botequim.cup.format import Format, Stage, find_format
from botequim.cup.grade_rule import GRADES, read_grade_rule
from botequim.cup.pairing import SeriesRules, Sides, Starter
from botequim.cup.stages import StagePlan, commitment
from botequim.cup.toml_lines import Lines
from botequim.cup.toml_table import Table
from botequim.storage.address import StoreAddress

IN_SECONDS: Final = ("move", "start", "build", "thinking")
IN_MEGABYTES: Final = ("memory", "space", "output")
IN_NUMBERS: Final = ("cpus", "processes", "timeouts")
CUP_KEYS: Final = (
    "name", "game", "options", "seed", "commitment", "workers", "restart", "null", "most_authors", "limits",
    "entrants", "stages", "store", GRADES,
)  # fmt: skip
ENTRANT_KEYS: Final = ("name", "bot", "wire", "title", "authors", "students", "portrait", "repository")
STAGE_KEYS: Final = ("name", "format", "games", "best_of", "sides", "starter", "from", "top")
MOST_GAMES: Final = 10_000_000
MOST_BYTES: Final = 4 << 20
LONGEST_NAME: Final = 80


def read(path: Path) -> Cup:
    try:
        content = path.read_bytes()
    except IsADirectoryError as error:
        raise InputError(_folder_problem(path)) from error
    except OSError as error:
        raise InputError(msg("{path} cannot be read: {why}", path=str(path), why=os_reason(error))) from error
    problem = not_a_cup_file(content)
    if problem is not None:
        raise InputError(msg("{where}: {what}", where=str(path), what=problem))
    try:
        if len(content) > MOST_BYTES:
            raise InputError(msg("{path} is too large for a cup file", path=str(path)))
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        _refuse(path, line, msg("not UTF-8; save the file in that encoding"))
    return parse(text, path)


def _folder_problem(path: Path) -> Message:
    """Return the message for a folder given instead of a cup file, which may be the folder of a cup."""
    cup_file = path.with_suffix(".toml") if path.suffix == ".cup" else None
    if cup_file is not None and cup_file.is_file():
        return msg(
            "{path} is the folder of a cup, not its cup file; did you mean {cup_file}?",
            path=str(path),
            cup_file=str(cup_file),
        )
    return msg("{path} is a folder; give a cup file, such as rinha.toml", path=str(path))


def parse(text: str, path: Path = Path("cup.toml")) -> Cup:
    """Return the cup that a text describes; `path` is the path of its file."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        match = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)$", str(error))
        problem = str(error)[: match.start()] if match else str(error)
        line = int(match[1]) if match and match[1] else text.count("\n") + 1
        _refuse(path, line, msg("not TOML: {why}", why=problem))
    except RecursionError:
        _refuse(path, 1, msg("not TOML: {why}", why="nested too deeply"))
    return _cup(Table(content, (), Lines(text.replace("\r\n", "\n")), str(path)), path)


def _refuse(path: Path, line: int, what: Message) -> NoReturn:
    raise InputError(msg("{where}: {what}", where=plain(f"{path}:{line}"), what=what))


def _cup(top: Table, path: Path) -> Cup:
    top.require_known(CUP_KEYS)
    game = _game(top)
    options = _game_options(top, game)
    entrants = _entrants(top, game)
    plans = _stages(top, game, options, entrants)
    seed, digest = _seed(top)
    cup = Cup(
        path,
        name=top.text("name", required=True),
        game=game.name,
        options=options,
        entrants=entrants,
        plans=plans,
        seed=seed,
        commitment=digest,
        limits=_limits(top),
        workers=top.whole("workers", low=1, high=10_000),
        restart=Restart(top.choice("restart", list(Restart))) if "restart" in top else None,
        store=_store(top),
        grades=read_grade_rule(top, entrants, plans),
    )
    return _with_null(top, cup)


def _game(top: Table) -> AnyGame:
    name = top.choice("game", registry.game_names(), required=True)
    try:
        return registry.game(name)
    except BotequimError as error:
        top.refuse("game", error.message)


def _game_options(top: Table, game: AnyGame) -> dict[str, Value]:
    if "options" not in top:
        return {}
    table = top.table("options")
    if PLAYERS in table and any(option.name == PLAYERS for option in game.options):
        table.refuse(PLAYERS, msg("remove this line: the stages determine how many entrants sit at a table"))
    options = [option for option in game.options if option.name != PLAYERS]
    table.require_known([option.name for option in options])
    return {option.name: table.option(option) for option in options if option.name in table}


def _seed(top: Table) -> tuple[str | None, str | None]:
    seed = top.text("seed") if "seed" in top else None
    digest = top.text("commitment") if "commitment" in top else None
    if digest is not None and not re.fullmatch("sha256:[0-9a-f]{64}", digest):
        top.refuse("commitment", msg('a commitment is "sha256:" followed by 64 hexadecimal digits'))
    if seed is not None and digest is not None and commitment(seed) != digest:
        top.refuse("commitment", msg("this commitment does not match the seed in this file"))
    return seed, digest


def _store(top: Table) -> StoreAddress | None:
    if "store" not in top:
        return None
    table = top.table("store")
    table.require_known(("url",))
    try:
        return StoreAddress.parse(table.text("url", required=True))
    except InputError as error:
        table.refuse("url", error.message)


def _limits(top: Table) -> dict[str, float | int]:
    if "limits" not in top:
        return {}
    table = top.table("limits")
    table.require_known((*IN_SECONDS, *IN_MEGABYTES, *IN_NUMBERS))
    limits: dict[str, float | int] = {}
    for key in table:
        if key in IN_SECONDS:
            limits[key] = table.seconds(key)
        else:
            number = table.whole(key, low=1, high=1_000_000) or 1
            limits[key] = number * MB if key in IN_MEGABYTES else number
    return limits


# --- entrants --------------------------------------------------------------------------------------


def _entrants(top: Table, game: AnyGame) -> tuple[Entry, ...]:
    most_authors = top.whole("most_authors", low=1, high=1000)
    entrants: list[Entry] = []
    names: dict[str, int] = {}
    for table in top.tables("entrants"):
        table.require_known(ENTRANT_KEYS)
        entry = _entry(table, game)
        before = names.setdefault(entry.name.casefold(), table.line("name"))
        if before != table.line("name"):
            table.refuse(
                "name",
                msg(
                    'the name "{name}" is already used on line {line}; give each entrant its own name',
                    name=entry.name,
                    line=before,
                ),
            )
        if most_authors is not None and len(entry.authors) > most_authors:
            table.refuse(
                "authors",
                msg(
                    "there are {found} authors, but at most {most} are allowed; name fewer, or "
                    "raise most_authors",
                    found=len(entry.authors),
                    most=most_authors,
                ),
            )
        entrants.append(entry)
    return tuple(entrants)


def _entry(table: Table, game: AnyGame) -> Entry:
    name = table.text("name", required=True)
    if "|" in name or name != name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        table.refuse(
            "name",
            msg("a name has at most {most} visible characters and no |", most=LONGEST_NAME),
        )
    wire = table.choice("wire", registry.wire_names(game.name)) if "wire" in table else None
    return Entry(
        name,
        table.text("bot", required=True),
        wire,
        title=table.text("title"),
        authors=table.texts("authors"),
        students=table.texts("students"),
        portrait=table.text("portrait"),
        portrait_line=table.line("portrait"),
        repository=table.text("repository"),
    )


# --- stages ----------------------------------------------------------------------------------------


def _stages(
    top: Table, game: AnyGame, options: dict[str, Value], entrants: Sequence[Entry]
) -> tuple[StagePlan, ...]:
    plans: list[StagePlan] = []
    fields: dict[str, int] = {}
    for table in top.tables("stages"):
        plan = _stage(table, game, entrants, plans)
        size = fields[plan.source] if plan.source is not None else len(entrants)
        if plan.top is not None and plan.top > size:
            table.refuse(
                "top",
                msg(
                    'this stage takes the best {top} of "{stage}", but only {size} play there; '
                    "add entrants, or lower top",
                    top=plan.top,
                    stage=plan.source,
                    size=size,
                ),
            )
        fields[plan.name] = plan.top or size
        _require_playable(table, game, options, plan, fields[plan.name])
        plans.append(plan)
    return tuple(plans)


def _stage(table: Table, game: AnyGame, entrants: Sequence[Entry], before: Sequence[StagePlan]) -> StagePlan:
    form = find_format(table.choice("format", registry.format_names(), required=True))
    table.require_known((*STAGE_KEYS, *(option.name for option in form.options)))
    name = table.text("name", required=True)
    if not re.fullmatch(r"[\w -]{1,40}", name) or name != name.strip() or name == NULL_STAGE:
        table.refuse(
            "name",
            msg("the name of a stage consists of letters, digits, spaces, _ and -, and must not be null"),
        )
    if any(plan.name == name for plan in before):
        table.refuse(
            "name", msg('there is already a stage "{name}"; give each stage its own name', name=name)
        )
    values = {option.name: table.option(option) for option in form.options if option.name in table}
    if "from" in table and not before:
        table.refuse("from", msg('the first stage has no stage before it: remove "from"'))
    source = table.choice("from", [plan.name for plan in before]) if "from" in table else None
    if source is None and before:
        source = before[-1].name
    top = table.whole("top", low=1, high=100_000)
    if top is not None and source is None:
        table.refuse("top", msg("remove this line: there is no stage before the first one"))
    return StagePlan(
        name,
        form.name,
        _terms(table, game),
        resolve_options(form.name, form.options, values),
        source,
        top,
        () if source is not None else tuple(entry.name for entry in entrants),
    )


def _terms(table: Table, game: AnyGame) -> SeriesRules:
    if "games" in table and "best_of" in table:
        table.refuse("best_of", msg('give either "games" or "best_of"'))
    best_of = table.whole("best_of", low=1, high=MOST_GAMES)
    if best_of is not None and best_of % 2 == 0:
        table.refuse("best_of", msg("best of {games} can end level: give an odd number", games=best_of))
    starter = None
    if "starter" in table:
        starters = _starters(game)
        name = table.choice("starter", list(starters))
        starter = Starter(name, starters[name])
    return SeriesRules(
        games=best_of or table.whole("games", low=1, high=MOST_GAMES) or 1,
        early=best_of is not None,
        sides=Sides(table.choice("sides", list(Sides))) if "sides" in table else Sides.DRAWN,
        starter=starter,
    )


def _starters(game: AnyGame) -> dict[str, tuple[str, ...]]:
    """Return the options that choose the starter, a random seat by default, each with the seats to choose
    from."""
    choices = [option for option in game.options if isinstance(option, ChoiceOption)]
    return {
        option.name: option.known[1:]
        for option in choices
        if len(option.known) > 1 and all(value.isdecimal() for value in option.known[1:])
    }


def _require_playable(
    table: Table, game: AnyGame, options: dict[str, Value], plan: StagePlan, size: int
) -> None:
    """Raise InputError if the format or the game cannot be played with so many entrants."""
    form = find_format(plan.format)
    names = plan.entrants or tuple(f"place {number + 1}" for number in range(size))
    problem = form.problem(Stage(names, plan.terms, plan.options, ""))
    if problem is not None:
        table.refuse("format", msg("{format}: {problem}", format=form.name, problem=problem))
    seats = form.size(plan.options)
    values: dict[str, object] = dict(options)
    if any(option.name == PLAYERS for option in game.options):
        values[PLAYERS] = seats
    try:
        resolved = resolve_options(game.name, game.options, values)
        teams = len(game.teams(resolved))
        game.start(resolved)
    except InputError as error:
        table.refuse("format", error.message)
    if teams != seats:
        table.refuse(
            "size" if "size" in table else "format",
            msg(
                "{game} is played by {wanted} entrants, not {found}",
                game=game.name,
                wanted=teams,
                found=seats,
            ),
        )


# --- the null entrant ------------------------------------------------------------------------------


def _with_null(top: Table, cup: Cup) -> Cup:
    if "null" not in top:
        return cup
    entry = cup.entry(top.choice("null", [entry.name for entry in cup.entrants]))
    twin = replace(entry, name=entry.name + NULL_SUFFIX, null=True)
    first = cup.plans[0]
    form: Format = find_format("gauntlet")
    size = find_format(first.format).size(first.options)
    plan = StagePlan(
        NULL_STAGE,
        form.name,
        first.terms,
        resolve_options(form.name, form.options, {"size": size}),
        entrants=(twin.name, *(other.name for other in cup.entrants)),
        beside=True,
    )
    return replace(cup, entrants=(*cup.entrants, twin), plans=(*cup.plans, plan))
