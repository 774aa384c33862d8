"""Bots: from the name of a bot to a player that the referee can ask.

`resolve.py` finds the bot with a name, `prepare.py` copies and builds it, `seat.py` creates its player,
`remote.py` is that player, `transports/` send questions and receive answers, and `codecs/` are wires for any
game. The package depends on `core/` and, when a program runs, on `sandbox/`. Start reading at `entrant.py`.
"""
