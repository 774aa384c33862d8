"""`botequim ask`: ask a bot a question of a recorded game again."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from botequim.cli.options import add_bots, command
from botequim.core.errors import InputError
from botequim.core.messages import msg
from botequim.i18n import _, translate

if TYPE_CHECKING:
    from botequim.core.game import AnyGame
    from botequim.records.reader import RawRecord
    from botequim.records.replay import Replay
    from botequim.records.requery import QueryResult


def add(commands: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        "ask",
        description=_(
            "Asks a bot the same question as in a turn of a recorded game, and shows its answer. If "
            "the bot keeps running during a game, it first receives the earlier questions too. A "
            "built-in player, such as champion, also says how likely each move is to win, if it can."
        ),
        epilog=_(
            "Examples:\n"
            "  botequim ask game.jsonl --turn 9 ./my-bot\n"
            "  botequim ask game.jsonl --turn 9 ./my-bot --json\n"
            "  botequim ask game.jsonl --turn 9 champion\n"
            "Exit code 0: the answer is a move that the rules allow; 1: it is not."
        ),
    )
    parser.add_argument("record", metavar=_("RECORD"), type=Path, help=_("a record"))
    parser.add_argument("bot", metavar=_("BOT"), help=_("a bot, written as for `botequim match`"))
    parser.add_argument(
        "--turn",
        metavar="N",
        type=int,
        required=True,
        help=_("the number of the turn, as in `botequim show`"),
    )
    parser.add_argument(
        "--seat",
        metavar="N",
        type=int,
        help=_("the seat, if several seats were asked in this turn; counted from 0, as in records"),
    )
    parser.add_argument(
        "--game", metavar="N", type=int, default=1, help=_("the number of the game in the file (1)")
    )
    add_bots(parser)
    parser.add_argument("--json", action="store_true", help=_("the result as JSON"))
    parser.set_defaults(run=command(run))
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Ask the bot and print its answer. The exit code says whether the answer is a legal move."""
    from botequim.cli import bots
    from botequim.cli.progress import counting
    from botequim.records.replay import Replay
    from botequim.records.requery import ask_again

    replay = Replay.load(_find_record(arguments.record, arguments.game))
    game = replay.game
    earlier: list[QueryResult] = []
    with bots.ready([arguments.bot], game.name, arguments) as ready:
        (entrant,) = ready.entrants
        if ready.sandbox is None:
            return _ask_player(replay, arguments)
        with counting() as tell:

            def on_earlier(result: QueryResult) -> None:
                earlier.append(result)
                tell(_("turn {turn}, seat {seat}", turn=result.turn, seat=result.seat))

            result = ask_again(
                replay,
                arguments.turn,
                entrant,
                ready.sandbox,
                seat=arguments.seat,
                on_earlier=on_earlier,
            )
    if arguments.json:
        print(json.dumps(_as_json(game, result, earlier), ensure_ascii=False, indent=2))
    else:
        for one in earlier:
            _compare(game, one)
        _show(game, result)
    return 0 if result.fault is None else 1


def _ask_player(replay: Replay, arguments: argparse.Namespace) -> int:
    """Print what a built-in player would do. Its moves are always legal."""
    from botequim.cli.ask_player import answer_as_json, ask_player, print_answer

    answer = ask_player(replay, arguments.turn, arguments.bot, seat=arguments.seat)
    if arguments.json:
        print(json.dumps(answer_as_json(replay, answer), ensure_ascii=False, indent=2))
    else:
        print_answer(answer)
    return 0


def _as_json(game: AnyGame, result: QueryResult, earlier: Sequence[QueryResult]) -> dict[str, Any]:
    """Return the result as JSON, with the earlier answers that differ from the game."""
    fault = result.fault
    return {
        "turn": result.turn,
        "seat": result.seat,
        "question": result.question.text(),
        "answer": result.answer,
        "seconds": None if result.micros is None else result.micros / 1e6,
        "move": None if fault is not None else game.write(result.move),
        "fault": None if fault is None else {"kind": fault.kind.value, "reason": translate(fault.reason)},
        "log": "" if fault is None else str(fault.evidence.get("stderr") or ""),
        "warnings": [translate(warning) for warning in result.warnings],
        "recorded": _recorded_answer(game, result),
        "earlier": [
            {"turn": one.turn, "now": _new_answer(game, one), "recorded": _recorded_answer(game, one)}
            for one in earlier
            if _new_answer(game, one) != _recorded_answer(game, one)
        ],
    }


def _find_record(path: Path, number: int) -> RawRecord:
    from botequim.records.reader import read_records

    games = list(read_records(path))
    if not 1 <= number <= len(games):
        raise InputError(
            msg(
                "there is no game {number} in {path}; it contains {count}",
                path=str(path),
                count=len(games),
                number=number,
            )
        )
    return games[number - 1]


def _compare(game: AnyGame, result: QueryResult) -> None:
    """Print an earlier answer if it differs from the game."""
    then = _recorded_answer(game, result)
    now = _new_answer(game, result)
    if now != then:
        print(_("turn {turn}: now {now}, in the game {then}", turn=result.turn, now=now, then=then))


def _show(game: AnyGame, result: QueryResult) -> None:
    print(_("turn {turn}, seat {seat}", turn=result.turn, seat=result.seat))
    print("\n" + _("question:") + f"\n{result.question.text()}")
    print("\n" + _("answer:") + f"\n{result.answer or _('(nothing)')}")
    if result.micros is not None:
        print("\n" + _("time: {seconds} s", seconds=f"{result.micros / 1e6:.3f}"))
    for warning in result.warnings:
        print(_("warning: {text}", text=warning))
    if result.fault is None:
        print(_("move: {move}", move=game.write(result.move)))
    else:
        print(f"{result.fault.kind.upper()}: {translate(result.fault.reason)}")
        stderr = result.fault.evidence.get("stderr")
        if stderr:
            print(_("its log:") + f"\n{stderr}")
    print(_("in the game: {move}", move=_recorded_answer(game, result)))


def _new_answer(game: AnyGame, result: QueryResult) -> str:
    return game.write(result.move) if result.fault is None else translate(result.fault.reason)


def _recorded_answer(game: AnyGame, result: QueryResult) -> str:
    """Return the recorded move; after a fault its reason, which says more than the move that replaced it."""
    fault = result.recorded.fault
    return game.write(result.recorded.move) if fault is None else translate(fault.reason)
