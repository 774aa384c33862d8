"""Shared code of card games: cards, and drawings of hands."""
