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
    from botequim.records.requery import QueryResult


def add(commands: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        "ask",
        description=_(
            "Asks a bot the same question as in a turn of a recorded game, and shows its answer. If "
            "the bot keeps running during a game, it first receives the earlier questions too."
        ),
        epilog=_(
            "Examples:\n"
            "  botequim ask game.jsonl --turn 9 ./my-bot\n"
            "  botequim ask game.jsonl --turn 9 ./my-bot --json\n"
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
    """Ask, print the answer, and return whether it is a good one as the exit code."""
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
            raise InputError(
                msg(
                    '"{bot}" is a built-in player; `ask` needs a bot. Give a folder, a file or '
                    "cmd:COMMAND. If you have a folder of that name, write ./{bot}",
                    bot=arguments.bot,
                )
            )
        with counting() as tell:

            def on_earlier(asked: QueryResult) -> None:
                earlier.append(asked)
                tell(_("turn {turn}, seat {seat}", turn=asked.turn, seat=asked.seat))

            asked = ask_again(
                replay,
                arguments.turn,
                entrant,
                ready.sandbox,
                seat=arguments.seat,
                on_earlier=on_earlier,
            )
    if arguments.json:
        print(json.dumps(_as_json(game, asked, earlier), ensure_ascii=False, indent=2))
    else:
        for one in earlier:
            _compare(game, one)
        _show(game, asked)
    return 0 if asked.fault is None else 1


def _as_json(game: AnyGame, asked: QueryResult, earlier: Sequence[QueryResult]) -> dict[str, Any]:
    """Return the result for programs, with earlier answers that differ from the game."""
    fault = asked.fault
    return {
        "turn": asked.turn,
        "seat": asked.seat,
        "question": asked.question.text(),
        "answer": asked.answer,
        "seconds": None if asked.micros is None else asked.micros / 1e6,
        "move": None if fault is not None else game.write(asked.move),
        "fault": None if fault is None else {"kind": fault.kind.value, "reason": translate(fault.reason)},
        "log": "" if fault is None else str(fault.evidence.get("stderr") or ""),
        "warnings": [translate(warning) for warning in asked.warnings],
        "recorded": _recorded_answer(game, asked),
        "earlier": [
            {"turn": one.turn, "now": _now(game, one), "recorded": _recorded_answer(game, one)}
            for one in earlier
            if _now(game, one) != _recorded_answer(game, one)
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


def _compare(game: AnyGame, asked: QueryResult) -> None:
    """Print an earlier answer if it differs from the game."""
    recorded = _recorded_answer(game, asked)
    now = _now(game, asked)
    if now != recorded:
        print(_("turn {turn}: now {now}, in the game {then}", turn=asked.turn, now=now, then=recorded))


def _show(game: AnyGame, asked: QueryResult) -> None:
    print(_("turn {turn}, seat {seat}", turn=asked.turn, seat=asked.seat))
    print("\n" + _("question:") + f"\n{asked.question.text()}")
    print("\n" + _("answer:") + f"\n{asked.answer or _('(nothing)')}")
    if asked.micros is not None:
        print("\n" + _("time: {seconds} s", seconds=f"{asked.micros / 1e6:.3f}"))
    for warning in asked.warnings:
        print(_("warning: {text}", text=warning))
    if asked.fault is None:
        print(_("move: {move}", move=game.write(asked.move)))
    else:
        print(f"{asked.fault.kind.upper()}: {translate(asked.fault.reason)}")
        stderr = asked.fault.evidence.get("stderr")
        if stderr:
            print(_("its log:") + f"\n{stderr}")
    print(_("in the game: {move}", move=_recorded_answer(game, asked)))


def _now(game: AnyGame, asked: QueryResult) -> str:
    return game.write(asked.move) if asked.fault is None else translate(asked.fault.reason)


def _recorded_answer(game: AnyGame, asked: QueryResult) -> str:
    """Return the recorded move, or the reason of a fault, which says more than the move it became."""
    fault = asked.recorded.fault
    return game.write(asked.recorded.move) if fault is None else translate(fault.reason)
