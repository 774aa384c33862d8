"""How the champion of cubos chooses a move, computed on numbers and bits. Start with `decision`."""
