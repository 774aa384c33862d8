"""Records of games: write, read, replay and verify them, and ask a bot a recorded question again.

Depends on core, engine and bots. Start with `record` (the format) and `replay` (positions of a game).
"""
