"""`botequim play`: a person against the champions, at the terminal."""

from __future__ import annotations

import argparse
import asyncio
import json
import secrets
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from botequim import registry
from botequim.cli.doing import bots
from botequim.core.errors import InputError, os_reason
from botequim.core.game import AnyGame
from botequim.core.messages import msg
from botequim.core.options import settle
from botequim.core.reading import Found
from botequim.core.record import Record
from botequim.i18n import _, say
from botequim.terminal.advice import strongest
from botequim.terminal.face import Face
from botequim.terminal.kept import Kept, Sitting, all_kept, options_of, read_kept
from botequim.terminal.person import Left
from botequim.terminal.screen import PlainScreen, RichScreen, Screen, is_rich
from botequim.terminal.sitting import Table
from botequim.terminal.typing_in import Typing

MOST_GAMES = 99


def run(arguments: argparse.Namespace) -> int:
    """Sit down."""
    if arguments.list:
        return _list(arguments)
    past: Found | None = None
    if arguments.go_on is not None:
        kept = Kept(_left(arguments))
        sitting, past = read_kept(kept.path)
        options_of(registry.game(sitting.game), sitting)
    elif arguments.game is None:
        raise InputError(msg("say which game: {known}", known=", ".join(registry.game_names())))
    else:
        sitting = _laid(arguments)
        kept = Kept.new(sitting.game)
    if arguments.adviser is not None:
        registry.player(sitting.game, arguments.adviser)  # says which there are
    names = [name for name in sitting.players if name]
    with bots.ready(names, sitting.game, arguments) as ready:
        others = [seat for seat in range(len(sitting.players)) if seat != sitting.seat]
        entrants = dict(zip(others, ready.entrants, strict=True))
        try:
            asyncio.run(_play(sitting, past, kept, entrants, ready, arguments))
        except Left:
            print(_("The game is kept. Go on with: botequim play {game} --continue", game=sitting.game))
        except KeyboardInterrupt:
            if kept.path.exists():
                said = _("The game is kept. Go on with: botequim play {game} --continue", game=sitting.game)
                print("\n" + said, file=sys.stderr)
            raise
    return 0


async def _play(
    sitting: Sitting,
    past: Found | None,
    kept: Kept,
    entrants: dict[int, Any],
    ready: bots.Bots,
    arguments: argparse.Namespace,
) -> None:
    with ExitStack() as opened:
        typing = opened.enter_context(Typing(sys.stdin.fileno()))
        screen: Screen = PlainScreen(typing)
        if is_rich(plain=arguments.plain):
            screen = opened.enter_context(RichScreen(typing).open())
        table = Table(
            sitting,
            entrants,
            screen,
            kept,
            sandbox=ready.sandbox,
            hint=arguments.hint,
            adviser=arguments.adviser,
            record=lambda number, record: _write(arguments.records, number, record),
        )
        await table.play(past)


# --- how the table is laid ---------------------------------------------------------------------------


def _laid(arguments: argparse.Namespace) -> Sitting:
    game = registry.game(arguments.game)
    against: list[str] = arguments.against or [strongest(game.name)]
    given = bots.read_options(arguments.option)
    if any(option.name == "players" for option in game.options) and len(against) > 1:
        given.setdefault("players", len(against) + 1)
    options = settle(game.name, game.options, given)
    teams = game.teams(options)
    count = sum(map(len, teams))
    seat = arguments.seat - 1
    if not 0 <= seat < count:
        raise InputError(
            msg(
                "there is no player {seat}; this table has players 1 to {count}",
                seat=arguments.seat,
                count=count,
            )
        )
    own = next(team for team in teams if seat in team)
    if arguments.partner is not None and len(own) < 2:
        raise InputError(msg("{game} has no partners: leave --partner out", game=game.name))
    rivals = [team for team in teams if team is not own]
    if len(against) not in (1, len(rivals)):
        raise InputError(msg("this table has {count} others to play against", count=len(rivals)))
    players = [""] * count
    for number, team in enumerate(rivals):
        for at in team:
            players[at] = against[number % len(against)]
    for at in own:
        if at != seat:
            players[at] = arguments.partner or strongest(game.name)
    face = registry.face(game.name) or Face
    best_of = face.best_of if arguments.best_of is None else arguments.best_of
    if not 1 <= best_of <= MOST_GAMES:
        raise InputError(msg("a match has 1 to {most} games", most=MOST_GAMES))
    names = _names(game, players, arguments.name or _("human"), face)
    seed = arguments.seed if arguments.seed is not None else secrets.token_hex(4)
    return Sitting(game.name, options, seat, players, names, seed, best_of)


def _names(game: AnyGame, players: Sequence[str], own: str, face: type[Face]) -> list[str]:
    """By seat, what everybody is called at the table."""
    others = [Path(name).name or name for name in players if name]
    if len(others) == 1 and face.robot is not None:
        others = [say(face.robot)]
    rest = iter(others)
    return [next(rest) if name else own for name in players]


def _left(arguments: argparse.Namespace) -> Path:
    if arguments.go_on:
        return Path(arguments.go_on)
    found = all_kept(arguments.game)
    if not found:
        raise InputError(msg("no game was left; begin one with: botequim play GAME"))
    return found[0]


def _list(arguments: argparse.Namespace) -> int:
    rows = []
    for path in all_kept(arguments.game):
        sitting, found = read_kept(path)
        rows.append(
            {"file": str(path), "game": sitting.game, "turns": len(found.turns), "names": list(sitting.names)}
        )
    if arguments.json:
        print(json.dumps(rows, ensure_ascii=False, indent=2))
    elif not rows:
        print(_("No game was left."))
    else:
        for row in rows:
            print(_("{game}, {turns} turns: botequim play --continue {file}", **row))
    return 0


def _write(folder: Path | None, number: int, record: Record) -> None:
    if folder is None:
        return
    path = folder / f"{record.game.name}-{number + 1:06}.jsonl"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", errors="surrogatepass") as file:
            file.writelines(line + "\n" for line in record.lines())
    except OSError as error:
        raise InputError(
            msg("{path} cannot be written: {why}", path=str(path), why=os_reason(error))
        ) from error
