"""Tries a bot before its competition does: real games, awkward positions, and its mistakes in words."""
