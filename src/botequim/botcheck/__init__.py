"""Examine a bot before a competition: try it, find its mistakes, and say how to correct them.

`examine.py` decides what is tried, `table.py` plays the games, `judging.py` and `diagnosis/` explain faults,
and `doctor.py` examines this machine. A game's plugin adds its own checks (`game_checks.py`).
"""
