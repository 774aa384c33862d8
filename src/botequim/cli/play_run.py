"""`botequim play`: play against the champions, at the terminal."""

from __future__ import annotations

import argparse
import json
import secrets
import shlex
import sys
from collections.abc import Sequence
from contextlib import ExitStack, closing
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any

from botequim import interrupts, registry
from botequim.cli import bots
from botequim.cli.output import new_file
from botequim.core.errors import BotequimError, InputError
from botequim.core.game import AnyGame
from botequim.core.messages import msg
from botequim.core.options import resolve_options
from botequim.i18n import _, _n, error_text, translate
from botequim.match.records import make_folder
from botequim.records.reader import RawRecord
from botequim.records.record import Record
from botequim.terminal.advice import strongest
from botequim.terminal.keyboard import Keyboard
from botequim.terminal.person import Left
from botequim.terminal.savegame import (
    SavedMatch,
    SaveFile,
    in_play_error,
    is_in_play,
    options_of,
    read_save_file,
    saved_games,
)
from botequim.terminal.screen import PlainScreen, RichScreen, Screen, is_rich
from botequim.terminal.session import Session, wants_rematch
from botequim.terminal.ui import TerminalUI

MOST_GAMES = 99
LONGEST_NAME = 40
FIXED_OPTIONS = ("against", "partner", "seat", "name", "best_of", "seed", "option")
"""The options that are fixed when a game begins."""


def run_play(arguments: argparse.Namespace) -> int:
    if arguments.list:
        return _list(arguments)
    if arguments.json:
        raise InputError(
            msg("--json works only with --list; use --records to save the game you play as JSON")
        )
    if arguments.browser:
        from botequim.cli.play_browser import play_in_browser

        return play_in_browser(arguments)
    if arguments.records is not None:
        make_folder(arguments.records)
    if arguments.go_on is None and arguments.game is None:
        raise InputError(msg("give a game: {known}", known=", ".join(registry.game_names())))
    with closing(
        SaveFile.new(arguments.game) if arguments.go_on is None else _take_saved_game(arguments)
    ) as save_file:
        _play_match(arguments, save_file)
    return 0


def _play_match(arguments: argparse.Namespace, save_file: SaveFile) -> None:
    past: RawRecord | None = None
    if arguments.go_on is None:
        match = new_match(arguments)
    else:
        match, past = read_save_file(save_file.path)
        _check_same_table(arguments, match)
        options_of(registry.game(match.game), match)
    if arguments.adviser is not None:
        registry.player(match.game, arguments.adviser)  # says which there are
    names = [name for name in match.players if name]
    with bots.ready(names, match.game, arguments) as ready:
        others = [seat for seat in range(len(match.players)) if seat != match.seat]
        entrants = dict(zip(others, ready.entrants, strict=True))
        try:
            interrupts.run(_play(match, past, save_file, entrants, ready, arguments))
        except Left:
            print(_("The game is saved. To continue: botequim play {game} --continue", game=match.game))
        except KeyboardInterrupt:
            if save_file.path.exists():
                sentence = _(
                    "The game is saved. To continue: botequim play {game} --continue", game=match.game
                )
                print("\n" + sentence, file=sys.stderr)
            raise


async def _play(
    match: SavedMatch,
    past: RawRecord | None,
    save_file: SaveFile,
    entrants: dict[int, Any],
    ready: bots.Bots,
    arguments: argparse.Namespace,
) -> None:
    with ExitStack() as stack:
        keyboard = stack.enter_context(Keyboard(sys.stdin.fileno()))
        screen: Screen = PlainScreen(keyboard)
        if is_rich(plain=arguments.plain):
            screen = stack.enter_context(RichScreen(keyboard).open())
        while True:
            session = Session(
                match,
                entrants,
                screen,
                save_file,
                sandbox=ready.sandbox,
                hint=arguments.hint,
                adviser=arguments.adviser,
                record=lambda record: _write(arguments.records, record),
            )
            await session.play(past)
            if not await wants_rematch(screen):
                return
            match, entrants, past = *_rematch(match, entrants), None


def _rematch(match: SavedMatch, entrants: dict[int, Any]) -> tuple[SavedMatch, dict[int, Any]]:
    """Return a match of the same players, with sides swapped if that leaves partners together."""
    game = registry.game(match.game)
    teams = {frozenset(team) for team in game.teams(options_of(game, match))}
    count = len(match.players)
    swap = {frozenset((seat + 1) % count for seat in team) for team in teams} == teams
    moved = {(seat + swap) % count: entrant for seat, entrant in entrants.items()}
    return match.rematch(swap=swap), moved


# --- the match and its players -----------------------------------------------------------------------


