"""Codecs that work for every game, and functions that the codecs of games share (`games/GAME/wire.py`)."""
