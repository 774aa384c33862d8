"""Everything between the name of a bot and a player that the referee can ask.

`resolve.py` finds out what a name means, `prepare.py` makes it ready, `seat.py` gives it a seat, `remote.py`
is the player, `transports/` carry its questions, and `codecs/` are wires for any game. It depends on `core/`
and, when a program runs, on `sandbox/`. Start reading at `entrant.py`.
"""