def new_match(arguments: argparse.Namespace) -> SavedMatch:
    """Return the match that the command line describes."""
    game = registry.game(arguments.game)
    values = bots.read_options(arguments.option)
    if any(option.name == "players" for option in game.options) and len(arguments.against or ()) > 1:
        values.setdefault("players", len(arguments.against) + 1)
    options = resolve_options(game.name, game.options, values)
    teams = game.teams(options)
    seat = (1 if arguments.seat is None else arguments.seat) - 1
    if not 0 <= seat < sum(map(len, teams)):
        raise InputError(
            msg(
                "there is no player {seat}; this table has players 1 to {count}",
                seat=seat + 1,
                count=sum(map(len, teams)),
            )
        )
    players = _players_by_seat(arguments, game, teams, seat)
    ui = registry.terminal(game.name) or TerminalUI
    best_of = ui.best_of if arguments.best_of is None else arguments.best_of
    if not 1 <= best_of <= MOST_GAMES:
        raise InputError(msg("a match has 1 to {most} games", most=MOST_GAMES))
    name = arguments.name or _("human")
    if len(name) > LONGEST_NAME:
        raise InputError(msg("a name has at most {most} characters", most=LONGEST_NAME))
    seed = arguments.seed if arguments.seed is not None else secrets.token_hex(4)
    return SavedMatch(game.name, options, seat, players, _names(players, name, ui), seed, best_of)


def _players_by_seat(
    arguments: argparse.Namespace, game: AnyGame, teams: Sequence[Sequence[int]], seat: int
) -> list[str]:
    """Return the players by seat; "" is the person."""
    against: list[str] = arguments.against or [strongest(game.name)]
    own = next(team for team in teams if seat in team)
    if arguments.partner is not None and len(own) < 2:
        raise InputError(msg("{game} has no partners; omit --partner", game=game.name))
    rivals = [team for team in teams if team is not own]
    if len(against) not in (1, len(rivals)):
        raise InputError(
            msg(
                "--against is given {given} times; give it once, or once for each opponent ({count})",
                given=len(against),
                count=len(rivals),
            )
        )
    players = [""] * sum(map(len, teams))
    for number, team in enumerate(rivals):
        for at in team:
            players[at] = against[number % len(against)]
    for at in own:
        if at != seat:
            players[at] = arguments.partner or strongest(game.name)
    return players


def _names(players: Sequence[str], own: str, ui: type[TerminalUI]) -> list[str]:
    others = [Path(name).name or name for name in players if name]
    if len(others) == 1 and ui.robot is not None:
        others = [translate(ui.robot)]
    rest = iter(others)
    return [next(rest) if name else own for name in players]


def _take_saved_game(arguments: argparse.Namespace) -> SaveFile:
    """Lock and return the saved game that `--continue` names, or the latest that is not being played."""
    if arguments.go_on:
        save_file = SaveFile(Path(arguments.go_on))
        if not save_file.take():
            raise in_play_error(save_file.path)
        return save_file
    if arguments.game is not None:
        registry.game(arguments.game)  # says which there are
    paths = saved_games(arguments.game)
    if not paths:
        raise InputError(msg("there is no saved game; start one with: botequim play GAME"))
    free = next((save_file for save_file in map(SaveFile, paths) if save_file.take()), None)
    if free is None:
        raise in_play_error(paths[0])
    return free


def _check_same_table(arguments: argparse.Namespace, match: SavedMatch) -> None:
    """Raise InputError for options that differ from those of the saved game."""
    if arguments.game not in (None, match.game):
        raise InputError(
            msg(
                "the saved game is {left}, not {asked}; to continue it: botequim play {left} --continue",
                left=match.game,
                asked=arguments.game,
            )
        )
    names = [name for name in FIXED_OPTIONS if getattr(arguments, name) not in (None, [])]
    if names:
        options = ", ".join("--" + name.replace("_", "-") for name in names)
        raise InputError(
            msg("a saved game continues with its own players and options; omit {options}", options=options)
        )


def _list(arguments: argparse.Namespace) -> int:
    if arguments.game is not None:
        registry.game(arguments.game)  # says which there are
    rows: list[dict[str, Any]] = []
    for path in saved_games(arguments.game):
        try:
            match, raw = read_save_file(path)
        except BotequimError as error:
            print(f"botequim: {error_text(error)}", file=sys.stderr)
            continue
        rows.append(
            {
                "file": str(path),
                "game": match.game,
                "turns": len(raw.turns),
                "names": list(match.names),
                "saved": datetime.fromtimestamp(path.stat().st_mtime).astimezone().isoformat(" ", "minutes"),
                "in_play": is_in_play(path),
            }
        )
    if arguments.json:
        print(json.dumps(rows, ensure_ascii=False, indent=2))
    elif not rows:
        print(_("There are no saved games."))
    else:
        for row in rows:
            turns = _n("{n} turn", "{n} turns", row["turns"])
            how = f"botequim play --continue {shlex.quote(row['file'])}"
            if row["in_play"]:
                how = _("being played now")
            names = ", ".join(row["names"])
            when = row["saved"][:16]
            print(
                _(
                    "{game} with {names}, {turns}, saved {when}:",
                    game=row["game"],
                    names=names,
                    turns=turns,
                    when=when,
                )
            )
            print(f"  {how}")
    return 0


def _write(folder: Path | None, record: Record) -> None:
    """Write the record under a new name beside those of earlier sessions."""
    if folder is None:
        return
    name = record.game.name
    number = next(n for n in count(1) if not (folder / f"{name}-{n:06}.jsonl").exists())
    path = folder / f"{name}-{number:06}.jsonl"
    with new_file(path), path.open("x", encoding="utf-8", errors="surrogatepass") as file:
        file.writelines(line + "\n" for line in record.lines())
