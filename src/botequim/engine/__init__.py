"""Plays games: the referee, series of games, and the processes that they run in.

Depends on core and bots. Start with `referee`.
"""
