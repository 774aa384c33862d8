"""`botequim cup hold`, `reveal` and `open`: what the public may see."""

from __future__ import annotations

import argparse

from botequim.core.errors import InputError
from botequim.core.messages import msg
from botequim.cup.absence import held
from botequim.cup.curtain import Curtain, PublicGame, Show
from botequim.cup.file import Cup
from botequim.cup.home import Home
from botequim.cup.reading import read
from botequim.cup.store import Store
from botequim.i18n import _, _n


def hold(store: Store, home: Home) -> int:
    """What is public now stays so, and nothing else is; how many games that is."""
    with Show.open(home.show) as show:
        return show.hold(at=store.games_played())


def run_hold(arguments: argparse.Namespace) -> int:
    """From now on; before the first game, or to freeze the tables."""
    cup = read(arguments.file)
    home = Home.of(cup.path)
    if home.store.is_file():
        with Store.open(home.store, check=True) as store:
            hold(store, home)
            say_pace(cup, Curtain.of(store, home.show))
        return 0
    with Show.open(home.show) as show:
        show.hold(at=0)
    say_pace(cup, Curtain((), 0))
    return 0


def run_open(arguments: argparse.Namespace) -> int:
    """Everything, and whatever comes."""
    cup = read(arguments.file)
    with Show.open(Home.of(cup.path).show) as show:
        show.release()
    print(_("{cup}: everything is public, as it happens.", cup=cup.name))
    return 0


def run_reveal(arguments: argparse.Namespace) -> int:
    """The next game, or the rest of its series or stage."""
    cup = read(arguments.file)
    home = Home.of(cup.path)
    with Store.open(home.store, check=True) as store:
        before = Curtain.of(store, home.show)
        cup = held(cup, store)
        if before.shown is None:
            raise InputError(
                msg(
                    "{path} is not held back: everything is public; to hold it: botequim cup hold {path}",
                    path=str(arguments.file),
                )
            )
        to = _target(before, arguments.how_much)
        if to is None:
            print(_("All that was played is public."))
            return 0
        with Show.open(home.show) as show:
            if not show.reveal(to, expected=before.shown):
                raise InputError(msg("somebody else has just revealed something; look, then try again"))
        after = Curtain(before.played, to)
    for game in list(after.games())[before.shown :]:
        print(_told(game))
    say_pace(cup, after)
    return 0


def _target(curtain: Curtain, how_much: str) -> int | None:
    match how_much:
        case "series":
            return curtain.rest_of_series()
        case "stage":
            return curtain.rest_of_stage()
        case _:
            return curtain.next_game()


def _told(game: PublicGame) -> str:
    series, result = game.series, game.result
    best = [name for name, place in zip(series.result.entrants, result.places, strict=True) if place == 1]
    ended = _("{names} won", names=", ".join(best)) if len(best) == 1 else _("a draw")
    where = _(
        "{stage}: {series}, game {number}", stage=series.stage, series=series.key, number=game.number + 1
    )
    return f"{where}: {ended}"


def say_pace(cup: Cup, curtain: Curtain) -> None:
    """What of a cup that is held back is public, in a line."""
    print(
        _n(
            "{cup} is held back: {n} game is public. The next: botequim cup reveal {path}",
            "{cup} is held back: {n} games are public. The next: botequim cup reveal {path}",
            curtain.visible,
            cup=cup.name,
            path=str(cup.path),
        )
    )
