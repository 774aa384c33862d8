"""Plays matches: many games between the same entrants. Depends on engine and bots. Start with `runner`."""
