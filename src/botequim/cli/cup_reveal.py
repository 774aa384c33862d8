"""`botequim cup hold`, `reveal` and `open`: control what is public."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from botequim.cli.confirming import confirm
from botequim.cli.stores import file_words, read_cup
from botequim.core.errors import InputError
from botequim.core.messages import Message, msg
from botequim.cup.config import Cup
from botequim.cup.paths import CupPaths
from botequim.cup.revelation import Revelation
from botequim.cup.rounds import stored_state
from botequim.cup.series_labels import series_labels
from botequim.cup.stage_names import stage_name
from botequim.cup.withdrawals import without_withdrawn
from botequim.i18n import _, _n
from botequim.storage.protocol import CupStore
from botequim.storage.visibility import PublicGame, Visibility


def hold(store: CupStore, paths: CupPaths) -> int:
    """Hold back all games that are not public yet; return how many are public."""
    with paths.storage.open_visibility() as show:
        return show.hold(at=store.count_games())


def run_hold(arguments: argparse.Namespace) -> int:
    """Keep all further games private, from the first game on, or to freeze the standings."""
    cup = read_cup(arguments.file, arguments.store)
    paths = CupPaths.of_cup(cup)
    if paths.storage.has_results():
        with paths.storage.open_results(check=True) as store:
            hold(store, paths)
            say_pace(cup, Visibility.of(store, paths.storage))
        return 0
    with paths.storage.open_visibility() as show:
        show.hold(at=0)
    say_pace(cup, Visibility((), 0))
    return 0


def run_open(arguments: argparse.Namespace) -> int:
    """Make everything public, including all further games."""
    cup = read_cup(arguments.file, arguments.store)
    storage = CupPaths.of_cup(cup).storage
    if storage.shown_games() is not None and storage.has_results():
        with storage.open_results(check=True) as store:
            before = Visibility.of(store, storage)
            revelation = Revelation.of(without_withdrawn(cup, store), store, before, None)
        if not confirm(revelation.sentences(), yes=arguments.yes):
            return 1
    with storage.open_visibility() as show:
        show.release()
    print(_("{cup}: everything is public as it happens.", cup=cup.name))
    return 0


def run_reveal(arguments: argparse.Namespace) -> int:
    """Reveal the next game, or the rest of its series or stage."""
    cup = read_cup(arguments.file, arguments.store)
    paths = CupPaths.of_cup(cup)
    with paths.storage.open_results(check=True) as store:
        before = Visibility.of(store, paths.storage)
        cup = without_withdrawn(cup, store)
        if before.shown is None:
            raise InputError(
                msg(
                    "everything in {path} is already public; to keep new games private: botequim cup "
                    "hold {words}",
                    path=str(arguments.file),
                    words=file_words(cup),
                )
            )
        to = _target(before, arguments.how_much)
        if to is None:
            print(_("Everything played so far is public."))
            return 0
        if arguments.how_much != "game":
            revelation = Revelation.of(cup, store, before, to)
            if not confirm(revelation.sentences(), yes=arguments.yes):
                return 1
        with paths.storage.open_visibility() as show:
            if not show.reveal(to, expected=before.shown):
                raise InputError(
                    msg("somebody else has just revealed a game; check the status, then try again")
                )
        after = Visibility(before.played, to)
        state = stored_state(cup, store, store.results())
    labels = {plan.name: series_labels(state, plan.name) for plan in cup.plans}
    for game in list(after.games())[before.shown :]:
        print(_game_line(cup, labels[game.series.stage], game))
    say_pace(cup, after)
    return 0


def _target(visibility: Visibility, how_much: str) -> int | None:
    match how_much:
        case "series":
            return visibility.rest_of_series()
        case "stage":
            return visibility.rest_of_stage()
        case _:
            return visibility.next_game()


def _game_line(cup: Cup, labels: Mapping[str, Message], game: PublicGame) -> str:
    series, result = game.series, game.result
    best = [name for name, place in zip(series.result.entrants, result.places, strict=True) if place == 1]
    outcome = _("{names} won", names=", ".join(map(cup.title, best))) if len(best) == 1 else _("a draw")
    where = _(
        "{stage}: {names} ({label}), game {number}",
        stage=stage_name(series.stage),
        names=" – ".join(map(cup.title, series.result.entrants)),
        label=labels.get(series.key) or cup.series_text(series.stage, series.key),
        number=game.number + 1,
    )
    return f"{where}: {outcome}"


def say_pace(cup: Cup, visibility: Visibility) -> None:
    """Print in one line how many games of a private cup are public."""
    print(
        _n(
            "{cup} is private: {n} game is revealed. To reveal the next one: botequim cup reveal {words}",
            "{cup} is private: {n} games are revealed. To reveal the next one: botequim cup reveal {words}",
            visibility.visible,
            cup=cup.name,
            words=file_words(cup),
        )
    )
