"""`botequim play`: a person against the champions, at the terminal."""

from __future__ import annotations

import argparse
import json
import secrets
import shlex
import sys
from collections.abc import Sequence
from contextlib import ExitStack, closing
from itertools import count
from pathlib import Path
from typing import Any

from botequim import interrupts, registry
from botequim.cli.doing import bots
from botequim.cli.doing.output import new_file
from botequim.core.errors import BotequimError, InputError
from botequim.core.game import AnyGame
from botequim.core.messages import msg
from botequim.core.options import settle
from botequim.core.reading import Found
from botequim.core.record import Record
from botequim.i18n import _, _n, say, say_error
from botequim.match import usable
from botequim.terminal.advice import strongest
from botequim.terminal.face import Face
from botequim.terminal.kept import Kept, Sitting, all_kept, in_play, is_in_play, options_of, read_kept
from botequim.terminal.person import Left
from botequim.terminal.screen import PlainScreen, RichScreen, Screen, is_rich
from botequim.terminal.sitting import Table
from botequim.terminal.typing_in import Typing

MOST_GAMES = 99
LONGEST_NAME = 40
OF_THE_TABLE = ("against", "partner", "seat", "name", "best_of", "seed", "option")
"""What is settled when a game begins."""


def run(arguments: argparse.Namespace) -> int:
    """Sit down."""
    if arguments.list:
        return _list(arguments)
    if arguments.json:
        raise InputError(msg("--json goes with --list; a game that is played is kept as JSON by --records"))
    if arguments.records is not None:
        usable(arguments.records)
    if arguments.go_on is None and arguments.game is None:
        raise InputError(msg("say which game: {known}", known=", ".join(registry.game_names())))
    with closing(Kept.new(arguments.game) if arguments.go_on is None else _left(arguments)) as kept:
        _sit(arguments, kept)
    return 0


def _sit(arguments: argparse.Namespace, kept: Kept) -> None:
    past: Found | None = None
    if arguments.go_on is None:
        sitting = _laid(arguments)
    else:
        sitting, past = read_kept(kept.path)
        _check_same_table(arguments, sitting)
        options_of(registry.game(sitting.game), sitting)
    if arguments.adviser is not None:
        registry.player(sitting.game, arguments.adviser)  # says which there are
    names = [name for name in sitting.players if name]
    with bots.ready(names, sitting.game, arguments) as ready:
        others = [seat for seat in range(len(sitting.players)) if seat != sitting.seat]
        entrants = dict(zip(others, ready.entrants, strict=True))
        try:
            interrupts.run(_play(sitting, past, kept, entrants, ready, arguments))
        except Left:
            print(_("The game is kept. Go on with: botequim play {game} --continue", game=sitting.game))
        except KeyboardInterrupt:
            if kept.path.exists():
                said = _("The game is kept. Go on with: botequim play {game} --continue", game=sitting.game)
                print("\n" + said, file=sys.stderr)
            raise


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
            record=lambda record: _write(arguments.records, record),
        )
        await table.play(past)


# --- how the table is laid ---------------------------------------------------------------------------


def _laid(arguments: argparse.Namespace) -> Sitting:
    game = registry.game(arguments.game)
    given = bots.read_options(arguments.option)
    if any(option.name == "players" for option in game.options) and len(arguments.against or ()) > 1:
        given.setdefault("players", len(arguments.against) + 1)
    options = settle(game.name, game.options, given)
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
    players = _seated(arguments, game, teams, seat)
    face = registry.face(game.name) or Face
    best_of = face.best_of if arguments.best_of is None else arguments.best_of
    if not 1 <= best_of <= MOST_GAMES:
        raise InputError(msg("a match has 1 to {most} games", most=MOST_GAMES))
    name = arguments.name or _("human")
    if len(name) > LONGEST_NAME:
        raise InputError(msg("a name has at most {most} signs", most=LONGEST_NAME))
    seed = arguments.seed if arguments.seed is not None else secrets.token_hex(4)
    return Sitting(game.name, options, seat, players, _names(players, name, face), seed, best_of)


