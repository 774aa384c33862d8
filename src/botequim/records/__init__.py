"""Records of games: writing, reading, replaying, verifying, and asking a bot a recorded question again.

Depends on core, engine and bots. Start with `record` (the format) and `replay` (positions of a game).
"""
