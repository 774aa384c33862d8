"""How the champion of uno chooses a move, computed on numbers and bits. Start with `search`."""
