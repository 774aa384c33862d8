"""Play against bots and watch games at the terminal.

Depends on engine, records, narration and cup. Start with `session` (a match with a person), `playback`
(recorded games) and `ui` (what a game provides).
"""
