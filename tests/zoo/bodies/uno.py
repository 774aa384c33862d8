"""An uno bot that behaves: discards the first card that fits, else buys one."""

import sys

import animal

animal.start()
hand, top, suit, debt, me, turn = [], "", "", 0, "", 0


def choose():
    global top, suit, debt
    fitting = [card for card in hand if card[:-1] == top[:-1] or card[-1] == suit or card[0] in "AC"]
    if debt or not fitting:
        return f"BUY {debt or 1}"
    top = fitting[0]
    hand.remove(top)
    suit = "♥" if top[0] in "AC" else top[-1]
    debt = {"V": 2, "C": 4}.get(top[:-1], 0)
    return f"DISCARD {top} ♥" if top[0] in "AC" else f"DISCARD {top}"


for heard in sys.stdin:
    word, *rest = heard.split()
    if word == "YOU":
        me = rest[0]
    elif word == "HAND":
        hand = rest[1:-1]
    elif word in ("TABLE", "DISCARD"):
        top, suit = rest[0], rest[-1][-1]
        debt = {"V": 2, "C": 4}.get(top[:-1], 0) if word == "DISCARD" else 0
    elif word == "BUY":
        debt = 0
    elif word == "TURN" and rest[0] == me:
        turn += 1
        animal.think(turn)
        owed = debt
        answer = choose()
        animal.write(animal.line(answer))
        animal.afterwards(turn)
        if answer.startswith("BUY"):
            hand += [sys.stdin.readline().strip() for _ in range(owed or 1)]
            debt = 0
