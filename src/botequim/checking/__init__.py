"""Tries a bot before its competition does: real games, every awkward position, and what went wrong in words."""
