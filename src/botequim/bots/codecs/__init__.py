"""Codecs that work for every game, and what the codecs of games share. Each game has its own in `games/`."""
