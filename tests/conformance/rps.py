"""rps rounds of the original: same winner, decided by the same step."""

from __future__ import annotations

from typing import Any

from botequim.core.game import CHANCE, CHANCE_TURN
from botequim.core.options import resolve_options
from botequim.games.rps.rules import COINS, GAME, HANDS, DecidingStep, State
from tests.conformance import expect, require_text

FILE = "rps_rounds.jsonl"
BY_LETTER = {hand.value[0]: hand for hand in HANDS}
BY_WORD = {hand.value.upper(): hand for hand in HANDS}


def check(entry: dict[str, Any]) -> None:
    past = entry["history"].split(";") if entry["history"] else []
    options = resolve_options(GAME.name, GAME.options, {"rounds": len(past) + 1})
    state = GAME.start(options)
    for number, (first, second, winner) in enumerate(past, start=1):
        state = GAME.apply(state, {0: BY_LETTER[first], 1: BY_LETTER[second]})
        state = _coin(state, int(winner) - 1)
        expect(f"winner of round {number} of the history", state.rounds[-1].winner, int(winner) - 1)
    expect("history", GAME.view(state, 0).history, entry["history"])
    hands = [BY_WORD[require_text(player, entry[player])] for player in ("p1", "p2")]
    state = GAME.apply(state, dict(enumerate(hands)))
    if entry["winner"] == "random":
        expect("who decides", GAME.to_move(state), CHANCE_TURN)
        expect("decided by", entry["decided_by"], "random")
        state = _coin(state, 0)
        expect("decided by", state.rounds[-1].by, DecidingStep.COIN)
    else:
        expect("winner", state.rounds[-1].winner, entry["winner"] - 1)
        expect("decided by", state.rounds[-1].by.value, entry["decided_by"])


def _coin(state: State, winner: int) -> State:
    return GAME.apply(state, {CHANCE: COINS[winner]}) if GAME.to_move(state) == CHANCE_TURN else state