def _seated(
    arguments: argparse.Namespace, game: AnyGame, teams: Sequence[Sequence[int]], seat: int
) -> list[str]:
    """By seat, who sits there; the person's is empty."""
    against: list[str] = arguments.against or [strongest(game.name)]
    own = next(team for team in teams if seat in team)
    if arguments.partner is not None and len(own) < 2:
        raise InputError(msg("{game} has no partners: leave --partner out", game=game.name))
    rivals = [team for team in teams if team is not own]
    if len(against) not in (1, len(rivals)):
        raise InputError(
            msg(
                "--against is given {given} times: give it once, or as often as there are others to play "
                "against ({count})",
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


def _names(players: Sequence[str], own: str, face: type[Face]) -> list[str]:
    """By seat, what everybody is called at the table."""
    others = [Path(name).name or name for name in players if name]
    if len(others) == 1 and face.robot is not None:
        others = [say(face.robot)]
    rest = iter(others)
    return [next(rest) if name else own for name in players]


def _left(arguments: argparse.Namespace) -> Kept:
    """The game that was named, or the last that nobody plays; held."""
    if arguments.go_on:
        named = Kept(Path(arguments.go_on))
        if not named.take():
            raise in_play(named.path)
        return named
    if arguments.game is not None:
        registry.game(arguments.game)  # says which there are
    found = all_kept(arguments.game)
    if not found:
        raise InputError(msg("no game was left; begin one with: botequim play GAME"))
    free = next((kept for kept in map(Kept, found) if kept.take()), None)
    if free is None:
        raise in_play(found[0])
    return free


def _check_same_table(arguments: argparse.Namespace, sitting: Sitting) -> None:
    """A game that was left goes on at its own table: what was asked for and would not be done is refused."""
    if arguments.game not in (None, sitting.game):
        raise InputError(
            msg(
                "the game that was left is {left}, not {asked}: botequim play {left} --continue",
                left=sitting.game,
                asked=arguments.game,
            )
        )
    given = [name for name in OF_THE_TABLE if getattr(arguments, name) not in (None, [])]
    if given:
        options = ", ".join("--" + name.replace("_", "-") for name in given)
        raise InputError(
            msg("a game that was left goes on at the table it had: leave {options} out", options=options)
        )


def _list(arguments: argparse.Namespace) -> int:
    if arguments.game is not None:
        registry.game(arguments.game)  # says which there are
    rows: list[dict[str, Any]] = []
    for path in all_kept(arguments.game):
        try:
            sitting, found = read_kept(path)
        except BotequimError as error:
            print(f"botequim: {say_error(error)}", file=sys.stderr)
            continue
        rows.append(
            {
                "file": str(path),
                "game": sitting.game,
                "turns": len(found.turns),
                "names": list(sitting.names),
                "in_play": is_in_play(path),
            }
        )
    if arguments.json:
        print(json.dumps(rows, ensure_ascii=False, indent=2))
    elif not rows:
        print(_("No game was left."))
    else:
        for row in rows:
            turns = _n("{n} turn", "{n} turns", row["turns"])
            how = f"botequim play --continue {shlex.quote(row['file'])}"
            if row["in_play"]:
                how = _("is being played now")
            print(f"{row['game']}, {turns}: {how}")
    return 0


def _write(folder: Path | None, record: Record) -> None:
    """Beside those of earlier sittings."""
    if folder is None:
        return
    name = record.game.name
    number = next(n for n in count(1) if not (folder / f"{name}-{n:06}.jsonl").exists())
    path = folder / f"{name}-{number:06}.jsonl"
    with new_file(path), path.open("x", encoding="utf-8", errors="surrogatepass") as file:
        file.writelines(line + "\n" for line in record.lines())
