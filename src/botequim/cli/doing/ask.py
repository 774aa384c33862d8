"""`botequim ask`: a bot is asked a question of a recorded game again."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from botequim.asking import Asked, ask_again
from botequim.cli.doing import bots
from botequim.cli.doing.progress import counting
from botequim.core.errors import InputError, RecordError
from botequim.core.game import AnyGame
from botequim.core.messages import msg
from botequim.core.reading import Found, read_records
from botequim.i18n import _, say
from botequim.verify import Departure, table


def run(arguments: argparse.Namespace) -> int:
    """Ask, show, and say by the exit code whether the answer is a good one."""
    found = _chosen(arguments.record, arguments.game)
    earlier: list[Asked] = []
    try:
        game, _options, _seats = table(found)
        with bots.ready([arguments.bot], game.name, arguments) as ready:
            (entrant,) = ready.entrants
            if ready.sandbox is None:
                raise InputError(
                    msg(
                        '"{bot}" is a built-in player: only bots are asked over a wire. Name a folder, a '
                        "file or cmd:COMMAND; your own folder of that name is ./{bot}",
                        bot=arguments.bot,
                    )
                )
            with counting() as tell:

                def on_the_way(asked: Asked) -> None:
                    earlier.append(asked)
                    tell(_("turn {turn}, seat {seat}", turn=asked.turn, seat=asked.seat))

                asked = ask_again(
                    found,
                    arguments.turn,
                    entrant,
                    ready.sandbox,
                    seat=arguments.seat,
                    on_the_way=on_the_way,
                )
    except Departure as departure:
        raise RecordError(departure.sentence(), path=found.path) from departure
    if arguments.json:
        print(json.dumps(_as_json(game, asked, earlier), ensure_ascii=False, indent=2))
    else:
        for one in earlier:
            _compare(game, one)
        _show(game, asked)
    return 0 if asked.fault is None else 1


def _as_json(game: AnyGame, asked: Asked, earlier: Sequence[Asked]) -> dict[str, Any]:
    """The result for programs; of the questions before it what was answered otherwise than in the game."""
    fault = asked.fault
    return {
        "turn": asked.turn,
        "seat": asked.seat,
        "question": asked.question.shown(),
        "answer": asked.answer,
        "seconds": None if asked.micros is None else asked.micros / 1e6,
        "move": None if fault is not None else game.write(asked.move),
        "fault": None if fault is None else {"kind": fault.kind.value, "reason": say(fault.reason)},
        "log": "" if fault is None else str(fault.evidence.get("stderr") or ""),
        "warnings": [say(warning) for warning in asked.warnings],
        "recorded": _recorded(game, asked),
        "earlier": [
            {"turn": one.turn, "now": _now(game, one), "recorded": _recorded(game, one)}
            for one in earlier
            if _now(game, one) != _recorded(game, one)
        ],
    }


def _chosen(path: Path, number: int) -> Found:
    games = list(read_records(path))
    if not 1 <= number <= len(games):
        raise InputError(
            msg("{path} holds {count} games, not {number}", path=str(path), count=len(games), number=number)
        )
    return games[number - 1]


def _compare(game: AnyGame, asked: Asked) -> None:
    """An earlier question: worth a line where it is answered otherwise than in the game."""
    recorded = _recorded(game, asked)
    now = _now(game, asked)
    if now != recorded:
        print(_("turn {turn}: now {now}, in the game {then}", turn=asked.turn, now=now, then=recorded))


def _show(game: AnyGame, asked: Asked) -> None:
    print(_("turn {turn}, seat {seat}", turn=asked.turn, seat=asked.seat))
    print("\n" + _("question:") + f"\n{asked.question.shown()}")
    print("\n" + _("answer:") + f"\n{asked.answer or _('(nothing)')}")
    if asked.micros is not None:
        print("\n" + _("time: {seconds} s", seconds=f"{asked.micros / 1e6:.3f}"))
    for warning in asked.warnings:
        print(_("warning: {text}", text=warning))
    if asked.fault is None:
        print(_("move: {move}", move=game.write(asked.move)))
    else:
        print(f"{asked.fault.kind.upper()}: {say(asked.fault.reason)}")
        stderr = asked.fault.evidence.get("stderr")
        if stderr:
            print(_("its log:") + f"\n{stderr}")
    print(_("in the game: {move}", move=_recorded(game, asked)))


def _now(game: AnyGame, asked: Asked) -> str:
    return game.write(asked.move) if asked.fault is None else say(asked.fault.reason)


def _recorded(game: AnyGame, asked: Asked) -> str:
    """The move; of a fault why it was one, which says more than what became of it."""
    fault = asked.recorded.fault
    return game.write(asked.recorded.move) if fault is None else say(fault.reason)
