"""The values and interfaces that everything else uses.

Authors of games and players start here: `game`, `player`.
"""
