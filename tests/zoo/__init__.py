"""The zoo: bots that misbehave, played in real games, and what must come of each.

An `Animal` is a few lines of Python that change a bot which plays well (`bodies/`): the same lines go wild on
every wire where they mean something. Its table says how it ends there by the rules of the game: the fault
with its evidence, or that it plays on. `keeper.py` plays it in a backend against a bot that behaves, and then
a game without it; `census.py` looks for anything that is left. `docs/reference/security.md` has this
table too.
"""
